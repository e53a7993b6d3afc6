"""Every rule is in the catalog, fulfils its contract, and its own examples prove it."""

import inspect
import re
from pathlib import Path

import pytest

from examples import example
from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.contracts import Rule
from gangform.model.finding import Finding, Severity
from gangform.provenance import locate_written
from gangform.text import reading
from gangform.workflows.revisions import index

FOLDER = Path(inspect.getfile(__import__("gangform.rules", fromlist=["x"]))).parent
RULES = sorted(CATALOG.rules.items())
HERE = "# <- here"
CLUSTER = re.compile(r"# In a cluster with (?P<component>[a-z-]+) (?P<version>[0-9.]+):\n")
"""First line of an example that holds only for some versions."""
NOW = "# Now:\n"
"""Stands between the objects of an earlier revision and those of today."""


def judge(text: str, name: str) -> list[Finding]:
    """Judge an example of a rule; rules that are off speak in their own examples only."""
    earlier, now, later = text.partition(NOW)
    if now:
        text = "\n" * earlier.count("\n") + now + later
    read = reading.read("example.yaml", text)
    assert not read.findings
    inspection = pipeline.inspect(read.documents, CATALOG, embedded=True)
    making = pipeline.Making(before=index(reading.read("earlier.yaml", earlier).documents), revision="origin/main")
    scene = pipeline.assemble(inspection, CATALOG, whole=True, making=making if now else None)
    if match := CLUSTER.match(text):
        scene = scene._replace(versions={match["component"]: match["version"]})
    statements = (*inspection.statements, *pipeline.judge(inspection, scene, CATALOG))
    findings = pipeline.settle(statements, locate_written)
    return [finding for finding in findings if finding.rule == name or finding.rule not in CATALOG.off]


def test_every_rule_module_is_in_the_catalog_under_its_file_name() -> None:
    modules = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py")} - {"--init--"}
    assert modules == set(CATALOG.rules)


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_a_rule_fulfils_its_contract(name: str, rule: Rule) -> None:
    assert name == rule.ID
    assert isinstance(rule.SEVERITY, Severity)
    assert len((rule.__doc__ or "").splitlines()[0]) < 100
    assert "\nMend: " in (rule.__doc__ or "")


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_the_bad_example_fires_this_rule_alone_and_on_the_line_that_it_names(name: str, rule: Rule) -> None:
    text = example(rule, "Bad")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith(HERE)]
    assert lines, "the Bad example names no line"
    assert [(finding.rule, finding.location.line) for finding in judge(text, name)] == [(name, line) for line in lines]


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_the_good_example_is_silent(name: str, rule: Rule) -> None:
    assert judge(example(rule, "Good"), name) == []


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_a_finding_says_what_is_there_and_how_to_mend_it(name: str, rule: Rule) -> None:
    for finding in judge(example(rule, "Bad"), name):
        assert finding.message
        assert finding.hint
        assert finding.subject is not None
        assert finding.subject.name
