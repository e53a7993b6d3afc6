"""minResources against what nodes have and pods ask; spelling; pods that ask for nothing."""

from typing import Any

import pytest

from gangform.model.edit import ABSENT
from gangform.settings import Cluster
from gangs import ASKED, edits, group, job, message, pod, said

GPU = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "4"}


@pytest.mark.parametrize(("backend", "severity"), [("coscheduling", "error"), ("volcano", "note")])
def test_a_quota_name_blocks_one_scheduler_and_is_ignored_by_the_other(backend: str, severity: str) -> None:
    found = said(group(backend, minResources={"requests.cpu": "3"}), job(backend))
    assert found == [("min-resources-bad-key", severity, "/spec/minResources/requests.cpu")]


@pytest.mark.parametrize("name", ["count/pods", "limits.memory", "requests.nvidia.com/gpu", "gpu", "storage"])
def test_a_name_that_no_node_has_is_told_once_and_not_compared(name: str) -> None:
    found = said(group("coscheduling", minResources={name: "900"}), job("coscheduling"))
    assert found == [("min-resources-bad-key", "error", f"/spec/minResources/{name.replace('/', '~1')}")]


@pytest.mark.parametrize(("cluster", "severity"), [
    (None, "warning"), (Cluster("c", "coscheduling"), "error"), (Cluster("c", "volcano"), "note"),
])
def test_a_policy_is_judged_as_the_cluster_would_read_it(cluster: Cluster | None, severity: str) -> None:
    unmarked = job(run={"schedulingPolicy": {"minResources": {"requests.cpu": "3"}}})
    assert ("min-resources-bad-key", severity,
            "/spec/runPolicy/schedulingPolicy/minResources/requests.cpu") in said(unmarked, cluster=cluster)


def test_names_that_nodes_have_are_silent() -> None:
    asked = {**GPU, "hugepages-2Mi": "2Mi", "ephemeral-storage": "1Gi"}
    total = {"cpu": "24", "memory": "192Gi", "nvidia.com/gpu": "12", "hugepages-2Mi": "6Mi",
             "ephemeral-storage": "3Gi", "pods": "900"}
    marked = job("coscheduling", launcher=pod("coscheduling", asked), worker=pod("coscheduling", asked))
    assert said(group("coscheduling", minResources=total), marked) == []


@pytest.mark.parametrize(("backend", "severity"), [("coscheduling", "error"), ("volcano", "warning")])
def test_more_than_all_pods_ask_is_told_with_both_numbers(backend: str, severity: str) -> None:
    objects = group(backend, minResources={"cpu": "64"}), job(backend)
    assert said(*objects) == [("min-resources-overstated", severity, "/spec/minResources/cpu")]
    assert message("min-resources-overstated", *objects) == (
        "minResources asks for 64 of cpu, but all pods of the job (1 Launcher + 2 Worker) ask for 3")
    assert edits("min-resources-overstated", *objects) == [("/spec/minResources/cpu", "3")]


def test_a_device_that_no_pod_asks_for_is_overstated_and_mended_by_leaving_it_out() -> None:
    objects = group("coscheduling", minResources={"nvidia.com/gpu": "4"}), job("coscheduling")
    assert said(*objects) == [("min-resources-overstated", "error", "/spec/minResources/nvidia.com~1gpu")]
    assert edits("min-resources-overstated", *objects) == [("/spec/minResources/nvidia.com~1gpu", ABSENT)]


def test_a_resource_that_a_limit_range_may_add_is_not_compared() -> None:
    bare = job("coscheduling", launcher=pod("coscheduling", None))
    assert said(group("coscheduling", minResources={"cpu": "64"}), bare) == []


def test_a_launcher_that_comes_later_still_counts_to_the_whole() -> None:
    waits = job("coscheduling", launcherCreationPolicy="WaitForWorkersReady")
    assert said(group("coscheduling", 2, minResources={"cpu": "3"}), waits) == []


