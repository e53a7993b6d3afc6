"""Which sleeping gangs are woken, and how often."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest

from controller.gangs import KEY, START, ScriptedBoard, change, job, status
from gangform.controller.keeper import Keeper, Wants, Write
from gangform.controller.waking import FIRST_SECONDS, LONGEST_SECONDS, SETTLE_SECONDS, Room, Waker
from gangform.status.picture import Key, Sight, State
from situations import at, node

OTHER = Key("nlp", "other")
ENDED = {"spec": {"nodeName": "node-1"}, "status": {"phase": "Succeeded"}}


class Cluster:
    """Sleeping gangs of coscheduling, and which of them fit."""

    def __init__(self, fitting: Iterable[Key] = (KEY,)) -> None:
        self.fitting = set(fitting)
        self.waker = Waker({"coscheduling"})
        self.looked: list[Key] = []
        self.choose(START)  # what was free at the start

    def choose(self, now: float) -> list[Key]:
        return self.waker.choose(now, lambda key: Sight(key, int(now)), self._fits)

    def _fits(self, sight: Sight) -> bool:
        self.looked.append(sight.key)
        return sight.key in self.fitting

    def woken(self, seconds: int) -> list[int]:
        return [second for second in range(seconds) if self.choose(START + second)]


def test_a_gang_that_fits_is_woken_after_capacity_came_free_and_not_before() -> None:
    cluster = Cluster()
    cluster.waker.note(status(State.ASLEEP), START)
    assert cluster.choose(START + 100) == []

    cluster.waker.stir(START + 100)

    assert cluster.choose(START + 100) == []
    assert cluster.choose(START + 100 + SETTLE_SECONDS) == [KEY]


def test_a_gang_that_no_node_could_hold_is_woken_when_one_comes_that_can() -> None:
    cluster = Cluster()
    cluster.waker.note(status(State.NEVER_FITS), START)
    cluster.waker.stir(START)

    assert cluster.choose(START + SETTLE_SECONDS) == [KEY]


def test_what_was_free_when_the_controller_came_counts_as_come_free() -> None:
    waker = Waker({"coscheduling"})
    waker.note(status(State.QUEUED), START)

    assert waker.due_at() is not None
    assert waker.choose(START, lambda key: Sight(key, START), lambda _: True) == [KEY]


def test_a_gang_that_does_not_fit_is_left_alone() -> None:
    cluster = Cluster(fitting=[OTHER])
    for key in (KEY, OTHER):
        cluster.waker.note(status(State.QUEUED, key=key), START)
    cluster.waker.stir(START)

    assert cluster.choose(START + SETTLE_SECONDS) == [OTHER]


def test_gangs_that_do_not_wait_and_gangs_of_schedulers_that_look_by_themselves_are_left_alone() -> None:
    cluster = Cluster()
    for state in set(State) - {State.QUEUED, State.ASLEEP}:
        cluster.waker.note(status(state), START)
        assert cluster.waker.due_at() is None, state
    cluster.waker.note(status(State.QUEUED, backend="volcano"), START)
    cluster.waker.note(status(State.QUEUED, group=""), START)

    assert cluster.waker.due_at() is None


def test_a_gang_that_waking_does_not_help_is_woken_less_and_less_often() -> None:
    cluster = Cluster()
    cluster.waker.note(status(State.ASLEEP), START)
    cluster.waker.stir(START)

    times = cluster.woken(2000)
    pauses = [later - earlier for earlier, later in pairwise(times)]

    assert pauses[:3] == [FIRST_SECONDS, 2 * FIRST_SECONDS, 4 * FIRST_SECONDS]
    assert max(pauses) == LONGEST_SECONDS
    assert pauses == sorted(pauses)


def test_more_capacity_that_comes_free_does_not_shorten_the_pause() -> None:
    cluster = Cluster()
    cluster.waker.note(status(State.ASLEEP), START)
    for second in range(FIRST_SECONDS):
        cluster.waker.stir(START + second)
        cluster.choose(START + second)

    assert cluster.looked == [KEY]


def test_a_gang_that_ran_and_waits_again_is_woken_at_once() -> None:
    cluster = Cluster()
    for _ in range(2):
        cluster.waker.note(status(State.ASLEEP), START)
        cluster.waker.stir(START)
        assert cluster.choose(START + SETTLE_SECONDS) == [KEY]
        cluster.waker.note(status(State.RUNNING), START)


def keeper(*, wake: bool) -> tuple[Keeper, ScriptedBoard]:
    board = ScriptedBoard()
    made = Keeper(board, board.summarize, wants=Wants(condition=False, events=False, wake=wake), grace=30, jobs=frozenset({"MPIJob"}),  # type: ignore[arg-type]
                  sleepers={"coscheduling"}, fits=lambda _: True)
    made.begin()
    made.lead(START)
    made.turn(START, 100)
    board.put(status(State.ASLEEP), job())
    return made, board


def turns(made: Keeper, since: float) -> list[Write]:
    return [write for tenth in range(50) for write in made.turn(since + tenth / 10, 100)]


def test_an_ended_pod_wakes_a_gang_with_the_flag_and_not_without() -> None:
    woken = {}
    for wake in (True, False):
        made, _ = keeper(wake=wake)
        made.feed("ADDED", change(), START)
        turns(made, START)
        made.feed("MODIFIED", change(OTHER, "Pod", **ENDED), START + 100)
        woken[wake] = [write.what for write in turns(made, START + 100)]

    assert woken == {True: ["wake"], False: []}


def test_a_gang_that_cannot_be_judged_any_more_is_not_woken_and_ends_nothing() -> None:
    made, board = keeper(wake=True)
    made.feed("ADDED", change(), START)
    turns(made, START)
    board.broken.add(KEY)
    made.feed("MODIFIED", change(), START + 100)
    made.feed("MODIFIED", change(OTHER, "Pod", **ENDED), START + 100)

    assert turns(made, START + 100) == []
    assert [key for key, _ in made.errors] == [KEY]


def test_a_pod_that_never_had_a_node_frees_nothing() -> None:
    made, _ = keeper(wake=True)
    made.feed("ADDED", change(), START)
    turns(made, START)
    made.feed("DELETED", change(OTHER, "Pod", spec={}, status={"phase": "Pending"}), START + 100)

    assert turns(made, START + 100) == []


def test_a_pod_that_is_found_to_be_gone_may_leave_room() -> None:
    assert Room().grows("DELETED", change(OTHER, "Pod"))


def test_a_node_whose_status_is_written_again_unchanged_leaves_no_more_room() -> None:
    room, beat = Room(), node("n1")
    beat["status"]["conditions"][0]["lastHeartbeatTime"] = at(300)

    assert room.grows("ADDED", node("n1"))
    assert not room.grows("MODIFIED", beat)


@pytest.mark.parametrize("other", [
    node("n1", cpu="8"), node("n1", ready=False), node("n1", cordoned=True), node("n1", labels={"pool": "gpu"}),
    node("n1", taints=[{"key": "spot", "effect": "NoSchedule"}]),
], ids=["offers", "readiness", "cordon", "labels", "taints"])
def test_a_node_that_is_another_one_may_leave_more_room(other: dict[str, Any]) -> None:
    room = Room()
    room.grows("ADDED", node("n1"))

    assert room.grows("MODIFIED", other)
    assert not room.grows("DELETED", other)
