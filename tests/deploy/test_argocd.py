"""What deploy/argocd gives to Argo CD: its shape, and its scripts run.

The published schemas of Argo CD are not part of the repository; what is asserted here is the structure.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lupa
import pytest
import yaml

from gangform.catalog import BACKENDS
from gangform.hosts import argocd

Deployed = Callable[[str], list[Any]]

INSTALLATION = {
    "kustomization.yaml": """\
        namespace: argocd
        resources: [argocd.yaml]
        components: [plugin, health]
        images: [{name: gangform, newName: registry.example.com/gangform, newTag: "0.1.0"}]
        """,
    "argocd.yaml": """\
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: argocd-repo-server}
        spec:
          template:
            spec:
              containers:
              - {name: argocd-repo-server, image: argocd}
              volumes:
              - {name: var-files, emptyDir: {}}
              - {name: plugins, emptyDir: {}}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: argocd-cm}
        data: {url: "https://argocd.example.com"}
        """,
}


@pytest.fixture
def installed(repository: Path, tmp_path: Path, kustomize: str) -> dict[str, Any]:
    """A small Argo CD with both components, built by kustomize: kind and name to object."""
    import textwrap

    for part in ("plugin", "health"):
        shutil.copytree(repository / "deploy/argocd" / part, tmp_path / part)
    for name, text in INSTALLATION.items():
        (tmp_path / name).write_text(textwrap.dedent(text))
    done = subprocess.run([kustomize, "build", tmp_path], capture_output=True, text=True, check=True)
    return {f"{data['kind']}/{data['metadata']['name']}": data for data in yaml.safe_load_all(done.stdout)}


@pytest.fixture
def customizations(installed: dict[str, Any]) -> dict[str, str]:
    data: dict[str, str] = installed["ConfigMap/argocd-cm"]["data"]
    return data


def test_the_plugin_is_what_argocd_cmp_server_reads(deployed: Deployed) -> None:
    [plugin] = deployed("argocd/plugin/plugin.yaml")
    assert (plugin["apiVersion"], plugin["kind"]) == ("argoproj.io/v1alpha1", "ConfigManagementPlugin")
    spec = plugin["spec"]
    assert set(spec) == {"discover", "generate", "parameters"}
    assert spec["generate"]["command"] == ["gangform", "argocd", "generate"]
    assert spec["discover"] == {"find": {"command": ["gangform", "argocd", "discover"]}}
    assert spec["parameters"] == {"dynamic": {"command": ["gangform", "argocd", "parameters"]}}


def test_the_sidecar_joins_repo_server(installed: dict[str, Any], deployed: Deployed) -> None:
    pod = installed["Deployment/argocd-repo-server"]["spec"]["template"]["spec"]
    containers = {container["name"]: container for container in pod["containers"]}
    assert set(containers) == {"argocd-repo-server", "gangform"}
    sidecar = containers["gangform"]
    assert sidecar["image"] == "registry.example.com/gangform:0.1.0"
    assert sidecar["command"] == ["/var/run/argocd/argocd-cmp-server"]
    assert (sidecar["securityContext"]["runAsUser"], sidecar["securityContext"]["runAsNonRoot"]) == (999, True)
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    mounts = {mount["mountPath"]: mount for mount in sidecar["volumeMounts"]}
    assert {mount["name"] for mount in mounts.values()} <= set(volumes)
    assert mounts["/home/argocd/cmp-server/config/plugin.yaml"]["subPath"] == "plugin.yaml"
    assert mounts["/tmp"]["name"] not in {"tmp", "var-files", "plugins"}
    name = volumes["gangform-plugin"]["configMap"]["name"]
    assert re.fullmatch(r"gangform-plugin-[a-z0-9]+", name)
    assert yaml.safe_load(installed[f"ConfigMap/{name}"]["data"]["plugin.yaml"]) == deployed(
        "argocd/plugin/plugin.yaml")[0]


def test_the_customizations_join_what_argo_cd_has(customizations: dict[str, str]) -> None:
    assert customizations.pop("url") == "https://argocd.example.com"
    kinds = {f"{backend.GROUP_API[0].split('/')[0]}_{backend.GROUP_API[1]}" for backend in BACKENDS.values()}
    assert {key for key in customizations if ".health." in key} == {
        f"resource.customizations.health.{kind}" for kind in {*kinds, "kubeflow.org_MPIJob"}}
    assert {key for key in customizations if ".knownTypeFields." in key} == {
        f"resource.customizations.knownTypeFields.{kind}" for kind in {*kinds, "kubeflow.org_MPIJob"}}
    for key, text in customizations.items():
        if ".knownTypeFields." in key:
            assert {entry["type"] for entry in yaml.safe_load(text)} <= {"core/v1/PodSpec", "core/v1/ResourceList"}
    ignored = yaml.safe_load(customizations["resource.customizations.ignoreDifferences.kubeflow.org_MPIJob"])
    assert ignored == {"jsonPointers": ["/spec/runPolicy/suspend"]}


def health(script: str, obj: dict[str, Any]) -> tuple[str, str]:
    """Run a script as Argo CD does: the object is the global ``obj``, and there is no ``os`` and no ``io``."""
    lua = lupa.LuaRuntime(unpack_returned_tuples=True, register_eval=False)
    lua.execute("os = nil io = nil require = nil")
    lua.globals().obj = lua.table_from(obj, recursive=True)
    answer = lua.execute(script)
    return answer["status"], answer["message"]


def job(*conditions: tuple[str, str, str | None], hook: str = "", suspend: bool = False) -> dict[str, Any]:
    status = {"conditions": [{"type": kind, "status": state, "message": text} for kind, state, text in conditions]}
    annotations = {"annotations": {hook: "PreSync"}} if hook else {}
    return {"metadata": {"name": "pi", **annotations}, "spec": {"runPolicy": {"suspend": suspend}}, "status": status}


CREATED = ("Created", "True", "is created")
RUNNING = ("Running", "True", "is running")
SHORT = ("GangScheduled", "False", "8 cpu short")
WHOLE = ("GangScheduled", "True", "9 of 9 bound")


@pytest.mark.parametrize(("obj", "answer"), [
    ({"metadata": {"name": "pi"}}, ("Progressing", "Waiting for mpi-operator")),
    ({}, ("Progressing", "Waiting for mpi-operator")),
    (job(CREATED), ("Progressing", "Waiting for the whole gang to start")),
    (job(CREATED, RUNNING), ("Healthy", "is running")),
    (job(CREATED, RUNNING, hook="argocd.argoproj.io/hook"), ("Progressing", "is running")),
    (job(CREATED, RUNNING, hook="helm.sh/hook"), ("Progressing", "is running")),
    (job(CREATED, ("Running", "False", "is running"), ("Succeeded", "True", "done")), ("Healthy", "done")),
    (job(CREATED, ("Succeeded", "True", "done"), hook="argocd.argoproj.io/hook"), ("Healthy", "done")),
    (job(CREATED, ("Running", "False", "x"), ("Failed", "True", "lost")), ("Degraded", "lost")),
    (job(CREATED, ("Restarting", "True", "again")), ("Progressing", "again")),
    (job(CREATED, ("Suspended", "True", "held"), suspend=True), ("Suspended", "The job is suspended")),
    (job(CREATED, ("Succeeded", "True", "done"), suspend=True), ("Healthy", "done")),
    (job(CREATED, RUNNING, SHORT), ("Progressing", "8 cpu short")),
    (job(SHORT, CREATED, RUNNING, hook="helm.sh/hook"), ("Progressing", "8 cpu short")),
    (job(CREATED, SHORT), ("Progressing", "8 cpu short")),
    (job(CREATED, ("GangScheduled", "False", None)), ("Progressing", "Waiting for the whole gang to start")),
    (job(CREATED, WHOLE), ("Progressing", "9 of 9 bound")),
    (job(CREATED, RUNNING, WHOLE), ("Healthy", "9 of 9 bound")),
    (job(CREATED, RUNNING, WHOLE, hook="helm.sh/hook"), ("Progressing", "9 of 9 bound")),
    (job(CREATED, RUNNING, ("GangScheduled", "Unknown", "not told")), ("Healthy", "is running")),
    (job(CREATED, ("GangScheduled", "Unknown", "not told")), ("Progressing", "Waiting for the whole gang to start")),
    (job(CREATED, SHORT, suspend=True), ("Suspended", "The job is suspended")),
    (job(CREATED, SHORT, ("Succeeded", "True", "done")), ("Healthy", "done")),
    (job(CREATED, SHORT, ("Failed", "True", "lost")), ("Degraded", "lost")),
])
def test_the_health_of_a_job(customizations: dict[str, str], obj: dict[str, Any], answer: tuple[str, str]) -> None:
    assert health(customizations["resource.customizations.health.kubeflow.org_MPIJob"], obj) == answer


UNSCHEDULABLE = {"type": "Unschedulable", "status": "True", "message": "3/4 tasks unschedulable"}


@pytest.mark.parametrize(("group", "obj", "message"), [
    ("scheduling.x-k8s.io", {}, "No phase yet"),
    ("scheduling.x-k8s.io", {"status": {"phase": "Pending"}}, "Phase Pending"),
    ("scheduling.volcano.sh", {}, "No phase yet"),
    ("scheduling.volcano.sh", {"status": {"phase": "Inqueue", "conditions": [UNSCHEDULABLE]}},
     "Phase Inqueue: 3/4 tasks unschedulable"),
    ("scheduling.volcano.sh", {"status": {"phase": "Running", "conditions": [UNSCHEDULABLE]}}, "Phase Running"),
])
def test_a_group_is_shown_and_never_judged(
    customizations: dict[str, str], group: str, obj: dict[str, Any], message: str
) -> None:
    script = customizations[f"resource.customizations.health.{group}_PodGroup"]
    assert health(script, obj) == ("Healthy", message)


def test_the_plugins_example_gives_parameters_that_are_read(deployed: Deployed) -> None:
    [application] = deployed("argocd/examples/plugin.yaml")
    plugin = application["spec"]["source"]["plugin"]
    assert plugin["name"] == deployed("argocd/plugin/plugin.yaml")[0]["metadata"]["name"]
    request = argocd.read({"ARGOCD_APP_PARAMETERS": json.dumps(plugin["parameters"])}, BACKENDS)
    assert request.backend == "volcano"
    assert set(request.options) <= set(BACKENDS[request.backend].OPTIONS)


@pytest.mark.parametrize("name", ["plugin", "rendered", "applicationset"])
def test_each_example_is_an_application(deployed: Deployed, name: str) -> None:
    [found] = deployed(f"argocd/examples/{name}.yaml")
    assert found["apiVersion"] == "argoproj.io/v1alpha1"
    body = found["spec"]["template"]["spec"] if found["kind"] == "ApplicationSet" else found["spec"]
    metadata = found["spec"]["template"]["metadata"] if found["kind"] == "ApplicationSet" else found["metadata"]
    assert set(body) == {"project", "source", "destination", "syncPolicy"}
    assert metadata["annotations"] == {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
    # ignoreDifferences holds for the sync itself only with this option.
    assert "RespectIgnoreDifferences=true" in body["syncPolicy"]["syncOptions"]
