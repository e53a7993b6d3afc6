"""The reading of a recording: it must tell a gang that is there in part for too long, and no other."""

import pytest

from cluster.recording import Change, Recording, Short, most, short

LAUNCHER, WORKER = "launcher", "worker"


def history(*steps: tuple[float, str, str]) -> list[Change]:
    """Changes of one gang's pods: when, which pod, and what it is from then on."""
    return [Change(at, "pi", pod, pod == LAUNCHER, what == "bound", what == "ended") for at, pod, what in steps]


def started(*, late: float) -> list[Change]:
    """A gang of two whose second pod is bound so much later than its first."""
    return history((0, LAUNCHER, "waits"), (0, WORKER, "waits"), (10, LAUNCHER, "bound"), (10 + late, WORKER, "bound"))


@pytest.mark.parametrize(("changes", "told"), [
    pytest.param(history((97, LAUNCHER, "bound")), [Short("pi", 97, 3)], id="in-part-when-all-is-still"),
    pytest.param(started(late=3), [Short("pi", 10, 3)], id="three-seconds-in-part"),
    pytest.param(started(late=1), [], id="one-second-in-part"),
    pytest.param(history((0, LAUNCHER, "waits"), (9, WORKER, "waits")), [], id="nothing-for-long"),
    pytest.param(history((0, LAUNCHER, "bound"), (9, LAUNCHER, "waits")), [Short("pi", 0, 9)], id="never-whole"),
    pytest.param([*started(late=0), *history((20, WORKER, "ended"), (23, "its successor", "bound"))], [Short("pi", 20, 3)],
                 id="three-seconds-without-its-worker"),
    pytest.param([*started(late=0), *history((20, LAUNCHER, "ended"), (23, WORKER, "ended"))], [], id="cleaned-up-slowly"),
    pytest.param([*started(late=3), *history((14, LAUNCHER, "ended"))], [Short("pi", 10, 3)], id="in-part-before-it-was-done"),
])
def test_a_gang_is_told_when_it_was_there_in_part_for_more_than_two_seconds(changes: list[Change], told: list[Short]) -> None:
    assert short(Recording(changes, until=100), {"pi": 2}, patience=2) == told


def test_each_gang_is_counted_by_itself() -> None:
    other = [change._replace(gang="other", at=change.at + 2) for change in started(late=3)]
    both = Recording(sorted([*started(late=1), *other]), until=100)

    assert short(both, {"pi": 2, "other": 2}, patience=2) == [Short("other", 12, 3)]
    assert most(both) == {"pi": 2, "other": 2}
