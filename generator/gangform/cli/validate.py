"""``gangform validate``, also ``gangform lint``."""

from typing import Unpack

import click

from gangform.cli import answer, options


class _Given(options.Choice, options.Reporting):
    pass


@click.command(epilog=options.examples(
    "gangform validate .",
    "gangform validate base/pi.yaml",
    "gangform validate base --backend volcano --fail-on warning",
    "gangform validate - < base/pi.yaml",
))
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.choice
@options.reporting
def command(paths: tuple[str, ...], **given: Unpack[_Given]) -> int:
    """Say what is wrong with MPIJobs (alias: lint).

    PATH is a file, a folder, a folder with a kustomization, or - for stdin; without one, the
    working folder. A folder with a kustomization is also built, where kustomize or kubectl is at
    hand, and the rules run on the result.

    The exit code is 1 when a finding is at or above --fail-on.
    """
    from gangform.cli import choosing
    from gangform.cli.progress import progress
    from gangform.edges.disk import read_stdin
    from gangform.workflows import configuration, validate

    settings = configuration.load(given["config"])
    cluster = choosing.cluster(settings, given)
    with progress(quiet=given["quiet"]) as tell:
        outcome = validate.validate(paths or (".",), settings, cluster, read_stdin=read_stdin, progress=tell)
    if given["format"] == "json":
        answer.print_json(outcome, {}, given)
    else:
        answer.print_findings(outcome, given)
        answer.print_summary(outcome, given)
    return int(answer.failed(outcome, given))
