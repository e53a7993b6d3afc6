"""Options of a backend, as YAML gives them and as a command line does."""

from typing import Any

import pytest

from gangform.backends import coscheduling, volcano
from gangform.settings import read_options


def refusal(raw: dict[str, Any], backend: Any = coscheduling) -> tuple[tuple[str | int, ...], str, str]:
    values, problems = read_options(raw, backend)
    assert values == read_options({}, backend)[0]
    (problem,) = problems
    return problem.pointer, problem.message, problem.hint


def test_defaults_hold_where_nothing_is_given() -> None:
    values, problems = read_options({}, coscheduling)
    assert values["schedulerName"] == "scheduler-plugins-scheduler"
    assert "timeout" not in values
    assert not problems


def test_yaml_values_are_taken_with_their_types() -> None:
    values, problems = read_options(
        {"timeout": 60, "schedulerName": "mine", "min-resources": "omitted", "labels": {"a": "b"}}, coscheduling)
    assert not problems
    assert (values["timeout"], values["schedulerName"], values["min-resources"]) == (60, "mine", "omitted")
    assert values["labels"] == {"a": "b"}


def test_a_command_line_gives_the_same_values_as_text() -> None:
    values, problems = read_options(
        {"timeout": ("60",), "schedulerName": ("mine",), "annotations": ("a=b", "c=d=e")}, coscheduling)
    assert not problems
    assert (values["timeout"], values["schedulerName"]) == (60, "mine")
    assert values["annotations"] == {"a": "b", "c": "d=e"}


def test_options_are_laid_over_others_and_maps_are_joined() -> None:
    base = {"schedulerName": "mine", "labels": {"a": "1", "b": "2"}}
    values, _ = read_options({"labels": ("b=3",)}, coscheduling, base)
    assert values == {"schedulerName": "mine", "labels": {"a": "1", "b": "3"}}
    assert base["labels"] == {"a": "1", "b": "2"}


def test_an_unknown_option_lists_the_known_ones_and_names_the_nearest() -> None:
    pointer, message, hint = refusal({"scheduler-name": "x"})
    assert pointer == ("scheduler-name",)
    assert message == "'scheduler-name' is no option of coscheduling"
    assert hint.startswith("did you mean schedulerName? known: ")
    assert "min-resources" in hint


def test_the_nearest_option_is_found_in_any_case() -> None:
    assert refusal({"QUEUE": "q"}, volcano)[2].startswith("did you mean queue? ")


def test_an_option_of_the_other_backend_is_unknown() -> None:
    assert "no option of coscheduling" in refusal({"queue": "q"})[1]
    assert "no option of volcano" in refusal({"timeout": 5}, volcano)[1]


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "5m", "", "²", None, 2**31, ("5m",), ("-1",), [5]])
def test_seconds_are_whole_positive_numbers(value: Any) -> None:
    pointer, message, hint = refusal({"timeout": value})
    assert pointer == ("timeout",)
    assert "not a number of seconds" in message
    assert "without a unit" in hint


@pytest.mark.parametrize("value", ["all", True, None, [], ("all",)])
def test_a_choice_lists_what_may_be_chosen(value: Any) -> None:
    assert refusal({"min-resources": value})[2] == "write one of: computed, omitted"


@pytest.mark.parametrize(("value", "hint"), [
    (5, 'write it in quotes: "5"'), (True, 'write it in quotes: "true"'), (None, "give one text"),
    ({"a": "b"}, "give one text"), ("", "give a value, or leave the option out"), (("",), "give a value, or leave the"),
])
def test_a_text_is_a_text(value: Any, hint: str) -> None:
    assert hint in refusal({"schedulerName": value})[2]


def test_a_map_holds_texts_only_and_the_wrong_value_is_pointed_at() -> None:
    pointer, message, hint = refusal({"labels": {"a": "b", "n": 1}})
    assert pointer == ("labels", "n")
    assert "the value of n is 1" in message
    assert hint == 'write it in quotes: "1"'


@pytest.mark.parametrize("value", ["a=b", [], 5, ("novalue",), ("=x",)])
def test_a_map_has_its_own_form_in_each_place(value: Any) -> None:
    assert "labels" in refusal({"labels": value})[2]


def test_a_value_given_twice_on_the_command_line_is_refused() -> None:
    assert "given 2 times" in refusal({"schedulerName": ("a", "b")})[1]


def test_every_problem_is_told() -> None:
    assert len(read_options({"x": 1, "timeout": 0, "min-resources": 1}, coscheduling)[1]) == 3


@pytest.mark.parametrize(("name", "given", "part"), [
    ("labels", {"bad key!": "a"}, "is no key of labels"), ("labels", {"a/b/c": "d"}, "is no key of labels"),
    ("labels", {"UPPER.com/a": "d"}, "is no key of labels"), ("labels", {"a" * 64: "d"}, "is no key of labels"),
    ("labels", {"a": "b c"}, "no label can have"), ("labels", {"a": "b" * 64}, "no label can have"),
    ("labels", ("a=b=c",), "no label can have"), ("annotations", {"\x1b[31m": "b"}, "is no key of annotations"),
    ("schedulerName", "two words", "no name"), ("schedulerName", "line\n", "no name"),
])
def test_what_the_api_server_would_refuse_in_a_group_is_refused(name: str, given: Any, part: str) -> None:
    assert part in refusal({name: given})[1]


@pytest.mark.parametrize("given", [
    {"labels": {"example.com/a_b.c": "", "A": "x_1.Y"}}, {"annotations": {"argocd.argoproj.io/sync-wave": "-1 of\n2"}},
])
def test_what_the_api_server_takes_is_taken(given: dict[str, Any]) -> None:
    assert read_options(given, coscheduling)[1] == ()
