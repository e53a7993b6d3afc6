"""gangform.yaml, with the places of its faults."""

from pathlib import Path
from textwrap import dedent

import pytest

from gangform.backends import coscheduling, volcano
from gangform.contracts import Backend
from gangform.model.finding import Severity
from gangform.model.pointer import render
from gangform.settings import Settings, read
from gangform.text import reading

BACKENDS: dict[str, Backend] = {"coscheduling": coscheduling, "volcano": volcano}

WHOLE = """
    clusters:
      dev:
        backend: coscheduling
        groups: git
        versions: {kubernetes: "1.34"}
        options: {timeout: 60}
      prod:
        backend: volcano
        groups: operator
        options: {queue: research}
        priorities: {high: 2000}
    overlays:
    - {cluster: dev, source: "teams/{team}/base", path: "teams/{team}/overlays/dev"}
    - {cluster: prod, source: "teams/{team}/overlays/prod", layout: component, path: "teams/{team}/overlays/prod/gang"}
    rules:
    - {paths: ["teams/legacy-*/**"], off: [clean-pod-policy-none], severity: {wait-for-workers-deadlock: warning}}
    priorities: {high: 1000, low: -5}
    schema-locations: [default]
    kubeconform: require
"""


def load(text: str, name: str = "gangform.yaml") -> tuple[Settings, list[str]]:
    """The settings, and each problem as ``line:column /pointer: message (hint)``."""
    (document,) = reading.read(name, dedent(text)).documents
    settings, problems = read(document, BACKENDS, {"clean-pod-policy-none", "wait-for-workers-deadlock"})
    shown = []
    for problem in problems:
        place = reading.locate(document, problem.pointer, problem.on)
        shown.append(f"{place.line}:{place.column} {render(problem.pointer)}: {problem.message} ({problem.hint})")
    return settings, shown


def faults(text: str) -> list[str]:
    return load(text)[1]


def overlays(*lines: str) -> str:
    return "\n".join(["clusters: {c: {backend: volcano}}", "overlays:", *(f"- {{cluster: c, {line}}}" for line in lines)])


def test_the_whole_file_becomes_settings() -> None:
    settings, problems = load(WHOLE, "infra/gangform.yaml")
    assert problems == []
    assert (settings.path, settings.folder) == ("infra/gangform.yaml", "infra")
    dev, prod = settings.clusters["dev"], settings.clusters["prod"]
    assert (dev.name, dev.backend, dev.groups, dev.versions) == ("dev", "coscheduling", "git", {"kubernetes": "1.34"})
    assert dev.options["timeout"] == 60
    assert dev.options["schedulerName"] == "scheduler-plugins-scheduler"
    assert (prod.groups, prod.options["queue"]) == ("operator", "research")
    assert [(target.cluster.name, target.source, target.path, target.layout) for target in settings.overlays] == [
        ("dev", "teams/{team}/base", "teams/{team}/overlays/dev", "kustomization"),
        ("prod", "teams/{team}/overlays/prod", "teams/{team}/overlays/prod/gang", "component")]
    (rules,) = settings.rules
    assert rules.paths == ("teams/legacy-*/**",)
    assert rules.off == {"clean-pod-policy-none"}
    assert rules.severity == {"wait-for-workers-deadlock": Severity.WARNING}
    assert (settings.schema_locations, settings.kubeconform) == (("default",), "require")


def test_a_cluster_has_the_priorities_of_all_under_its_own() -> None:
    settings, _ = load(WHOLE)
    assert settings.priorities == {"high": 1000, "low": -5}
    assert settings.clusters["dev"].priorities == {"high": 1000, "low": -5}
    assert settings.clusters["prod"].priorities == {"high": 2000, "low": -5}


def test_an_empty_map_is_no_fault() -> None:
    settings, problems = load("{}")
    assert problems == []
    assert settings == Settings("gangform.yaml", ".")


def test_an_unknown_key_is_pointed_at() -> None:
    (problem,) = faults("clusters: {}\noverlay: []\n")
    assert problem.startswith("2:1 /overlay: ")
    assert "overlays" in problem


def test_a_version_that_yaml_reads_as_a_number_is_refused() -> None:
    (problem,) = faults("clusters:\n  dev: {backend: volcano, versions: {kubernetes: 1.30}}\n")
    assert problem.startswith("2:50 /clusters/dev/versions/kubernetes: ")


def test_an_unknown_backend_names_the_nearest_and_the_known_ones() -> None:
    (problem,) = faults("clusters:\n  dev: {backend: vulcano}\n")
    assert problem == ("2:18 /clusters/dev/backend: 'vulcano' is no known backend "
                       "(did you mean volcano? known: coscheduling, volcano)")


def test_an_unknown_cluster_names_the_nearest_and_the_known_ones() -> None:
    text = "clusters: {dev: {backend: volcano}, prod: {backend: volcano}}\noverlays:\n- {cluster: pord, source: a, path: b}\n"
    (problem,) = faults(text)
    assert problem == ("3:13 /overlays/0/cluster: 'pord' is no cluster of this file "
                       "(did you mean prod? known: dev, prod)")


def test_an_overlay_without_any_cluster_says_that_there_is_none() -> None:
    assert faults("overlays:\n- {cluster: dev, source: a, path: b}\n") == [
        "2:13 /overlays/0/cluster: 'dev' is no cluster of this file (none is known)"]


