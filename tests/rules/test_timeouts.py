"""How long a gang may wait: scheduleTimeoutSeconds and activeDeadlineSeconds."""

import pytest

from gangform.model.edit import ABSENT
from gangform.settings import Cluster
from gangs import QUEUED, edits, group, job, said

AT = "/spec/scheduleTimeoutSeconds"
POLICY_AT = "/spec/runPolicy/schedulingPolicy/scheduleTimeoutSeconds"
DEADLINE_AT = "/spec/runPolicy/activeDeadlineSeconds"


@pytest.mark.parametrize(("seconds", "expected"), [
    (-1, ("timeout-negative", "error", AT)),
    (0, ("timeout-zero-or-short", "warning", AT)),
    (59, ("timeout-zero-or-short", "note", AT)),
    (901, ("timeout-capped", "note", AT)),
])
def test_a_timeout_that_does_not_do_what_it_says_is_told_once(seconds: int, expected: tuple[str, str, str]) -> None:
    assert said(group("coscheduling", scheduleTimeoutSeconds=seconds), job("coscheduling")) == [expected]


@pytest.mark.parametrize("timeout", [{}, {"scheduleTimeoutSeconds": 60}, {"scheduleTimeoutSeconds": 900}])
def test_a_timeout_that_is_left_out_or_sound_is_silent(timeout: dict[str, int]) -> None:
    assert said(group("coscheduling", **timeout), job("coscheduling")) == []


def test_a_large_gang_needs_more_time() -> None:
    large = group("coscheduling", 501, scheduleTimeoutSeconds=60), job("coscheduling", workers=500)
    assert said(*large) == [("timeout-zero-or-short", "note", AT)]
    assert said(group("coscheduling", 501, scheduleTimeoutSeconds=100), job("coscheduling", workers=500)) == []


def test_the_safe_mends() -> None:
    assert edits("timeout-negative", group("coscheduling", scheduleTimeoutSeconds=-1)) == [(AT, ABSENT)]
    assert edits("timeout-capped", group("coscheduling", scheduleTimeoutSeconds=3600)) == [(AT, 900)]


@pytest.mark.parametrize(("cluster", "told"), [
    (None, ["timeout-negative"]), (Cluster("c", "coscheduling"), ["timeout-negative"]), (Cluster("c", "volcano"), []),
])
def test_a_negative_timeout_of_a_policy_is_told_unless_the_scheduler_has_none(
    cluster: Cluster | None, told: list[str]
) -> None:
    found = said(job(run={"schedulingPolicy": {"scheduleTimeoutSeconds": -1}}), cluster=cluster)
    assert [(rule, at) for rule, _, at in found if rule.startswith("timeout-")] == [(rule, POLICY_AT) for rule in told]


def test_whether_a_time_is_short_is_not_said_without_a_scheduler() -> None:
    found = [rule for seconds in (0, 5, 3600)
             for rule, _, _ in said(job(run={"schedulingPolicy": {"scheduleTimeoutSeconds": seconds}}))]
    assert not [rule for rule in found if rule.startswith("timeout-")]


def test_volcano_has_no_such_field_and_one_finding_says_so() -> None:
    found = said(group("volcano", scheduleTimeoutSeconds=-1), job("volcano"))
    assert [entry for entry in found if entry[0].startswith("timeout-")] == [("timeout-on-volcano", "error", AT)]


@pytest.mark.parametrize(("timeout", "severity"), [(300, "warning"), (299, "note")])
def test_a_deadline_that_ends_before_the_wait_is_worse_than_one_that_counts_it(timeout: int, severity: str) -> None:
    limited = job("coscheduling", run={"activeDeadlineSeconds": 300})
    found = said(group("coscheduling", scheduleTimeoutSeconds=timeout), limited)
    assert found == [("active-deadline-counts-queueing", severity, DEADLINE_AT)]


def test_a_deadline_under_a_scheduler_without_timeouts_is_a_note() -> None:
    found = said(group("volcano"), job("volcano", run={"activeDeadlineSeconds": 300}))
    assert found == [("active-deadline-counts-queueing", "note", DEADLINE_AT)]


def test_a_deadline_that_counts_no_queueing_is_silent() -> None:
    deadline = {"activeDeadlineSeconds": 300}
    waits = job("coscheduling", run=deadline, launcherCreationPolicy="WaitForWorkersReady")
    assert said(group("coscheduling", 2), waits) == []
    assert said(group("coscheduling"), job("coscheduling", run={**deadline, "suspend": True})) == []
    assert said(job(run=deadline)) == []
    queued = said(group("coscheduling"), job("coscheduling", run=deadline, more=QUEUED))
    assert "active-deadline-counts-queueing" not in [rule for rule, _, _ in queued]
