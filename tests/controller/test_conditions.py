"""What the condition says, and when it is written."""

import pytest

from controller.gangs import START, job, status
from gangform.controller import conditions
from gangform.status.forming import PODS_HIDDEN
from gangform.status.picture import Counts, State

NOW = START + 100
WAITING = [
    State.SUSPENDED, State.WAITING_FOR_PODS, State.WAITING_FOR_POD_GROUP, State.GATED, State.QUEUED, State.PARTIAL,
    State.DEGRADED, State.STALE, State.MISCONFIGURED, State.NO_SCHEDULER, State.QUOTA_REFUSED, State.NEVER_FITS,
    State.ASLEEP,
]


@pytest.mark.parametrize("state", [State.RUNNING, State.SUCCEEDED])
def test_a_gang_that_is_whole_is_scheduled(state: State) -> None:
    told = conditions.condition(status(state), job(), NOW)

    assert told == conditions.Condition("True", f"{state}Reason", f"it is {state}", START)


@pytest.mark.parametrize("state", WAITING)
def test_a_gang_that_waits_is_not_scheduled(state: State) -> None:
    told = conditions.condition(status(state), job(), NOW)

    assert told is not None
    assert told.status == "False"


def test_a_starting_gang_is_scheduled_once_it_is_whole() -> None:
    part = conditions.condition(status(State.STARTING, counts=Counts(5, 5, 4, 0, 5)), job(), NOW)
    whole = conditions.condition(status(State.STARTING, counts=Counts(5, 5, 5, 0, 5)), job(), NOW)

    assert [told.status for told in (part, whole) if told] == ["False", "True"]


def test_whether_a_job_without_a_gang_is_scheduled_is_not_told() -> None:
    told = conditions.condition(status(State.UNGROUPED), job(), NOW)

    assert told is not None
    assert told.status == "Unknown"


def test_of_pods_that_cannot_be_seen_nothing_is_written() -> None:
    assert conditions.condition(status(State.WAITING_FOR_PODS, reason=PODS_HIDDEN), job(), NOW) is None


@pytest.mark.parametrize("said", ["True", "False"])
def test_a_failed_job_keeps_what_was_said_of_its_gang_while_it_lived(said: str) -> None:
    told = conditions.condition(status(State.FAILED), job(said=(said, "Before", "it was", START)), NOW)

    assert told == conditions.Condition(said, "FailedReason", "it is Failed", START)  # type: ignore[arg-type]


def test_of_a_failed_job_that_nobody_saw_nothing_is_known() -> None:
    told = conditions.condition(status(State.FAILED), job(), NOW)

    assert told is not None
    assert told.status == "Unknown"


@pytest.mark.parametrize(("finished", "expected"), [("Succeeded", "True"), ("Failed", "Unknown"), ("", "False")])
def test_what_a_finished_job_left_over_does_not_change_how_it_went(finished: str, expected: str) -> None:
    told = conditions.condition(status(State.LEFT_OVER), job(finished=finished), NOW)

    assert told is not None
    assert told.status == expected


def test_nothing_is_written_before_the_operator_has_written_its_own_condition() -> None:
    assert conditions.condition(status(), job(acknowledged=False), NOW) is None
    assert conditions.condition(status(), None, NOW) is None


def test_nothing_is_written_that_stands_there_already() -> None:
    said = ("False", "QueuedReason", "it is Queued", START - 5)

    assert conditions.condition(status(), job(said=said), NOW) is None
    assert conditions.condition(status(message="8 CPU short"), job(said=said), NOW) is not None


def test_the_time_of_transition_moves_only_with_the_truth() -> None:
    said = ("False", "Before", "it waited", START + 10)

    still = conditions.condition(status(since=START + 50), job(said=said), NOW)
    turned = conditions.condition(status(State.RUNNING, since=START + 50), job(said=said), NOW)

    assert [told.since for told in (still, turned) if told] == [START + 10, START + 50]


def test_the_time_of_transition_never_goes_back_nor_into_the_future() -> None:
    said = ("True", "Running", "it ran", START + 60)

    back = conditions.condition(status(State.DEGRADED, since=START + 50), job(said=said), NOW)
    ahead = conditions.condition(status(State.DEGRADED, since=NOW + 5), job(said=said), NOW)

    assert [told.since for told in (back, ahead) if told] == [START + 60, NOW]


def test_only_this_condition_is_applied_and_only_on_the_job_as_it_was_seen() -> None:
    told = conditions.condition(status(), job(), NOW)
    assert told is not None

    data = conditions.as_object(told, job(), "77", "2026-01-01T00:00:00Z", "2025-01-01T00:00:00Z")

    assert set(data) == {"apiVersion", "kind", "metadata", "status"}
    assert data["metadata"] == {"name": "train", "namespace": "nlp", "resourceVersion": "77"}
    assert [c["type"] for c in data["status"]["conditions"]] == ["GangScheduled"]
