"""``gangform validate``, also ``gangform lint``."""

from typing import TYPE_CHECKING, Unpack

import click

from gangform.cli import answer, options

if TYPE_CHECKING:
    from gangform.settings import Settings
    from gangform.workflows.outcome import Outcome


class _Given(options.Choice, options.Comparing, options.Control, options.Reports):
    output: str | None
    hook: bool


@click.command(epilog=options.examples(
    "gangform validate .",
    "gangform validate base/pi.yaml",
    "gangform validate base --backend volcano --fail-on warning",
    "gangform validate - < base/pi.yaml",
    "gangform validate . --changed-since origin/main",
    "gangform validate . --format sarif=gangform.sarif",
    "gangform validate . --select min-member-exceeds-pods,'pod-group-*'",
    "gangform validate . --write-baseline",
))
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.choice
@options.comparing
@options.control
@options.reports
@click.option("-o", "--output", metavar="FILE", help="Where the report goes, instead of standard output.")
@options.hook
def command(paths: tuple[str, ...], **given: Unpack[_Given]) -> int:
    """Say what is wrong with MPIJobs (alias: lint).

    PATH is a file, a folder, a folder with a kustomization, or - for stdin; without one, the
    working folder. A folder with a kustomization is also built, where kustomize or kubectl is at
    hand, and the rules run on the result.

    The exit code is 1 when a finding is at or above --fail-on.
    """
    from gangform.cli import controlling, reports
    from gangform.workflows import configuration

    wanted = reports.wanted(given["format"], given["output"])
    controlling.refuse_parts(given, changed_since=given["changed_since"], hook=given["hook"])
    settings = configuration.load(given["config"])
    outcome = controlling.compare(_run(paths, settings, given), settings, given, lambda write: [
        "gangform", "validate", *map(write, paths or (".",)), *["--hook"] * given["hook"],
        *controlling.words(given, given, given["changed_since"])])

    def print_text() -> None:
        answer.print_findings(outcome, given)
        answer.print_summary(outcome, given)

    reports.write(outcome, given, wanted, {}, print_text)
    return int(answer.failed(outcome, given))


def _run(paths: tuple[str, ...], settings: "Settings", given: _Given) -> "Outcome":
    from gangform.cli import choosing, controlling
    from gangform.cli.progress import progress
    from gangform.edges.disk import read_stdin

    cluster = choosing.cluster(settings, given)
    selection = controlling.selection(given)
    since = given["changed_since"]
    with progress(quiet=given["quiet"]) as tell:
        if given["hook"]:
            from gangform.workflows import staged

            return staged.validate(paths, settings, cluster, progress=tell, selection=selection, changed_since=since)
        from gangform.workflows import validate

        return validate.validate(paths or (".",), settings, cluster, read_stdin=read_stdin, progress=tell,
                                 selection=selection, changed_since=since)
