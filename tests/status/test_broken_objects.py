"""Objects that nobody foresaw stop nothing, and are told as far as they can be read."""

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangform.catalog import CATALOG
from gangform.status.board import Board
from situations import (
    board,
    every,
    group,
    job,
    pods,
    told,
)
from status.crowd import CLUSTER

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=5)


def paths(data, at=()):
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*at, key)
            yield from paths(value, (*at, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from paths(value, (*at, index))


@settings(max_examples=150)
@given(st.data())
def test_a_broken_object_never_stops_the_board(data):
    broken = deepcopy(data.draw(st.sampled_from(CLUSTER)))
    where = data.draw(st.sampled_from(list(paths(broken))))
    holder = broken
    for step in where[:-1]:
        holder = holder[step]
    holder[where[-1]] = data.draw(JUNK)
    seen = board(*CLUSTER)
    seen.feed("MODIFIED", broken)
    every(seen)
    seen.feed("DELETED", broken)
    every(seen)


@pytest.mark.parametrize("where", ["spec", "status", "metadata", "of its own"])
@pytest.mark.parametrize("depth", [100, 900, 5000])
def test_an_object_nested_without_end_stops_nothing(where, depth):
    deep = 1
    for _ in range(depth):
        deep = {"x": [deep]}
    seen = board(*CLUSTER)
    before = every(seen)
    for one in CLUSTER:
        seen.feed("MODIFIED", {**one, where: {**one.get(where, {}), "deeper": deep}})
    assert every(seen).keys() == before.keys()


@pytest.mark.parametrize("data", [None, [], "x", {}, {"kind": "Pod"}, {"apiVersion": "v1", "kind": "Pod", "metadata": []}])
def test_what_is_no_object_is_passed_over(data):
    assert Board(CATALOG).feed("ADDED", data) == frozenset()


def test_a_job_that_breaks_its_schema_is_told_as_far_as_it_can_be_read():
    status = told(job(bogus=1), group(), *pods(node="n1")[1:])
    assert (str(status.state), status.counts.desired, status.counts.bound) == ("Misconfigured", 3, 2)
