"""Findings as a person reads them in a terminal or a log."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from gangform.model.finding import Finding, Location, Severity, order
from gangform.report.terminal import cut, expand, visible

MANY = 20
"""Above so many findings each is one line, and notes are hidden."""

_CELLS = 100
"""Cells of a source line that are shown; a longer line is cut around the caret."""

_BUILDS_NAMED = 3

Style = Callable[[str, str], str]
"""(text, role) to text with colour; roles: the severity words, place, rule, faint, added, removed."""


def plain(text: str, _role: str) -> str:
    """The style without colour."""
    return text


class Tally(NamedTuple):
    """How often one rule was broken: findings, files with one, and findings with a safe mend."""

    rule: str
    severity: Severity
    findings: int
    files: int
    mendable: int


def listing(findings: Sequence[Finding], style: Style = plain, *, show_notes: bool = False) -> str:
    """Write findings: each with its line and hint, or above ``MANY`` one line each, errors first.

    Args:
        findings: in the order of places.
        style: puts colour on.
        show_notes: whether notes are shown among many findings too.
    """
    if len(findings) <= MANY:
        return "".join(_block(finding, style) for finding in findings)
    ordered = sorted(findings, key=lambda finding: (-finding.severity, order(finding)))
    return "".join(head(finding, style) + "\n" for finding in ordered
                   if show_notes or finding.severity > Severity.NOTE)


def tally(findings: Iterable[Finding]) -> tuple[Tally, ...]:
    """Count findings per rule and severity, the worst and most frequent first."""
    groups: dict[tuple[str, Severity], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule, finding.severity), []).append(finding)
    rows = [Tally(rule, severity, len(group), len({finding.location.path for finding in group}),
                  sum(finding.edit is not None for finding in group))
            for (rule, severity), group in groups.items()]
    return tuple(sorted(rows, key=lambda row: (-row.severity, -row.findings, row.rule)))


def summary(findings: Sequence[Finding], counts: Mapping[str, int], *, show_notes: bool = False) -> str:
    """Write the closing sentence: what was found, or what was looked at when nothing was."""
    read = looked_at(counts)
    if not findings:
        return f"{read}: no findings." if counts.get("jobs") else f"{read}: nothing to check."
    totals = [count(sum(finding.severity == severity for finding in findings), severity.word)
              for severity in sorted(Severity, reverse=True)
              if any(finding.severity == severity for finding in findings)]
    files = len({finding.location.path for finding in findings})
    worst = tally(findings)[0]
    hidden = len(findings) > MANY and not show_notes and any(f.severity == Severity.NOTE for f in findings)
    about = f"Read: {read}.\n" if len(findings) > MANY else ""
    remark = " (notes hidden: --show-notes)" if hidden else ""
    return (f"{about}{', '.join(totals)} in {count(files, 'file')}{remark}. "
            f"Explain: gangform explain {worst.rule}")


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, in the plural where that is right."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def diff(text: str, style: Style = plain) -> str:
    """Make a unified diff safe to print, with colour."""
    # Not str.splitlines: a form feed in a manifest ends no line of the diff.
    return "".join(_diff_line(line, style) for line in text.removesuffix("\n").split("\n")) if text else ""


def _diff_line(line: str, style: Style) -> str:
    shown = visible(line, keep="\t")
    role = {"+": "added", "-": "removed", "@": "faint"}.get(line[:1], "")
    if line.startswith(("+++", "---")):
        role = "place"
    return (style(shown, role) if role else shown) + "\n"


def looked_at(counts: Mapping[str, int]) -> str:
    """Say in a few words how much was read."""
    jobs = counts.get("jobs", 0)
    files = counts.get("files", 0)
    parts = [(count(jobs, "MPIJob") if jobs else "no MPIJobs") + (f" in {count(files, 'file')}" if files else "")]
    for key, noun in (("groups", "PodGroup"), ("builds", "build")):
        if counts.get(key):
            parts.append(count(counts[key], noun))
    if counts.get("patches"):
        parts.append(f"{count(counts['patches'], 'patch', 'patches')} seen only through builds")
    if counts.get("templated"):
        parts.append(f"{counts['templated']} left alone as templates")
    if counts.get("charts"):
        parts.append(f"{count(counts['charts'], 'chart')} skipped (templates)")
    return ", ".join(parts)


def _block(finding: Finding, style: Style) -> str:
    lines = [head(finding, style), *_excerpt(finding, style)]
    if finding.hint:
        first, *more = finding.hint.splitlines()
        lines.append(f"  {style('hint:', 'faint')} {visible(first)}")
        lines += [f"        {visible(line)}" for line in more]
    return "\n".join(lines) + "\n"


def head(finding: Finding, style: Style = plain) -> str:
    """Write a finding in one line: place, severity, message, builds, id."""
    word = finding.severity.word
    builds = finding.builds
    named = ", ".join(builds[:_BUILDS_NAMED]) + (", …" if len(builds) > _BUILDS_NAMED else "")
    shown_by = f" ({count(len(builds), 'build')}: {visible(named)})" if builds else ""
    place, level, rule = style(_place(finding) + ":", "place"), style(word + ":", word), f"[{finding.rule}]"
    return f"{place} {level} {visible(finding.message)}{shown_by} {style(rule, 'rule')}"


def _place(finding: Finding) -> str:
    where, subject = finding.location, finding.subject
    if where.line:
        return visible(f"{where.path}:{where.line}:{where.column}")
    named = f"{subject.kind}/{subject.name}" if subject else ""
    inside = " ".join(part for part in (named, where.pointer) if part)
    return visible(f"{where.path}: {inside}" if inside else where.path)


def _excerpt(finding: Finding, style: Style) -> list[str]:
    where = finding.location
    if not (where.line and where.excerpt.strip()):
        return []
    shown, first, last = _window(where)
    number = f"{where.line:>5} | "
    return [f"{style(number, 'faint')}{shown}".rstrip(),
            style(" " * (len(number) - 2) + "| ", "faint") + " " * first
            + style("^" * (last - first), finding.severity.word)]


def _window(where: Location) -> tuple[str, int, int]:
    """The printable line, cut around the marked span, with the span's first and end cell."""
    shown, starts = expand(where.excerpt)
    end_column = where.end_column if where.end_line == where.line else len(starts)
    begin = min(max(where.column - 1, 0), len(starts) - 1)
    end = min(max(end_column - 1, begin), len(starts) - 1)
    first, last = starts[begin], max(starts[end], starts[begin] + 1)
    total = starts[-1]
    if total <= _CELLS:
        return shown, first, last
    start = max(0, min(first - _CELLS // 4, total - _CELLS))
    before, after = start > 0, start + _CELLS < total
    kept = cut(shown, start + before, _CELLS - before - after)
    return f"{'…' * before}{kept}{'…' * after}", first - start, min(last - start, _CELLS)
