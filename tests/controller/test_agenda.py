"""When which gang is looked at."""

from hypothesis import given
from hypothesis import strategies as st

from gangform.controller.agenda import Agenda
from gangform.status.picture import Key

ONE, TWO, THREE = (Key("ns", name) for name in ("one", "two", "three"))


def test_a_gang_is_due_at_the_earliest_time_that_was_asked_for_and_only_once() -> None:
    agenda = Agenda()
    agenda.put([ONE], 30)
    agenda.put([ONE], 10)
    agenda.put([ONE], 20)

    assert agenda.next() == 10
    assert agenda.take(9, 5) == []
    assert agenda.take(100, 5) == [ONE]
    assert (agenda.take(100, 5), agenda.next()) == ([], None)


def test_the_longest_overdue_come_first_and_the_rest_stay_due() -> None:
    agenda = Agenda()
    for key, at in ((ONE, 3), (TWO, 1), (THREE, 2)):
        agenda.put([key], at)

    assert agenda.take(5, 2) == [TWO, THREE]
    assert agenda.take(5, 2) == [ONE]


def test_a_dropped_gang_is_not_due() -> None:
    agenda = Agenda()
    agenda.put([ONE, TWO], 1)
    agenda.drop(ONE)

    assert agenda.take(5, 5) == [TWO]


def test_times_that_were_moved_forward_a_thousand_times_leave_no_heap_of_old_entries() -> None:
    agenda = Agenda()
    for at in range(1000, 0, -1):
        agenda.put([ONE], at)

    assert len(agenda) == 1
    assert len(agenda._heap) < 100
    assert agenda.take(1, 5) == [ONE]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 50))))
def test_every_gang_comes_out_once_at_its_earliest_time(asked: list[tuple[int, int]]) -> None:
    agenda = Agenda()
    earliest: dict[Key, int] = {}
    for number, at in asked:
        key = Key("ns", str(number))
        agenda.put([key], at)
        earliest[key] = min(at, earliest.get(key, at))

    came = {key: now for now in range(51) for key in agenda.take(now, 100)}

    assert came == earliest
