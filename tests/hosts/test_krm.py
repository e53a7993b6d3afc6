"""KRM functions: ResourceLists, and the real kustomize around them."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from gangform.edges.spooling import Spool
from gangform.hosts.krm import spell
from gangform.workflows.krm import Answered, serve
from repository import job

CONFIG = {"apiVersion": "gangform.dev/v1", "kind": "Gang", "metadata": {"name": "gang"}, "spec": {"backend": "volcano"}}


def resource_list(*items: dict[str, Any], config: Any = CONFIG, **more: Any) -> str:
    return yaml.safe_dump({"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": config,
                           "items": list(items), **more}, sort_keys=False)


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()

    def serve_text(text: str) -> Answered:
        def open_input(_path: str, spool: Spool) -> str:
            spool.append(text.encode())
            return "<stdin>"

        return serve(open_input)

    return serve_text


def placed(data: dict[str, Any], path: str = "jobs/pi.yaml", prefix: str = "internal.config.kubernetes.io/") -> dict[str, Any]:
    data["metadata"]["annotations"] = {f"{prefix}path": path, f"{prefix}index": "2"}
    return data


def pi() -> dict[str, Any]:
    return yaml.safe_load(job())


def test_a_group_becomes_an_item_before_its_job_and_goes_into_its_file(ask) -> None:
    answered = ask(resource_list({"apiVersion": "v1", "kind": "ConfigMap"}, placed(pi())))
    data = yaml.safe_load(answered.text)
    assert [item["kind"] for item in data["items"]] == ["ConfigMap", "PodGroup", "MPIJob"]
    assert data["items"][1]["metadata"]["annotations"] == {"internal.config.kubernetes.io/path": "jobs/pi.yaml"}
    assert data["items"][2]["metadata"] == placed(pi())["metadata"]
    assert data["functionConfig"] == CONFIG
    assert (answered.code, "results" in data) == (0, False)


def test_items_that_are_no_jobs_keep_every_byte(ask) -> None:
    text = resource_list(pi()).replace("items:\n", "items:\n- # mine\n  kind:   ConfigMap\n  data: {a: 'b'} # kept\n")
    answered = ask(text).text
    assert "- # mine\n  kind:   ConfigMap\n  data: {a: 'b'} # kept\n- apiVersion: scheduling.volcano.sh" in answered


def test_twice_is_as_once(ask) -> None:
    once = ask(resource_list(placed(pi()))).text
    assert ask(once).text == once


@pytest.mark.parametrize("prefix", ["internal.config.kubernetes.io/", "config.kubernetes.io/"])
def test_errors_become_results_and_items_stay(ask, prefix: str) -> None:
    bad = placed(pi(), prefix=prefix)
    bad["spec"]["runPolicy"] = {"cleanPodPolicy": "running"}
    text = resource_list(bad, pi() | {"metadata": {"name": "good"}})
    answered = ask(text)
    data = yaml.safe_load(answered.text)
    assert answered.code == 1
    assert data.pop("results") == [{
        "message": 'cleanPodPolicy is "running"; it must be None, Running or All; write Running', "severity": "error",
        "tags": {"rule": "clean-pod-policy"},
        "resourceRef": {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "name": "pi"},
        "field": {"path": "spec.runPolicy.cleanPodPolicy", "currentValue": "running", "proposedValue": "Running"},
        "file": {"path": "jobs/pi.yaml", "index": 2}}]
    assert data == yaml.safe_load(text)


def test_notes_become_results_of_a_success(ask) -> None:
    data = pi()
    data["spec"]["runPolicy"]["schedulingPolicy"] = {"scheduleTimeoutSeconds": 9}
    answered = ask(resource_list(data, results=[{"message": "old"}]))
    (result,) = yaml.safe_load(answered.text)["results"]
    assert (answered.code, result["severity"], result["tags"]) == (0, "info", {"rule": "policy-field-ignored"})


@pytest.mark.parametrize(("spec", "kind"), [
    ({"backend": "volcano", "options": {"queue": "research", "labels": {"team": "hpc", "of": "us"}}}, "Gang"),
    ({"backend": "volcano", "queue": "research", "labels": "team=hpc\nof=us\n"}, "ConfigMap"),
])
def test_a_function_config_holds_settings(ask, spec: dict[str, Any], kind: str) -> None:
    field = "data" if kind == "ConfigMap" else "spec"
    group = yaml.safe_load(ask(resource_list(pi(), config={"kind": kind, field: spec})).text)["items"][0]
    assert group["spec"]["queue"] == "research"
    assert (group["metadata"]["labels"]["team"], group["metadata"]["labels"]["of"]) == ("hpc", "us")


def test_a_cluster_of_the_settings_can_be_named(ask, tmp_path: Path) -> None:
    (tmp_path / "gangform.yaml").write_text("clusters: {prod: {backend: volcano, options: {queue: q}}}\n")
    answered = ask(resource_list(pi(), config={"spec": {"cluster": "prod"}}))
    assert yaml.safe_load(answered.text)["items"][0]["spec"]["queue"] == "q"


def test_groups_can_be_left_to_the_operator_and_marks_taken_out(ask) -> None:
    once = ask(resource_list(pi(), config={"spec": {"backend": "volcano", "groups": "operator"}})).text
    assert [item["kind"] for item in yaml.safe_load(once)["items"]] == ["MPIJob"]
    back = ask(once.replace("groups: operator", "remove: true"))
    assert yaml.safe_load(back.text)["items"] == [pi()]


@pytest.mark.parametrize(("config", "said"), [
    (None, "has no functionConfig"),
    ({"spec": None}, "has no spec"),
    ({"data": {}}, "has no spec"),
    ({"kind": "ConfigMap", "spec": {}}, "has no data"),
    ({"spec": {}}, "for which scheduler"),
    ({"spec": {"backend": 1}}, "backend is no text"),
    ({"spec": {"backend": "slurm"}}, "no backend slurm"),
    ({"spec": {"backend": "volcano", "cluster": "prod"}}, "exclude each other"),
    ({"spec": {"cluster": "prod"}}, "no cluster prod"),
    ({"spec": {"backend": "volcano", "queue": "x"}}, "'queue' is not known in spec"),
    ({"spec": {"backend": "volcano", "options": {"que": "x"}}}, "no option of volcano"),
    ({"spec": {"backend": "volcano", "options": []}}, "options is no map"),
    ({"spec": {"backend": "volcano", "groups": "argo"}}, "groups is 'argo'"),
    ({"spec": {"backend": "volcano", "remove": "maybe"}}, "remove is 'maybe'"),
])
def test_a_wrong_function_config_is_a_result(ask, config: Any, said: str) -> None:
    answered = ask(resource_list(pi(), config=config))
    data = yaml.safe_load(answered.text)
    (result,) = data["results"]
    assert (answered.code, result["severity"]) == (2, "error")
    assert said in result["message"]
    assert data["items"] == [pi()]


def test_field_paths_are_spelt_as_kyaml_does() -> None:
    assert spell(("metadata", "labels", "a.b/c", "x", 0, "y")) == "metadata.labels.[a.b/c].x[0].y"


FUNCTION = """\
apiVersion: gangform.dev/v1
kind: Gang
metadata:
  name: gang
  annotations:
    config.kubernetes.io/function: |
      exec: {path: ./gangform.sh}
