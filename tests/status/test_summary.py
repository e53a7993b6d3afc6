"""What is said of a gang, in tables of situations: from raw objects to state, reason and message."""

import pytest

from situations import CPU, GAP, LATER, START, condition, event, group, job, node, nodes, pod, pods, told
from status.tables import FORMING, HIDDEN, OOM, OVER, RUNNING, WAITING, WHOLE, YOUNG, named


def check(status, state, reason="", message=""):
    assert (str(status.state), reason or status.reason) == (state, status.reason), status
    assert message in status.message, status.message


@pytest.mark.parametrize(("state", "reason", "message", "objects"), OVER.values(), ids=OVER)
def test_gangs_that_are_over_or_held_back(state, reason, message, objects):
    check(told(*objects), state, reason, message)


@pytest.mark.parametrize(("state", "reason", "message", "objects"), FORMING.values(), ids=FORMING)
def test_gangs_that_are_not_complete(state, reason, message, objects):
    check(told(*objects), state, reason, message)


@pytest.mark.parametrize(("state", "reason", "message", "objects"), WHOLE.values(), ids=WHOLE)
def test_gangs_that_are_whole_or_were(state, reason, message, objects):
    check(told(*objects), state, reason, message)


@pytest.mark.parametrize(("state", "reason", "message", "objects"), WAITING.values(), ids=WAITING)
def test_gangs_that_wait(state, reason, message, objects):
    check(told(*objects), state, reason, message)


@pytest.mark.parametrize(("state", "reason", "objects"), YOUNG.values(), ids=YOUNG)
def test_within_the_time_of_grace_nothing_alarms(state, reason, objects):
    status = told(*objects, seconds=10)
    check(status, state, reason)
    assert not status.alarming


@pytest.mark.parametrize(("lost", "says"), [
    ("launcher-x7k2", "kubectl logs -n lab pi-launcher-x7k2 --tail 50"),
    ("worker-1", "in Git set spec.runPolicy.suspend of pi to true, and to false again once its pods are gone"),
])
def test_a_lost_worker_needs_a_restart_of_all_and_a_lost_launcher_none(lost, says):
    rest = [one for one in RUNNING if one["metadata"]["name"] != f"pi-{lost}"]
    assert says in told(job(), group(), *rest, pod(lost, node="n1", phase="Failed", ended=OOM)).advice


def test_of_a_failure_without_a_pod_no_slash_and_no_colon_is_left():
    ended = condition("Failed", reason="BackoffLimitExceeded/", message="Job has reached the specified backoff limit: ")
    status = told(job("coscheduling", ended), group())
    assert status.reason == "BackoffLimitExceeded"
    assert status.message == "the job has failed: Job has reached the specified backoff limit"


def test_gangform_is_not_said_to_keep_a_group_in_the_cluster():
    status = told(group(more={"labels": {"gangform.dev/job": "pi"}}))
    assert status.message == "PodGroup pi has no job; rendered by gangform for job pi"


@pytest.mark.parametrize("worker", ["Failed", "Running"])
def test_where_a_failed_job_says_why_is_the_newest_of_its_launchers(worker):
    lost = [pod(name, seconds=at, node="n1", phase="Failed") for name, at in (("launcher-new", 9), ("launcher-old", 1))]
    status = told(job("coscheduling", condition("Failed")), group(), *lost, pod("worker-0", node="n1", phase=worker))
    assert status.advice == "kubectl logs -n lab pi-launcher-new --tail 50"


def test_what_a_queue_refused_an_hour_ago_is_told_no_more():
    objects = [job("volcano"), group("volcano", queue="nlp"), *nodes(), *pods(backend="volcano"),
               event("Unschedulable", "queue resource quota insufficient: insufficient cpu", "PodGroup", component="volcano")]
    assert [told(*objects, seconds=seconds).reason for seconds in (3600, 3602)] == ["QueueFull", "NotLookedAt"]


def test_counts_are_of_the_pods_that_start_together():
    assert tuple(told(job(), group(), *RUNNING[:2], pod("worker-1", said=CPU)).counts) == (3, 3, 2, 2, 3)


def test_a_gang_runs_since_its_last_pod_became_ready():
    assert told(job(), group(), *RUNNING).since == START + 9


@pytest.mark.parametrize("objects", [entry[-1] for table in (OVER, FORMING, WHOLE, WAITING) for entry in table.values()])
def test_a_message_is_the_same_as_long_as_nothing_changes(objects):
    first = told(*objects, seconds=LATER)
    second = told(*objects, seconds=LATER + 1000, previous=first)
    assert second == first


def test_a_gang_that_was_whole_is_degraded_when_its_pods_come_anew_one_by_one():
    anew = [pod("launcher-y", node="n1", seconds=300), pod("worker-0", node="n1", seconds=300),
            pod("worker-1", said=CPU, seconds=301)]
    assert str(told(job(), group(), *anew).state) == "Partial"
    before = told(job(), group(), *RUNNING)
    assert str(told(job(), group(), *anew, previous=before).state) == "Degraded"
    said = condition("GangScheduled", "True", "Whole", "3/3")
    assert str(told(job("coscheduling", said), group(), *anew).state) == "Degraded"


def test_what_was_said_of_an_earlier_job_of_the_name_does_not_count():
    before = told(job(), group(), *RUNNING)._replace(related="another")
    anew = [pod("launcher-y", node="n1"), pod("worker-0", node="n1"), pod("worker-1", said=CPU, seconds=1)]
    assert str(told(job(), group(), *anew, previous=before).state) == "Partial"


@pytest.mark.parametrize(("hide", "state", "reason", "objects"), HIDDEN.values(), ids=HIDDEN)
def test_what_cannot_be_seen_is_not_guessed(hide, state, reason, objects):
    check(told(*objects, hide=hide), state, reason)


def test_a_plain_scheduler_that_binds_marked_pods_is_named():
    plain = [pod(name, scheduler="default-scheduler", node="n1") for name in ("launcher-x", "worker-0")]
    waits = pod("worker-1", scheduler="default-scheduler", said=CPU)
    data = named("default-scheduler")
    check(told(data, group(), *plain, waits), "Misconfigured", "SchedulerNameNotBackend")
    # It speaks as coscheduling does, so that it is coscheduling under the plain name.
    waits["status"]["conditions"][0]["message"] = GAP
    check(told(data, group(), *plain, waits), "Partial")
    assert node()["metadata"]["name"] == "n1"
