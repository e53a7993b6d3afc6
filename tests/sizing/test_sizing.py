import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform import sizing
from gangform.kinds import mpijob
from gangform.model.quantity import Quantity

LAUNCHER = {"requests": {"cpu": 1, "memory": "2Gi"}}
WORKER = {"requests": {"cpu": 8, "memory": "64Gi"}, "limits": {"nvidia.com/gpu": 4}}
PRIORITIES = {"high": 1000, "low": -5}


def pod(resources=None, /, **spec):
    return {"containers": [{"name": "main", "image": "mpi", "resources": resources or {}}], **spec}


def read(workers=4, policy=None, *, launcher=None, worker=None, wait=False):
    specs = {"Launcher": {"template": {"spec": launcher or pod(LAUNCHER)}}}
    if workers is not None:
        specs["Worker"] = {"replicas": workers, "template": {"spec": worker or pod(WORKER)}}
    spec = {"mpiReplicaSpecs": specs, "runPolicy": {"schedulingPolicy": policy or {}}}
    if wait:
        spec["launcherCreationPolicy"] = "WaitForWorkersReady"
    return mpijob.read({"apiVersion": mpijob.API[0], "kind": "MPIJob", "metadata": {"name": "pi"}, "spec": spec})


def asks(cpu, memory, gpu=None):
    values = {"cpu": cpu, "memory": memory, "nvidia.com/gpu": gpu}
    return {name: Quantity.parse(amount) for name, amount in values.items() if amount is not None}


def values(spelt):
    return {name: Quantity.parse(text) for name, text in spelt.items()}


# How big the gang is


@pytest.mark.parametrize(("workload", "value", "origin", "reason"), [
    (read(8), 9, ("spec", "mpiReplicaSpecs", "Worker", "replicas"), "8 + 1 (no minAvailable in the file)"),
    (read(8, wait=True), 8, ("spec", "mpiReplicaSpecs", "Worker", "replicas"), "the Launcher waits for its workers"),
    (read(None), 1, ("spec", "mpiReplicaSpecs", "Launcher", "replicas"),
     "the Launcher is alone (no minAvailable in the file)"),
    (read(8, {"minAvailable": 3}), 3, ("spec", "runPolicy", "schedulingPolicy", "minAvailable"),
     "minAvailable in the file"),
    (read(8, {"minAvailable": 9}, wait=True), 9, ("spec", "runPolicy", "schedulingPolicy", "minAvailable"),
     "minAvailable in the file"),
])
def test_least_number_of_pods_says_where_it_comes_from_and_why(workload, value, origin, reason):
    assert sizing.min_member(workload) == (value, origin, reason)


@given(st.integers(1, 500), st.booleans())
def test_least_number_without_a_policy_is_what_exists_together(workers, wait):
    workload = read(workers, wait=wait)
    assert sizing.min_member(workload).value == workload.pods_together == workers + (not wait)


# What one pod asks


def test_a_pod_asks_the_sum_of_its_containers():
    spec = {"containers": [{"resources": {"requests": {"cpu": "500m"}}}, {"resources": {"requests": {"cpu": 2}}}, {}]}
    assert sizing.spell(sizing.pod_requests(spec)) == {"cpu": "2500m"}


def test_a_limit_stands_in_for_a_missing_request_only():
    spec = pod({"requests": {"cpu": 1}, "limits": {"cpu": 4, "memory": "1Gi", "nvidia.com/gpu": 2}})
    assert sizing.pod_requests(spec) == asks(1, "1Gi", 2)


def test_sidecars_run_beside_the_containers():
    spec = pod({"requests": {"cpu": 1}}, initContainers=[
        {"restartPolicy": "Always", "resources": {"limits": {"cpu": "100m", "memory": "1Gi"}}}])
    assert sizing.pod_requests(spec) == asks("1100m", "1Gi")


def test_a_large_init_container_raises_the_request_and_a_small_one_does_not():
    spec = pod({"requests": {"cpu": 2, "memory": "1Gi"}}, initContainers=[
        {"resources": {"requests": {"cpu": 1, "memory": "8Gi"}}}])
    assert sizing.pod_requests(spec) == asks(2, "8Gi")


def test_init_containers_run_one_by_one():
    spec = pod({"requests": {"cpu": 1}}, initContainers=[{"resources": {"requests": {"cpu": 3}}}] * 2)
    assert sizing.pod_requests(spec) == asks(3, None)


def test_an_init_container_runs_beside_the_sidecars_before_it_only():
    sidecar = {"restartPolicy": "Always", "resources": {"requests": {"cpu": 2}}}
    init = {"resources": {"requests": {"cpu": 5}}}
    assert sizing.pod_requests(pod({"requests": {"cpu": 1}}, initContainers=[sidecar, init])) == asks(7, None)
    assert sizing.pod_requests(pod({"requests": {"cpu": 1}}, initContainers=[init, sidecar])) == asks(5, None)


