"""Patterns of paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform.settings import fill, match
from gangform.settings.captures import fault, names, outline


def test_a_capture_is_one_segment() -> None:
    folders = ["teams/nlp/base", "teams/base", "teams/a/b/base", "teams/cv/base/x", "x/teams/cv/base"]
    assert list(match("teams/{team}/base", folders)) == [("teams/nlp/base", {"team": "nlp"})]


def test_a_capture_may_be_a_part_of_a_segment() -> None:
    assert list(match("team-{team}/base", ["team-nlp/base", "team-/base"])) == [("team-nlp/base", {"team": "nlp"})]


def test_a_capture_that_stands_twice_must_be_equal() -> None:
    found = match("{team}/{env}/{team}", ["nlp/dev/nlp", "nlp/dev/cv"])
    assert list(found) == [("nlp/dev/nlp", {"team": "nlp", "env": "dev"})]


def test_other_characters_of_a_pattern_mean_themselves() -> None:
    assert not list(match("a.b/{x}", ["aab/c"]))
    assert list(match("a(b/{x}", ["a(b/c"]))


def test_a_pattern_without_captures_is_a_path() -> None:
    assert list(match("base", ["base", "base2"])) == [("base", {})]


def test_a_trailing_newline_is_a_part_of_a_name() -> None:
    assert not list(match("base", ["base\n"]))


def test_filling_needs_every_capture() -> None:
    assert fill("{a}/x-{b}/{a}", {"a": "1", "b": "2"}) == "1/x-2/1"
    with pytest.raises(KeyError):
        fill("{a}", {})


@given(st.lists(st.text("abc-.", min_size=1), min_size=2, max_size=2))
def test_what_was_captured_fills_the_pattern_to_the_folder_again(parts: list[str]) -> None:
    pattern = "teams/{team}/over/{env}.d"
    folder = fill(pattern, dict(zip(("team", "env"), parts, strict=True)))
    assert [fill(pattern, captures) for _, captures in match(pattern, [folder])] == [folder]


@pytest.mark.parametrize(("pattern", "said"), [
    ("teams/{team", "brace"), ("teams/}", "brace"), ("{}/base", "brace"), ("{1a}", "brace"), ("{a b}", "brace"),
    ("{a}{b}/base", "side by side"), ("teams/*/base", "wildcard"), ("teams/?", "wildcard"),
])
def test_a_malformed_pattern_is_named(pattern: str, said: str) -> None:
    assert said in fault(pattern)


def test_a_sound_pattern_has_no_fault() -> None:
    assert fault("teams/{team}/over-{env}") == ""


def test_names_come_once_in_order() -> None:
    assert names("{b}/{a}/{b}") == ("b", "a")


def test_patterns_of_one_shape_have_one_outline() -> None:
    assert outline("{a}/x/{b}/{a}") == outline("{q}/x/{r}/{q}") != outline("{a}/x/{b}/{b}")
