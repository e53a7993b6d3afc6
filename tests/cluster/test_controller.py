"""The controller on a real control plane: what it writes, and whom it wakes."""

from pathlib import Path

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.controlling import Start, condition, gangs, over, shown, told
from cluster.repositories import built, job, rendered

WHOLE, NOTHING = Bound(1, 4), Bound(0, 0)


def touch(cluster: Cluster, name: str) -> None:
    patch = {"metadata": {"annotations": {"cluster-test/touched": "yes"}}}
    cluster.api.patch("PodGroup", name, patch, cluster.namespace)


def test_the_condition_comes_after_the_operators_own_and_stays_through_its_updates_to_the_end(
    cluster: Cluster, tmp_path: Path, kustomize: str, start: Start,
) -> None:
    start("--no-leader-election")
    cluster.nodes(4, cpu="4")
    gangs(cluster, tmp_path, kustomize, job("one"))
    cluster.until(lambda: cluster.conditions("one").get("GangScheduled") == "True", "the gang is told to be scheduled")
    assert cluster.conditions("one")["Created"] == "True"
    cluster.until(lambda: cluster.conditions("one").get("Running") == "True", "the operator says that the job runs")

    cluster.end("one")
    cluster.until(lambda: cluster.conditions("one").get("Succeeded") == "True", "the job is done")
    cluster.until(lambda: over(cluster, "one"), "the condition says so, too")

    conditions = cluster.conditions("one")
    assert {"Created", "Running", "Succeeded", "GangScheduled"} <= conditions.keys()
    assert conditions["GangScheduled"] == "True"
    found = cluster.api.get("MPIJob", "one", cluster.namespace)
    assert found is not None
    ours = [entry for entry in found["metadata"]["managedFields"] if entry["manager"] == "gangform"]
    assert [(entry["operation"], entry["subresource"]) for entry in ours] == [("Apply", "status")]
    assert set(ours[0]["fieldsV1"]) == {"f:status"}
    assert set(ours[0]["fieldsV1"]["f:status"]["f:conditions"]) == {'k:{"type":"GangScheduled"}'}
    assert "finalizers" not in found["metadata"]
    assert "annotations" not in found["metadata"] or not any("kopf" in key for key in found["metadata"]["annotations"])


def test_a_gang_that_waits_then_runs_then_succeeds_is_told_at_each_step_and_counted(
    cluster: Cluster, tmp_path: Path, kustomize: str, start: Start,
) -> None:
    controller = start("--no-leader-election")
    cluster.nodes(4, cpu="4")
    gangs(cluster, tmp_path, kustomize, job("one"), job("two"))

    def states() -> dict[str, str]:
        return {name: cluster.conditions(name).get("GangScheduled", "") for name in ("one", "two")}

    cluster.until(lambda: sorted(states().values()) == ["False", "True"], "one is scheduled and the other is not")
    first, second = sorted(states(), key=lambda name: states()[name], reverse=True)
    cluster.until(lambda: (second, "GangQueued") in told(cluster), "the second is told to be queued")
    cluster.until(lambda: (first, "GangRunning") in told(cluster), "the first is told to run")
    assert "CPU" in condition(cluster, second)["message"]
    here = {"namespace": cluster.namespace}
    cluster.until(lambda: controller.metric("gangform_gangs", state="Running", **here) == 1, "one runs by the metrics")
    assert controller.metric("gangform_gangs", state="Queued", backend="coscheduling", **here) == 1
    assert controller.metric("gangform_members", count="desired", **here) == 10
    assert controller.metric("gangform_members", count="bound", **here) == 5
    assert controller.metric("gangform_longest_wait_seconds", state="Queued", **here) > 0

    cluster.end(first)
    cluster.until(lambda: over(cluster, first), "the first is told to be done")
    touch(cluster, second)
    cluster.until(lambda: (second, "GangRunning") in told(cluster), "the second is told to run")
    cluster.end(second)
    cluster.until(lambda: (second, "GangSucceeded") in told(cluster), "the second is told to be done")

    cluster.until(lambda: controller.metric("gangform_gangs", state="Succeeded", **here) == 2, "both are counted as done")
    assert controller.metric("gangform_gang_waiting_seconds_count") == 2
    assert controller.metric("gangform_members", **here) == 0
    assert controller.metric("gangform_errors_total") == 0
    assert max(told(cluster).values()) == 1


def test_a_queue_that_is_full_is_told_though_its_scheduler_says_so_in_a_normal_event(
    cluster: Cluster, tmp_path: Path, kustomize: str, start: Start,
) -> None:
    start("--no-leader-election")
    documents = built(kustomize, rendered(tmp_path, [job("one")]))
    for document in documents:
        if document["kind"] == "MPIJob":
            for replica in document["spec"]["mpiReplicaSpecs"].values():
                replica["template"]["spec"]["schedulerName"] = "its-own"
    cluster.apply(*documents)
    cluster.until(lambda: len(cluster.pods("one")) == 5, "the pods are there")
    # As Volcano's plugin proportion says it: pkg/scheduler/plugins/proportion/proportion.go, v1.15.
    cluster.api.create({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "one.1"}, "type": "Normal", "reason": "Unschedulable",
        "message": "queue resource quota insufficient", "source": {"component": "its-own"},
        "involvedObject": {"kind": "PodGroup", "name": "one", "namespace": cluster.namespace},
    }, namespace=cluster.namespace)

    cluster.until(lambda: condition(cluster, "one").get("reason") == "QueueFull", "its condition says so")


