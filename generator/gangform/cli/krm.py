"""``gangform krm``."""

import click

from gangform.cli import answer, options
from gangform.cli.options import Showing
from gangform.cli.output import Screen

_GIVEN = Showing(fail_on="error", show_notes=False, quiet=True, no_color=True)
"""The host keeps results from people; what they must know goes to standard error, too."""


@click.command(epilog=options.examples(
    "gangform krm < resource-list.yaml",
    "kustomize build --enable-alpha-plugins --enable-exec overlays/volcano",
))
def command() -> int:
    """Serve as a KRM function of kustomize or kpt.

    Reads a ResourceList from stdin and prints it with marked MPIJobs and their PodGroups. Its
    functionConfig has spec: {backend: volcano}, or cluster, groups, options, remove and force.
    Findings become its results; when one is an error, the items stay as they are and the exit
    code is 1. docs/krm.md has the details.
    """
    from gangform.edges.spooling import take
    from gangform.model.finding import Severity
    from gangform.workflows import krm

    answered = krm.serve(take)
    told = answered.outcome._replace(findings=tuple(
        finding for finding in answered.outcome.findings if finding.severity > Severity.NOTE))
    answer.print_findings(told, _GIVEN, err=True)
    if answered.error is not None:
        hint = f"\nhint: {answered.error.hint}" if answered.error.hint else ""
        Screen().write(f"error: {answered.error.message}{hint}\n", err=True)
    Screen().write(answered.text)
    return answered.code
