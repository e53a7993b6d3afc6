"""plan: how big a gang is."""

import json
from pathlib import Path


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
