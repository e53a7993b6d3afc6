"""mpi-operator's --gang-scheduling beside groups from Git, and the way off the flag and back: docs/overlays.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.plane import COSCHEDULER, Plane
from cluster.programs import module_folder
from cluster.repositories import built, gangform, job, rendered, write

WHOLE, NOTHING = Bound(1, 4), Bound(0, 0)
MARK = "scheduling.x-k8s.io/pod-group"
REFUSED = 'ErrResourceExists: Resource "{job}" of Kind "PodGroup" already exists and is not managed by MPIJob'
NO_GROUP = "PodGroup not found"
TOO_FEW = "cannot find enough sibling pods"


@dataclass(frozen=True)
class Site:
    """A cluster, and the repository that it is synced from."""

    cluster: Cluster
    folder: Path
    kustomize: str

    def restart_operator(self, flag: str = "") -> None:
        restart(self.cluster.plane, flag)

    def build(self, groups: str, *names: str, **spec: object) -> list[Document]:
        """What the overlay of these jobs becomes; each needs 2.5 CPU."""
        jobs = [job(name, cpu="500m", **spec) for name in names]
        return built(self.kustomize, rendered(self.folder, jobs, groups=groups))

    def sync(self, groups: str, *names: str, **spec: object) -> None:
        """Render, build and apply; then delete the PodGroups from Git that are there no more, as pruning does."""
        documents = self.build(groups, *names, **spec)
        self.cluster.apply(*documents)
        kept = {document["metadata"]["name"] for document in documents if document["kind"] == "PodGroup"}
        for group in self.cluster.api.list("PodGroup", self.cluster.namespace, labels="gangform.dev/job"):
            if group["metadata"]["name"] not in kept:
                self.cluster.api.delete("PodGroup", group["metadata"]["name"], self.cluster.namespace)

    def whole(self, name: str) -> None:
        self.cluster.until(lambda: self.cluster.running(name) == WHOLE, f"{name} runs whole")

    def waits(self, name: str, reason: str) -> None:
        """Every pod of a new job says the same, and none is bound."""
        self.cluster.until(lambda: [reason in why for why in self.why(name)] == [True] * 5, f"{name}: {reason}")
        assert self.cluster.bound(name) == NOTHING

    def why(self, name: str) -> list[str]:
        return list(self.cluster.reasons(name).values())

    def lose_worker(self, name: str, number: int = 0) -> Document:
        """Delete a worker's pod as a drain does, and answer the pod that comes after it."""
        pod = f"{name}-worker-{number}"
        before = self.get("Pod", pod)["metadata"]["uid"]
        self.cluster.api.delete("Pod", pod, self.cluster.namespace)

        def after() -> Document | None:
            found = self.cluster.api.get("Pod", pod, self.cluster.namespace)
            return found if found and found["metadata"]["uid"] != before else None

        return self.cluster.until(after, f"{pod} is made anew") or {}

    def get(self, kind: str, name: str) -> Document:
        found = self.cluster.api.get(kind, name, self.cluster.namespace)
        assert found is not None, f"no {kind} {name}"
        return found

    def owner(self, name: str) -> list[str]:
        """Kind and name of what owns a job's PodGroup."""
        group = self.cluster.api.get("PodGroup", name, self.cluster.namespace) or {"metadata": {}}
        return [f"{owner['kind']}/{owner['name']}" for owner in group["metadata"].get("ownerReferences", [])]


def restart(plane: Plane, flag: str = "") -> None:
    """Let another operator take over, with its flag or without."""
    plane.stop("mpi-operator")
    plane.start_operator(flag)


@pytest.fixture
def site(cluster: Cluster, tmp_path: Path, kustomize: str) -> Iterator[Site]:
    """Four nodes of 4 CPU, under an operator with its flag; afterwards it has none again."""
    cluster.nodes(4, cpu="4")
    restart(cluster.plane, COSCHEDULER)
    yield Site(cluster, tmp_path, kustomize)
    restart(cluster.plane)


def test_with_the_flag_a_group_from_git_stops_its_job_until_the_flag_is_gone(site: Site) -> None:
    group, new = sorted(site.build("git", "new"), key=lambda document: document["kind"] != "PodGroup")
    site.cluster.apply(group)
    site.cluster.apply(new)

    site.cluster.until(lambda: REFUSED.format(job="new") in site.cluster.events("MPIJob", "new"), "it is refused")
    site.cluster.stays(lambda: site.cluster.pods("new") == [], "no pods", 5)
    assert "status" not in site.get("MPIJob", "new")
    site.restart_operator()
    site.whole("new")


