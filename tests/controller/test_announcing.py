"""The events of a job."""

from controller.gangs import START, job, status
from gangform.controller import announcing
from gangform.status.picture import State

NOW, THEN = "2026-01-01T10:00:00Z", "2026-01-01T09:00:00Z"


def test_two_controllers_give_the_event_of_one_state_the_same_name() -> None:
    one = announcing.as_object(status(), job(), NOW, THEN)
    two = announcing.as_object(status(message="another word"), job(), "2026-01-01T10:00:07Z", THEN)

    assert one["metadata"]["name"] == two["metadata"]["name"]


def test_another_state_another_time_and_another_job_have_other_names() -> None:
    names = {
        announcing.as_object(status(state), job(uid=uid), NOW, since)["metadata"]["name"]
        for state in (State.QUEUED, State.PARTIAL) for uid in ("uid-1", "uid-2") for since in (THEN, NOW)
    }

    assert len(names) == 8


def test_an_event_is_about_its_job_and_a_warning_where_somebody_must_act() -> None:
    normal = announcing.as_object(status(State.QUEUED), job(), NOW, THEN)
    alarm = announcing.as_object(status(State.PARTIAL), job(), NOW, THEN)

    assert normal["involvedObject"] == {
        "apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "name": "train", "namespace": "nlp", "uid": "uid-1"}
    assert [(event["reason"], event["type"]) for event in (normal, alarm)] == [
        ("GangQueued", "Normal"), ("GangPartial", "Warning")]


def test_the_longest_name_of_a_job_still_makes_a_name_of_an_event() -> None:
    long = job()._replace(key=job().key._replace(name="x" * 253))

    assert len(announcing.as_object(status(), long, NOW, THEN)["metadata"]["name"]) <= 253


def test_a_long_message_is_cut_to_what_the_api_takes() -> None:
    event = announcing.as_object(status(message="node " * 1000), job(), NOW, THEN)

    assert len(event["message"]) <= 1024


def test_what_the_condition_says_already_is_old_news() -> None:
    said = ("False", "QueuedReason", "it is Queued", START)

    assert announcing.is_old_news(status(since=START), job(said=said), START)
    assert not announcing.is_old_news(status(since=START), job(), START)
