"""The board: whatever comes, in whatever order, the gangs are told alike, and no object is looked at twice."""

import sys
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangform.catalog import CATALOG
from gangform.model.quantity import Quantity
from gangform.status.fields import instant
from gangform.status.picture import Key
from gangform.status.sharing import shared
from gangform.status.summary import summarize
from situations import (
    CPU,
    NAMESPACE,
    QUOTA,
    SIBLINGS,
    START,
    board,
    event,
    every,
    group,
    job,
    node,
    placed,
    pod,
    pods,
    stranger,
    told,
    uid,
)
from status.crowd import CLUSTER, PI, renamed


@settings(max_examples=40)
@given(st.permutations(CLUSTER))
def test_the_order_in_which_objects_come_does_not_matter(objects):
    assert every(board(*objects)) == every(board(*CLUSTER))


def test_every_gang_of_the_cluster_is_told():
    said = {key.name: str(status.state) for key, status in every(board(*CLUSTER)).items()}
    assert said == {"pi": "Asleep", "run": "Running", "quota": "QuotaRefused", "bare": "Ungrouped", "left": "LeftOver",
                    "over": "Succeeded"}


@settings(max_examples=40)
@given(st.permutations(CLUSTER), st.integers(0, len(CLUSTER)))
def test_what_comes_and_goes_leaves_nothing(objects, number):
    seen = board(*CLUSTER)
    for data in objects[:number]:
        seen.feed("DELETED", deepcopy(data))
    # Schedulers that were seen at work are remembered, and so are events.
    rest = board(*objects[number:], *(one for one in CLUSTER if one["kind"] == "Event"))
    assert seen.keys() == rest.keys()
    assert seen.nodes() == rest.nodes()
    if number == len(objects):
        assert every(seen) == {}


@given(st.permutations(CLUSTER))
def test_objects_that_come_again_change_nothing(objects):
    seen = board(*CLUSTER)
    before = every(seen)
    for data in objects:
        seen.feed("MODIFIED", deepcopy(data))
    assert every(seen) == before


def test_nothing_is_kept_of_gangs_that_came_and_went():
    seen = board()
    kept = seen._ledger
    for number in range(20):
        come = [renamed(one, f"job-{number}") for one in CLUSTER if one["kind"] in ("MPIJob", "PodGroup", "Pod", "Node")]
        for change in ("ADDED", "MODIFIED", "DELETED"):
            for data in come:
                seen.feed(change, data)
    parts = {"ledger": kept, "pods": kept.pods, "ties": kept.ties, "ground": kept.ground, "notes": kept.notes}
    sizes = {f"{part}.{name}": len(held) for part, one in parts.items() for name, held in vars(one).items()
             if isinstance(held, dict | set) and name not in ("_takers", "_backends", "served")}
    assert len(sizes) > 10
    assert {name: size for name, size in sizes.items() if size} == {"ground._changed": sizes["ground._changed"]}


def test_of_a_deleted_object_its_name_and_uid_are_enough():
    seen = board(*CLUSTER)
    for data in CLUSTER:
        meta = {name: data["metadata"].get(name) for name in ("name", "namespace", "uid")}
        seen.feed("DELETED", {"apiVersion": data["apiVersion"], "kind": data["kind"], "metadata": meta})
    assert seen.keys() == frozenset()
    assert seen.nodes() is None


def test_the_late_end_of_an_earlier_object_of_a_name_takes_nothing_away():
    seen = board(job(), group(), *pods(node="n1"))
    for data in (job(), group(), pod("worker-0")):
        data["metadata"]["uid"] = uid("earlier")
        seen.feed("DELETED", data)
    assert str(every(seen)[PI].state) == "Running"