def test_of_a_group_that_two_jobs_share_nothing_is_compared() -> None:
    other = job("coscheduling", more={"metadata": {"name": "other"}})
    found = said(group("coscheduling", minResources={"cpu": "64"}), job("coscheduling"), other)
    assert {rule for rule, _, _ in found} == {"pod-group-shared"}


def test_less_than_the_least_gang_is_noted_and_what_is_left_out_is_not() -> None:
    assert said(group("coscheduling", minResources={"cpu": "2"}), job("coscheduling")) == [
        ("min-resources-overcommit", "note", "/spec/minResources/cpu")]
    assert said(group("coscheduling", minResources={"memory": "6Gi"}), job("coscheduling")) == []


def test_a_value_without_the_sidecars_is_noted() -> None:
    sidecar = {"name": "log", "image": "log", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}
    beside = job("coscheduling", worker=pod("coscheduling", initContainers=[sidecar]))
    assert said(group("coscheduling", minResources={"cpu": "3"}), beside) == [
        ("min-resources-overcommit", "note", "/spec/minResources/cpu")]


def test_the_smallest_pods_that_fill_the_gang_are_enough() -> None:
    uneven = job("volcano", worker=pod("volcano", GPU), workers=4)
    found = said(group("volcano", 3, minResources={"cpu": "17"}), uneven)
    assert "min-resources-overcommit" not in [rule for rule, _, _ in found]


@pytest.mark.parametrize(("written", "spelt"), [
    ("6144Mi", "6Gi"), ("6000000000m", "6M"), (6442450944, "6442450944"), ("6Gi", None), ("6442450944", None),
])
def test_volcano_spells_a_quantity_back(written: Any, spelt: str | None) -> None:
    found = edits("quantity-not-canonical", group("volcano", minResources={"memory": written}), job("volcano"))
    assert found == ([] if spelt is None else [("/spec/minResources/memory", spelt)])


def test_a_spelling_is_a_warning_only_where_argo_cd_is_seen() -> None:
    spelt = group("volcano", minResources={"cpu": "3000m"})
    assert said(spelt, job("volcano")) == [("quantity-not-canonical", "note", "/spec/minResources/cpu")]
    spelt["metadata"]["annotations"] = {"argocd.argoproj.io/sync-wave": "-1"}
    assert said(spelt, job("volcano")) == [("quantity-not-canonical", "warning", "/spec/minResources/cpu")]


def test_spellings_that_nobody_rewrites_are_silent() -> None:
    asked = {"cpu": "1000m", "memory": "2048Mi"}
    marked = job("coscheduling", launcher=pod("coscheduling", asked), worker=pod("coscheduling", asked))
    assert said(group("coscheduling", minResources={"cpu": "3000m"}), marked) == []


@pytest.mark.parametrize("members", [1, 2])
def test_a_launcher_that_asks_for_nothing_fills_a_place_of_a_part_gang(members: int) -> None:
    objects = group("volcano", members), job("volcano", launcher=pod("volcano", None))
    assert said(*objects) == [
        ("besteffort-member", "warning", "/spec/mpiReplicaSpecs/Launcher/template/spec/containers")]
    assert f"of minMember {members} only {members - 1} other pods" in message("besteffort-member", *objects)


@pytest.mark.parametrize("requests", [None, {"cpu": "0"}])
def test_a_launcher_that_asks_for_nothing_does_no_harm_in_a_whole_gang(requests: dict[str, Any] | None) -> None:
    assert said(group("volcano"), job("volcano", launcher=pod("volcano", requests))) == []


def test_pods_that_ask_for_nothing_are_left_alone_elsewhere() -> None:
    idle = [job(backend, launcher=pod(backend, None), worker=pod(backend, None)) for backend in ("volcano",)]
    found = said(group("volcano", 2), *idle)
    found += said(group("coscheduling", 2), job("coscheduling", launcher=pod("coscheduling", None)))
    assert {rule for rule, _, _ in found} == {"min-member-below-total"}


