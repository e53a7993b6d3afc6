"""Findings as SARIF 2.1.0 (OASIS), for code scanning."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gangform.model.finding import Finding, Location, Suppressed
from gangform.model.fingerprint import unique_fingerprints
from gangform.report.pages import REPOSITORY, Page, help_uri, to_markdown
from gangform.report.places import file_of
from gangform.report.suggestion import suggest
from gangform.report.terminal import visible

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_KINDS = {"annotation": "inSource", "baseline": "external"}


def write(
    findings: Sequence[Finding], suppressed: Sequence[Suppressed], pages: Mapping[str, Page], version: str
) -> str:
    """Write a log with one run.

    Args:
        findings: those that count, with paths relative to the top of the repository.
        suppressed: those that do not count; they are written as suppressed results.
        pages: id to its documentation.
        version: of gangform.
    """
    hidden = [one.finding for one in suppressed]
    rules = sorted({finding.rule for finding in (*findings, *hidden)})
    results = [_result(finding, digest, rules) for finding, digest in unique_fingerprints((*findings, *hidden))]
    if suppressed:
        # The standard wants the member in all results of a run or in none.
        states = [*([] for _ in findings), *([_suppression(one)] for one in suppressed)]
        results = [{**result, "suppressions": state} for result, state in zip(results, states, strict=True)]
    driver: dict[str, Any] = {"name": "gangform", "version": version, "semanticVersion": version,
                              "informationUri": REPOSITORY}
    if rules:
        driver["rules"] = [_rule(rule, pages.get(rule)) for rule in rules]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: str, page: Page | None) -> dict[str, Any]:
    described: dict[str, Any] = {"id": rule, "name": "".join(part.title() for part in rule.split("-"))}
    if page is not None:
        described |= {
            "shortDescription": {"text": page.summary},
            "help": {"text": page.text.strip(), "markdown": to_markdown(page.text)},
            "defaultConfiguration": {"level": page.severity.word},
        }
    return {**described, "helpUri": help_uri(rule)}


def _result(finding: Finding, digest: str, rules: Sequence[str]) -> dict[str, Any]:
    text = f"{finding.message}\n{finding.hint}" if finding.hint else finding.message
    result: dict[str, Any] = {
        "ruleId": finding.rule, "ruleIndex": rules.index(finding.rule), "level": finding.severity.word,
        "message": {"text": visible(text, keep="\n\t")}, "locations": [_location(finding)],
        "partialFingerprints": {"gangform/v1": digest},
    }
    suggestion = suggest(finding)
    if suggestion is not None:
        replacement = {"deletedRegion": _region(finding.location), "insertedContent": {"text": suggestion.text}}
        change = {"artifactLocation": _artifact(finding), "replacements": [replacement]}
        description = {"text": visible(finding.hint or finding.message, keep="\n\t")}
        result["fixes"] = [{"description": description, "artifactChanges": [change]}]
    return result


def _location(finding: Finding) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(finding)}
    if finding.location.line:
        physical["region"] = _region(finding.location)
    if finding.subject is None:
        return {"physicalLocation": physical}
    subject = finding.subject
    name = "/".join(part for part in (subject.kind, subject.namespace, subject.name) if part)
    qualified = visible(f"{name}#{finding.location.pointer}")
    return {"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": qualified, "kind": "object"}]}


def _artifact(finding: Finding) -> dict[str, str]:
    return {"uri": _encode(file_of(finding)), "uriBaseId": "%SRCROOT%"}


def _region(where: Location) -> dict[str, int]:
    region = {"startLine": where.line, "startColumn": where.column, "endLine": where.end_line,
              "endColumn": where.end_column}
    return {name: number for name, number in region.items() if number}


def _suppression(one: Suppressed) -> dict[str, str]:
    described = {"kind": _KINDS[one.origin], "justification": visible(one.reason)}
    return {name: text for name, text in described.items() if text}


def _encode(path: str) -> str:
    """Percent-encode a path for a URI reference."""
    return "".join(map(_encode_byte, path.encode("utf-8", "surrogateescape")))


def _encode_byte(byte: int) -> str:
    return chr(byte) if byte in _SAFE else f"%{byte:02X}"

