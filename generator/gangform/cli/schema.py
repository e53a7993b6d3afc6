"""``gangform schema``."""

from collections.abc import Sequence

import click

from gangform.cli import options
from gangform.cli.output import Screen
from gangform.model.errors import InputError


@click.command(epilog=options.examples(
    "gangform schema",
    "gangform schema MPIJob",
    "gangform schema podgroup.scheduling.volcano.sh",
    "gangform schema settings",
    'kubeconform -strict -schema-location "$(gangform schema --location)" base/pi.yaml',
))
@click.argument("kind", required=False)
@click.option("--location", is_flag=True, help="Print the schemas' place as kubeconform's -schema-location.")
def command(kind: str | None, *, location: bool) -> int:
    """Print a JSON schema, for kubeconform and editors.

    KIND is a kind, kind.group, or a name of the list that is printed without it.
    """
    from gangform import schema

    if kind is not None and location:
        raise click.UsageError("--location goes without KIND: it stands for all schemas")
    if location:
        Screen().write(schema.location() + "\n")
    elif kind is None:
        Screen().write("".join(f"{name}\n" for name in schema.names()))
    else:
        Screen().write(schema.text(_find(kind, schema.names())))
    return 0


def _find(kind: str, names: Sequence[str]) -> str:
    wanted = kind.lower()
    found = [name for name in names if wanted in _spellings(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{kind} is the name of {len(found)} schemas", f"write one of: {', '.join(found)}")
    raise InputError(f"there is no schema for {kind!r}", f"known: {', '.join(names)}")


def _spellings(name: str) -> set[str]:
    group, _, last = name.rpartition("/")
    kind, _, version = last.rpartition("_")
    return {name, last, kind, f"{kind}.{group}", f"{kind}.{version}.{group}"}