@pytest.mark.parametrize(("groups", "flag", "found"), [
    ("git", True, True), ("git", False, False), ("operator", True, False),
])
def test_gangform_finds_the_flag_in_the_operators_own_manifest(
    tmp_path: Path, groups: str, flag: bool, found: bool, kustomize: str,
) -> None:
    rendered(tmp_path, [job("one")], groups=groups)
    published = module_folder("mpi-operator", "github.com/kubeflow/mpi-operator") / "manifests/base/deployment.yaml"
    operator = yaml.safe_load(published.read_text())
    if flag:
        operator["spec"]["template"]["spec"]["containers"][0]["args"].append(f"--gang-scheduling={COSCHEDULER}")
    write(tmp_path / "operator" / "deployment.yaml", operator)

    apart = gangform(["validate", "."], tmp_path).stdout
    assert ("operator/deployment.yaml:20:11: warning: --gang-scheduling" in apart) is found, apart
    write(tmp_path / "all" / "kustomization.yaml", {"resources": ["../overlays/coscheduling", "../operator"]})
    write(tmp_path / "operator" / "kustomization.yaml", {"resources": ["deployment.yaml"]})
    together = gangform(["validate", "all"], tmp_path, status=1 if found else 0).stdout
    assert ("refuse the jobs whose group stands in Git: one" in together) is found, together


def test_marks_from_git_say_what_the_operator_with_its_flag_sets_anyway(site: Site) -> None:
    site.cluster.apply(job("plain", cpu="500m"))
    site.sync("operator", "marked")
    for name in ("plain", "marked"):
        site.whole(name)
        pods = site.cluster.pods(name)
        assert {pod["metadata"]["labels"][MARK] for pod in pods} == {name}
        assert {pod["spec"]["schedulerName"] for pod in pods} == {COSCHEDULER}
        assert site.owner(name) == [f"MPIJob/{name}"]
    assert site.get("PodGroup", "plain")["spec"] == site.get("PodGroup", "marked")["spec"]


def test_a_running_job_gets_every_lost_worker_back_on_the_way_from_the_flag_to_git_and_back(site: Site) -> None:
    def holds() -> None:
        site.lose_worker("old")
        site.whole("old")

    site.cluster.apply(job("old", cpu="500m"))  # as it was before anybody used gangform
    site.whole("old")
    site.sync("operator", "old")
    holds()
    site.restart_operator()
    holds()
    site.sync("git", "old")
    holds()

    site.sync("operator", "old")  # the way back; its group is pruned
    site.lose_worker("old")
    site.cluster.until(lambda: NO_GROUP in "".join(site.why("old")), "the lost worker waits")
    site.restart_operator(COSCHEDULER)
    site.whole("old")
    holds()
    assert site.owner("old") == ["MPIJob/old"]


def test_a_new_job_starts_whole_or_waits_with_nothing_on_the_way_from_the_flag_to_git_and_back(site: Site) -> None:
    site.sync("operator", "first")
    site.whole("first")
    site.restart_operator()
    site.sync("operator", "first", "second")
    site.waits("second", NO_GROUP)
    site.sync("git", "first", "second", "third")
    site.whole("second")
    site.whole("third")

    site.sync("operator", "first", "second", "third", "fourth")
    site.waits("fourth", NO_GROUP)
    site.restart_operator(COSCHEDULER)
    site.whole("fourth")
    running = ("first", "second", "third")
    site.cluster.until(lambda: all(site.owner(name) == [f"MPIJob/{name}"] for name in running), "each has a group again")
    assert [site.cluster.running(name) for name in running] == [WHOLE] * 3


def test_with_the_flag_back_before_the_groups_are_gone_a_running_job_gets_no_lost_worker_back(site: Site) -> None:
    site.restart_operator()
    site.sync("git", "run")
    site.whole("run")
    site.restart_operator(COSCHEDULER)
    site.cluster.until(lambda: REFUSED.format(job="run") in site.cluster.events("MPIJob", "run"), "it is refused")

    site.cluster.api.delete("Pod", "run-worker-0", site.cluster.namespace)
    site.cluster.stays(lambda: len(site.cluster.pods("run")) == 4, "the lost worker stays away", 5)
    site.restart_operator()
    site.whole("run")

    site.restart_operator(COSCHEDULER)
    site.sync("operator", "run")
    site.restart_operator(COSCHEDULER)
    site.lose_worker("run")
    site.whole("run")
    assert site.owner("run") == ["MPIJob/run"]