TOUCHED = [
    (job(), {"pi"}), (group(), {"pi"}), (pod(), {"pi"}), (event("MPIJobFailed", QUOTA), {"pi"}),
    (event("FailedScheduling", CPU, "Pod", "pi-worker-0"), {"pi"}),
    (event("FailedCreate", QUOTA, "Job", "pi-launcher"), {"pi"}),
    (event("Unschedulable", CPU, "PodGroup", "pi"), {"pi"}),
    (node(), set()), (stranger(), set()), (event("Pulled", "x", "Pod", "web"), set()), (renamed(job(), "another"), {"another"}),
]


@pytest.mark.parametrize(("data", "names"), TOUCHED)
def test_an_object_touches_its_own_gang(data, names):
    seen = board(job(), group(), *pods())
    assert {key.name for key in seen.feed("MODIFIED", data)} == names


def test_a_group_and_the_job_that_names_it_touch_each_other():
    seen = board()
    assert seen.feed("ADDED", renamed(group(), "other")) == {Key(NAMESPACE, "other")}
    data = job()
    for spec in data["spec"]["mpiReplicaSpecs"].values():
        spec["template"]["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = "other"
    assert seen.feed("ADDED", data) == {PI, Key(NAMESPACE, "other")}
    assert seen.keys() == {PI}
    assert seen.feed("DELETED", data) == {PI, Key(NAMESPACE, "other")}
    assert seen.keys() == {Key(NAMESPACE, "other")}


@pytest.mark.parametrize("mark", [{"name": "podgroup-1f0c"}, {"ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet"}]}])
def test_groups_of_others_are_no_gangs_of_ours(mark):
    data = group("volcano")
    data["metadata"] |= mark
    assert board(data).keys() == frozenset()


