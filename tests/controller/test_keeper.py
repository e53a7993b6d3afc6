"""What is written when, told to a keeper step by step."""

import pytest

from controller.gangs import KEY, START, change, job, status
from controller.scenes import Scene, whats
from gangform.controller.announcing import BURST, REFILL_SECONDS, SETTLE_SECONDS
from gangform.controller.keeper import DEBOUNCE_SECONDS, QUIET_SECONDS, REFUSED_SECONDS, Wants, Write
from gangform.status.picture import Counts, Key, State


def test_a_new_state_is_written_as_condition_and_event_and_then_nothing_more() -> None:
    scene = Scene()

    writes = scene.see(State.GATED)
    scene.end(writes)

    assert whats(writes) == ["condition", "event"]
    assert scene.live(300) == []


def test_a_burst_of_changes_is_looked_at_once() -> None:
    scene = Scene()
    scene.board.put(status(State.GATED), job())
    for _ in range(20):
        scene.keeper.feed("MODIFIED", change(), scene.now)

    assert scene.turn() == []
    assert whats(scene.turn(DEBOUNCE_SECONDS)) == ["condition", "event"]


def test_before_the_operators_condition_only_the_event_is_written() -> None:
    scene = Scene()

    early = scene.see(State.GATED, acknowledged=False)
    scene.end(early)
    late = scene.see(State.GATED, acknowledged=True)

    assert (whats(early), whats(late)) == (["event"], ["condition"])


@pytest.mark.parametrize(("wants", "expected"), [
    (Wants(condition=False), ["event"]), (Wants(events=False), ["condition"]),
    (Wants(condition=False, events=False), []),
])
def test_what_is_switched_off_is_not_written(wants: Wants, expected: list[str]) -> None:
    assert whats(Scene(wants).see(State.PARTIAL)) == expected


def test_nobody_but_the_leader_writes_and_a_new_leader_writes_what_is_due() -> None:
    scene = Scene(leading=False)
    assert scene.see(State.GATED) == []

    scene.keeper.lead(scene.now)

    assert whats(scene.turn()) == ["condition", "event"]


def test_before_the_first_lists_are_in_no_gang_is_judged_and_afterwards_as_it_is_by_then() -> None:
    scene = Scene(complete=False)
    before = [*scene.see(State.WAITING_FOR_PODS), *scene.see(State.DEGRADED), *scene.live(60)]
    assert (before, len(scene.keeper), scene.keeper.next()) == ([], 0, None)
    assert scene.see(State.RUNNING) == []

    scene.keeper.begin()
    (condition, event) = scene.turn()

    assert (condition.what, event.what) == ("condition", "event")
    assert condition.told is not None
    assert condition.told.status == "True"
    assert event.status.state is State.RUNNING


def test_a_new_leader_does_not_repeat_what_the_old_one_told() -> None:
    scene = Scene(leading=False)
    scene.see(State.GATED, said=("False", "GatedReason", "it is Gated", START))

    scene.keeper.lead(scene.now)

    assert scene.turn() == []


def test_a_state_that_is_older_than_events_are_kept_is_no_news_to_a_new_controller() -> None:
    writes = Scene().see(State.RUNNING, since=START - 7200)

    assert whats(writes) == ["condition"]


def test_while_a_write_is_on_its_way_nothing_else_of_the_gang_is_written() -> None:
    scene = Scene()
    first = scene.see(State.GATED)

    assert scene.see(State.RUNNING) == []
    scene.end(first)

    assert [(write.what, write.status.state) for write in scene.turn()] == [
        ("condition", State.RUNNING), ("event", State.RUNNING)]


def test_a_failed_write_is_due_again_later_each_time_until_it_is_done() -> None:
    scene = Scene(Wants(events=False))
    scene.end(scene.see(State.GATED), "failed")

    tries = len(scene.live(120, "failed"))
    last = scene.live(60)

    assert 3 <= tries <= 10
    assert whats(last) == ["condition"]


def test_an_outage_leaves_only_the_last_state_to_write_and_no_event_twice() -> None:
    scene = Scene()
    scene.end(scene.see(State.GATED))
    for state in (State.STARTING, State.RUNNING, State.DEGRADED, State.RUNNING):
        scene.end(scene.see(state, after=20), "failed")

    after = scene.live(120)

    assert [(write.what, write.status.state) for write in after] == [("condition", State.RUNNING), ("event", State.RUNNING)]


def test_a_refused_write_is_not_tried_again_and_again() -> None:
    scene = Scene()
    scene.end(scene.see(State.GATED), "refused")

    assert scene.live(REFUSED_SECONDS - 5, "refused") == []
    assert whats(scene.live(40, "refused")) == ["condition"]


def test_a_message_alone_does_not_change_the_condition_every_moment() -> None:
    scene = Scene()
    scene.end(scene.see(State.GATED, message="8 CPU short"))

    hurried = [write for short in range(7, 3, -1) for write in scene.see(State.GATED, message=f"{short} CPU short")]
    later = scene.live(QUIET_SECONDS + 1)

    assert hurried == []
    assert [(write.what, write.told.message) for write in later if write.told] == [("condition", "4 CPU short")]


def test_a_condition_that_someone_took_away_is_written_again() -> None:
    scene = Scene()
    scene.end(scene.see(State.GATED))
    scene.live(QUIET_SECONDS)
    scene.board.put(status(State.GATED), job(said=None))
    scene.keeper.feed("MODIFIED", change(), scene.now)

    assert whats(scene.turn(DEBOUNCE_SECONDS)) == ["condition"]


