"""``gangform check``."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

import click

from gangform.cli import answer, options

if TYPE_CHECKING:
    from gangform.workflows.outcome import Checked


class _Given(options.Placement, options.Comparing, options.Control, options.Reports):
    kubeconform: str | None
    stat: bool
    build: str


@click.command(epilog=options.examples(
    "gangform check",
    "gangform check --stat",
    "gangform check base --backend coscheduling -o overlays/coscheduling",
    "gangform check --kubeconform require",
    "gangform check --format junit=gangform.xml",
))
@options.placement
@click.option("--kubeconform", type=click.Choice(["auto", "require", "off"]),
              help="Whether kubeconform validates the builds.  [default: as gangform.yaml says, else auto]")
@click.option("--build", type=click.Choice(["require", "auto"]), default="require", show_default=True,
              help="Whether overlays must be built; auto compares only, where there is no kustomize.")
@click.option("--stat", is_flag=True, help="One line per drifted file instead of a diff.")
@options.comparing
@options.control
@options.reports
def command(**given: Unpack[_Given]) -> int:
    """Prove that overlays are fresh and sound.

    The CI step in one command. For each overlay: whether render would change it, whether kustomize
    builds it, and what kubeconform and the rules say about the result. The overlays are chosen as
    render does. Nothing is written.

    The exit code is 1 on drift, or when a finding is at or above --fail-on.
    """
    from gangform.cli import choosing, controlling, reports
    from gangform.cli.progress import progress
    from gangform.workflows import check

    formats = reports.wanted(given["format"])
    if choosing.is_idle(given):
        return 0
    controlling.refuse_parts(given, changed_since=given["changed_since"])
    settings = choosing.load(given)
    targets = choosing.targets(settings, given)
    selection = controlling.selection(given)
    wanted = cast('Literal["auto", "require", "off"]', given["kubeconform"] or settings.kubeconform)
    with progress(quiet=given["quiet"]) as tell:
        checked = check.check(targets, settings, kubeconform=wanted, progress=tell, selection=selection,
                              changed_since=given["changed_since"], must_build=given["build"] == "require")
    outcome = controlling.compare(checked.outcome, settings, given, lambda write: [
        "gangform", "check", *_words(given, write), *controlling.words(given, given, given["changed_since"])])
    checked = checked._replace(outcome=outcome)
    reports.write(checked.outcome, given, formats, _parts(checked), lambda: _print(checked, given),
                  further=check.drift(checked))
    return int(bool(checked.overlays) or answer.failed(checked.outcome, given))


def _words(given: _Given, write: Callable[[str], str]) -> list[str]:
    """Spell what decides which overlays are looked at, as a command line has it."""
    source = [write(given["source"])] if given["source"] else []
    flags = [f"--{name}" for name, on in (
        ("component", given["component"]), ("rendered", given["rendered"]), ("force", given["force"])) if on]
    chart = [word for name in given["values"] for word in ("--values", write(name))]
    chart += [word for option, text in (("--release", given["release"]), ("--namespace", given["namespace"])) if text
              for word in (option, text)]
    return [*source, *(["-o", write(given["output"])] if given["output"] else []), *flags, *chart]


def _parts(checked: "Checked") -> dict[str, Any]:
    """The members of the JSON envelope that are check's own."""
    return {
        "overlays": answer.describe_changes(checked.overlays), "checked": checked.checked,
        "unchecked": [{"kind": kind, "objects": number} for kind, number in checked.unchecked],
        "schemaChecked": checked.schema_checked, "mend": checked.mend,
    }


def _print(checked: "Checked", given: _Given) -> None:
    from gangform.report.text import count

    outcome, out = checked.outcome, answer.screen(given)
    answer.print_findings(outcome, given)
    answer.print_changes(checked.overlays, given, stat=given["stat"])
    answer.print_summary(outcome, given)
    drifted = len(checked.overlays)
    state = f"{drifted} of {count(checked.checked, 'overlay')} drifted" if drifted \
        else f"{count(checked.checked, 'overlay')} fresh"
    out.say(f"{state}. {_schemas(checked)}")
    if checked.mend:
        out.say("To mend:")
        out.say(checked.mend)


def _schemas(checked: "Checked") -> str:
    from gangform.report.terminal import visible
    from gangform.report.text import count

    ran = "kubeconform did not run" if checked.schema_checked is None \
        else f"kubeconform: {count(checked.schema_checked, 'object')} checked"
    if not checked.unchecked:
        return f"{ran}."
    named = ", ".join(f"{visible(kind)} ({number})" for kind, number in checked.unchecked)
    return f"{ran}, {sum(number for _, number in checked.unchecked)} without a schema: {named}."
