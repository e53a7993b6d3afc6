"""plan: how big a gang is."""

import json
from pathlib import Path

import pytest


def test_a_gang_is_told_in_full(run) -> None:
    done = run("plan", "base/pi.yaml", "--backend", "volcano", "--option", "queue=research")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pi  (MPIJob, volcano, queue research)  base/pi.yaml:1\n"
                                  "  exist together   3 pods: 1 Launcher + 2 Worker\n"
                                  "  start together   minMember 3: ")
    assert "  the gang asks    2500m cpu, 2304Mi memory\n" in done.stdout
    assert "  largest pod      Worker: 1 cpu, 1Gi memory\n" in done.stdout


def test_a_launcher_that_waits_comes_later(project: Path, run) -> None:
    job = project / "base/pi.yaml"
    job.write_text(job.read_text().replace("spec:\n  slots", "spec:\n  launcherCreationPolicy: WaitForWorkersReady\n  slots"))
    done = run("plan", "base/pi.yaml", "--backend", "coscheduling")
    assert "  exist together   2 pods: 2 Worker\n  comes later      1 Launcher\n" in done.stdout


def test_a_cluster_tells_the_files_that_would_change(run) -> None:
    done = run("plan", "base", "--cluster", "dev")
    assert done.returncode == 0
    assert "  new              overlays/coscheduling/pi.podgroup.yaml\n" in done.stdout


def test_json_has_the_same(run) -> None:
    done = run("plan", "base/pi.yaml", "--backend", "volcano", "--format", "json")
    (job,) = json.loads(done.stdout)["jobs"]
    assert (job["name"], job["minMember"], job["asks"]) == ("pi", 3, {"cpu": "2500m", "memory": "2304Mi"})
    assert job["roles"] == [{"name": "Launcher", "replicas": 1, "together": True},
                            {"name": "Worker", "replicas": 2, "together": True}]
    assert job["largest"] == {"role": "Worker", "requests": {"cpu": "1", "memory": "1Gi"}}


def test_a_plan_needs_a_scheduler_and_lists_the_clusters(run) -> None:
    done = run("plan", "base")
    assert (done.returncode, done.stdout) == (2, "")
    assert "(dev, prod)" in done.stderr


def test_a_plan_without_jobs_says_so(project: Path, run) -> None:
    (project / "empty.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")
    done = run("plan", "empty.yaml", "--backend", "volcano")
    assert done.returncode == 0
    assert "nothing to check" in done.stdout


def test_findings_come_before_the_plan(bad: Path, run) -> None:
    done = run("plan", "base/pi.yaml", "--backend", "volcano")
    assert done.returncode == 1
    assert done.stdout.index("[min-member-exceeds-pods]") < done.stdout.index("start together")


def test_a_job_is_told_its_own_files_and_not_those_of_another_team(project: Path, run) -> None:
    for team in ("a", "b"):
        (project / f"teams/{team}/base").mkdir(parents=True)
        for name in ("pi.yaml", "kustomization.yaml"):
            (project / f"teams/{team}/base/{name}").write_text((project / "base" / name).read_text())
    (project / "gangform.yaml").write_text(
        'clusters: {dev: {backend: coscheduling}}\n'
        'overlays: [{cluster: dev, source: "teams/{team}/base", path: "teams/{team}/dev"}]\n')
    done = run("plan", "teams", "--format", "json")
    assert [{file["path"].split("/")[1] for file in job["files"]} for job in json.loads(done.stdout)["jobs"]] == [
        {"a"}, {"b"}]


def test_a_class_that_the_source_holds_is_known_as_it_is_to_render(project: Path, run) -> None:
    (project / "base/class.yaml").write_text(
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n")
    (project / "base/kustomization.yaml").write_text("resources: [pi.yaml, class.yaml]\n")
    job = project / "base/pi.yaml"
    job.write_text(job.read_text().replace("    cleanPodPolicy: Running\n", (
        "    cleanPodPolicy: Running\n    schedulingPolicy: {minAvailable: 2}\n")).replace(
        "          containers:\n          - name: worker", (
            "          priorityClassName: high\n          containers:\n          - name: worker")))
    assert "high is not known" in run("plan", "base/pi.yaml", "--backend", "coscheduling").stdout
    assert "high is not known" not in run("plan", "base", "--backend", "coscheduling").stdout


def test_json_counts_what_was_read_and_names_paths_from_the_top(project: Path, run) -> None:
    done = run("plan", ".", "--cluster", "dev", "--format", "json", cwd=project / "base")
    answer = json.loads(done.stdout)
    assert (answer["summary"]["files"], answer["summary"]["builds"]) == (1, 1)
    assert answer["jobs"][0]["source"] == "base/pi.yaml:1"
    assert {file["path"] for file in answer["jobs"][0]["files"]} == {
        "overlays/coscheduling/pi.patch.yaml", "overlays/coscheduling/pi.podgroup.yaml"}


def test_a_kustomization_that_cannot_be_read_ends_a_plan(project: Path, run) -> None:
    (project / "base/kustomization.yaml").write_text("resources: [pi.yaml\n")
    done = run("plan", "base", "--backend", "volcano")
    assert (done.returncode, done.stdout) == (2, "")
    assert "base/kustomization.yaml:1: not a kustomization" in done.stderr


@pytest.mark.parametrize("metadata", [
    "[1]", "pi", "5", "{name: [pi]}", "{name: {}}", "{name: pi, labels: 5}", "{name: pi, labels: [a]}",
])
@pytest.mark.parametrize("kind", ["MPIJob", "PodGroup"])
def test_metadata_of_another_shape_is_a_finding(project: Path, run, kind: str, metadata: str) -> None:
    api = {"MPIJob": "kubeflow.org/v2beta1", "PodGroup": "scheduling.volcano.sh/v1beta1"}[kind]
    text = (project / "base/pi.yaml").read_text()
    (project / "odd.yaml").write_text(f"{text}---\napiVersion: {api}\nkind: {kind}\nmetadata: {metadata}\nspec: {{}}\n")
    for command in ("plan", "validate"):
        done = run(command, "odd.yaml", "--backend", "volcano")
        assert (done.returncode, "wrong-type" in done.stdout) == (1, True), done.stdout + done.stderr
