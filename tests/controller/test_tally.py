"""The numbers that the metrics give."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import generate_latest

from controller.gangs import START, status
from gangform.controller.metrics import Metrics
from gangform.controller.tally import Tally
from gangform.status.picture import Counts, GangStatus, Key, State

KEYS = [Key(namespace, name) for namespace in ("nlp", "vision") for name in ("a", "b", "c")]
statuses = st.builds(
    lambda key, state, bound: status(state, key=key, counts=Counts(5, 5, bound, 0, 5)),
    st.sampled_from(KEYS), st.sampled_from(State), st.integers(0, 5))


@given(st.lists(st.one_of(statuses, st.sampled_from(KEYS))))
def test_numbers_kept_up_step_by_step_are_those_of_a_count_from_scratch(steps: list[GangStatus | Key]) -> None:
    kept, now = Tally(), dict[Key, GangStatus]()
    for step in steps:
        key = step if isinstance(step, Key) else step.key
        after = None if isinstance(step, Key) else step
        kept.change(now.get(key), after)
        now.pop(key, None)
        if after is not None:
            now[key] = after
    anew = Tally()
    for said in now.values():
        anew.change(None, said)

    assert kept.gangs == anew.gangs
    assert kept.members == anew.members
    assert sorted(kept.longest_waits(START)) == sorted(anew.longest_waits(START))


def test_the_longest_wait_is_that_of_the_gang_that_has_been_longest_in_its_state() -> None:
    tally = Tally()
    for key, since in zip(KEYS, (30, 10, 20, 5, 6, 7), strict=True):
        tally.change(None, status(key=key, since=START + since))
    tally.change(None, status(State.RUNNING, key=Key("nlp", "done"), since=START))

    assert sorted(tally.longest_waits(START + 100)) == [("nlp", "Queued", 90), ("vision", "Queued", 95)]


def test_metrics_have_no_label_of_a_job_and_no_series_of_what_is_gone() -> None:
    metrics = Metrics(tally := Tally(), lambda: START + 60)
    tally.change(None, status(State.PARTIAL, queue="research"))
    tally.change(None, gone := status(State.QUEUED, key=Key("gone", "x")))
    tally.change(gone, None)

    text = generate_latest(metrics.registry).decode()

    assert 'gangform_gangs{backend="coscheduling",namespace="nlp",queue="research",state="Partial"} 1.0' in text
    assert 'gangform_alarms{namespace="nlp",state="Partial"} 1.0' in text
    assert 'gangform_members{count="desired",namespace="nlp"} 5.0' in text
    assert 'gangform_longest_wait_seconds{namespace="nlp",state="Partial"} 60.0' in text
    assert "train" not in text
    assert "gone" not in text.replace("gone, refused", "")


def test_the_wait_until_a_gang_is_whole_is_a_histogram() -> None:
    metrics = Metrics(Tally(), lambda: START)
    metrics.waited.observe(20)

    assert 'gangform_gang_waiting_seconds_bucket{le="30.0"} 1.0' in generate_latest(metrics.registry).decode()


def test_pods_of_gangs_that_are_over_are_not_counted() -> None:
    tally = Tally()
    for state in (State.SUCCEEDED, State.FAILED, State.LEFT_OVER, State.SUSPENDED):
        tally.change(None, status(state, key=Key("nlp", str(state))))

    assert sum(tally.members["nlp"].values()) == 0
