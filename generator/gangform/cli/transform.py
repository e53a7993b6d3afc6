"""``gangform transform``."""

from typing import TYPE_CHECKING, Unpack

import click

from gangform.cli import answer, options

if TYPE_CHECKING:
    from gangform.edges.spooling import Result
    from gangform.settings import Settings
    from gangform.workflows.marking import Aim


class _Given(options.Choice, options.Showing):
    output: str | None
    remove: bool
    force: bool


@click.command(epilog=options.examples(
    "gangform transform --backend volcano < base/pi.yaml",
    "gangform transform --backend coscheduling base/pi.yaml -o marked.yaml",
    "gangform transform --cluster prod base/pi.yaml | gangform transform --remove",
))
@click.argument("files", nargs=-1, metavar="[FILE]...")
@options.choice
@click.option("--remove", is_flag=True, help="Take marks and groups out: those of the scheduler, or all.")
@click.option("--force", is_flag=True, help="Replace a schedulerName of no known backend.")
@click.option("-o", "--output", metavar="FILE", help="Where the manifests go; - is standard output.  [default: -]")
@options.showing
def command(files: tuple[str, ...], **given: Unpack[_Given]) -> int:
    """Mark the MPIJobs of a stream and put their PodGroups before them.

    FILE is a file or - for stdin, which is read when none is given. Every other document passes
    byte for byte. What was marked for another scheduler is moved; what is marked already stays.

    Findings go to stderr; when one is an error, no manifest is printed.
    """
    import sys

    from gangform.edges.spooling import take
    from gangform.workflows import configuration, transform

    if not files and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("which manifests? Give FILE, or pipe them in; - reads what is typed")
    settings = configuration.load(given["config"])
    transformed = transform.transform(files or ("-",), settings, _aim(settings, given), take)
    answer.print_findings(transformed.outcome, given, err=True)
    if transformed.result is None or answer.failed(transformed.outcome, given):
        return 1
    _write(transformed.result, given["output"])
    return 0


def _aim(settings: "Settings", given: _Given) -> "Aim":
    from gangform.cli import choosing
    from gangform.workflows.marking import Aim

    if given["remove"]:
        return Aim(choosing.cluster(settings, given), remove=True)
    return Aim(choosing.one_cluster(settings, given), replace_scheduler=given["force"])


def _write(result: "Result", path: str | None) -> None:
    from gangform.cli import output
    from gangform.edges import replacing

    if path is not None and path != "-":
        replacing.write_stream(path, result.blocks())
        return
    for block in result.blocks():
        output.write(block)