def test_without_condition_and_events_nothing_is_written(
    cluster: Cluster, tmp_path: Path, kustomize: str, start: Start,
) -> None:
    controller = start("--no-leader-election", "--no-condition", "--no-events")
    cluster.nodes(4, cpu="4")
    gangs(cluster, tmp_path, kustomize, job("one"))

    cluster.until(lambda: controller.metric("gangform_gangs", state="Running", namespace=cluster.namespace) == 1, "it runs")

    assert condition(cluster, "one") == {}
    assert told(cluster) == {}
    assert controller.metric("gangform_writes_total") == 0


def test_two_controllers_without_an_election_write_each_event_once(
    cluster: Cluster, tmp_path: Path, kustomize: str, start: Start,
) -> None:
    both = [start("--no-leader-election") for _ in range(2)]
    cluster.nodes(4, cpu="4")
    gangs(cluster, tmp_path, kustomize, job("one"), job("two"))
    here = {"namespace": cluster.namespace}
    for controller in both:
        cluster.until(lambda it=controller: it.metric("gangform_gangs", state="Running", **here) == 1, "one gang runs")  # type: ignore[misc]
    # Whoever finds the other's condition on the job says nothing more of that state.
    cluster.until(lambda: {"GangRunning", "GangQueued"} == {reason for _, reason in told(cluster)}, "both states are told")
    cluster.stays(lambda: set(told(cluster).values()) <= {1}, "no event is there twice", 5)

    assert sorted(cluster.conditions(name)["GangScheduled"] for name in ("one", "two")) == ["False", "True"]


def test_one_of_two_leads_and_the_other_takes_over_when_it_is_killed(
    cluster: Cluster, tmp_path: Path, kustomize: str, start: Start,
) -> None:
    lease = ("--lease-namespace", cluster.namespace)
    first = start(*lease)
    cluster.until(lambda: first.metric("gangform_leading") == 1, "the first leads")
    second = start(*lease)
    cluster.nodes(4, cpu="4")
    gangs(cluster, tmp_path, kustomize, job("one"))
    cluster.until(lambda: cluster.conditions("one").get("GangScheduled") == "True", "the leader writes")
    assert second.metric("gangform_leading") == 0
    assert second.metric("gangform_writes_total") == 0

    first.stop(kill=True)
    cluster.end("one")
    cluster.until(lambda: second.metric("gangform_leading") == 1, "the second leads")
    cluster.until(lambda: over(cluster, "one"), "the second writes")

    assert max(told(cluster).values()) == 1


def filler(number: int) -> Document:
    """A pod that is no gang and takes a node; when it goes, nothing but its going tells of the room."""
    container = {"name": "main", "image": "filler", "resources": {"requests": {"cpu": "4"}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"filler-{number}"}, "spec": {"containers": [container]}}


def let_wait_and_make_room(cluster: Cluster, tmp_path: Path, kustomize: str) -> None:
    """A gang waits, refused by coscheduling alone, and then there is room for it."""
    cluster.nodes(4, cpu="4")
    cluster.apply(*[filler(number) for number in range(4)])

    def phases() -> set[str]:
        return {pod["status"].get("phase", "") for pod in cluster.api.list("Pod", cluster.namespace)}

    cluster.until(lambda: phases() == {"Running"}, "the nodes are full")
    gangs(cluster, tmp_path, kustomize, job("waiting"))
    cluster.until(lambda: len(cluster.reasons("waiting")) == 5, "the gang waits")
    cluster.until(lambda: condition(cluster, "waiting").get("status") == "False", "its condition says so")
    cluster.stays(lambda: cluster.bound("waiting") == NOTHING, "the last change of its group is over, too", 5)
    for number in range(4):
        cluster.api.delete("Pod", f"filler-{number}", cluster.namespace)


def test_without_the_flag_a_gang_sleeps_beside_free_capacity_and_is_seen_to_sleep_from_all_sides(
    cluster: Cluster, tmp_path: Path, kustomize: str, start: Start,
) -> None:
    controller = start("--no-leader-election")
    let_wait_and_make_room(cluster, tmp_path, kustomize)

    here = {"namespace": cluster.namespace}
    cluster.until(lambda: controller.metric("gangform_alarms", state="Asleep", **here) == 1, "it is counted as asleep")
    assert controller.metric("gangform_gangs", state="Asleep", backend="coscheduling", **here) == 1
    cluster.until(lambda: ("waiting", "GangAsleep") in told(cluster), "an event says so")
    cluster.until(lambda: condition(cluster, "waiting")["reason"] == "NotLookedAgain", "its condition says so")
    cluster.until(lambda: shown(cluster, "waiting") == "Asleep", "status says so after its time of grace")
    cluster.stays(lambda: cluster.bound("waiting") == NOTHING, "it sleeps on", 5)
    assert annotations(cluster, "waiting") == {}


def test_with_the_flag_a_waiting_gang_starts_within_seconds_after_capacity_came_free(
    cluster: Cluster, tmp_path: Path, kustomize: str, start: Start,
) -> None:
    controller = start("--no-leader-election", "--wake-gangs")
    let_wait_and_make_room(cluster, tmp_path, kustomize)

    cluster.until(lambda: cluster.running("waiting") == WHOLE, "it is woken", 20)

    assert "gangform.dev/woken" in annotations(cluster, "waiting")
    assert 1 <= controller.metric("gangform_writes_total", what="wake") <= 2


def annotations(cluster: Cluster, name: str) -> dict[str, str]:
    """Of a PodGroup, those that concern waking."""
    found = (cluster.api.get("PodGroup", name, cluster.namespace) or {})["metadata"].get("annotations") or {}
    return {key: value for key, value in found.items() if key.startswith("gangform.dev/woken")}