def test_an_option_is_pointed_at_inside_its_cluster() -> None:
    text = "clusters:\n  dev:\n    backend: coscheduling\n    options:\n      timeout: 5m\n      queue: q\n"
    first, second = faults(text)
    assert first.startswith("5:16 /clusters/dev/options/timeout: ")
    assert second.startswith("6:7 /clusters/dev/options/queue: 'queue' is no option of coscheduling")


@pytest.mark.parametrize(("path", "said"), [
    ("/etc", "is absolute"), ("~/x", "is absolute"), ("C:/x", "is absolute"), ("../x", "leads out"),
    ("a/../../x", "leads out"), ("..", "leads out"), (r"a\b", "backslash"), ("a/*/b", "wildcard"), ("a/{b", "brace"),
])
@pytest.mark.parametrize("key", ["source", "path"])
def test_a_path_stays_below_the_file_and_is_well_formed(key: str, path: str, said: str) -> None:
    other = {"source": "path", "path": "source"}[key]
    (problem,) = faults(overlays(f"{other}: x, {key}: '{path}'"))
    assert f" /overlays/0/{key}: path " in problem
    assert said in problem


def test_a_path_is_normal_afterwards() -> None:
    settings, problems = load(overlays("source: ./a/b/../c/, path: out/."))
    assert problems == []
    assert (settings.overlays[0].source, settings.overlays[0].path) == ("a/c", "out")


def test_a_capture_that_nothing_fills_is_refused() -> None:
    (problem,) = faults(overlays("source: base, path: 'out/{team}'"))
    assert "/overlays/0/path: {team} is not in source 'base', so nothing fills it" in problem


def test_a_capture_that_is_lost_would_write_many_into_one() -> None:
    (problem,) = faults(overlays("source: '{team}/{env}', path: 'out/{team}'"))
    assert "{env} of source '{team}/{env}' is missing here, so that every env would be written to the same folder" in problem


def test_an_overlay_inside_its_source_is_a_cycle() -> None:
    (problem,) = faults(overlays("source: '{t}/base', path: '{t}/base/gang'"))
    assert "'{t}/base/gang' lies inside its source '{t}/base'" in problem
    assert "layout: component" in problem


@pytest.mark.parametrize("layout", ["component", "rendered"])
def test_a_component_and_rendered_manifests_may_lie_inside_the_source(layout: str) -> None:
    assert faults(overlays(f"source: base, path: base/gang, layout: {layout}")) == []


def test_a_folder_that_only_begins_like_the_source_is_not_inside() -> None:
    assert faults(overlays("source: base, path: base-gang")) == []


@pytest.mark.parametrize("layout", ["kustomization", "component", "rendered"])
def test_no_layout_is_written_into_its_source(layout: str) -> None:
    (problem,) = faults(overlays(f"source: base, path: ./base, layout: {layout}"))
    assert "into its own source" in problem


def test_no_overlay_is_written_into_the_folder_of_the_file() -> None:
    (problem,) = faults(overlays("source: base, path: ."))
    assert "the folder of this file" in problem


def test_two_overlays_of_one_path_are_named_by_number() -> None:
    (problem,) = faults(overlays("source: a, path: out", "source: b, path: x/../out"))
    assert "/overlays/1/path: overlay 2 has the same path as overlay 1: 'out'" in problem


def test_captures_of_other_names_do_not_hide_an_equal_path() -> None:
    (problem,) = faults(overlays("source: 'a/{t}', path: 'out/{t}'", "source: 'b/{team}', path: 'out/{team}'"))
    assert "overlay 2 has the same path as overlay 1" in problem


def test_an_unknown_rule_is_named_where_rules_are_known() -> None:
    text = "rules:\n- {off: [clean-pod-policy-nome], severity: {x: note}}\n"
    first, second = faults(text)
    assert first.startswith("2:10 /rules/0/false/0: 'clean-pod-policy-nome' is no rule (did you mean clean-pod-policy-none?")
    assert second.startswith("2:45 /rules/0/severity/x: 'x' is no rule")


def test_the_key_off_may_stand_in_quotes() -> None:
    settings, problems = load('rules: [{"off": [clean-pod-policy-none]}, {"off": [nope]}]')
    assert settings.rules[0].off == {"clean-pod-policy-none"}
    assert [problem.split(": ")[0] for problem in problems] == ["1:52 /rules/1/off/0"]


def test_rules_without_paths_hold_everywhere() -> None:
    settings, problems = load("rules: [{off: [clean-pod-policy-none]}]")
    assert problems == []
    assert settings.rules[0].paths == ("**",)


def test_every_fault_is_told_at_once() -> None:
    text = """
        clusters: {dev: {backend: nope}, x: {backend: volcano, options: {nope: 1}}}
        overlays:
        - {cluster: none, source: a, path: b}
        - {cluster: dev, source: /a, path: ../b}
    """
    assert len(faults(text)) == 5


def test_the_example_of_the_repository_is_sound() -> None:
    root = Path(__file__).resolve().parents[2]
    settings, problems = load((root / "gangform.yaml").read_text(encoding="utf-8"))
    assert problems == []
    assert settings.overlays
