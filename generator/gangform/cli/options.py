"""The options that several commands share, and the types of what they give."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class Reporting(TypedDict):
    """How findings are shown and when they fail the run."""

    format: str
    fail_on: str
    show_notes: bool
    quiet: bool
    no_color: bool


class Choice(TypedDict):
    """Which settings hold, and for which scheduler."""

    config: str | None
    cluster: str | None
    backend: str | None
    option: tuple[str, ...]
    groups: Literal["git", "operator"] | None


class Placement(Choice):
    """Which overlays: one given here, or those of the settings."""

    source: str | None
    output: str | None
    component: bool
    rendered: bool
    force: bool


def examples(*lines: str) -> str:
    """A help text's last paragraph: command lines to try."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


def reporting(command: Command) -> Command:
    """Add the options of Reporting."""
    return _add(command, (
        click.option("--format", type=click.Choice(["auto", "text", "json"]), default="auto",
                     show_default=True, help="How the answer is written."),
        click.option("--fail-on", type=click.Choice(["error", "warning", "note"]), default="error",
                     show_default=True, help="The lowest severity that makes the exit code 1."),
        click.option("--show-notes", is_flag=True, help="Show notes among many findings too."),
        click.option("-q", "--quiet", is_flag=True, help="Print findings alone, without counts and remarks."),
        click.option("--no-color", is_flag=True, help="No colour (NO_COLOR does the same)."),
    ))


def choice(command: Command) -> Command:
    """Add the options of Choice."""
    return _add(command, (
        click.option("--cluster", metavar="NAME", help="A cluster of gangform.yaml."),
        click.option("--backend", metavar="BACKEND", help="A scheduler: coscheduling or volcano."),
        click.option("--option", metavar="KEY=VALUE", multiple=True,
                     help="An option of the backend; may be given again. Maps: labels=KEY=VALUE."),
        click.option("--groups", type=click.Choice(["git", "operator"]),
                     help="Who makes PodGroups: files in Git, or mpi-operator's own flag.  [default: git]"),
        click.option("--config", metavar="FILE",
                     help="Settings.  [default: gangform.yaml here or above, in the repository]"),
    ))


def placement(command: Command) -> Command:
    """Add SOURCE and the options of Placement."""
    return choice(_add(command, (
        click.argument("source", required=False),
        click.option("-o", "--output", metavar="DIR",
                     help="The overlay's folder; needs SOURCE and a scheduler."),
        click.option("--component", is_flag=True, help="A kustomize Component, to be listed in SOURCE."),
        click.option("--rendered", is_flag=True, help="Final manifests of every object of SOURCE."),
        click.option("--force", is_flag=True, help="Replace a schedulerName of no known backend."),
    )))


def _add(command: Command, decorators: Sequence[Callable[[Command], Command]]) -> Command:
    for decorate in reversed(decorators):
        command = decorate(command)
    return command
