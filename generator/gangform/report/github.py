"""Findings as workflow commands, which GitHub shows as annotations of a pull request."""

import re
from collections.abc import Iterator, Mapping, Sequence

from gangform.model.finding import Finding, Severity
from gangform.report.places import file_of
from gangform.report.terminal import visible
from gangform.report.text import head, summary

LIMIT = 10
"""Annotations of one kind that GitHub shows for one step."""

_COMMAND = re.compile(r"^\s*:(?=:)|#(?=#\[)", re.MULTILINE)
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
    return disarm(head(finding))


def disarm(text: str) -> str:
    r"""Spell out (``\x3a``, ``\x23``) what makes a runner take a line of its log for a command.

    As in actions/runner, src/Runner.Common/ActionCommand.cs, TryParseV2 and TryParse (2.329): blanks before
    the colons do not count, and the older form may stand anywhere.
    """
    return _COMMAND.sub(lambda match: f"{match[0][:-1]}\\x{ord(match[0][-1]):02x}", text)


def _escape(text: str) -> str:
    safe = visible(text, keep="\n\r\t")
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
