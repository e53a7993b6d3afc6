"""Cells and characters."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from gangform.report.terminal import cut, expand, visible, width

STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(st.characters()))
def test_visible_text_never_steers_a_terminal(text: str) -> None:
    assert not [char for char in visible(text) if unicodedata.category(char) in STEERING]


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_visible_leaves_ordinary_text_alone(text: str) -> None:
    assert visible(text) == text


def test_kept_characters_stay() -> None:
    assert visible("a\tb\nc\x1b", keep="\t\n") == "a\tb\nc\\x1b"


def test_characters_beyond_the_basic_plane_are_spelled_in_full() -> None:
    assert visible("\U000e0001") == "\\U000e0001"


@given(st.text(st.characters()))
def test_expanded_text_is_as_wide_as_its_last_cell(text: str) -> None:
    shown, starts = expand(text)
    assert width(shown) == starts[-1]
    assert len(starts) == len(text) + 1
    assert starts == sorted(starts)


@given(st.text("ab名é\u0301", max_size=30), st.integers(0, 40), st.integers(0, 40))
def test_a_cut_is_as_wide_as_asked_or_as_there_is(text: str, start: int, cells: int) -> None:
    there = max(0, min(width(text) - start, cells))
    assert width(cut(text, start, cells)) == there