def test_overhead_comes_on_top():
    spec = pod({"requests": {"cpu": 1}}, overhead={"cpu": "250m", "memory": "120Mi"})
    assert sizing.pod_requests(spec) == asks("1250m", "120Mi")


@pytest.mark.parametrize(("whole", "expected"), [
    ({"requests": {"cpu": 3}}, asks(3, "1Gi", 1)),  # replaces the containers' sum
    ({"limits": {"cpu": 3}}, asks(1, "1Gi", 1)),  # the containers say what is requested
    ({"requests": {"nvidia.com/gpu": 9}}, asks(1, "1Gi", 1)),  # not a resource of whole pods
    ({"limits": {"hugepages-2Mi": "4Mi"}}, {**asks(1, "1Gi", 1), "hugepages-2Mi": Quantity.parse("4Mi")}),
])
def test_requests_of_the_whole_pod_replace_the_sum(whole, expected):
    spec = pod({"requests": {"cpu": 1, "memory": "1Gi", "nvidia.com/gpu": 1}}, resources=whole)
    assert sizing.pod_requests(spec) == expected


def test_a_limit_of_the_whole_pod_counts_where_no_container_asks():
    spec = pod({"requests": {"cpu": 1}}, resources={"limits": {"cpu": 4, "memory": "2Gi"}}, overhead={"memory": "1Gi"})
    assert sizing.pod_requests(spec) == asks(1, "3Gi")


def test_whole_numbers_written_with_a_point_count_as_the_api_server_reads_them():
    assert sizing.pod_requests(pod({"requests": {"cpu": 2.0}})) == asks(2, None)


@pytest.mark.parametrize("spec", [{}, {"containers": []}, {"containers": [{}]}, pod({})])
def test_a_pod_without_requests_asks_nothing(spec):
    assert sizing.pod_requests(spec) == {}


# What the gang asks. The operator's numbers: mpi-operator v0.8.2 pkg/controller/podgroup.go calPGMinResource.

EQUAL, FIRST, LAST = {}, {"launcher": "high"}, {"worker": "high"}


def vector(workers, members, classes, *, wait=False):
    launcher = pod(LAUNCHER, **({"priorityClassName": classes["launcher"]} if "launcher" in classes else {}))
    worker = pod(WORKER, **({"priorityClassName": classes["worker"]} if "worker" in classes else {}))
    workload = read(workers, {"minAvailable": members} if members else {}, launcher=launcher, worker=worker, wait=wait)
    return values(sizing.min_resources(workload, sizing.min_member(workload).value, PRIORITIES))


@pytest.mark.parametrize(("workers", "members", "classes", "operator"), [
    pytest.param(4, None, EQUAL, asks(33, "258Gi", 16), id="1-whole-gang"),
    pytest.param(4, 3, EQUAL, asks(17, "130Gi", 8), id="2-part-of-the-gang"),
    pytest.param(4, 3, FIRST, asks(17, "130Gi", 8), id="3-launcher-first"),
    pytest.param(4, 6, EQUAL, asks(33, "258Gi", 16), id="6-more-than-there-are"),
    pytest.param(None, 1, EQUAL, asks(1, "2Gi"), id="8-launcher-only"),
])
def test_least_resources_equal_the_operators(workers, members, classes, operator):
    assert vector(workers, members, classes) == operator


@pytest.mark.parametrize(("members", "wait", "classes", "ours", "operator"), [
    # It counts all 4 workers and then 2 launchers: more than the whole job.
    pytest.param(3, False, LAST, asks(24, "192Gi", 12), asks(34, "260Gi", 16), id="4-workers-first"),
    # It counts the launcher, which does not exist before the workers are ready.
    pytest.param(4, True, EQUAL, asks(32, "256Gi", 16), asks(25, "194Gi", 12), id="5-launcher-waits"),
    # It counts all 4 workers though one pod is enough.
    pytest.param(1, False, LAST, asks(8, "64Gi", 4), asks(32, "256Gi", 16), id="7-one-worker-first"),
    # It takes the launcher for a part of the gang and asks 5 pods.
    pytest.param(None, True, EQUAL, asks(32, "256Gi", 16), asks(33, "258Gi", 16), id="launcher-waits-no-policy"),
])
def test_least_resources_differ_where_the_operator_counts_pods_that_need_not_start(
    members, wait, classes, ours, operator
):
    counted = vector(4, members, classes, wait=wait)
    assert counted == ours
    assert counted != operator


def test_least_resources_are_canonical_and_sorted():
    worker = pod({"requests": {"nvidia.com/gpu": 8, "memory": "65536Mi", "cpu": "8000m", "ephemeral-storage": 0}})
    spelt = sizing.min_resources(read(4, worker=worker), 5, {})
    assert list(spelt.items()) == [("cpu", "33"), ("memory", "258Gi"), ("nvidia.com/gpu", "32")]


