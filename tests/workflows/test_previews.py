"""Rules in preview: told as a number, counted when asked for, and never louder than an old rule."""

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.model.finding import Finding
from gangform.provenance import locate_written
from gangform.selection import EVERYTHING, Selection
from gangform.settings import Settings
from gangform.text import reading
from gangform.workflows.judging import Control, conclude, judge
from gangform.workflows.outcome import Counts, Outcome
from repository import job

RULE = "min-member-exceeds-pods"


def outcome(selection: Selection = EVERYTHING, yields: dict[str, frozenset[str]] | None = None) -> Outcome:
    catalog = CATALOG._replace(preview=frozenset({RULE}), yields=yields or {})
    text = job().replace("    cleanPodPolicy: Running\n", "    schedulingPolicy: {minAvailable: 9}\n")
    inspection = pipeline.inspect(reading.read("pi.yaml", text).documents, catalog)
    scene = pipeline.assemble(inspection, catalog, whole=True)
    control = Control(Settings(), selection, catalog)
    return conclude((), [judge(inspection, scene, control, locate_written)], control, Counts())


def rules(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings}


def test_a_preview_is_one_line_that_says_how_many_findings_there_would_be() -> None:
    shown = outcome()
    assert RULE not in rules(shown.findings)
    assert shown.notes == (f"1 new rule in preview would report 1 finding ({RULE}); --preview lets them count",)


def test_a_preview_counts_when_it_is_asked_for() -> None:
    shown = outcome(Selection(preview=True))
    assert RULE in rules(shown.findings)
    assert shown.notes == ()


def test_a_preview_that_the_user_does_not_want_is_not_even_counted() -> None:
    assert outcome(Selection(ignore=(RULE,))).notes == ()


def test_a_preview_silences_no_rule_of_old() -> None:
    weaker = {"clean-pod-policy-none": frozenset({RULE})}
    assert "clean-pod-policy-none" in rules(outcome(yields=weaker).findings)
    assert "clean-pod-policy-none" not in rules(outcome(Selection(preview=True), weaker).findings)
