"""What the controller survives: kinds that come late, and an API server that is killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.api import Document
from cluster.cluster import Cluster
from cluster.controlling import Controller, condition, over, told
from cluster.plane import Plane, published_crds
from cluster.repositories import built, job, rendered

JOBS = 200
PODGROUPS = "podgroups.scheduling.x-k8s.io"


@pytest.fixture
def own(programs: None) -> Iterator[Cluster]:
    """A control plane of this test's own, to be broken."""
    with Plane() as plane:
        plane.start_everything()
        plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "outage"}})
        yield Cluster(plane, "outage")


def ending(name: str) -> Document:
    """A job of two pods whose launcher ends by itself."""
    made = job(name, 1, cpu="100m")
    made["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["metadata"] = {
        "annotations": {"cluster-test/ends": "Succeeded", "cluster-test/after": "2s"}}
    return made


def test_a_controller_that_loses_its_lease_ends_with_one_line(cluster: Cluster) -> None:
    controller = Controller.start(cluster, "--lease-namespace", cluster.namespace)
    cluster.until(lambda: controller.metric("gangform_leading") == 1, "it leads")
    held = cluster.api.get("Lease", "gangform-controller", cluster.namespace)
    assert held is not None
    taken = {"holderIdentity": "another", "leaseDurationSeconds": 3600}
    cluster.api.patch("Lease", "gangform-controller", {"spec": taken}, cluster.namespace)

    cluster.until(lambda: cluster.plane.ended() == {controller.name: 3}, "it has ended")

    last = cluster.plane.logs()[controller.name].splitlines()[-1]
    assert last == "error: the lease was lost to another controller or could not be renewed"
    controller.stop()


def test_a_kind_that_is_not_installed_at_the_start_is_picked_up_when_it_comes(own: Cluster) -> None:
    own.api.delete("CustomResourceDefinition", PODGROUPS)
    own.until(lambda: own.api.get("CustomResourceDefinition", PODGROUPS) is None, "the CRD is gone")
    controller = Controller.start(own, "--no-leader-election")
    own.apply(job("one"))
    own.until(lambda: own.conditions("one").get("GangScheduled"), "jobs are told without the kind")

    own.plane.add_crds(*published_crds())
    own.apply({
        "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "late"}, "spec": {"minMember": 2}})

    own.until(lambda: controller.metric("gangform_changes_total", kind="PodGroup") > 0, "the group is seen")
    assert controller.answer("healthz")[0] == 200


def test_an_api_server_that_is_killed_in_a_run_of_many_jobs_costs_no_state_and_no_event_twice(
    own: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    controller = Controller.start(own, "--lease-namespace", "default")
    own.nodes(10, cpu="64")
    names = [f"job-{number}" for number in range(JOBS)]
    documents = built(kustomize, rendered(tmp_path, [ending(name) for name in names]))
    for half in (documents[: len(documents) // 2], documents[len(documents) // 2 :]):
        own.apply(*half)
        if half[0] is documents[0]:
            own.plane.stop("kube-apiserver", kill=True)
            own.plane.start_api_server()
            # The watch is not back yet, and will never say that this one went.
            own.api.delete("MPIJob", names[0], own.namespace)

    def done() -> bool:
        found = own.api.list("MPIJob", own.namespace)
        return all(
            {c["type"]: c for c in (one.get("status") or {}).get("conditions") or ()}.get("Succeeded", {}).get("status") == "True"
            for one in found)

    own.until(done, "every job has succeeded", 100)
    left = {"namespace": own.namespace}
    own.until(lambda: controller.metric("gangform_gangs", state="Succeeded", **left) == JOBS - 1, "all are counted", 60)
    own.until(
        lambda: all(over(own, name) for name in names[1:]), "every condition is right", 60)

    assert {condition(own, name)["status"] for name in names[1:]} == {"True"}
    assert set(told(own).values()) == {1}
    assert controller.answer("healthz") == (200, "ok\n")
    assert own.plane.ended() == {}
