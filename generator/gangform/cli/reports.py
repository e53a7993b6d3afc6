"""Reports of findings: which formats are wanted where, and printing or writing them."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from gangform.cli import answer
from gangform.cli.options import Reports

if TYPE_CHECKING:
    from gangform.model.finding import Finding
    from gangform.workflows.outcome import Outcome

class Report(NamedTuple):
    """A format and the file that it goes to; empty for stdout."""

    format: str
    file: str = ""


def wanted(formats: Sequence[str], output: str | None = None) -> tuple[Report, ...]:
    """Read ``--format`` and ``-o``; where every format has a file, people still get their text on stdout.

    Raises:
        click.UsageError: two formats go to one place, or one has two.
    """
    reports = [_read(text) for text in formats]
    bare = [number for number, report in enumerate(reports) if not report.file]
    if len(bare) > 1:
        names = " and ".join(reports[number].format for number in bare)
        raise click.UsageError(f"{names} cannot both go to standard output: give a file, as in sarif=out.sarif")
    if output is not None:
        if not bare:
            raise click.UsageError("-o FILE needs a --format without a file of its own")
        reports[bare[0]] = reports[bare[0]]._replace(file=output)
    files = [report.file for report in reports if report.file]
    for file in files:
        if files.count(file) > 1:
            raise click.UsageError(f"two formats go to {file}: give each a file of its own")
    if all(report.file for report in reports):
        reports.append(Report("text"))
    return tuple(reports)


def _read(text: str) -> Report:
    name, _, file = text.partition("=")
    if name == "auto":
        name = "github" if os.environ.get("GITHUB_ACTIONS") == "true" and not file else "text"
    return Report(name, file)


def write(
    outcome: "Outcome", given: Reports, reports: Sequence[Report], parts: Mapping[str, Any],
    print_text: Callable[[], None], *, further: "tuple[Finding, ...]" = (),
) -> None:
    """Print and write every report; remarks go to stderr.

    Args:
        outcome: what was found.
        given: how findings are shown.
        reports: from ``wanted``.
        parts: the command's own members of the JSON envelope.
        print_text: prints the text for people.
        further: findings that the text and the envelope tell in another way.

    Raises:
        InputError: a file cannot be written.
    """
    for name, file in reports:
        if name == "text" and not file:
            print_text()
            continue
        from gangform.edges import output
        from gangform.model.finding import Severity
        from gangform.workflows import reporting

        limit = Severity[given["fail_on"].upper()]
        told = outcome if name == "json" else outcome._replace(findings=(*outcome.findings, *further))
        text = _text(told, given) if name == "text" else reporting.write(name, told, limit, parts)
        if file:
            output.write_file(file, text)
            continue
        answer.screen(given).write(text)
        answer.print_notes(outcome, given)
        if name == "github":
            answer.print_summary(told, given)


def _text(outcome: "Outcome", given: Reports) -> str:
    """The text for people, as a file holds it."""
    from gangform.report import text

    closing = text.summary(outcome.findings, outcome.counts._asdict(), show_notes=given["show_notes"])
    return text.listing(outcome.findings, show_notes=given["show_notes"]) + closing + "\n"