def test_a_negative_number_of_members_asks_nothing():
    assert sizing.min_resources(read(4), -1, {}) == {}


def test_classes_that_every_cluster_has_need_no_settings():
    workload = read(4, launcher=pod(LAUNCHER, priorityClassName="high"),
                    worker=pod(WORKER, priorityClassName="system-node-critical"))
    assert values(sizing.min_resources(workload, 1, PRIORITIES)) == asks(8, "64Gi", 4)
    assert sizing.unknown_priorities(workload, 1, PRIORITIES) == ()


def test_a_class_of_negative_value_comes_after_none():
    workload = read(4, launcher=pod(LAUNCHER, priorityClassName="low"))
    assert values(sizing.min_resources(workload, 1, PRIORITIES)) == asks(8, "64Gi", 4)


@given(st.integers(1, 40), st.integers(1, 42), st.sampled_from([EQUAL, FIRST, LAST]), st.booleans())
def test_one_more_member_never_asks_less(workers, members, classes, wait):
    fewer, more = (vector(workers, number, classes, wait=wait) for number in (members, members + 1))
    assert all(more[name] >= amount for name, amount in fewer.items())


@given(st.integers(1, 40), st.sampled_from([EQUAL, FIRST, LAST]), st.booleans())
def test_all_members_ask_what_the_gang_asks(workers, classes, wait):
    workload = read(workers, wait=wait)
    assert vector(workers, None, classes, wait=wait) == sizing.gang_requests(workload)


def test_the_gang_asks_what_its_pods_ask_and_a_waiting_launcher_is_none_of_them():
    assert sizing.gang_requests(read(4)) == asks(33, "258Gi", 16)
    assert sizing.gang_requests(read(4, wait=True)) == asks(32, "256Gi", 16)


@pytest.mark.parametrize(("launcher", "worker", "largest"), [
    (LAUNCHER, WORKER, "Worker"),
    ({"requests": {"cpu": 64}}, WORKER, "Worker"),  # devices weigh more than cpu
    ({"requests": {"cpu": 16}}, {"requests": {"cpu": 8, "memory": "1Ti"}}, "Launcher"),
    ({}, {}, "Launcher"),
])
def test_the_largest_pod_is_the_one_that_is_hardest_to_place(launcher, worker, largest):
    name, requests = sizing.largest_pod(read(4, launcher=pod(launcher), worker=pod(worker)))
    assert name == largest
    assert requests == sizing.pod_requests(pod(launcher if name == "Launcher" else worker))


def test_the_authors_least_resources_are_spelt_canonically():
    workload = read(4, {"minResources": {"memory": "1024Mi", "cpu": 4, "nvidia.com/gpu": "0"}})
    assert sizing.policy_resources(workload) == {"cpu": "4", "memory": "1Gi"}


# Priorities


def test_an_unknown_class_is_told_when_it_decides_which_pods_count():
    workload = read(4, worker=pod(WORKER, priorityClassName="gold"))
    pointer = ("spec", "mpiReplicaSpecs", "Worker", "template", "spec", "priorityClassName")
    assert sizing.unknown_priorities(workload, 3, PRIORITIES) == (("gold", pointer),)


@pytest.mark.parametrize(("workload", "members", "priorities"), [
    (read(4, worker=pod(WORKER, priorityClassName="gold")), 5, {}),  # all pods count
    (read(4, worker=pod(WORKER, priorityClassName="gold")), 3, {"gold": 7}),
    (read(4, worker=pod(WORKER, priorityClassName="gold"), wait=True), 3, {}),  # one role alone
    (read(4, launcher=pod(LAUNCHER, priorityClassName="gold"), worker=pod(WORKER, priorityClassName="gold")), 3, {}),
    (read(4), 3, {}),
])
def test_an_unknown_class_that_decides_nothing_is_not_told(workload, members, priorities):
    assert sizing.unknown_priorities(workload, members, priorities) == ()


@pytest.mark.parametrize(("policy", "launcher", "worker", "name", "where"), [
    ("a", "b", "c", "a", ("spec", "runPolicy", "schedulingPolicy", "priorityClass")),
    ("", "b", "c", "b", ("spec", "mpiReplicaSpecs", "Launcher", "template", "spec", "priorityClassName")),
    ("", "", "c", "c", ("spec", "mpiReplicaSpecs", "Worker", "template", "spec", "priorityClassName")),
])
def test_the_gangs_class_is_the_policys_then_the_launchers_then_the_workers(policy, launcher, worker, name, where):
    workload = read(4, {"priorityClass": policy}, launcher=pod({}, priorityClassName=launcher),
                    worker=pod({}, priorityClassName=worker))
    assert sizing.priority_class(workload) == (name, where)


def test_a_gang_without_any_class_has_none():
    assert sizing.priority_class(read(4)) is None
