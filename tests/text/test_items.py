"""Items put into lists and taken out: own lines alone, and nothing when it cannot be done safely."""

import pytest

from gangform.text.items import rearrange
from gangform.text.reading import read
from gangform.text.splicing import Refusal, Spliced

BLOCK = "items:\n# first\n- a: 1\n  b: 2 # two\n# second\n- # inside\n  a: 2\n"


def change(text: str, added: dict[int, list[object]], gone: set[int]) -> Spliced | Refusal:
    (document,) = read("a", text, flatten=False).documents
    return rearrange(document, ("items",), added, gone)


@pytest.mark.parametrize(("added", "gone", "expected"), [
    ({0: [{"x": "y"}]}, set(), BLOCK.replace("- a: 1", '- x: "y"\n- a: 1')),
    ({1: [{"x": {"z": 1}}, {"x": 2}]}, set(), BLOCK.replace("- # inside", "- x:\n    z: 1\n- x: 2\n- # inside")),
    ({}, {0}, BLOCK.replace("- a: 1\n  b: 2 # two\n", "")),
    ({}, {1}, BLOCK.replace("- # inside\n  a: 2\n", "")),
    ({1: [{"x": 1}]}, {0}, BLOCK.replace("- a: 1\n  b: 2 # two\n", "").replace("- # ins", "- x: 1\n- # ins")),
])
def test_a_block_gains_and_loses_lines(added: dict[int, list[object]], gone: set[int], expected: str) -> None:
    assert change(BLOCK, added, gone) == Spliced(expected)
    crlf = change(BLOCK.replace("\n", "\r\n"), added, gone)
    assert crlf == Spliced(expected.replace("\n", "\r\n"))


@pytest.mark.parametrize(("text", "gone", "expected"), [
    ('{"items": [{"a": 1}, {"a": 2}]}', {0}, '{"items": [{"a": 2}]}'),
    ('{"items": [{"a": 1}, {"a": 2}]}', {1}, '{"items": [{"a": 1}]}'),
    ("items:\n- a: 1\n- a: 2", {1}, "items:\n- a: 1"),
    ("items:\n- a: 1\n- a: 2", {0}, "items:\n- a: 2"),
])
def test_the_ends_of_lists_are_met(text: str, gone: set[int], expected: str) -> None:
    assert change(text, {}, gone) == Spliced(expected)


def test_braces_gain_json_with_the_gap_of_their_neighbours() -> None:
    text = '{"items": [\n    {"a": 1},\n    {"a": 2}\n]}\n'
    assert change(text, {1: [{"é": "x"}]}, set()) == Spliced(text.replace('{"a": 2}', '{"é": "x"},\n    {"a": 2}'))


@pytest.mark.parametrize(("text", "gone", "reason", "line"), [
    ("a: 1\nitems:\n- a: 1\n", {0}, "nothing would be left", 3),
    ("a: &x [{a: 1}, {a: 2}]\nitems: *x\n", {0}, "cannot be changed safely", 2),
    ("items: [{a: 1}, # first\n {a: 2}]\n", {0}, "a comment would be lost", 1),
])
def test_what_cannot_be_done_is_refused_with_its_line(text: str, gone: set[int], reason: str, line: int) -> None:
    refused = change(text, {}, gone)
    assert isinstance(refused, Refusal)
    assert (reason in refused.reason, refused.line) == (True, line), refused
