"""What minResources does under coscheduling beside the waiting: it keeps gangs quiet that do not fit, and off others' nodes."""

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.plane import Plane
from cluster.repositories import job
from cluster.waking import marked, unrest

WHOLE, NOTHING = Bound(1, 4), Bound(0, 0)


def test_gangs_that_lack_a_little_room_are_tried_again_without_end_only_without_min_resources(plane: Plane) -> None:
    assert unrest(plane, "computed").changes < 1 < unrest(plane, "omitted").changes


def let_an_urgent_gang_come(cluster: Cluster, min_resources: str) -> None:
    """A gang holds all there is, and one of higher priority comes."""
    cluster.api.create({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 1000,
    })
    cluster.nodes(sum(WHOLE), cpu="1")
    cluster.apply(*marked([job("usual", cpu="1")], min_resources))
    cluster.until(lambda: cluster.running("usual") == WHOLE, "the usual gang runs")
    cluster.apply(*marked([urgent()], min_resources))


def urgent() -> Document:
    document = job("urgent", cpu="1")
    for replica in document["spec"]["mpiReplicaSpecs"].values():
        replica["template"]["spec"]["priorityClassName"] = "urgent"
    return document


def test_with_min_resources_a_gang_of_higher_priority_displaces_nobody(cluster: Cluster) -> None:
    let_an_urgent_gang_come(cluster, "computed")

    def refused() -> list[bool]:
        reasons = cluster.reasons("urgent").values()
        return ["resource gap" in why and "Preemption is not helpful" in why for why in reasons]

    cluster.until(lambda: refused() == [True] * sum(WHOLE), "all of the urgent gang is refused")
    cluster.stays(lambda: (cluster.running("usual"), cluster.bound("urgent")) == (WHOLE, NOTHING), "it waits", 10)


def test_without_min_resources_a_gang_of_higher_priority_takes_the_place_of_another(cluster: Cluster) -> None:
    let_an_urgent_gang_come(cluster, "omitted")
    cluster.until(lambda: cluster.running("urgent") == WHOLE, "the urgent gang runs")
    assert cluster.bound("usual") == NOTHING
