"""What every command does with an outcome: print it in the wanted format, and choose the exit code."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gangform.cli.options import Showing
from gangform.cli.output import Screen, table

if TYPE_CHECKING:
    from gangform.workflows.outcome import Outcome, OverlayChange


def screen(given: Showing) -> Screen:
    """The streams as the options want them."""
    return Screen(quiet=given["quiet"], no_color=given["no_color"])


def failed(outcome: "Outcome", given: Showing) -> bool:
    """Whether a finding is at or above ``--fail-on``."""
    from gangform.model.finding import Severity

    limit = Severity[given["fail_on"].upper()]
    return any(finding.severity >= limit for finding in outcome.findings)


def print_notes(outcome: "Outcome", given: Showing) -> None:
    """Print the outcome's remarks on stderr."""
    from gangform.report.terminal import visible

    style = screen(given).style(err=True)
    for note in outcome.notes:
        screen(given).say(f"{style('note:', 'note')} {visible(note)}", err=True)


def print_json(outcome: "Outcome", parts: Mapping[str, Any], given: Showing) -> None:
    """Print the envelope on stdout, remarks on stderr."""
    from gangform.model.finding import Severity
    from gangform.workflows import reporting

    screen(given).write(reporting.write("json", outcome, Severity.ERROR, parts))
    print_notes(outcome, given)


def print_findings(outcome: "Outcome", given: Showing, *, err: bool = False) -> None:
    """Print findings, and a table per rule when they are many; remarks go to stderr."""
    from gangform.report import text

    out = screen(given)
    findings = outcome.findings
    out.write(text.listing(findings, out.style(err=err), show_notes=given["show_notes"]), err=err)
    if len(findings) > text.MANY:
        rows = [(row.rule, row.severity.word, row.findings, row.files, row.mendable or "-")
                for row in text.tally(findings)]
        out.say("\n" + table(("rule", "severity", "findings", "files", "mendable"), rows), err=err)
    print_notes(outcome, given)


def print_summary(outcome: "Outcome", given: Showing, *, err: bool = False) -> None:
    """Print the closing sentence about findings."""
    from gangform.report import text

    closing = text.summary(outcome.findings, outcome.counts._asdict(), show_notes=given["show_notes"])
    screen(given).say(closing, err=err)


def describe_changes(overlays: "tuple[OverlayChange, ...]") -> list[dict[str, Any]]:
    """The envelope's ``overlays``: for each overlay its files that are new, changed or deleted."""
    from gangform.workflows.reporting import seen_from_root

    return [{"cluster": overlay.target.cluster.name, "backend": overlay.target.cluster.backend,
             "source": seen_from_root(overlay.target.source), "path": seen_from_root(overlay.target.path),
             "layout": overlay.target.layout,
             "changes": [{"path": change.path, "change": change.kind} for change in overlay.changes]}
            for overlay in overlays]


def print_changes(overlays: "tuple[OverlayChange, ...]", given: Showing, *, stat: bool) -> None:
    """Print what changes in each overlay: a unified diff, or one line per file."""
    from gangform.compare import unified
    from gangform.report import text
    from gangform.report.terminal import visible

    out = screen(given)
    for overlay in overlays:
        folder = overlay.target.path
        if stat:
            out.write("".join(f"{change.kind:<8} {visible(f'{folder}/{change.path}')}\n"
                              for change in overlay.changes))
        else:
            out.write(text.diff("".join(unified(change, folder) for change in overlay.changes), out.style()))
