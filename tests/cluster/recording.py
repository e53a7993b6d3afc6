"""What became of every pod of a job, change by change, and whether a gang was ever there in part."""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import NamedTuple

from cluster.api import Document
from cluster.cluster import Cluster

JOB, ROLE = "training.kubeflow.org/job-name", "training.kubeflow.org/job-role"
BEGINS, ENDS = "recording-begins", "recording-ends"  # pods that bracket what is recorded
LONGEST_SECONDS = 300


class Change(NamedTuple):
    """A pod as it was from some time on."""

    at: float
    gang: str
    pod: str
    launcher: bool
    bound: bool
    ended: bool


class Short(NamedTuple):
    """A time in which a gang held nodes for some of its pods and not for enough of them."""

    gang: str
    since: float
    seconds: float


@dataclass
class Recording:
    """Changes in the order in which they came, and when the last look was taken."""

    changes: list[Change] = field(default_factory=list)
    until: float = 0.0


@contextmanager
def recorded(cluster: Cluster) -> Iterator[Recording]:
    """Record every change of the pods of this namespace; complete when the block is left."""
    recording, begun = Recording(), Event()
    with ThreadPoolExecutor(max_workers=1) as pool:
        done = pool.submit(_record, cluster, recording, begun)
        try:
            cluster.apply(_bracket(BEGINS))
            cluster.until(lambda: begun.is_set() or done.done(), "the watch has begun")
            yield recording
        finally:
            cluster.apply(_bracket(ENDS))
            done.result()


def _record(cluster: Cluster, recording: Recording, begun: Event) -> None:
    for what, pod in cluster.api.watch("Pod", LONGEST_SECONDS):
        metadata, now = pod["metadata"], time.monotonic()
        if metadata["namespace"] != cluster.namespace:
            continue
        if metadata["name"] == ENDS:
            recording.until = now
            return
        begun.set()  # by the first bracket at the latest
        if job := metadata.get("labels", {}).get(JOB):
            ended = what == "DELETED" or pod["status"].get("phase") in ("Succeeded", "Failed")
            bound = "nodeName" in pod["spec"] and not ended
            launcher = metadata["labels"][ROLE] == "launcher"
            recording.changes.append(Change(now, job, metadata["uid"], launcher, bound, ended))
    raise AssertionError(f"the watch ended after {LONGEST_SECONDS} s, before what it was to record")


def _bracket(name: str) -> Document:
    """A pod that no scheduler looks at. Watches tell changes in order: whoever has seen it has seen all before it."""
    container = {"name": "main", "image": "none"}
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"schedulerName": "nobody", "containers": [container]},
    }


def most(recording: Recording) -> dict[str, int]:
    """How many pods each gang held at once when it held most."""
    return {gang: max(count for _, count in counts) for gang, counts in _counts(recording).items()}


def short(recording: Recording, members: Mapping[str, int], patience: float) -> list[Short]:
    """Every time in which a gang was bound below its members for longer than ``patience`` seconds.

    A gang counts until its launcher ends: what is cleaned up afterwards may go one by one.
    """
    found = []
    for gang, counts in _counts(recording).items():
        since = None
        for at, count in [*counts, (recording.until, 0)]:
            if 0 < count < members[gang]:
                since = at if since is None else since
            elif since is not None:
                found.append(Short(gang, since, at - since))
                since = None
    return [spell for spell in found if spell.seconds > patience]


def _counts(recording: Recording) -> dict[str, list[tuple[float, int]]]:
    """How many pods each gang held after each of its changes, until its launcher ended."""
    held: dict[str, set[str]] = {}
    done: set[str] = set()
    counts: dict[str, list[tuple[float, int]]] = {}
    for change in recording.changes:
        if change.gang in done:
            continue
        if change.launcher and change.ended:
            done.add(change.gang)
        pods = held.setdefault(change.gang, set())
        (pods.add if change.bound else pods.discard)(change.pod)
        counts.setdefault(change.gang, []).append((change.at, 0 if change.gang in done else len(pods)))
    return counts
