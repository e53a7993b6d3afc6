"""``gangform argocd``: what Argo CD's plugin protocol calls."""

import os

import click

from gangform.cli import answer, options
from gangform.cli.options import Showing
from gangform.cli.output import Screen

_GIVEN = Showing(fail_on="error", show_notes=False, quiet=True, no_color=True)
"""Argo CD shows standard error as it is, and only when the plugin failed."""


@click.group(invoke_without_command=True, epilog=options.examples(
    "gangform argocd parameters",
    "cd base && ARGOCD_ENV_BACKEND=volcano gangform argocd generate",
))
@click.pass_context
def command(context: click.Context) -> int:
    """Serve as a config management plugin of Argo CD.

    Argo CD starts these in the folder of an Application, and says in environment variables what
    the Application asks for. docs/argocd.md has the plugin's configuration.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
    return 2


@command.command()
def generate() -> int:
    """Print every object of the folder, its MPIJobs as gangs.

    The folder is a kustomization, a Helm chart or plain files. Findings go to stderr; when one is
    an error, nothing is printed.
    """
    from gangform.workflows import argocd

    generated = argocd.generate(os.environ)
    answer.print_findings(generated.outcome, _GIVEN, err=True)
    Screen().write(generated.text)
    return int(not generated.text)


@command.command()
def discover() -> int:
    """Print the files that hold MPIJobs, or nothing where the plugin has no part.

    That is where no scheduler is named, or where gangform has already written the gangs.
    """
    from gangform.workflows import argocd

    Screen().write("".join(f"{path}\n" for path in argocd.discover(os.environ)))
    return 0


@command.command()
def parameters() -> int:
    """Print the parameters that an Application may give, as JSON."""
    from gangform.catalog import CATALOG
    from gangform.hosts import argocd

    Screen().write(argocd.announce(CATALOG.backends))
    return 0