def test_a_group_that_the_operator_made_goes_with_its_job_also_when_git_has_taken_it_over(site: Site) -> None:
    site.sync("operator", "theirs")
    site.whole("theirs")
    made = site.get("PodGroup", "theirs")
    site.restart_operator()
    site.sync("git", "theirs", "ours")
    site.whole("ours")

    taken = site.get("PodGroup", "theirs")
    assert taken["metadata"]["uid"] == made["metadata"]["uid"]
    assert taken["metadata"]["labels"]["gangform.dev/job"] == "theirs"
    assert taken["spec"] == made["spec"]
    assert (site.owner("theirs"), site.owner("ours")) == (["MPIJob/theirs"], [])

    for name in ("theirs", "ours"):
        site.cluster.api.delete("MPIJob", name, site.cluster.namespace)
    site.cluster.until(lambda: site.cluster.api.get("PodGroup", "theirs", site.cluster.namespace) is None, "it is gone")
    site.cluster.until(lambda: not site.cluster.pods("ours"), "the pods are gone")
    site.get("PodGroup", "ours")


def test_a_group_of_another_name_leaves_a_lost_worker_waiting_after_the_flag(site: Site) -> None:
    renamed = yaml.safe_load(yaml.safe_dump(site.build("git", "job")).replace(f"{MARK}: job", f"{MARK}: job-gang"))
    for document in renamed:
        if document["kind"] == "PodGroup":
            document["metadata"]["name"] = "job-gang"
    site.cluster.apply(*renamed)
    site.whole("job")
    assert {pod["metadata"]["labels"][MARK] for pod in site.cluster.pods("job")} == {"job"}, "the flag overrules Git"

    site.restart_operator()
    assert site.lose_worker("job")["metadata"]["labels"][MARK] == "job-gang"
    site.cluster.until(lambda: TOO_FEW in "".join(site.why("job")), "the lost worker waits")
    site.cluster.wake("job-gang")
    site.cluster.stays(lambda: site.cluster.running("job") == Bound(1, 3), "it waits still", 5)


def test_a_job_that_runs_without_a_gang_does_not_get_a_lost_worker_back_once_its_overlay_is_merged(site: Site) -> None:
    site.restart_operator()
    site.cluster.apply(job("bare", cpu="500m"))
    site.whole("bare")
    site.sync("git", "bare")

    assert site.lose_worker("bare")["spec"]["schedulerName"] == COSCHEDULER
    site.cluster.until(lambda: TOO_FEW in "".join(site.why("bare")), "the lost worker waits")
    assert "current pods number: 1, minMember of group: 5" in "".join(site.why("bare"))
    site.cluster.wake("bare")
    site.cluster.stays(lambda: site.cluster.running("bare") == Bound(1, 3), "it waits still", 5)
    assert site.cluster.conditions("bare")["Running"] == "True"


def test_without_the_flag_a_job_without_marks_runs_on_the_default_scheduler_and_is_no_gang(site: Site) -> None:
    site.cluster.apply(job("early", cpu="500m"))
    site.whole("early")
    site.restart_operator()
    assert site.lose_worker("early")["spec"]["schedulerName"] == "default-scheduler"
    site.whole("early")

    site.cluster.apply(job("late", workers=9))  # 20 CPU where 13.5 are free
    site.cluster.until(lambda: sum(site.cluster.bound("late")) + len(site.why("late")) == 10, "no pod is unanswered")
    assert 0 < sum(site.cluster.bound("late")) < 10
    assert {pod["spec"]["schedulerName"] for pod in site.cluster.pods("late")} == {"default-scheduler"}
    assert site.cluster.api.get("PodGroup", "late", site.cluster.namespace) is None


def test_a_group_from_git_frees_the_workers_that_the_operators_group_keeps_waiting_for_their_launcher(site: Site) -> None:
    late = {"launcherCreationPolicy": "WaitForWorkersReady"}
    site.cluster.apply(job("late", cpu="500m", **late))
    site.cluster.until(lambda: [TOO_FEW in why for why in site.why("late")] == [True] * 4, "the workers wait")
    assert site.get("PodGroup", "late")["spec"]["minMember"] == 5
    site.restart_operator()
    site.sync("git", "late", **late)
    site.whole("late")
