"""A kind that is installed later, and that the watch does not bring."""

from gangform.controller.arrivals import AGAIN_SECONDS, LOOK_SECONDS, Arrivals
from gangform.controller.watching import NODE, POD

NOW = 1000.0
LATE = NOW + LOOK_SECONDS + 1


def test_a_kind_that_came_and_is_not_brought_is_overlooked_after_a_while() -> None:
    arrivals = Arrivals()
    arrivals.note(POD, None, 0, NOW)
    arrivals.note(POD, 3, 0, NOW)

    assert arrivals.overlooked(NOW + LOOK_SECONDS) == []
    assert arrivals.overlooked(LATE) == ["pods"]


def test_one_that_is_still_not_brought_is_overlooked_again_much_later() -> None:
    arrivals = Arrivals()
    arrivals.note(POD, None, 0, NOW)
    arrivals.note(POD, 3, 0, NOW)
    arrivals.overlooked(LATE)
    arrivals.note(POD, 3, 0, LATE)

    assert arrivals.overlooked(LATE + AGAIN_SECONDS) == []
    assert arrivals.overlooked(LATE + AGAIN_SECONDS + LOOK_SECONDS + 1) == ["pods"]


def test_one_that_was_never_seen_to_be_away_is_overlooked_too_and_awaited() -> None:
    arrivals = Arrivals()
    arrivals.note(POD, 3, 3, NOW)
    arrivals.note(POD, 2, 0, NOW)

    assert arrivals.awaited([POD, NODE]) == [POD]
    assert arrivals.overlooked(LATE) == ["pods"]


def test_one_that_is_brought_in_time_is_not_overlooked_and_no_longer_awaited() -> None:
    arrivals = Arrivals()
    arrivals.note(POD, None, 0, NOW)
    arrivals.note(POD, 3, 0, NOW)
    arrivals.note(POD, 3, 1, NOW + 1)

    assert arrivals.overlooked(LATE) == []
    assert arrivals.awaited([POD, NODE]) == []


def test_one_that_came_without_objects_is_awaited_on() -> None:
    arrivals = Arrivals()
    arrivals.note(POD, None, 0, NOW)
    arrivals.note(POD, 0, 0, NOW)

    assert arrivals.awaited([POD, NODE]) == [POD]
    assert arrivals.overlooked(LATE) == []


def test_one_that_goes_again_is_awaited_and_not_overlooked() -> None:
    arrivals = Arrivals()
    arrivals.note(POD, None, 0, NOW)
    arrivals.note(POD, 3, 0, NOW)
    arrivals.note(POD, None, 0, NOW + 1)

    assert arrivals.overlooked(LATE) == []
    assert arrivals.awaited([POD]) == [POD]
