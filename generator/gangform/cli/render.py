"""``gangform render``."""

from typing import TYPE_CHECKING, Unpack

import click

from gangform.cli import answer, options

if TYPE_CHECKING:
    from gangform.workflows.outcome import Rendered


class _Given(options.Placement, options.Reporting):
    enlist: bool
    diff: bool
    stat: bool
    exit_code: bool


@click.command(epilog=options.examples(
    "gangform render base --backend coscheduling -o overlays/coscheduling",
    "gangform render base --backend volcano --option queue=research -o overlays/volcano",
    "gangform render base --backend volcano --rendered -o rendered",
    "gangform render chart --values chart/values-prod.yaml --backend volcano --rendered -o rendered",
    "gangform render",
    "gangform render --diff",
))
@options.placement
@click.option("--enlist", is_flag=True, help="Add each component to the components: of its overlay.")
@click.option("--diff", is_flag=True, help="Show what would change and write nothing.")
@click.option("--stat", is_flag=True, help="With --diff: one line per file.")
@click.option("--exit-code", is_flag=True, help="The exit code is 1 also when a file changed, or with --diff would.")
@options.reporting
def command(**given: Unpack[_Given]) -> int:
    """Write the overlays that start MPIJobs as gangs.

    SOURCE is a folder with a kustomization; with --rendered also a Helm chart, which helm renders, or
    plain files. Without -o, the overlays of gangform.yaml are
    written: all, those of --cluster, or those at or below SOURCE. Files that do not say that
    gangform made them are never touched.
    """
    from gangform.cli import choosing
    from gangform.cli.progress import progress
    from gangform.workflows import render

    if given["stat"] and not given["diff"]:
        raise click.UsageError("--stat goes with --diff")
    if choosing.is_idle(given):
        return 0
    settings = choosing.load(given)
    targets = choosing.targets(settings, given)
    if given["enlist"] and not any(target.layout == "component" for target in targets):
        raise click.UsageError("--enlist goes with --component: nothing else is listed in an overlay")
    with progress(quiet=given["quiet"]) as tell:
        rendered = render.render(
            targets, settings, write=not given["diff"], enlist=given["enlist"], progress=tell)
    if given["format"] == "json":
        from gangform.workflows.reporting import seen_from_root

        answer.print_json(rendered.outcome, {
            "overlays": answer.describe_changes(rendered.overlays), "written": rendered.written,
            "toEnlist": [{"overlay": seen_from_root(folder), "entry": entry}
                         for folder, entry in rendered.to_enlist],
            "enlisted": [seen_from_root(path) for path in rendered.enlisted]}, given)
    else:
        _print(rendered, given)
    changed = given["exit_code"] and (rendered.enlisted or any(overlay.changes for overlay in rendered.overlays))
    return int(bool(changed) or answer.failed(rendered.outcome, given))


def _print(rendered: "Rendered", given: _Given) -> None:
    from gangform.report.terminal import visible
    from gangform.report.text import count

    outcome, out = rendered.outcome, answer.screen(given)
    answer.print_findings(outcome, given, err=True)
    if outcome.findings:
        answer.print_summary(outcome, given, err=True)
    answer.print_changes(rendered.overlays, given, stat=given["stat"] or not given["diff"])
    out.write("".join(f"changed  {visible(path)} (components:)\n" for path in rendered.enlisted))
    jobs = outcome.counts.jobs
    out.say(f"{count(jobs, 'MPIJob')}: {_conclude(rendered, given)}." if jobs
            else f"{_conclude(rendered, given).capitalize()}.", err=True)
    for folder, entry in rendered.to_enlist:
        out.say(f"{visible(folder)} does not list it yet; add below components: (--enlist does):\n"
                f"- {visible(entry)}", err=True)


def _conclude(rendered: "Rendered", given: _Given) -> str:
    from gangform.model.finding import Severity
    from gangform.report.text import count

    errors = any(finding.severity is Severity.ERROR for finding in rendered.outcome.findings)
    if errors and not rendered.written:
        return "nothing was written; mend the errors first"
    changed = [overlay for overlay in rendered.overlays if overlay.changes]
    fresh = len(rendered.overlays) - len(changed)
    state = "would change" if given["diff"] else "written"
    files = count(sum(len(overlay.changes) for overlay in changed), "file")
    parts = [f"{count(len(changed), 'overlay')} {state} ({files})"] if changed else []
    if fresh:
        parts.append(f"{count(fresh, 'overlay')} already fresh")
    return ", ".join(parts)
