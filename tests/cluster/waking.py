"""How long gangs wait although there is room for them: pairs of gangs on one control plane, each pair by itself.

Every pair has nodes and a resource of its own, so that neither the scheduler's look at single nodes nor its sum over
all of them mixes the pairs. What wakes pods at the scheduler is not told apart by resources: a gang that starts may
wake those of other pairs, which then start too if their room is there.
"""

import math
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import urllib3
import yaml

import gangform
from cluster.api import Document
from cluster.cluster import Cluster, flatten
from cluster.controlling import Controller
from cluster.plane import Plane
from cluster.repositories import job

NAMESPACE = "waking"
JOB_NAME = "training.kubeflow.org/job-name"
MEMBERS = 5  # a launcher and four workers, each with one piece of its pair's resource
SETTLING_SECONDS = 120  # for a hundred pods on a busy machine

GOING_SECONDS = {"slow job": (1, 3, 5, 7), "late job": (1, 3, 5, 25)}  # when each worker is gone after its deletion


class Variant(NamedTuple):
    """What waits, for what, and who wakes it.

    Attributes:
        min_resources: the option of the backend.
        room: what makes room: a gang that ends and whose pods go at once, one by one, or one by one and the last so
            late that no pair's PodGroup is written to any more (the first to go cause that); or a new node.
        woken: who wakes the gangs once there is room: nobody, a write on the PodGroup, the pods of another job, or
            ``gangform controller --wake-gangs``, which finds out by itself.
    """

    min_resources: Literal["computed", "omitted"]
    room: Literal["job", "slow job", "late job", "node"]
    woken: Literal["untouched", "touched", "other job", "controller"] = "untouched"

    def __str__(self) -> str:
        return f"minResources {self.min_resources}, room from a {self.room}, {self.woken}"


@dataclass
class Wait:
    """One gang: when its room was there, when it was woken, and when its pods got their nodes; None for never."""

    room: float | None = None
    woken: float | None = None
    first: float | None = None
    last: float | None = None

    @property
    def seconds(self) -> float:
        """From the room, or from the waking where there was one, to the last pod's node."""
        begin = self.room if self.woken is None else self.woken
        return math.inf if begin is None or self.last is None else max(0.0, self.last - begin)

    @property
    def parted(self) -> float:
        """From the first pod's node to the last one's."""
        return math.inf if self.first is None or self.last is None else self.last - self.first


def start(plane: Plane, *more: str) -> None:
    """All but the default scheduler; ``more`` are options of coscheduling's."""
    plane.start_controllers()
    plane.start_coscheduling(*more)
    plane.start_operator()
    plane.start_kwok()


class Diary(threading.Thread):
    """When each pod got its node and when it was gone, job by job, by the API server's own watch."""

    def __init__(self, plane: Plane, seconds: int) -> None:
        super().__init__(daemon=True)
        self._plane, self._seconds, self._closed = plane, seconds, False
        self.bound: dict[str, dict[str, float]] = {}
        self.gone: dict[str, dict[str, float]] = {}
        self.changes: Counter[str] = Counter()

    def run(self) -> None:
        since = None
        while not self._closed:  # the API server ends a watch that it cannot serve quickly enough
            try:
                for event, pod in self._plane.api.watch("Pod", self._seconds, since=since):
                    if self._closed:
                        return
                    self._note(event, pod, time.monotonic())
                    since = pod["metadata"]["resourceVersion"]
            except urllib3.exceptions.HTTPError:
                time.sleep(0.1)

    def close(self) -> None:
        self._closed = True

    def _note(self, event: str, pod: Document, now: float) -> None:
        owner, name = pod["metadata"]["labels"][JOB_NAME], pod["metadata"]["name"]
        self.changes[owner] += 1
        if pod["spec"].get("nodeName"):
            self.bound.setdefault(owner, {}).setdefault(name, now)
        if event == "DELETED" or pod["status"].get("phase") in ("Succeeded", "Failed"):
            self.gone.setdefault(owner, {}).setdefault(name, now)


