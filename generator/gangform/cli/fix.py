"""``gangform fix``."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Unpack

import click

from gangform.cli import answer, options

if TYPE_CHECKING:
    from gangform.model.edit import Edit
    from gangform.workflows.fix import Fixed
    from gangform.workflows.staged import Staged


class _Given(options.Choice, options.Selecting, options.Reporting):
    diff: bool
    hook: bool


@click.command(epilog=options.examples(
    "gangform fix base --diff",
    "gangform fix base",
    "gangform fix . --select 'quantity-*' --backend volcano",
))
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.choice
@options.selecting
@click.option("--diff", is_flag=True, help="Show what would change and write nothing.")
@options.hook
@options.reporting
def command(paths: tuple[str, ...], **given: Unpack[_Given]) -> int:
    """Mend what has exactly one safe mend.

    PATH is a file or a folder; without one, the working folder. Only the lines that are mended
    change. Generated files are left alone, and so is every mend that would change more than it
    should: it is shown.

    The exit code is 1 when a finding at or above --fail-on is left, and with --diff when a file
    would change.
    """
    from gangform.cli import choosing, controlling
    from gangform.cli.progress import progress
    from gangform.workflows import configuration, fix

    settings = configuration.load(given["config"])
    cluster = choosing.cluster(settings, given)
    selection = controlling.selection(given)
    staged = _find_staged(paths) if given["hook"] else None
    if staged and not staged.files:
        return 0
    with progress(quiet=given["quiet"]) as tell:
        fixed = fix.fix(staged.files if staged else paths or (".",), settings, cluster, write=not given["diff"],
                        progress=tell, selection=selection)
    if staged:
        fixed = fixed._replace(outcome=staged.narrow(fixed.outcome))
    if given["format"] == "json":
        answer.print_json(fixed.outcome, {
            "mended": [{"path": change.path, "findings": _count(fixed, change.path)} for change in fixed.changes],
            "left": [{"path": one.finding.location.path, "line": one.line, "rule": one.finding.rule,
                      "reason": one.reason, "edit": describe(one.edit)} for one in fixed.left],
            "written": fixed.written}, given)
    else:
        _print(fixed, given)
    pending = given["diff"] and bool(fixed.changes)
    return int(pending or answer.failed(fixed.outcome, given))


def _find_staged(paths: tuple[str, ...]) -> "Staged":
    from gangform.workflows import staged
    from gangform.workflows.sources import Shelf

    return staged.find(Shelf(), paths)


def describe(edit: "Edit") -> str:
    """Say what an edit does, in one line."""
    import json

    from gangform.model.edit import ABSENT
    from gangform.model.pointer import render

    if edit.origin is not None:
        return f"move {render(edit.origin)} to {render(edit.pointer)}"
    if edit.value is ABSENT:
        return f"take out {render(edit.pointer)}"
    return f"set {render(edit.pointer)} to {json.dumps(edit.value, ensure_ascii=False)}"


def _print(fixed: "Fixed", given: _Given) -> None:
    from gangform.compare import unified
    from gangform.report import text
    from gangform.report.terminal import visible

    out = answer.screen(given)
    answer.print_findings(fixed.outcome, given, err=True)
    for one in fixed.left:
        out.say(visible(f"{one.finding.location.path}:{one.line}: not mended, {one.reason} [{one.finding.rule}]: "
                        f"{describe(one.edit)}"), err=True)
    for change in fixed.changes:
        if given["diff"]:
            out.write(text.diff(unified(change, "."), out.style()))
        else:
            out.say(f"mended   {visible(change.path)} ({text.count(_count(fixed, change.path), 'finding')})")
    answer.print_summary(fixed.outcome, given, err=True)
    out.say(_conclude(fixed, given, text.count), err=True)


def _count(fixed: "Fixed", path: str) -> int:
    return sum(finding.location.path == path for finding in fixed.mended)


def _conclude(fixed: "Fixed", given: _Given, count: Callable[..., str]) -> str:
    if not fixed.changes:
        left = " by itself: what is left needs your choice" if fixed.outcome.findings else ""
        return f"Nothing to mend{left}."
    state = "would be mended" if given["diff"] else "mended"
    return f"{count(len(fixed.mended), 'finding')} {state} in {count(len(fixed.changes), 'file')}."
