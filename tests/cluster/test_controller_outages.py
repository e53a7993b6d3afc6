"""What the controller survives: kinds that come late, and an API server that is killed."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

import pytest

from cluster.api import ApiException, Document
from cluster.cluster import Cluster
from cluster.controlling import Controller, condition, deployed_account, over, told
from cluster.plane import Plane
from cluster.programs import published_crds
from cluster.repositories import built, job, rendered

JOBS = 200
PODGROUPS = "podgroups.scheduling.x-k8s.io"
GROUP = {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "spec": {"minMember": 2}}


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
    assert_picked_up(own, "--no-leader-election")


def test_a_kind_that_is_installed_without_the_watchs_notice_is_picked_up_all_the_same(own: Cluster, kustomize: str) -> None:
    # With a namespace, and without the right to list namespaces, kopf does not look for kinds that come.
    account = deployed_account(own, kustomize)
    assert_picked_up(own, "--no-leader-election", "-n", own.namespace, kubeconfig=account)


def test_a_kind_that_is_taken_away_and_installed_again_is_watched_again(own: Cluster) -> None:
    controller, here = Controller.start(own, "--no-leader-election"), {"namespace": own.namespace}
    for name in ("first", "second"):
        own.apply({**GROUP, "metadata": {"name": name}})
        own.until(lambda: controller.metric("gangform_gangs", state="LeftOver", **here) == 1, f"{name} is seen", 120)
        own.api.delete("CustomResourceDefinition", PODGROUPS)
        own.until(lambda: own.api.get("CustomResourceDefinition", PODGROUPS) is None, "the CRD is gone")
        own.plane.add_crds(*published_crds())

    own.until(lambda: controller.metric("gangform_gangs", **here) == 0, "the last one is seen to be gone", 120)
    assert controller.answer("healthz")[0] == 200
    assert own.plane.ended() == {}


def assert_picked_up(own: Cluster, *flags: str, kubeconfig: Path | None = None) -> None:
    own.api.delete("CustomResourceDefinition", PODGROUPS)
    own.until(lambda: own.api.get("CustomResourceDefinition", PODGROUPS) is None, "the CRD is gone")
    controller = Controller.start(own, *flags, kubeconfig=kubeconfig)
    own.apply(job("one"))
    own.until(lambda: own.conditions("one").get("GangScheduled"), "jobs are told without the kind")

    own.plane.add_crds(*published_crds())
    own.apply({**GROUP, "metadata": {"name": "late"}})

    own.until(lambda: controller.metric("gangform_changes_total", kind="PodGroup") > 0, "the group is seen")
    own.until(lambda: ("one", "GangUngrouped") in told(own), "writing goes on")
    assert controller.answer("healthz")[0] == 200
    assert own.plane.ended() == {}


def test_a_controller_that_starts_anew_tells_nothing_of_gangs_that_go_on_as_they_were(
    own: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    controller = Controller.start(own, "--no-leader-election")
    own.nodes(10, cpu="64")
    names = [f"job-{number}" for number in range(100)]
    own.apply(*built(kustomize, rendered(tmp_path, [job(name, cpu="100m") for name in names])))
    own.until(lambda: {condition(own, name).get("reason") for name in names} == {"Whole"}, "every gang runs", 120)
    own.until(lambda: {name for name, reason in told(own) if reason == "GangRunning"} == set(names), "all are told")
    before, events = [condition(own, name) for name in names], told(own)
    controller.stop()

    again = Controller.start(own, "--no-leader-election")
    here = {"namespace": own.namespace}
    own.until(lambda: again.metric("gangform_gangs", state="Running", **here) == len(names), "all are counted")
    own.stays(lambda: not again.metric("gangform_writes_total"), "nothing is written", 5)

    assert [condition(own, name) for name in names] == before
    assert told(own) == events


def test_watches_that_expired_while_the_controller_stood_still_cost_no_state_and_no_event_twice(
    own: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    controller = Controller.start(own, "--no-leader-election")
    own.nodes(10, cpu="64")
    names = [f"job-{number}" for number in range(20)]
    own.apply(*built(kustomize, rendered(tmp_path, [job(name, 1, cpu="100m") for name in names])))
    own.until(lambda: {condition(own, name).get("reason") for name in names} == {"Whole"}, "every gang runs")
    own.until(lambda: len(told(own)) == len(names), "all are told")
    seen = max(int(one["metadata"]["resourceVersion"]) for one in own.api.list("MPIJob", own.namespace))
    with paused(own.plane.programs[controller.name].pid):
        for name in names[:10]:
            own.end(name)
        own.api.delete("MPIJob", names[-1], own.namespace)
        own.until(lambda: all(own.conditions(name).get("Succeeded") for name in names[:10]), "ten have succeeded")
        own.plane.stop("kube-apiserver", kill=True)
        own.plane.start_api_server("--etcd-compaction-interval", "1s")
        own.until(lambda: is_expired(own, seen), "what the controller saw last is too old to go on from")

    own.until(lambda: all(over(own, name) for name in names[:10]), "every condition is right")
    here = {"namespace": own.namespace}
    own.until(lambda: controller.metric("gangform_gangs", state="Succeeded", **here) == 10, "the ended ones are counted")
    own.until(lambda: controller.metric("gangform_gangs", state="Running", **here) == 9, "the deleted one is not")

    assert {condition(own, name)["reason"] for name in names[10:-1]} == {"Whole"}
    own.until(lambda: len(told(own)) == len(names) + 10, "each state is told")
    assert set(told(own).values()) == {1}
    assert controller.answer("healthz") == (200, "ok\n")


@contextmanager
def paused(pid: int) -> Iterator[None]:
    """A process stands still, as on a machine that sleeps."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def is_expired(cluster: Cluster, version: int) -> bool:
    """Whether the API server refuses to watch from a resourceVersion on: 410, Gone."""
    try:
        next(cluster.api.watch("MPIJob", 1, since=str(version)), None)
    except ApiException as error:
        return error.status == HTTPStatus.GONE
    return False


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
