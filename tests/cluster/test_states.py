"""Every state of a gang, brought about with the real operator and scheduler, and seen from all sides.

Asleep is not among them: a cluster in which so much happens wakes its sleepers. test_controller.py has it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.controlling import Controller, condition, shown, told
from cluster.plane import Plane
from cluster.repositories import built, job, rendered

WORKERS = 2
PODS = WORKERS + 1
WHOLE = Bound(1, WORKERS)
SPACE, SMALL = "states", "states-small"
SECONDS = 120  # status and the controller wait out a normal start first


class Case(NamedTuple):
    """A state, and what of it can be seen where.

    Attributes:
        on_job: whether there is a job on which its operator has put its own first condition.
        told: whether there is a job to tell it of in an event.
    """

    state: str
    namespace: str = SPACE
    on_job: bool = True
    told: bool = True


CASES = [
    Case("Running"), Case("Succeeded"), Case("Failed"), Case("Suspended"), Case("WaitingForPodGroup"), Case("Gated"),
    Case("Queued"), Case("Partial"), Case("Starting"), Case("Degraded"), Case("Stale"), Case("Misconfigured"),
    Case("NoScheduler"), Case("QuotaRefused", SMALL, on_job=False), Case("NeverFits"), Case("Ungrouped"),
    Case("LeftOver", on_job=False, told=False), Case("WaitingForPods", on_job=False),
]


def templates(document: Document) -> list[Document]:
    return [replica["template"] for replica in document["spec"]["mpiReplicaSpecs"].values()]


def asking(name: str, resource: str) -> Document:
    """A job whose pods want one piece each of a resource that few nodes have."""
    document = job(name, WORKERS, cpu="1m")
    for template in templates(document):
        template["spec"]["containers"][0]["resources"]["limits"] = {resource: "1"}
    return document


class Stage:
    """Brings every case about."""

    def __init__(self, cluster: Cluster, folder: Path, kustomize: str) -> None:
        self.cluster = cluster
        self._folder = folder
        self._kustomize = kustomize

    def gang(self, document: Document) -> list[Document]:
        """The job and its group, as gangform renders them."""
        return built(self._kustomize, rendered(self._folder / document["metadata"]["name"], [document]))

    def put(self, document: Document, change: Callable[[Document], Any] = lambda _: None) -> str:
        """Apply a job as a gang, after a change of what was rendered."""
        documents = self.gang(document)
        for one in documents:
            change(one)
        self.cluster.apply(*documents)
        return str(document["metadata"]["name"])

    def whole(self, document: Document, change: Callable[[Document], Any] = lambda _: None) -> str:
        name = self.put(document, change)
        self.cluster.until(lambda: self.cluster.bound(name) == WHOLE, f"{name} has its nodes")
        return name

    def runs(self, document: Document) -> str:
        name = self.whole(document)
        self.cluster.until(lambda: self.cluster.running(name) == WHOLE, f"{name} runs")
        return name

    def play(self) -> None:
        """One job per case, called like its state."""
        cluster = self.cluster
        cluster.nodes(4, cpu="16")
        for resource in ("queue", "part", "stale"):
            cluster.nodes(1, prefix=resource, **{f"example.com__{resource}": str(PODS)})
            self.whole(asking(f"holds-{resource}", f"example.com/{resource}"))
        self.whole(job("running", WORKERS))
        self.ends()
        self.waits()
        self.is_wrong()

    def ends(self) -> None:
        failing = job("failed", WORKERS, runPolicy={"cleanPodPolicy": "Running", "backoffLimit": 0})
        for document, how in ((job("succeeded", WORKERS), "Succeeded"), (failing, "Failed")):
            self.cluster.end(self.runs(document), how)
        lost = self.runs(job("degraded", WORKERS))
        self.cluster.end(lost, "Lost", role="worker", only=[f"{lost}-worker-0"])

    def waits(self) -> None:
        cluster = self.cluster
        self.put(job("suspended", WORKERS, runPolicy={"suspend": True}))
        cluster.apply(*(one for one in self.gang(job("waitingforpodgroup", WORKERS)) if one["kind"] == "MPIJob"))
        self.put(asking("queued", "example.com/queue"))
        gated, unready = job("gated", WORKERS), job("starting", WORKERS)
        for template in templates(gated):
            template["spec"]["schedulingGates"] = [{"name": "example.com/quota"}]
        for template in templates(unready):
            template["metadata"] = {"annotations": {"cluster-test/unready": "yes"}}
        self.put(gated)
        self.whole(unready)
        unclaimed = job("waitingforpods", WORKERS, runPolicy={"managedBy": "kueue.x-k8s.io/multikueue"})
        self.put(unclaimed)
        part = self.put(asking("partial", "example.com/part"))
        cluster.until(lambda: len(cluster.reasons(part)) == PODS, "the scheduler has refused it")
        cluster.api.bind(f"{part}-worker-0", "node-0", SPACE)

    def is_wrong(self) -> None:
        def fewer(one: Document) -> None:
            if one["kind"] == "PodGroup":
                one["spec"]["minMember"] = PODS - 1

        def one_more(one: Document) -> None:
            if one["kind"] == "PodGroup":
                one["spec"]["minMember"] = PODS

        def unserved(one: Document) -> None:
            if one["kind"] == "MPIJob":
                for template in templates(one):
                    template["spec"]["schedulerName"] = "nobody"

        self.put(asking("stale", "example.com/stale"), fewer)
        self.put(job("misconfigured", WORKERS, launcherCreationPolicy="WaitForWorkersReady"), one_more)
        self.put(job("noscheduler", WORKERS), unserved)
        self.put(job("neverfits", WORKERS, cpu="64"))
        self.cluster.apply(job("ungrouped", WORKERS))
        self.cluster.apply(*(one for one in self.gang(job("leftover", WORKERS)) if one["kind"] == "PodGroup"))
        self.cluster.apply({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": {"pods": "1"}},
        }, namespace=SMALL)
        self.cluster.until(
            lambda: (self.cluster.api.get("ResourceQuota", "team", SMALL) or {}).get("status"), "the quota counts")
        self.cluster.apply(*self.gang(job("quotarefused", WORKERS)), namespace=SMALL)


@pytest.fixture(scope="module")
def controller(plane: Plane, kustomize: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Controller]:
    cluster = Cluster(plane, SPACE)
    for name in (SPACE, SMALL):
        plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    controller = Controller.start(cluster, "--no-leader-election")
    Stage(cluster, tmp_path_factory.mktemp("states"), kustomize).play()
    yield controller
    controller.stop()
    cluster.clear()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.state)
def test_the_state_is_seen_by_the_command_the_metrics_the_condition_and_the_event(
    controller: Controller, plane: Plane, case: Case,
) -> None:
    cluster, name = Cluster(plane, case.namespace), case.state.lower()
    cluster.until(lambda: shown(cluster, name) == case.state, f"status says {case.state}", SECONDS)
    cluster.until(
        lambda: controller.metric("gangform_gangs", state=case.state, namespace=case.namespace) > 0, "it is counted", SECONDS)
    if case.told:
        cluster.until(lambda: (name, f"Gang{case.state}") in told(cluster), "an event tells it", SECONDS)
    if case.on_job:
        cluster.until(lambda: condition(cluster, name).get("message"), "the condition is on the job", SECONDS)
        whole = case.state in ("Running", "Succeeded", "Starting")
        expected = ("True",) if whole else ("Unknown",) if case.state == "Ungrouped" else ("True", "False")
        assert condition(cluster, name)["status"] in expected
        assert cluster.conditions(name)["Created"] == "True"
    else:
        assert condition(cluster, name) == {}
