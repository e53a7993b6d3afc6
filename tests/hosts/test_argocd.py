"""What Argo CD hands over is read as its authors may write it, and as nobody should."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform.catalog import BACKENDS
from gangform.hosts import argocd
from gangform.hosts.argocd import Request
from gangform.model.errors import InputError
from gangform.settings import read_options


def read(**environment: str) -> Request:
    return argocd.read(environment, BACKENDS)


def asked(*parameters: dict[str, Any]) -> Request:
    return read(ARGOCD_APP_PARAMETERS=json.dumps(parameters))


def test_parameters_are_read_by_their_shapes() -> None:
    request = asked(
        {"name": "backend", "string": "volcano"}, {"name": "queue", "string": "research"},
        {"name": "values", "array": ["a.yaml", "env/b.yaml"]}, {"name": "labels", "map": {"team.example.com/a": "b"}})
    assert request == Request(backend="volcano", values=("a.yaml", "env/b.yaml"), options={
        "queue": "research", "labels": {"team.example.com/a": "b"}})


@pytest.mark.parametrize("text", ["null", "[]", ""])
def test_an_application_without_parameters_asks_for_nothing(text: str) -> None:
    assert read(ARGOCD_APP_PARAMETERS=text) == read() == Request()


def test_what_argo_cd_says_of_the_application_is_kept() -> None:
    request = read(ARGOCD_APP_NAME="jobs", ARGOCD_APP_NAMESPACE="team", KUBE_VERSION="1.31.2",
                   KUBE_API_VERSIONS="apps/v1,batch/v1", ARGOCD_APP_SOURCE_PATH="./teams/a")
    assert request == Request(application="jobs", destination="team", kube_version="1.31.2",
                              api_versions=("apps/v1", "batch/v1"), path="teams/a")
    assert read(ARGOCD_APP_SOURCE_PATH=".").path == ""


@pytest.mark.parametrize("path", [
    "teams/a", "./teams/a/", "/teams//a", "teams/b/../a", "teams/a/../../teams/a", "../teams/a", "x/../../teams/a"])
def test_detours_make_no_path_deeper(path: str) -> None:
    assert read(ARGOCD_APP_SOURCE_PATH=path).path == "teams/a"


def test_plugin_env_serves_and_parameters_win_over_it() -> None:
    request = read(ARGOCD_ENV_BACKEND="coscheduling", ARGOCD_ENV_MIN_RESOURCES="omitted", ARGOCD_ENV_VALUES_0="a.yaml",
                   ARGOCD_ENV_VALUES_10="c.yaml", ARGOCD_ENV_VALUES_2="b.yaml",
                   ARGOCD_APP_PARAMETERS='[{"name": "backend", "string": "volcano"}]')
    assert request == Request(backend="volcano", values=("a.yaml", "b.yaml", "c.yaml"),
                              options={"min-resources": "omitted"})


def test_flat_parameters_count_only_without_their_json() -> None:
    flat = {"PARAM_BACKEND": "volcano", "PARAM_SCHEDULERNAME": "gang"}
    assert read(**flat) == Request(backend="volcano", options={"schedulerName": "gang"})
    assert read(**flat, ARGOCD_APP_PARAMETERS='[{"name": "cluster", "string": "dev"}]') == Request(cluster="dev")


def flatten(parameters: list[dict[str, Any]]) -> dict[str, str]:
    """As Argo CD sets variables beside the JSON."""
    found = {}
    for parameter in parameters:
        base = "PARAM_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in parameter["name"].upper())
        found |= {base: parameter["string"]} if "string" in parameter else {}
        found |= {f"{base}_{number}": item for number, item in enumerate(parameter.get("array", []))}
    return found


TEXT = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=20)
STRINGS = sorted(name for name, parameter in argocd.parameters(BACKENDS).items() if parameter.shape == "string")


@given(st.dictionaries(st.sampled_from(STRINGS), TEXT), st.lists(TEXT, max_size=12))
def test_both_ways_of_argo_cd_say_the_same(strings: dict[str, str], values: list[str]) -> None:
    parameters: list[dict[str, Any]] = [{"name": name, "string": text} for name, text in strings.items()]
    parameters.append({"name": "values", "array": values})
    assert read(**flatten(parameters)) == asked(*parameters)


@pytest.mark.parametrize(("parameter", "said"), [
    ({"name": "backnd", "string": "volcano"}, "'backnd' is no parameter"),
    ({"name": "backend", "array": ["volcano"]}, "backend takes a string, but 'array' is given"),
    ({"name": "backend"}, "but nothing is given"),
    ({"name": "backend", "string": "a", "map": {}}, "'string', 'map' is given"),
    ({"name": "backend", "string": 1}, "backend holds int, not a text"),
    ({"name": "backend", "string": None}, "holds NoneType"),
    ({"name": "values", "array": "a.yaml"}, "values is no array"),
    ({"name": "values", "array": [["a"]]}, "holds list"),
    ({"name": "values", "array": ["a"] * 101}, "at most 100"),
    ({"name": "values", "array": ["https://example.com/v.yaml"]}, "no path from the chart"),
    ({"name": "values", "array": ["/etc/passwd"]}, "no path from the chart"),
    ({"name": "values", "array": ["-"]}, "no path from the chart"),
    ({"name": "labels", "map": {"a": 1}}, "holds int"),
    ({"name": "labels", "map": {"a\n": "b"}}, "cannot be printed"),
    ({"name": "queue", "string": "a\x00b"}, "cannot be printed: 'a\\x00b'"),
    ({"name": "queue", "string": "a\u202eb"}, "cannot be printed"),
    ({"name": "queue", "string": "\ud800"}, "cannot be printed"),
    ({"name": "queue", "string": "a" * 1025}, "longer than 1024"),
    ({"string": "volcano"}, "parameter 1 of the Application has no name"),
    ("backend", "has no name"),
    ({"name": "\x1b[31m" + "a" * 500, "string": ""}, "'\\x1b[31maaa"),
])
def test_a_wrong_parameter_is_one_clear_error(parameter: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        asked(parameter)
    assert said in raised.value.message
    assert len(raised.value.message) < 200
    assert raised.value.message.isprintable()


@pytest.mark.parametrize("text", [
    "{", "{}", '"backend"', "[" * 60000, '[{"name": "a", "name": "backend", "string": "volcano"}]', "1" * 5000,
    "[" + " " * 70000 + "]", json.dumps([{"name": "backend", "string": "volcano"}] * 2), json.dumps([{}] * 101),
])
def test_hostile_json_is_one_clear_error(text: str) -> None:
    with pytest.raises(InputError):
        read(ARGOCD_APP_PARAMETERS=text)


@pytest.mark.parametrize("variable", [
    "ARGOCD_ENV_BACKND", "PARAM_VALUES", "PARAM_VALUES_X", "PARAM_VALUES_99999", "ARGOCD_ENV_LABELS_TEAM", "PARAM_"])
def test_a_variable_that_says_nothing_here_is_an_error(variable: str) -> None:
    with pytest.raises(InputError, match=f"'{variable}'"):
        read(**{variable: "x"})


@given(st.text(max_size=300))
def test_whatever_the_text_only_an_input_error_comes_out(text: str) -> None:
    for environment in ({"ARGOCD_APP_PARAMETERS": text}, {"ARGOCD_ENV_QUEUE": text}, {"ARGOCD_APP_NAME": text}):
        with suppress(InputError):
            read(**environment)


def test_the_announcement_has_argo_cds_fields_and_every_option() -> None:
    announced = json.loads(argocd.announce(BACKENDS))
    fields = {"name", "title", "tooltip", "collectionType", "array", "map"}
    assert all(set(entry) <= fields for entry in announced)
    names = [entry["name"] for entry in announced]
    assert len(set(names)) == len(names)
    assert set(names) >= {name for backend in BACKENDS.values() for name in backend.OPTIONS}
    assert {entry["name"]: entry["map"] for entry in announced if "map" in entry} == {"labels": {}, "annotations": {}}


def test_names_stay_apart_when_argo_cd_spells_them_as_variables() -> None:
    names = [name.upper().replace("-", "_") for name in argocd.parameters(BACKENDS)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("backend", sorted(BACKENDS))
def test_what_is_announced_means_the_same_given_or_not(backend: str) -> None:
    announced = {entry["name"]: entry for entry in json.loads(argocd.announce(BACKENDS))}
    given_maps = {name: entry["map"] for name, entry in announced.items() if "map" in entry}
    plain, _ = read_options({}, BACKENDS[backend])
    given, problems = read_options(asked(*({"name": name, "map": value} for name, value in given_maps.items())).options,
                                   BACKENDS[backend])
    assert problems == ()
    assert {name: value for name, value in given.items() if value != {}} == plain
    for name, option in BACKENDS[backend].OPTIONS.items():
        assert f"{backend}: {option.default or 'left out'}" in announced[name]["tooltip"]
