"""Many deployments on one cluster at one time: each in a namespace of its own, and what its jobs came to."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

import yaml

from cluster.api import ApiException, Document
from cluster.cluster import Bound, Cluster
from cluster.plane import Plane
from gangform.model.pointer import get

WATCHED_SECONDS = 22  # more than two of the times after which coscheduling lets waiting pods go
MOST_LOOKS = 5
ROOMY_NODES = 3  # of 16 CPU: what asks for 64 CPU must not find them
ROOMY = {"cpu": "16", "memory": "256Gi", "nvidia.com/gpu": "8"}
NOTHING = Bound(0, 0)
WORKERS = ("spec", "mpiReplicaSpecs", "Worker", "replicas")
CLIENT_SIDE = "kustomize.config.k8s.io/"  # what kustomize reads and no API server takes
KEY = "training.kubeflow.org/job-"

Placed = dict[str, tuple[str, str, str]]
"""The pods that have a node, by uid: namespace, job and role of each."""


class Trial(NamedTuple):
    """Documents that are applied as they stand; where it is tight, there is room for all of their pods but one."""

    name: str
    text: str
    tight: bool = False

    @property
    def documents(self) -> list[Document]:
        return [d for d in yaml.safe_load_all(self.text) if not d.get("apiVersion", "").startswith(CLIENT_SIDE)]

    @property
    def wanted(self) -> dict[str, Bound]:
        """How many pods each job has when it is whole."""
        return {document["metadata"]["name"]: Bound(1, get(document, WORKERS) or 0)
                for document in self.documents if document["kind"] == "MPIJob"}


@dataclass
class Seen:
    """What was seen of a trial.

    Attributes:
        wanted: how many pods each job has when it is whole.
        pods: the pods that were made.
        states: how many pods of each job had a node, from first to last.
        said: what the conditions of the pods and the events said, and the API server where it refused something.
    """

    wanted: dict[str, Bound]
    pods: set[str] = field(default_factory=set)
    states: dict[str, list[Bound]] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)

    def note(self, now: dict[str, Bound]) -> bool:
        """Note how many pods of each job have a node, and say whether that is news."""
        news = False
        for job in self.wanted:
            states = self.states.setdefault(job, [NOTHING])
            if now.get(job, NOTHING) != states[-1]:
                states.append(now[job])
                news = True
        return news

    @property
    def whole(self) -> list[str]:
        """The jobs that had all of their pods placed."""
        return [job for job, states in self.states.items() if self.wanted[job] in states]

    @property
    def in_part(self) -> list[str]:
        """The jobs that in the end have some of their pods placed and not all."""
        return [job for job, states in self.states.items() if states[-1] not in (NOTHING, self.wanted[job])]

    def says(self, words: str) -> bool:
        return any(words in line for line in self.said)


def watched(plane: Plane, trials: Iterable[Trial]) -> dict[str, Seen]:
    """Apply every trial, watch all of them until no job changes any more, and clear the cluster again."""
    cluster, trials = Cluster(plane, "trials"), list(trials)
    try:
        cluster.nodes(ROOMY_NODES, prefix="roomy", **ROOMY)
        cluster.node_documents(_room(trial) for trial in trials if trial.tight)
        seen = {}
        for trial in trials:
            cluster.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": trial.name}})
            seen[trial.name] = Seen(trial.wanted, said=set(_apply(cluster, trial)))
        _watch(cluster, seen)
        for space, said in _words(cluster):
            if space in seen:
                seen[space].said.add(said)
        return seen
    finally:
        cluster.clear(wait=False)


def _room(trial: Trial) -> Document:
    """A node that only this trial may use."""
    pods = sum(map(sum, trial.wanted.values()))
    offered = {"cpu": "100m", "memory": "1Gi", "pods": str(pods - 1)}
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": trial.name, "labels": {"trial": trial.name}},
        "spec": {"taints": [{"key": "trial", "value": trial.name, "effect": "NoSchedule"}]},
        "status": {"allocatable": offered, "capacity": offered},
    }


def _apply(cluster: Cluster, trial: Trial) -> Iterator[str]:
    """Apply a trial's documents, and yield what the API server says where it refuses one."""
    for document in trial.documents:
        document["metadata"].pop("namespace", None)
        body = _confined(document, trial.name) if trial.tight and document["kind"] == "MPIJob" else document
        try:
            cluster.api.apply(body, namespace=trial.name)
        except ApiException as refused:
            yield f"{document['apiVersion']} {document['kind']}: {refused.body}"


def _confined(job: Document, name: str) -> Document:
    job = deepcopy(job)
    for replica in job["spec"]["mpiReplicaSpecs"].values():
        replica["template"]["spec"] |= {
            "nodeSelector": {"trial": name}, "tolerations": [{"key": "trial", "operator": "Exists"}],
        }
    return job


def _watch(cluster: Cluster, seen: dict[str, Seen]) -> None:
    """Look for a time, and on a busy machine again as long as jobs changed in its second half."""
    placed: Placed = {}
    since = None
    for _ in range(MOST_LOOKS):
        last = begin = time.monotonic()
        for event, pod in cluster.api.watch("Pod", WATCHED_SECONDS, since=since):
            since = pod["metadata"]["resourceVersion"]
            if pod["metadata"]["namespace"] in seen and _changed(seen, placed, event, pod):
                last = time.monotonic()
        if last - begin < WATCHED_SECONDS / 2:
            return


def _changed(seen: dict[str, Seen], placed: Placed, event: str, pod: Document) -> bool:
    """Note a change of a pod, and say whether it is one of how many pods of a job have a node."""
    meta = pod["metadata"]
    space = meta["namespace"]
    if pod["spec"].get("nodeName") and event != "DELETED":
        placed[meta["uid"]] = (space, meta["labels"][f"{KEY}name"], meta["labels"][f"{KEY}role"])
    else:
        placed.pop(meta["uid"], None)
    counts = Counter(placed.values())
    seen[space].pods.add(meta["name"])
    return seen[space].note({
        job: Bound(counts[space, job, "launcher"], counts[space, job, "worker"]) for job in seen[space].wanted
    })


def _words(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Each namespace, and what the conditions of its pods and its events say."""
    for pod in cluster.api.list("Pod"):
        for condition in pod["status"].get("conditions") or ():
            if condition["status"] == "False":
                yield pod["metadata"]["namespace"], condition.get("message", "")
    for event in cluster.api.list("Event"):
        yield event["metadata"]["namespace"], f"{event.get('reason')}: {event.get('message')}"