class Scene:
    """So many pairs of one variant; in each, a gang waits for the room of another one, or for a node."""

    def __init__(self, plane: Plane, variant: Variant, pairs: int, seconds: int = 400) -> None:
        self.plane, self.variant, self.pairs, self.seconds = plane, variant, pairs, seconds
        self.cluster = Cluster(plane, NAMESPACE)
        self.diary = Diary(plane, seconds + 4 * SETTLING_SECONDS)
        self.controller: Controller | None = None
        self.waits = [Wait() for _ in range(pairs)]

    def measure(self) -> list[Wait]:
        """Let the gangs wait, make room for all of them, and watch until the last pod has its node."""
        self.plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        self.diary.start()
        try:
            if self.variant.woken == "controller":
                self.controller = Controller.start(self.cluster, "--no-leader-election", "--wake-gangs")
            self._let_wait()
            self._make_room()
            self.cluster.until(self._look, "every gang has its nodes", self.seconds)
        finally:
            self.diary.close()
            if self.controller is not None:
                self.controller.stop()
            self.cluster.clear()
        return self.waits

    def _names(self, what: str) -> list[str]:
        return [f"{what}-{number}" for number in range(self.pairs)]

    def _let_wait(self) -> None:
        held = self.variant.room != "node"
        self.cluster.node_documents(node(number, "old", MEMBERS if held else 0) for number in range(self.pairs))
        if held:
            self._apply("holder")
            self.cluster.until(self._holders_run, "the holders run", SETTLING_SECONDS)
        self._apply("waiting")
        self.cluster.until(self._all_wait, "the others wait", SETTLING_SECONDS)
        self.cluster.stays(lambda: not any(self.diary.bound.get(name) for name in self._names("waiting")), "they wait", 5)

    def _apply(self, what: str) -> None:
        jobs = [gang(name, resource(number)) for number, name in enumerate(self._names(what))]
        self.cluster.apply_gangs(*marked(jobs, self.variant.min_resources))

    def _holders_run(self) -> bool:
        return all(sum(self.cluster.running(name)) == MEMBERS for name in self._names("holder"))

    def _all_wait(self) -> bool:
        """Whether every pod was refused, and the controller of the groups has written the last it has to say for now."""
        phases = {group["metadata"]["name"]: (group.get("status") or {}).get("phase") for group in self._groups()}
        waiting = self._names("waiting")
        return all(phases.get(name) == "Scheduling" and len(self.cluster.reasons(name)) == MEMBERS for name in waiting)

    def _groups(self) -> list[Document]:
        return self.plane.api.list("PodGroup", NAMESPACE)

    def _make_room(self) -> None:
        if self.variant.room == "node":
            for wait in self.waits:
                wait.room = time.monotonic()
            self.cluster.node_documents(node(number, "new", MEMBERS) for number in range(self.pairs))
            return
        for name in self._names("holder"):
            for number, seconds in enumerate(GOING_SECONDS.get(self.variant.room, ())):
                delay = {"metadata": {"annotations": {"cluster-test/goes-after": f"{seconds}s"}}}
                self.plane.api.patch("Pod", f"{name}-worker-{number}", delay, NAMESPACE)
        for name in self._names("holder"):
            self.cluster.end(name)

    def _look(self) -> bool:
        """Note what the diary shows, wake whom it is time to wake, and say whether all have their nodes."""
        for number, wait in enumerate(self.waits):
            gone = self.diary.gone.get(f"holder-{number}", {})
            if wait.room is None and len(gone) == MEMBERS:
                wait.room = max(gone.values())
            bound = list(self.diary.bound.get(f"waiting-{number}", {}).values())
            if bound:
                wait.first = min(bound)
            if len(bound) == MEMBERS and wait.room is not None:
                wait.last = max(bound)
        if self.variant.woken in ("touched", "other job") and all(wait.room and not wait.woken for wait in self.waits):
            self._wake()
        return all(wait.last is not None for wait in self.waits)

    def _wake(self) -> None:
        for name, wait in zip(self._names("waiting"), self.waits, strict=True):
            wait.woken = time.monotonic()
            if self.variant.woken == "touched":
                self.cluster.wake(name)
        if self.variant.woken == "other job":
            self.cluster.apply(*marked([gang("other", "cpu")], self.variant.min_resources))


def resource(number: int) -> str:
    """The resource of a pair, of which only its own nodes have any."""
    return f"waking.test/pair-{number}"


def node(number: int, name: str, pieces: int) -> Document:
    """A node of a pair, with so many pieces of its resource."""
    offered = {"cpu": "16", "memory": "64Gi", "pods": "110", resource(number): str(pieces)}
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": f"{name}-{number}"},
        "status": {"allocatable": offered, "capacity": offered},
    }


def gang(name: str, asks: str) -> Document:
    """An MPIJob whose pods ask for one piece of a resource each."""
    document = job(name, MEMBERS - 1, cpu="100m")
    for replica in document["spec"]["mpiReplicaSpecs"].values():
        resources = replica["template"]["spec"]["containers"][0]["resources"]
        resources["requests"] |= {asks: "1"}
        resources["limits"] = {asks: "1"}
    return document


def marked(jobs: Iterable[Document], min_resources: str) -> list[Document]:
    """The jobs with their marks and groups, as gangform makes them for coscheduling."""
    made = gangform.transform(yaml.safe_dump_all(jobs), backend="coscheduling", options={"min-resources": min_resources})
    assert made.text is not None, made.outcome
    return flatten([made.text])


class Unrest(NamedTuple):
    """What gangs do that lack a little room: changes of their pods per second, and how long a small gang waits beside them."""

    changes: float
    small: float


def unrest(plane: Plane, min_resources: str, *, gangs: int = 4, seconds: int = 20) -> Unrest:
    """Let gangs of eight wait where five of their pods would fit; then let one come that fits."""
    cluster, diary = Cluster(plane, NAMESPACE), Diary(plane, seconds + 4 * SETTLING_SECONDS)
    plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    diary.start()
    try:
        cluster.nodes(5, cpu="1")
        names = [f"large-{number}" for number in range(gangs)]
        cluster.apply(*marked([job(name, 7, cpu="1") for name in names], min_resources))
        cluster.until(lambda: all(len(cluster.reasons(name)) == 8 for name in names), "they wait", SETTLING_SECONDS)
        cluster.stays(lambda: not diary.bound, "nothing starts", 5)
        before = diary.changes.total()
        cluster.stays(lambda: not diary.bound, "nothing starts", seconds)
        changes = (diary.changes.total() - before) / seconds
        begin = time.monotonic()
        cluster.apply(*marked([job("small", 2, cpu="1")], min_resources))
        cluster.until(lambda: len(diary.bound.get("small", ())) == 3, "the small one starts", 400)
        return Unrest(changes, max(diary.bound["small"].values()) - begin)
    finally:
        diary.close()
        cluster.clear()


def table(measured: Mapping[Variant, Sequence[Wait]]) -> Iterator[str]:
    """Lines of a Markdown table: of each variant the shortest, the middle and the longest wait."""
    yield "| minResources | room from a | gangs | how many | min | median | max |"
    yield "|---|---|---|---|---|---|---|"
    for variant, waits in measured.items():
        seconds = [wait.seconds for wait in waits]
        figures = [f"{value:.1f} s" for value in (min(seconds), statistics.median(seconds), max(seconds))]
        yield "| " + " | ".join([*variant, str(len(seconds)), *figures]) + " |"
