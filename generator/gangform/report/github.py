"""Findings as workflow commands, which GitHub shows as annotations of a pull request."""

from collections.abc import Iterator, Mapping, Sequence

from gangform.model.finding import Finding, Severity
from gangform.report.places import file_of
from gangform.report.terminal import visible
from gangform.report.text import head, summary

LIMIT = 10
"""Annotations of one kind that GitHub shows for one step."""

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def write(findings: Sequence[Finding], counts: Mapping[str, int]) -> str:
    """Write a command per finding; those beyond the limit as plain lines, with one notice that says so."""
    left = dict.fromkeys(Severity, LIMIT)
    crowded = any(sum(finding.severity is severity for finding in findings) > LIMIT for severity in Severity)
    if crowded:
        left[Severity.NOTE] -= 1
    lines: list[str] = []
    for finding in sorted(findings, key=lambda finding: -finding.severity):
        lines.append(_command(finding) if left[finding.severity] > 0 else _plain(finding))
        left[finding.severity] -= 1
    return "".join(line + "\n" for line in (*lines, *_notice(findings, counts, crowded=crowded)))


def _notice(findings: Sequence[Finding], counts: Mapping[str, int], *, crowded: bool) -> Iterator[str]:
    if crowded:
        closing = summary(findings, counts, show_notes=True).splitlines()[-1]
        told = f"{closing}\nOnly the first {LIMIT} of each kind are shown as annotations; the log of this step has all."
        yield f"::notice title=gangform::{_escape(told)}"


def _command(finding: Finding) -> str:
    where = finding.location
    properties = {"file": file_of(finding), "line": where.line, "endLine": where.end_line, "col": where.column,
                  "title": finding.rule}
    written = ",".join(f"{name}={_escape_property(str(value))}" for name, value in properties.items() if value)
    text = f"{finding.message}\n{finding.hint}" if finding.hint else finding.message
    return f"::{_COMMANDS[finding.severity]} {written}::{_escape(text)}"


def _plain(finding: Finding) -> str:
    """A line of the log that no runner takes for a command."""
    line = head(finding)
    return f" {line}" if line.startswith("::") else line


def _escape(text: str) -> str:
    safe = visible(text, keep="\n\r\t")
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
