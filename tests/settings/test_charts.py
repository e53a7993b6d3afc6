"""Overlays of Helm charts in gangform.yaml."""

from textwrap import dedent

import pytest

from gangform.catalog import BACKENDS
from gangform.model.finding import Problem
from gangform.settings import Settings, read
from gangform.text import reading


def load(line: str) -> tuple[Settings, tuple[Problem, ...]]:
    text = dedent(f"""\
        clusters: {{prod: {{backend: volcano}}}}
        overlays:
        - {{cluster: prod, {line}}}
        """)
    (document,) = reading.read("gangform.yaml", text).documents
    return read(document, BACKENDS)


def test_values_mean_a_chart_and_so_final_manifests() -> None:
    settings, problems = load("source: x/chart, values: [values-prod.yaml], release: x, namespace: team-x, path: gang/x")
    assert problems == ()
    [target] = settings.overlays
    assert (target.layout, target.values, target.release, target.namespace) == (
        "rendered", ("values-prod.yaml",), "x", "team-x")


def test_without_them_nothing_is_presumed() -> None:
    [target] = load("source: base, path: out")[0].overlays
    assert (target.layout, target.values, target.release, target.namespace) == ("kustomization", (), "", "")


@pytest.mark.parametrize(("line", "pointer", "said"), [
    ("source: c, path: o, values: [v.yaml], layout: component", ("layout",), "layout component does not fit values"),
    ("source: c, path: o, release: x, layout: kustomization", ("layout",), "does not fit release"),
    ("source: c, path: o, values: [/etc/v.yaml]", ("values", 0), "no path from the chart's folder"),
    ("source: c, path: o, values: [ok.yaml, 'https://example.com/v.yaml']", ("values", 1), "no path from the chart"),
    ("source: c, path: o, values: [../../v.yaml]", ("values", 0), "leads out of the folder"),
    ("source: c, path: o, values: ['v-{team}.yaml']", ("values",), "{team} is not in source"),
    ("source: 'c/{team}', path: 'o/{team}', release: '{tem}'", ("release",), "{tem} is not in source"),
    ("source: c, path: o, values: v.yaml", ("values",), ""),
    ("source: c, path: o, namespace: ''", ("namespace",), ""),
])
def test_a_wrong_chart_is_told_at_its_place(line: str, pointer: tuple[str, ...], said: str) -> None:
    [problem] = load(line)[1]
    assert problem.pointer == ("overlays", 0, *pointer)
    assert said in problem.message
    assert problem.hint or problem.code


def test_values_beside_the_chart_may_be_named() -> None:
    assert load("source: teams/a/chart, path: o, values: [../values/prod.yaml]")[1] == ()
