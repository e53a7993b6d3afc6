"""Findings as the comment of a pull request: what each job asks for, what is wrong, and mends to commit.

The first line is a constant marker by which a bot finds its own comment and edits it in place.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gangform.model.finding import Finding, Severity
from gangform.report.pages import help_uri
from gangform.report.places import file_of
from gangform.report.suggestion import suggest
from gangform.report.terminal import visible
from gangform.report.text import count, looked_at

MARKER = "<!-- gangform -->"

LIMIT = 60_000
"""Characters; GitHub refuses a comment of more than 65,536."""

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#])")


class Row(NamedTuple):
    """A job, as the table shows it.

    Attributes:
        path: its file.
        pods: such as ``1 Launcher + 8 Worker``.
        min_member: pods that start together.
        asks: resource name to canonical quantity, summed over the gang.
    """

    path: str
    name: str
    pods: str
    min_member: int
    asks: Mapping[str, str]


def write(findings: Sequence[Finding], rows: Sequence[Row], counts: Mapping[str, int]) -> str:
    """Write the comment.

    Args:
        findings: with paths relative to the top of the repository.
        rows: the jobs.
        counts: what was looked at.
    """
    blocks = [f"{MARKER}\n", f"### gangform: {_title(findings)}\n", *_table(findings, rows),
              *(_item(finding) for finding in sorted(findings, key=lambda finding: -finding.severity))]
    closing = f"\n{looked_at(counts)}.\n"
    shown, size = 0, len(closing) + 100
    for block in blocks:
        size += len(block)
        if size > LIMIT:
            break
        shown += 1
    left_out = len(blocks) - shown
    more = f"\n{count(left_out, 'more part')} of this report would not fit into a comment.\n" if left_out else ""
    return "".join(blocks[:shown]) + more + closing


def _title(findings: Sequence[Finding]) -> str:
    numbers = {severity: sum(finding.severity is severity for finding in findings) for severity in Severity}
    parts = [count(number, severity.word) for severity, number in sorted(numbers.items(), reverse=True) if number]
    return ", ".join(parts) or "no findings"


def _table(findings: Sequence[Finding], rows: Sequence[Row]) -> Iterator[str]:
    if rows:
        yield "\n| job | pods | start together | the gang asks | findings |\n|---|---|---|---|---|\n"
    told: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.subject:
            name = "/".join(part for part in (finding.subject.namespace, finding.subject.name) if part)
            told.setdefault((file_of(finding), name), []).append(finding)
    for row in rows:
        asks = ", ".join(f"{amount} {name}" for name, amount in row.asks.items()) or "nothing"
        mine = told.get((row.path, row.name), [])
        cells = (row.name, row.pods, str(row.min_member), asks, _title(mine) if mine else "")
        yield "|" + "".join(f" {_escape(cell)} |" for cell in cells) + "\n"


def _item(finding: Finding) -> str:
    where = finding.location
    place = f"{file_of(finding)}:{where.line}" if where.line else file_of(finding)
    about = f" ({finding.subject.kind} {finding.subject.name})" if finding.subject and not where.line else ""
    lines = [(f"\n- **{finding.severity.word}** {_code(place)}{_escape(about)}: {_escape(finding.message)} "
              f"[{finding.rule}]({help_uri(finding.rule)})\n")]
    if finding.hint:
        lines.append("\n" + "".join(f"  {_escape(line)}\n" for line in finding.hint.splitlines()))
    suggestion = suggest(finding)
    if suggestion is not None:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", suggestion.line)), default=0))
        lines.append(f"\n  {fence}suggestion\n  {visible(suggestion.line, keep=chr(9))}\n  {fence}\n")
    return "".join(lines)


def _code(text: str) -> str:
    shown = visible(text)
    return f"`{shown}`" if "`" not in shown else _escape(text)


def _escape(text: str) -> str:
    """Keep text from being read as Markdown, HTML, or a mention of somebody."""
    return _SPECIAL.sub(r"\\\1", visible(text)).replace("@", "&#64;")
