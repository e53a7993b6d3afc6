"""A launcher that waits for its workers: a group that counts it never starts, the group that gangform writes does."""

from pathlib import Path

import pytest

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.repositories import built, job, rendered

WHOLE, NOTHING = Bound(1, 4), Bound(0, 0)


@pytest.fixture
def overlay(tmp_path: Path, kustomize: str) -> list[Document]:
    """What gangform makes of a job of four workers whose launcher is created when they are ready."""
    return built(kustomize, rendered(tmp_path, [job("late", launcherCreationPolicy="WaitForWorkersReady")]))


def test_a_group_that_counts_the_launcher_keeps_the_workers_waiting_and_the_launcher_away(
    cluster: Cluster, overlay: list[Document],
) -> None:
    by_hand = {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "late"}, "spec": {"minMember": 5},
    }
    cluster.nodes(4, cpu="4")
    cluster.apply(by_hand, *(document for document in overlay if document["kind"] == "MPIJob"))
    cluster.until(lambda: len(cluster.reasons("late")) == 4, "all workers wait")

    why = list(cluster.reasons("late").values())
    assert all("cannot find enough sibling pods" in line for line in why)
    assert any("current pods number: 4, minMember of group: 5" in line for line in why)  # the last that was created
    cluster.stays(lambda: cluster.bound("late") == NOTHING and not cluster.pods("late", "launcher"), "nothing starts", 15)


def test_the_rendered_group_lets_the_workers_start_and_the_launcher_follow(
    cluster: Cluster, overlay: list[Document],
) -> None:
    cluster.nodes(4, cpu="4")
    cluster.apply(*overlay)
    cluster.until(lambda: cluster.running("late") == WHOLE, "the workers run, and the launcher")

    (launcher,) = cluster.pods("late", "launcher")
    ready = [
        condition["lastTransitionTime"] for worker in cluster.pods("late", "worker")
        for condition in worker["status"]["conditions"] if condition["type"] == "Ready"
    ]
    assert len(ready) == 4
    assert launcher["metadata"]["creationTimestamp"] >= max(ready)
