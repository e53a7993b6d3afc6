"""The plugin as Argo CD starts it: in the Application's folder, told by the environment alone."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from charts import chart
from repository import job

CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata: {rev: "1e3"}\n'
BASE = {
    "repo/teams/a/base/kustomization.yaml": "resources: [pi.yaml, conf.yaml]\n",
    "repo/teams/a/base/pi.yaml": job(),
    "repo/teams/a/base/conf.yaml": CONFIG,
}
Plugin = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    """Write files, then run as argocd-cmp-server does."""

    def run(command: str, files: dict[str, str], path: str, *parameters: dict[str, object],
            **extra: str) -> subprocess.CompletedProcess[str]:
        for name, text in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        environment = {
            "PATH": os.environ["PATH"], "HOME": "/nonexistent",
            "ARGOCD_APP_NAME": "jobs", "ARGOCD_APP_NAMESPACE": "team-a", "ARGOCD_APP_PROJECT_NAME": "default",
            "ARGOCD_APP_REVISION": "0123456789abcdef0123456789abcdef01234567", "ARGOCD_APP_SOURCE_PATH": path,
            "ARGOCD_APP_SOURCE_REPO_URL": "https://git.example.com/cluster.git",
            "ARGOCD_APP_SOURCE_TARGET_REVISION": "main", "KUBE_VERSION": "1.31.2",
            "KUBE_API_VERSIONS": "apps/v1,apps/v1/Deployment,batch/v1",
            "ARGOCD_APP_PARAMETERS": json.dumps(parameters or None), **extra,
        }
        return subprocess.run(
            [sys.executable, "-m", "gangform", "argocd", command], cwd=tmp_path / "repo" / path, env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)

    return run


BACKEND = {"name": "backend", "string": "volcano"}


def kinds(text: str) -> list[str]:
    return [f"{data['kind']}/{data['metadata']['name']}" for data in yaml.safe_load_all(text)]


def test_every_object_is_generated_and_the_job_gets_its_gang(plugin: Plugin) -> None:
    done = plugin("generate", BASE, "teams/a/base", BACKEND, {"name": "queue", "string": "research"})
    assert (done.returncode, done.stderr) == (0, "")
    assert kinds(done.stdout) == ["PodGroup/pi", "MPIJob/pi", "ConfigMap/conf"]
    group, marked, config = yaml.safe_load_all(done.stdout)
    assert group["spec"] == {"minMember": 5, "queue": "research"}
    template = marked["spec"]["mpiReplicaSpecs"]["Worker"]["template"]
    assert template["spec"]["schedulerName"] == "volcano"
    assert template["metadata"]["annotations"] == {"scheduling.k8s.io/group-name": "pi"}
    assert config["data"] == {"rev": "1e3"}


def test_equal_input_gives_equal_bytes(plugin: Plugin) -> None:
    first = plugin("generate", BASE, "teams/a/base", BACKEND).stdout
    turned = {**BASE, "repo/teams/a/base/kustomization.yaml": "resources: [conf.yaml, pi.yaml]\n"}
    assert plugin("generate", turned, "teams/a/base", BACKEND).stdout == first != ""


def test_an_overlay_is_built_with_kustomize(plugin: Plugin, kustomize: str) -> None:
    files = {**BASE, "repo/teams/a/prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\n"}
    done = plugin("generate", files, "teams/a/prod", BACKEND)
    assert kinds(done.stdout) == ["PodGroup/prod-pi", "MPIJob/prod-pi", "ConfigMap/prod-conf"], done.stderr


def test_plain_files_are_generated_the_settings_left_out(plugin: Plugin) -> None:
    files = {"repo/jobs/pi.yaml": job(), "repo/jobs/more/conf.yml": CONFIG,
             "repo/jobs/gangform.yaml": "clusters: {dev: {backend: coscheduling}}\n"}
    done = plugin("generate", files, "jobs")
    assert kinds(done.stdout) == ["PodGroup/pi", "MPIJob/pi", "ConfigMap/conf"], done.stderr


def test_a_chart_is_rendered_for_the_application(plugin: Plugin, helm: str) -> None:
    done = plugin("generate", chart("repo/chart"), "chart", BACKEND,
                  {"name": "values", "array": ["values-prod.yaml"]}, GANGFORM_HELM=helm)
    documents = {data["kind"]: data for data in yaml.safe_load_all(done.stdout)}
    assert set(documents) == {"ConfigMap", "CustomResourceDefinition", "MPIJob", "Pod", "PodGroup"}, done.stderr
    assert documents["PodGroup"]["metadata"]["namespace"] == "team-a"
    assert documents["PodGroup"]["metadata"]["name"] == "jobs"
    assert documents["PodGroup"]["spec"] == {"minMember": 9}
    assert documents["ConfigMap"]["data"]["kube"] == "v1.31.2"


def test_a_folder_whose_last_job_went_keeps_its_other_objects(plugin: Plugin) -> None:
    done = plugin("generate", {"repo/jobs/conf.yaml": CONFIG}, "jobs", BACKEND)
    assert (done.returncode, kinds(done.stdout)) == (0, ["ConfigMap/conf"])


@pytest.mark.parametrize("files", [
    {"repo/jobs/readme.md": "nothing"},
    {"repo/jobs/kustomization.yaml": "resources: []\n"},
    {"repo/jobs/empty.yaml": "# nothing\n"},
])
def test_nothing_is_never_a_success(plugin: Plugin, files: dict[str, str]) -> None:
    done = plugin("generate", files, "jobs", BACKEND)
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds no object" in done.stderr


@pytest.mark.parametrize(("parameters", "said"), [
    ([], "for which scheduler"),
    ([{"name": "backend", "string": "slurm"}], "there is no backend slurm"),
    ([{"name": "cluster", "string": "prod"}], "there is no cluster prod"),
    ([BACKEND, {"name": "cluster", "string": "prod"}], "exclude each other"),
    ([BACKEND, {"name": "groups", "string": "none"}], "groups is 'none'"),
    ([BACKEND, {"name": "timeout", "string": "60"}], "'timeout' is no option of volcano"),
    ([BACKEND, {"name": "values", "array": ["v.yaml"]}], "no Helm chart, so it takes no parameter values"),
    ([BACKEND, {"name": "cheese", "string": "x"}], "'cheese' is no parameter"),
])
def test_a_wrong_parameter_leaves_stdout_empty(plugin: Plugin, parameters: list[dict[str, object]], said: str) -> None:
    done = plugin("generate", BASE, "teams/a/base", *parameters)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_of_a_rule_leaves_stdout_empty(plugin: Plugin) -> None:
    bad = job().replace("    cleanPodPolicy: Running\n",
                        "    cleanPodPolicy: Running\n    schedulingPolicy: {minAvailable: 9}\n")
    done = plugin("generate", {**BASE, "repo/teams/a/base/pi.yaml": bad}, "teams/a/base", BACKEND)
    assert (done.returncode, done.stdout) == (1, "")
    assert "pi.yaml:" in done.stderr
    assert "[min-member-exceeds-pods]" in done.stderr


def test_a_file_without_a_kind_is_told_and_not_dropped(plugin: Plugin) -> None:
    done = plugin("generate", {"repo/jobs/pi.yaml": job(), "repo/jobs/x.yaml": "a: 1\n"}, "jobs", BACKEND)
    assert (done.returncode, done.stdout) == (2, "")
    assert "x.yaml:1: no Kubernetes object" in done.stderr


def test_no_line_of_a_file_outside_of_the_checkout_is_shown(plugin: Plugin, tmp_path: Path) -> None:
    files = {"token": "s3cr3t\n", "repo/jobs/pi.yaml": job(),
             "repo/jobs/kustomization.yaml": "resources: [pi.yaml, ../../token]\n"}
    done = plugin("generate", files, "jobs", BACKEND)
    assert (done.returncode, done.stdout) == (2, "")
    assert "lies outside of the checkout" in done.stderr
    assert "s3cr3t" not in done.stderr


@pytest.mark.parametrize("path", [
    "jobs", "jobs/../jobs", "a/../b/../jobs", "a/b/c/../../../jobs", "a/b/c/jobs", "../../jobs", "//jobs"])
def test_no_spelling_of_the_path_widens_the_checkout(plugin: Plugin, path: str) -> None:
    files = {"other/token.yaml": CONFIG.replace("conf", "s3cr3t"), "other/kustomization.yaml": "resources: [token.yaml]\n",
             "repo/jobs/pi.yaml": job(), "repo/jobs/kustomization.yaml": "resources: [pi.yaml, ../../other]\n",
             "gangform.yaml": "clusters: {dev: {backend: coscheduling}}\n"}
    done = plugin("generate", files, "jobs", BACKEND, ARGOCD_APP_SOURCE_PATH=path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "lies outside of" in done.stderr
    assert plugin("generate", files, "jobs", ARGOCD_APP_SOURCE_PATH=path).returncode == 2
    assert plugin("discover", files, "jobs", ARGOCD_APP_SOURCE_PATH=path).stdout == ""


def test_behind_a_link_only_the_folder_itself_counts(plugin: Plugin, tmp_path: Path) -> None:
    (tmp_path / "repo/a/b/c").mkdir(parents=True)
    (tmp_path / "repo/a/b/c/jobs").symlink_to("../../../jobs")
    files = {"token.yaml": CONFIG.replace("conf", "s3cr3t"), "repo/jobs/pi.yaml": job(),
             "repo/jobs/kustomization.yaml": "resources: [pi.yaml]\n"}
    assert plugin("generate", files, "a/b/c/jobs", BACKEND).returncode == 0
    files["repo/jobs/kustomization.yaml"] = "resources: [pi.yaml, ../../token.yaml]\n"
    done = plugin("generate", files, "a/b/c/jobs", BACKEND)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the folder's path leads through a link" in done.stderr
    assert "s3cr3t" not in done.stderr


@pytest.mark.parametrize(("link", "target"), [
    ("values.yaml", "token.yaml"), ("templates/leak.yaml", "token.yaml"), ("notes.txt", "token.yaml"),
    ("charts/other", "other"), ("templates/deep", "repo/shared"), ("templates/gone.yaml", "nowhere")])
def test_no_link_leads_a_chart_outside(plugin: Plugin, tmp_path: Path, helm: str, link: str, target: str) -> None:
    files = chart("repo/chart") | {"token.yaml": "image: s3cr3t\n", "other/Chart.yaml": "s3cr3t\n", "repo/shared/a.txt": "x"}
    files.pop("repo/chart/values.yaml" if link == "values.yaml" else "", None)
    for place, leads in ((f"repo/chart/{link}", target), ("repo/shared/b.yaml", "token.yaml")):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).symlink_to(tmp_path / leads)
    done = plugin("generate", files, "chart", BACKEND, GANGFORM_HELM=helm)
    assert (done.returncode, done.stdout) == (2, "")
    assert "lies outside of the checkout" in done.stderr
    assert "s3cr3t" not in done.stderr


def test_links_of_a_chart_inside_of_the_checkout_are_followed(plugin: Plugin, tmp_path: Path, helm: str) -> None:
    files = chart("repo/chart") | {"repo/shared/more.yaml": CONFIG.replace("conf", "shared")}
    (tmp_path / "repo/chart/templates").mkdir(parents=True)
    (tmp_path / "repo/chart/templates/shared").symlink_to(tmp_path / "repo/shared")
    done = plugin("generate", files, "chart", BACKEND, GANGFORM_HELM=helm)
    assert "ConfigMap/shared" in kinds(done.stdout), done.stderr


def test_a_link_does_not_lead_a_values_file_outside(plugin: Plugin, tmp_path: Path, helm: str) -> None:
    (tmp_path / "repo/chart").mkdir(parents=True)
    (tmp_path / "repo/chart/leak.yaml").symlink_to(tmp_path / "token.yaml")
    done = plugin("generate", {**chart("repo/chart"), "token.yaml": "image: s3cr3t\n"}, "chart", BACKEND,
                  {"name": "values", "array": ["leak.yaml"]}, GANGFORM_HELM=helm)
    assert (done.returncode, done.stdout) == (2, "")
    assert "leak.yaml lies outside" in done.stderr


def test_settings_above_the_checkout_do_not_count(plugin: Plugin) -> None:
    above = {**BASE, "gangform.yaml": "clusters: {dev: {backend: coscheduling}}\n"}
    assert plugin("generate", above, "teams/a/base").returncode == 2
    inside = {**BASE, "repo/gangform.yaml": "clusters: {dev: {backend: coscheduling}}\n"}
    assert plugin("generate", inside, "teams/a/base").returncode == 0


def test_an_application_with_jobs_is_discovered(plugin: Plugin) -> None:
    assert plugin("discover", BASE, "teams/a/base", BACKEND).stdout == "pi.yaml\n"
    overlay = {**BASE, "repo/teams/a/prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\n"}
    assert plugin("discover", overlay, "teams/a/prod", BACKEND, PATH="/nonexistent").stdout == "../base/pi.yaml\n"
    assert plugin("discover", chart("repo/c"), "c", BACKEND, PATH="/nonexistent").stdout == "templates/job.yaml\n"


@pytest.mark.parametrize("files", [
    {"repo/jobs/conf.yaml": CONFIG},
    {"repo/jobs/conf.yaml": "# kind: MPIJob\n" + CONFIG},
    {"repo/jobs/kustomization.yaml": "# Generated by gangform. Do not edit.\nresources: [pi.yaml]\n",
     "repo/jobs/pi.yaml": job()},
    {"repo/jobs/broken.yaml": "kind: MPIJob\n  a: [\n"},
])
def test_other_applications_are_left_alone(plugin: Plugin, files: dict[str, str]) -> None:
    done = plugin("discover", files, "jobs", BACKEND)
    assert (done.returncode, done.stdout) == (0, "")


def test_an_application_for_no_scheduler_is_left_to_argo_cd(plugin: Plugin) -> None:
    done = plugin("discover", BASE, "teams/a/base")
    assert (done.returncode, done.stdout) == (0, "")


def test_the_parameters_are_announced_as_json(plugin: Plugin) -> None:
    done = plugin("parameters", BASE, "teams/a/base")
    assert done.returncode == 0
    assert {"backend", "cluster", "queue", "timeout"} <= {entry["name"] for entry in json.loads(done.stdout)}


def test_the_group_of_commands_alone_shows_its_help(plugin: Plugin, run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = run("argocd")
    assert (done.returncode, done.stdout) == (2, "")
    assert "discover" in done.stderr