spec: {backend: volcano, options: {queue: research}}
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder whose kustomization starts the function."""
    (tmp_path / "pi.yaml").write_text("# mine\n" + job())
    (tmp_path / "gang.yaml").write_text(FUNCTION)
    script = tmp_path / "gangform.sh"
    script.write_text("#!/bin/sh\nexec gangform krm\n")
    script.chmod(0o755)
    return tmp_path


def kustomize_run(program: str, folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments, "."], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.tools
@pytest.mark.skipif(os.name == "nt", reason="exec functions are scripts here")
class TestKustomize:
    """The real kustomize."""

    build = ("build", "--enable-alpha-plugins", "--enable-exec")

    def test_a_build_runs_the_function_as_a_transformer(self, package: Path, kustomize: str, environment) -> None:
        (package / "kustomization.yaml").write_text("resources: [pi.yaml]\ntransformers: [gang.yaml]\nnamePrefix: dev-\n")
        done = kustomize_run(kustomize, package, environment, *self.build)
        assert done.returncode == 0, done.stderr
        assert sorted((data["kind"], data["metadata"]["name"]) for data in yaml.safe_load_all(done.stdout)) == [
            ("MPIJob", "dev-pi"), ("PodGroup", "dev-pi")]

    def test_a_failing_function_fails_the_build_with_our_message(self, package: Path, kustomize: str, environment) -> None:
        (package / "kustomization.yaml").write_text("resources: [pi.yaml]\ntransformers: [gang.yaml]\n")
        (package / "pi.yaml").write_text(job(workers=0))
        done = kustomize_run(kustomize, package, environment, *self.build)
        assert done.returncode != 0
        assert done.stdout == ""
        assert "the Worker has 0 replicas" in done.stderr

    def test_without_enable_exec_kustomize_leaves_the_function_out_silently(self, package: Path, kustomize: str, environment) -> None:
        # The documents warn of this; should kustomize mend it, the warning can go.
        (package / "kustomization.yaml").write_text("resources: [pi.yaml]\ntransformers: [gang.yaml]\n")
        done = kustomize_run(kustomize, package, environment, "build", "--enable-alpha-plugins")
        assert (done.returncode, "PodGroup" in done.stdout) == (0, False)

    def test_fn_run_writes_the_group_into_the_job_s_file_and_keeps_comments(self, package: Path, kustomize: str, environment) -> None:
        (package / "results").mkdir()
        arguments = ("fn", "run", "--enable-exec", "--results-dir", "results")
        done = kustomize_run(kustomize, package, environment, *arguments)
        assert done.returncode == 0, done.stderr
        text = (package / "pi.yaml").read_text()
        assert "\n---\n# mine\napiVersion: kubeflow.org" in text
        group, _ = yaml.safe_load_all(text)
        assert (group["kind"], group["spec"]["queue"], "annotations" in group["metadata"]) == ("PodGroup", "research", False)
        assert sorted(path.name for path in package.glob("*.yaml")) == ["gang.yaml", "pi.yaml"]
        assert kustomize_run(kustomize, package, environment, *arguments).returncode == 0
        assert (package / "pi.yaml").read_text() == text

    def test_results_name_the_file(self, package: Path, kustomize: str, environment) -> None:
        (package / "results").mkdir()
        (package / "pi.yaml").write_text(job(workers=0))
        done = kustomize_run(kustomize, package, environment, "fn", "run", "--enable-exec", "--results-dir", "results")
        assert done.returncode != 0
        (result,) = yaml.safe_load((package / "results/results-0.yaml").read_text())
        assert (result["file"], result["field"]["path"]) == ({"path": "pi.yaml", "index": 0}, "spec.mpiReplicaSpecs.Worker.replicas")
        assert (package / "pi.yaml").read_text() == job(workers=0)


@pytest.mark.parametrize("items", ["x", 5, {"a": 1}, [None], ["x"], [[pi()]], [pi(), None]])
def test_items_that_are_no_objects_are_refused_and_stay(ask, items: Any) -> None:
    text = resource_list()
    data = yaml.safe_load(text) | {"items": items}
    answered = ask(yaml.safe_dump(data))
    assert answered.code == 2
    answer = yaml.safe_load(answered.text)
    assert answer["items"] == items
    assert [one["message"].partition(";")[0] for one in answer["results"]] == [
        "the items of the ResourceList are no list of objects"]


def test_a_message_names_no_option_of_the_command_line(ask) -> None:
    answered = ask(resource_list(pi(), config={**CONFIG, "spec": {"remove": True, "options": {"queue": "a"}}}))
    assert (answered.code, str(answered.error)) == (2, "functionConfig: options are given for no scheduler")
