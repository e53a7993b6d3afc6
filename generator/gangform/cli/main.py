"""The console entry: the table of commands, and the one place where errors end.

The version path imports click and this module's neighbour only; commands come in when they are called.
"""

import gc
import sys
from collections.abc import Mapping, Sequence

import click

from gangform import __version__
from gangform.cli.group import LazyGroup

COMMANDS: Mapping[str, str] = {
    "validate": "gangform.cli.validate",
    "render": "gangform.cli.render",
    "check": "gangform.cli.check",
    "plan": "gangform.cli.plan",
    "status": "gangform.cli.status",
    "transform": "gangform.cli.transform",
    "fix": "gangform.cli.fix",
    "explain": "gangform.cli.explain",
    "schema": "gangform.cli.schema",
    "krm": "gangform.cli.krm",
    "argocd": "gangform.cli.argocd",
    "controller": "gangform.cli.controller",
    "completion": "gangform.cli.completion",
}
ALIASES: Mapping[str, str] = {"lint": "validate", "rules": "explain"}
FOREIGN: Mapping[str, str] = {
    "diff": "render --diff", "generate": "render", "build": "render", "apply": "render", "template": "render",
    "why": "status", "ps": "status", "get": "status", "top": "status", "test": "check", "verify": "check",
    "mend": "fix", "repair": "fix",
}


@click.group(
    cls=LazyGroup, modules=COMMANDS, aliases=ALIASES, foreign=FOREIGN, invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Start here:
  gangform validate .
  gangform render base --backend coscheduling -o overlays/coscheduling
  gangform check
""",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def gangform(context: click.Context) -> int:
    """Gang scheduling for MPI jobs, as code.

    Reads MPIJobs, says what is wrong with them, and writes kustomize overlays with PodGroups,
    pod-group marks and schedulerName for coscheduling and Volcano.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
    return 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run gangform and return the exit code; ``arguments`` default to the process's own."""
    if arguments is None:
        # Documents hold no cycles; to search them as often as Python does by itself costs a tenth of a long run.
        gc.set_threshold(50_000)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A name that the terminal's encoding lacks must not end the run.
            stream.reconfigure(errors="backslashreplace")
    try:
        given = None if arguments is None else list(arguments)
        answer = gangform.main(given, _name(), standalone_mode=False)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001
        from gangform.cli import failure

        return failure.report(error, sys.argv[1:] if arguments is None else arguments)
    finally:
        if arguments is None:
            # The process ends here: the interpreter need not search every object for cycles on its way out.
            gc.freeze()
    return int(answer)


def _name() -> str:
    """What the user typed: gangform, or kubectl's plug-in."""
    program = sys.argv[0].replace("\\", "/").rpartition("/")[2]
    return "kubectl gang" if program.startswith("kubectl-gang") else "gangform"