def test_a_limit_counts_as_a_request() -> None:
    limited = pod("volcano", None)
    limited["spec"]["containers"][0]["resources"] = {"limits": ASKED}
    found = said(group("volcano", 2), job("volcano", launcher=limited))
    assert {rule for rule, _, _ in found} == {"min-member-below-total"}


@pytest.mark.parametrize(("slots", "requests", "told"), [
    (8, {"cpu": "2"}, True), (2, {"cpu": "1500m"}, True), (8, {"cpu": "4", "nvidia.com/gpu": "4"}, True),
    (8, {"cpu": "8"}, False), (8, {"cpu": "2", "nvidia.com/gpu": "8"}, False), (1, {"cpu": "500m"}, False),
    (8, {"memory": "1Gi"}, False), (8, None, False), (8, {"cpu": "0"}, False),
])
def test_slots_are_compared_with_cpus_and_devices(slots: int, requests: dict[str, Any] | None, told: bool) -> None:
    expected = [("slots-exceed-requests", "note", "/spec/slotsPerWorker")] if told else []
    assert said(job(worker=pod(requests=requests), slotsPerWorker=slots)) == expected


def test_slots_of_workers_with_claimed_devices_are_not_compared() -> None:
    claimed = pod(requests={"cpu": "2"}, resourceClaims=[{"name": "gpus", "resourceClaimTemplateName": "gpus"}])
    assert said(job(worker=claimed, slotsPerWorker=8)) == []


REFUSED = [
    ({"requests": {"cpu": "-1"}}, "requests/cpu", "asks for -1 of cpu"),
    ({"limits": {"memory": -5}}, "limits/memory", "asks for -5 of memory"),
    ({"requests": {"cpu": "4"}, "limits": {"cpu": "2500m"}}, "requests/cpu", "more than its limit 2500m"),
    ({"requests": {"nvidia.com/gpu": 2}}, "requests/nvidia.com~1gpu", "without a limit"),
    ({"requests": {"nvidia.com/gpu": 2}, "limits": {"nvidia.com/gpu": 4}}, "requests/nvidia.com~1gpu", "its limit is 4"),
    ({"limits": {"nvidia.com/gpu": "500m"}}, "limits/nvidia.com~1gpu", "no whole number"),
    ({"requests": {"hugepages-2Mi": "4Mi"}, "limits": {"hugepages-2Mi": "8Mi"}}, "requests/hugepages-2Mi", "limit is 8Mi"),
]


@pytest.mark.parametrize("field", ["containers", "initContainers"])
@pytest.mark.parametrize(("resources", "pointer", "part"), REFUSED)
def test_amounts_that_the_api_server_refuses_are_told(
    field: str, resources: dict[str, Any], pointer: str, part: str
) -> None:
    worker = pod()
    worker["spec"].setdefault(field, [{"name": "x", "image": "mpi"}])[0]["resources"] = resources
    assert [one for one in said(job(worker=worker)) if one[0] == "pod-resources-refused"] == [
        ("pod-resources-refused", "error",
         f"/spec/mpiReplicaSpecs/Worker/template/spec/{field}/0/resources/{pointer}")]
    assert part in message("pod-resources-refused", job(worker=worker))


@pytest.mark.parametrize("resources", [
    {"limits": {"nvidia.com/gpu": "2", "hugepages-2Mi": "4Mi", "cpu": "1"}},
    {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1000m", "memory": "1024Mi"}},
    {"requests": {"nvidia.com/gpu": "2"}, "limits": {"nvidia.com/gpu": 2}},
    {"requests": {"cpu": "500m", "ephemeral-storage": "1Gi"}}, {"requests": {"cpu": 0}}, {"limits": {"a.b/c": "2k"}},
])
def test_amounts_that_the_api_server_takes_are_silent(resources: dict[str, Any]) -> None:
    worker = pod()
    worker["spec"]["containers"][0]["resources"] = resources
    assert "pod-resources-refused" not in {rule for rule, _, _ in said(job(worker=worker))}