def test_a_group_whose_pods_are_of_no_known_job_is_not_ours():
    other = stranger("web", node="n1")
    other["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = "pi"
    seen = board(group(), other)
    assert seen.keys() == frozenset()
    seen.feed("DELETED", other)
    assert seen.keys() == {PI}


def test_bound_pods_of_every_kind_take_from_their_node():
    seen = board(node("n1", cpu="8"), stranger(node="n1", asked={"cpu": "2", "memory": "1Gi"}), pod(node="n1"), pod("worker-1"))
    (only,) = seen.nodes()
    assert (only.free["cpu"], only.free["pods"]) == (Quantity.parse("5"), Quantity.parse("108"))
    seen.feed("MODIFIED", pod(node="n1", phase="Succeeded"))
    assert seen.nodes()[0].free["cpu"] == Quantity.parse("6")
    seen.feed("DELETED", stranger(node="n1"))
    assert seen.nodes()[0].free == only.offers


def test_pods_that_come_before_their_node_count_too():
    seen = board(pod(node="n1"))
    seen.feed("ADDED", node("n1"))
    assert seen.nodes()[0].free["cpu"] == Quantity.parse("3")
    seen.feed("DELETED", node("n1"))
    seen.feed("ADDED", node("n1", cpu="6"))
    assert seen.nodes()[0].free["cpu"] == Quantity.parse("5")


@pytest.mark.parametrize("name", ["pi", "pi-worker-1"])
def test_a_gang_is_found_by_its_job_and_its_pods(name):
    seen = board(*CLUSTER)
    assert seen.find(NAMESPACE, name) == PI
    assert seen.find("elsewhere", name) is None


def test_a_gang_is_found_by_its_group():
    data = job()
    for spec in data["spec"]["mpiReplicaSpecs"].values():
        spec["template"]["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = "other"
    assert board(data, renamed(group(), "other")).find(NAMESPACE, "other") == PI
    assert board(renamed(group(), "other")).find(NAMESPACE, "other") == Key(NAMESPACE, "other")
    assert board().find(NAMESPACE, "nothing") is None


def test_priorities_that_change_are_read_once_more():
    launcher, worker = (job()["spec"]["mpiReplicaSpecs"][role]["template"] for role in ("Launcher", "Worker"))
    worker["spec"] = worker["spec"] | {"priorityClassName": "high"}
    worker["spec"]["containers"] = [{"name": "main", "image": "mpi", "resources": {"requests": {"cpu": "8"}}}]
    data = job(launcher=launcher, worker=worker, run={"schedulingPolicy": {"minAvailable": 2}})
    seen = board(data, group(members=2))
    assert seen.sight(PI, START).job.implied["coscheduling"].min_resources["cpu"] == "9"
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
    assert seen.feed("ADDED", high) == {PI}
    assert seen.sight(PI, START).job.implied["coscheduling"].min_resources["cpu"] == "16"


def test_what_the_rules_say_is_asked_only_of_gangs_that_are_not_whole(monkeypatch):
    asked = []
    rule = CATALOG.rules["min-resources-bad-key"]
    monkeypatch.setattr(rule, "check", lambda subject, _: asked.append(subject.ref.kind) or iter(()))
    seen = board(job(), group(), *pods(node="n1"))
    summarize(seen.sight(PI, START))
    assert asked == []
    seen.feed("MODIFIED", pod("worker-0", said=SIBLINGS))
    summarize(seen.sight(PI, START))
    assert sorted(asked) == ["MPIJob", "PodGroup"]
    seen.feed("MODIFIED", pod("worker-0", said=CPU))
    summarize(seen.sight(PI, START))
    assert len(asked) == 2, "the objects are the same"
    seen.feed("MODIFIED", group(members=4))
    summarize(seen.sight(PI, START))
    assert len(asked) == 4


def calls(work):
    """How many functions of gangform are entered."""
    count = 0

    def trace(frame, what, _):
        nonlocal count
        count += what == "call" and "gangform" in frame.f_code.co_filename

    sys.setprofile(trace)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("data", [pod("worker-0", said=CPU), job(), group(), event("MPIJobFailed", QUOTA), node("n1"), stranger()])
def test_the_work_per_object_does_not_grow_with_the_cluster(data):
    def fed(size):
        seen = board(job(), group(), *pods(), *(renamed(one, f"job-{number}") for number in range(size)
                                                for one in (job(), group(), *pods(node="n1"))))
        seen.feed("MODIFIED", data)
        return calls(lambda: seen.feed("MODIFIED", data))

    assert fed(40) == fed(2) > 0


def test_equal_values_are_kept_once_and_types_apart():
    first, second = shared("n-" + "odes"), shared(f"n-{'odes'}")
    assert first is second
    assert isinstance(shared(Key("a", "b")), Key)
    assert not isinstance(shared(("a", "b")), Key)


@pytest.mark.parametrize(("text", "seconds"), [
    ("2026-12-01T10:00:00Z", START), ("2026-12-01T10:00:00.123456Z", START), ("", None), ("yesterday", None), (5, None),
    ("2026-12-01T10:00:00+01:00", None), ("2026-99-01T10:00:00Z", None), (None, None)])
def test_times_are_read_as_the_api_server_writes_them(text, seconds):
    assert instant(text) == seconds


def test_a_pod_that_a_kubelet_made_proves_no_scheduler():
    mirror = stranger("etcd", node="n1", scheduler="scheduler-plugins-scheduler")
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    assert str(told(job(), group(), mirror, *pods()).state) == "NoScheduler"
    assert str(told(job(), group(), stranger(node="n1", scheduler="scheduler-plugins-scheduler"), *pods()).state) == "Queued"
    looked = event("FailedScheduling", CPU, "Pod", "other", component="scheduler-plugins-scheduler")
    assert str(told(job(), group(), looked, *pods()).state) == "Queued"


def test_two_jobs_of_one_name_in_two_namespaces_are_two():
    seen = board(job(), group(), *pods(node="n1"), *(renamed(one, "pi", "else") for one in (job(), group())))
    assert {key: str(status.state) for key, status in every(seen).items()} == {
        PI: "Running", Key("else", "pi"): "WaitingForPods"}
    assert placed({"kind": "X", "metadata": {"name": "y"}})["metadata"]["namespace"] == NAMESPACE
