"""The silent deadlocks, each in a small repository as a user could have written it, from source and from the build."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.model.finding import Severity
from gangform.settings import Cluster
from repository import job, look, told
from scenes import judge

Repo = Callable[[dict[str, str]], Path]

GROUP = "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: pi}\nspec:\n  minMember: 5\n"
MARK = "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
SERVED = "        spec:\n          schedulerName: scheduler-plugins-scheduler\n"
MARKED = job().replace("        spec:\n", MARK + SERVED)
OVERLAY = "namePrefix: dev-\nresources: [../base]\nconfigurations: [references.yaml]\n"
PATHS = "spec/mpiReplicaSpecs/{}/template/metadata/labels/scheduling.x-k8s.io\\/pod-group"
REFERENCES = "nameReference:\n- kind: PodGroup\n  group: scheduling.x-k8s.io\n  fieldSpecs:\n" + "".join(
    f"  - {{group: kubeflow.org, kind: MPIJob, path: '{PATHS.format(role)}'}}\n" for role in ("Launcher", "Worker"))


def source(pi: str, group: str = GROUP) -> dict[str, str]:
    """Jobs and groups side by side, without any kustomization."""
    return {"jobs/pi.yaml": pi, "jobs/group.yaml": group}


def built(pi: str, group: str = GROUP) -> dict[str, str]:
    """The same below a base, with an overlay whose names kustomize carries along."""
    return {"base/pi.yaml": pi, "base/group.yaml": group, "base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\n",
            "dev/kustomization.yaml": OVERLAY, "dev/references.yaml": REFERENCES}


def errors() -> list[tuple[str, str, int]]:
    assert {finding.severity.word for finding in look().findings} == {"error"}
    return told(look())


WAITING = MARKED.replace("spec:\n  runPolicy:", "spec:\n  launcherCreationPolicy: WaitForWorkersReady\n  runPolicy:")
MIXED = MARKED.replace("schedulerName: scheduler-plugins-scheduler", "schedulerName: default-scheduler", 1)


def test_the_repository_that_the_faults_are_planted_in_is_sound(repo: Repo, kustomize: str) -> None:
    repo({**source(MARKED), **built(MARKED)})
    assert told(look()) == []


def test_a_launcher_that_waits_is_counted_in_the_gang_of_files(repo: Repo) -> None:
    repo(source(WAITING))
    assert errors() == [("wait-for-workers-deadlock", "jobs/group.yaml", 5)]


def test_a_launcher_that_waits_is_counted_in_the_gang_of_a_build(repo: Repo, kustomize: str) -> None:
    repo(built(WAITING))
    assert errors() == [("wait-for-workers-deadlock", "base/group.yaml", 5)]


def test_a_launcher_that_a_patch_makes_wait_is_told_in_the_build_only(repo: Repo, kustomize: str) -> None:
    repo({**built(MARKED), "dev/kustomization.yaml": OVERLAY + (
        "patches:\n- target: {kind: MPIJob}\n  patch: |-\n"
        "    - {op: add, path: /spec/launcherCreationPolicy, value: WaitForWorkersReady}\n")})
    assert errors() == [("wait-for-workers-deadlock", "base/group.yaml", 5)]
    assert look().findings[0].builds == ("dev",)


def test_pods_of_one_gang_go_to_two_schedulers_in_files(repo: Repo) -> None:
    repo(source(MIXED))
    assert errors() == [("scheduler-name-mixed", "jobs/pi.yaml", 13)]


def test_pods_of_one_gang_go_to_two_schedulers_in_a_build(repo: Repo, kustomize: str) -> None:
    repo(built(MIXED))
    assert errors() == [("scheduler-name-mixed", "base/pi.yaml", 13)]


def test_a_group_is_stale_in_files(repo: Repo) -> None:
    repo(source(MARKED.replace("replicas: 4", "replicas: 2")))
    assert errors() == [("min-member-exceeds-pods", "jobs/group.yaml", 5)]


def test_a_group_is_made_stale_by_a_replica_patch(repo: Repo, kustomize: str) -> None:
    repo({**built(MARKED), "dev/kustomization.yaml": OVERLAY + "patches: [{path: replicas.yaml}]\n",
          "dev/replicas.yaml": (
              "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: pi}\nspec:\n  mpiReplicaSpecs:\n"
              "    Worker:\n      replicas: 2\n")})
    assert errors() == [("replicas-vs-min-member-drift", "dev/replicas.yaml", 7)]


def test_a_mark_names_a_group_of_another_name_in_one_file(repo: Repo) -> None:
    repo({"jobs/all.yaml": MARKED + "---\n" + GROUP.replace("name: pi", "name: dev-pi"),
          "jobs/kustomization.yaml": "resources: [all.yaml]\n"})
    assert errors() == [("pod-group-missing", "jobs/all.yaml", 11)]


@pytest.mark.parametrize("line", ["namePrefix: dev-", "nameSuffix: -dev"])
def test_a_rename_breaks_the_reference(repo: Repo, kustomize: str, line: str) -> None:
    repo({**built(MARKED), "dev/kustomization.yaml": f"resources: [../base]\n{line}\n"})
    assert errors() == [("kustomize-rename-breaks-ref", "dev/kustomization.yaml", 2)]


@pytest.mark.parametrize(("launcher", "worker", "rule"), [
    ("", "scheduler-plugins-scheduler", "scheduler-name-mixed"),
    ("", "", "scheduler-name-not-backend"),
])
def test_an_operator_that_writes_the_schedulers_itself_turns_errors_about_them_into_warnings(
    launcher: str, worker: str, rule: str
) -> None:
    def template(scheduler: str) -> str:
        name = f"schedulerName: {scheduler}, " if scheduler else ""
        return ("{metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}, "
                f"spec: {{{name}containers: [{{name: main, image: mpi}}]}}}}")

    text = ("apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: pi}\nspec:\n"
            "  runPolicy: {cleanPodPolicy: Running}\n  mpiReplicaSpecs:\n"
            f"    Launcher: {{template: {template(launcher)}}}\n    Worker: {{replicas: 2, template: {template(worker)}}}\n")
    options = {"schedulerName": "scheduler-plugins-scheduler"}
    severities = {}
    for groups in ("git", "operator"):
        cluster = Cluster("", "coscheduling", groups, options)
        severities[groups] = [f.severity for f in judge(text, cluster, whole=False) if f.rule == rule]
    assert severities == {"git": [Severity.ERROR], "operator": [Severity.WARNING]}
