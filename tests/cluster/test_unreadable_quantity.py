"""One quantity that fits the CRD's pattern and that nobody can read stops a whole cluster."""

import pytest

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.plane import COSCHEDULER
from cluster.repositories import job

WHOLE, NOTHING = Bound(1, 2), Bound(0, 0)
STORED = {"cpu": "1e1.5"}  # a fraction in the exponent


def gang(name: str) -> list[Document]:
    """A marked job of three pods, and its group."""
    marked = job(name, 2, cpu="1")
    for replica in marked["spec"]["mpiReplicaSpecs"].values():
        replica["template"]["metadata"] = {"labels": {"scheduling.x-k8s.io/pod-group": name}}
        replica["template"]["spec"]["schedulerName"] = COSCHEDULER
    return [group(name, 3), marked]


def group(name: str, members: int, **spec: object) -> Document:
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": name},
        "spec": {"minMember": members, **spec},
    }


@pytest.fixture
def roomy(cluster: Cluster) -> Cluster:
    cluster.nodes(2, cpu="64")
    return cluster


def apply_unread(cluster: Cluster, document: Document, program: str) -> None:
    """Apply what holds the quantity, and wait until a program says that it cannot read it."""
    def complaints() -> int:
        return cluster.plane.logs()[program].count("quantities must match the regular expression")

    before = complaints()
    cluster.apply(document)
    cluster.until(lambda: complaints() > before, f"{program} cannot read it")


def restart_coscheduling(cluster: Cluster) -> None:
    """Else it would look again by itself, with longer and longer pauses."""
    for program in ("coscheduling", "coscheduling-controller"):
        cluster.plane.stop(program)
    cluster.plane.start_coscheduling()


def test_the_operator_starts_no_other_job_until_the_job_that_holds_it_is_gone(roomy: Cluster) -> None:
    roomy.apply(job("early", 2, cpu="1"))
    roomy.until(lambda: roomy.bound("early") == WHOLE, "the operator works")
    apply_unread(roomy, job("broken", 2, runPolicy={"schedulingPolicy": {"minResources": STORED}}), "mpi-operator")
    roomy.apply(job("late", 2, cpu="1"))
    roomy.stays(lambda: roomy.pods("late") == [], "no pod of a later job", 10)

    roomy.api.delete("MPIJob", "broken", roomy.namespace)
    roomy.until(lambda: roomy.bound("late") == WHOLE, "the later job runs")


def test_coscheduling_finds_no_later_group_until_the_group_that_holds_it_is_gone(roomy: Cluster) -> None:
    roomy.apply(*gang("early"))
    roomy.until(lambda: roomy.bound("early") == WHOLE, "coscheduling works")
    apply_unread(roomy, group("broken", 1, minResources=STORED), "coscheduling-controller")
    roomy.apply(*gang("late"))
    roomy.until(lambda: len(roomy.reasons("late")) == 3, "all pods are told why they wait")
    roomy.stays(lambda: roomy.bound("late") == NOTHING, "nothing of a later gang", 10)
    assert all("PodGroup not found" in said for said in roomy.reasons("late").values())

    roomy.api.delete("PodGroup", "broken", roomy.namespace)
    restart_coscheduling(roomy)
    roomy.until(lambda: roomy.bound("late") == WHOLE, "the later gang runs")


def test_coscheduling_that_starts_beside_the_group_that_holds_it_places_no_pod_at_all(roomy: Cluster) -> None:
    roomy.apply(group("broken", 1, minResources=STORED))
    restart_coscheduling(roomy)
    roomy.apply(*gang("late"))
    roomy.until(lambda: len(roomy.pods("late")) == 3, "the pods are made")
    roomy.stays(lambda: roomy.bound("late") == NOTHING and roomy.reasons("late") == {}, "nobody looks at the pods", 10)

    roomy.api.delete("PodGroup", "broken", roomy.namespace)
    restart_coscheduling(roomy)
    roomy.until(lambda: roomy.bound("late") == WHOLE, "the gang runs")