@pytest.mark.parametrize("state", [
    State.WAITING_FOR_PODS, State.WAITING_FOR_POD_GROUP, State.QUEUED, State.STARTING,
])
def test_a_state_that_every_gang_passes_is_told_only_of_those_that_stay_in_it(state: State) -> None:
    scene = Scene(Wants(condition=False))

    assert scene.see(state) == []
    assert whats(scene.live(SETTLE_SECONDS)) == ["event"]


def test_a_gang_that_flaps_has_a_burst_of_events_and_then_one_now_and_then_the_last_state_among_them() -> None:
    scene = Scene(Wants(condition=False))
    written: list[Write] = []
    for turn in range(40):
        writes = scene.see((State.GATED, State.PARTIAL)[turn % 2])
        scene.end(writes)
        written += writes
    later = scene.live(3 * REFILL_SECONDS)

    assert BURST <= len(written) <= BURST + 2
    assert [write.status.state for write in (written + later)][-1] is State.PARTIAL


def test_a_job_of_the_same_name_that_was_made_anew_is_another_gang() -> None:
    scene = Scene()
    scene.end(scene.see(State.GATED))
    scene.board.put(status(State.GATED, related="uid-2", since=int(scene.now)), job(uid="uid-2"))
    scene.keeper.feed("ADDED", change(), scene.now)

    assert whats(scene.turn(DEBOUNCE_SECONDS)) == ["condition", "event"]


def test_a_gang_that_is_gone_is_forgotten() -> None:
    scene = Scene()
    scene.end(scene.see(State.GATED))
    scene.keeper.agenda.put([KEY], scene.now)
    del scene.board.now[KEY]
    scene.turn()

    assert len(scene.keeper) == 0
    assert scene.keeper.tally.gangs == {}
    assert list(scene.keeper.tally.longest_waits(START + 99)) == []


def test_a_gang_without_a_job_is_counted_and_nothing_is_written() -> None:
    scene = Scene()
    scene.board.put(status(State.LEFT_OVER, related=""), None)
    scene.keeper.feed("MODIFIED", change(), scene.now)

    assert scene.turn(DEBOUNCE_SECONDS) == []
    assert sum(scene.keeper.tally.gangs.values()) == 1


def test_one_gang_that_cannot_be_judged_does_not_silence_the_others() -> None:
    scene = Scene()
    other = Key("nlp", "other")
    scene.board.put(status(State.GATED, key=other), job(key=other))
    scene.board.put(status(State.GATED), job())
    scene.board.broken.add(KEY)
    for key in (KEY, other):
        scene.keeper.feed("MODIFIED", change(key), scene.now)

    writes = scene.turn(DEBOUNCE_SECONDS)

    assert {write.key for write in writes} == {other}
    assert [key for key, _ in scene.keeper.errors] == [KEY]


def all_states(scene: Scene) -> None:
    """One gang in each state, fully written of."""
    for number, state in enumerate(State):
        key = Key("nlp", f"job-{number}")
        scene.board.put(status(state, key=key, counts=Counts(5, 5, 5, 5, 5)), job(key=key))
        scene.keeper.feed("ADDED", change(key), scene.now)


def due_states(scene: Scene) -> set[State]:
    return {scene.board.now[key][0].state for key in scene.keeper.agenda.take(scene.now + 10_000, 100)}


def test_after_a_change_gangs_are_looked_at_once_more_when_the_time_of_grace_is_over() -> None:
    scene = Scene(Wants(condition=False, events=False))
    all_states(scene)
    scene.live(5)

    assert due_states(scene) == {
        State.QUEUED, State.ASLEEP, State.NEVER_FITS, State.NO_SCHEDULER, State.PARTIAL, State.STARTING, State.GATED,
        State.WAITING_FOR_PODS, State.WAITING_FOR_POD_GROUP,
    }


def test_later_only_those_are_looked_at_that_others_may_change() -> None:
    scene = Scene(Wants(condition=False, events=False))
    all_states(scene)
    scene.live(100)

    assert due_states(scene) == {State.QUEUED, State.ASLEEP, State.NEVER_FITS, State.NO_SCHEDULER}


def test_a_condition_is_meant_for_the_version_of_the_job_that_was_seen() -> None:
    scene = Scene(Wants(events=False))
    scene.board.put(status(State.GATED), job())
    seen = change()
    seen["metadata"]["resourceVersion"] = "77"
    scene.keeper.feed("ADDED", seen, scene.now)

    assert [write.version for write in scene.turn(DEBOUNCE_SECONDS)] == ["77"]


def test_a_write_that_a_newer_version_refused_is_tried_with_the_next_change_of_the_job() -> None:
    scene = Scene(Wants(events=False))
    scene.end(scene.see(State.GATED), "failed")
    scene.keeper.feed("MODIFIED", change(), scene.now)

    assert whats(scene.turn(DEBOUNCE_SECONDS)) == ["condition"]


def test_the_late_end_of_a_job_does_not_take_away_the_version_of_the_one_that_has_its_name_by_now() -> None:
    scene = Scene()
    scene.board.put(status(State.GATED), job())
    old, new = (change() for _ in range(2))
    old["metadata"] |= {"uid": "uid-0", "resourceVersion": "4"}
    new["metadata"] |= {"uid": "uid-1", "resourceVersion": "7"}
    scene.keeper.feed("ADDED", new, scene.now)
    scene.keeper.feed("DELETED", old, scene.now)

    assert [write.version for write in scene.turn(DEBOUNCE_SECONDS) if write.what == "condition"] == ["7"]
