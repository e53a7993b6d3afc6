"""Findings as JUnit XML, as GitLab and Jenkins read it: one test case per object."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from gangform.model.finding import Finding, Severity
from gangform.model.workload import Ref
from gangform.report.places import file_of
from gangform.report.terminal import visible
from gangform.report.text import head

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Case = tuple[str, str]
"""File and object; the object is empty for what is said of a whole file."""


def write(findings: Sequence[Finding], objects: Iterable[tuple[str, Ref]], limit: Severity) -> str:
    """Write a test suite per file.

    Args:
        findings: with paths relative to the top of the repository.
        objects: file and identity of everything that was looked at, the sound ones too.
        limit: findings at or above it fail a test case; others are its output.
    """
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    cases: dict[Case, list[Finding]] = {(path, _name(ref)): [] for path, ref in objects}
    for finding in findings:
        cases.setdefault((file_of(finding), _name(finding.subject) if finding.subject else ""), []).append(finding)
    root = Element("testsuites", {"name": "gangform", **_totals(cases.values(), limit)})
    for path, inside in groupby(sorted(cases), key=itemgetter(0)):
        own = list(inside)
        totals = _totals((cases[case] for case in own), limit)
        suite = SubElement(root, "testsuite", {"name": _clean(path), **totals})
        for case in own:
            attributes = {"classname": _clean(path), "name": _clean(case[1] or path), "file": _clean(path), "time": "0"}
            _fill(SubElement(suite, "testcase", attributes), cases[case], limit)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _totals(cases: Iterable[Sequence[Finding]], limit: Severity) -> dict[str, str]:
    listed = list(cases)
    failed = sum(any(finding.severity >= limit for finding in said) for said in listed)
    return {"tests": str(len(listed)), "failures": str(failed), "errors": "0", "skipped": "0", "time": "0"}


def _fill(case: "Element", findings: Sequence[Finding], limit: Severity) -> None:
    from xml.etree.ElementTree import SubElement

    failing = [finding for finding in findings if finding.severity >= limit]
    others = [finding for finding in findings if finding.severity < limit]
    if failing:
        more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
        failure = SubElement(case, "failure", message=_clean(failing[0].message + more), type=failing[0].rule)
        failure.text = _lines(failing)
    if others:
        SubElement(case, "system-out").text = _lines(others)


def _lines(findings: Iterable[Finding]) -> str:
    texts = (head(finding) + (f"\n  {finding.hint}" if finding.hint else "") for finding in findings)
    return _clean("\n".join(texts))


def _clean(text: str) -> str:
    """Spell out the characters that XML 1.0 cannot hold."""
    shown = visible(text, keep="\n\t")
    return "".join(char if char not in "\ufffe\uffff" else f"\\u{ord(char):04x}" for char in shown)


def _name(ref: Ref) -> str:
    return f"{ref.kind} {'/'.join(part for part in (ref.namespace, ref.name) if part)}".strip()
