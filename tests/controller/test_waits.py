"""How long gangs waited until they were whole."""

from controller.gangs import START
from controller.scenes import Scene
from gangform.status.picture import State


def test_the_time_until_a_gang_is_whole_is_counted_once_from_the_jobs_beginning() -> None:
    scene = Scene()
    scene.end(scene.see(State.GATED, after=10))
    scene.end(scene.see(State.RUNNING, after=50, since=START + 60))
    scene.end(scene.see(State.DEGRADED, after=50))
    scene.end(scene.see(State.RUNNING, after=50))

    assert scene.keeper.waits == [60]


def test_the_time_that_a_job_was_suspended_is_no_waiting() -> None:
    scene = Scene()
    scene.end(scene.see(State.SUSPENDED))
    scene.end(scene.see(State.GATED, after=1000))
    scene.end(scene.see(State.RUNNING, after=20))

    assert scene.keeper.waits == [20]


def test_a_gang_that_was_whole_when_it_was_first_seen_waited_for_nobody_knows_how_long() -> None:
    scene = Scene()
    scene.keeper.lead(START + 1)
    scene.end(scene.see(State.RUNNING))

    assert scene.keeper.waits == []


def test_a_gang_that_had_lost_a_pod_when_it_was_first_seen_had_been_whole_before() -> None:
    scene = Scene()
    scene.keeper.lead(START + 1)
    scene.end(scene.see(State.DEGRADED))
    scene.end(scene.see(State.RUNNING))

    assert scene.keeper.waits == []


def test_a_gang_that_was_made_meanwhile_and_whole_at_once_waited_a_moment() -> None:
    scene = Scene()
    scene.end(scene.see(State.RUNNING))

    assert scene.keeper.waits == [1]
