"""The options that several commands share, and the types of what they give."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


FORMATS = ("auto", "text", "json", "sarif", "junit", "github", "gitlab", "markdown")


def _check_formats(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse what is no ``FORMAT`` or ``FORMAT=FILE``."""
    for value in values:
        name, equals, file = value.partition("=")
        if name not in FORMATS:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(map(repr, FORMATS))}.", context, option)
        if equals and not file:
            raise click.BadParameter(f"{value!r} names no file after =.", context, option)
    return values


def _complete_formats(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in FORMATS if name.startswith(incomplete)]


class Showing(TypedDict):
    """How findings are shown and when they fail the run."""

    fail_on: str
    show_notes: bool
    quiet: bool
    no_color: bool


class Reporting(Showing):
    """One format, on stdout."""

    format: str


class Reports(Showing):
    """Formats, each on stdout or in a file (``FORMAT=FILE``)."""

    format: tuple[str, ...]


class Selecting(TypedDict):
    """Which ids count.

    Attributes:
        select, ignore: ids or globs, separated by commas.
    """

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    preview: bool


class Control(Selecting):
    """Which findings count.

    Attributes:
        write_baseline: the file, empty for the usual place; None when nothing is to be written.
    """

    baseline: str | None
    write_baseline: str | None


class Comparing(TypedDict):
    """Which revision the objects are compared with."""

    changed_since: str | None


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
    values: tuple[str, ...]
    release: str | None
    namespace: str | None
    if_configured: bool


_SHOWING = (
    click.option("--fail-on", type=click.Choice(["error", "warning", "note"]), default="error",
                 show_default=True, help="The lowest severity that makes the exit code 1."),
    click.option("--show-notes", is_flag=True, help="Show notes among many findings too."),
    click.option("-q", "--quiet", is_flag=True, help="Print findings alone, without counts and remarks."),
    click.option("--no-color", is_flag=True, help="No colour (NO_COLOR does the same)."),
)


def examples(*lines: str) -> str:
    """A help text's last paragraph: command lines to try."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


def showing(command: Command) -> Command:
    """Add the options of Showing."""
    return _add(command, _SHOWING)


def reporting(command: Command) -> Command:
    """Add the options of Reporting."""
    return _add(command, (
        click.option("--format", type=click.Choice(["auto", "text", "json"]), default="auto",
                     show_default=True, help="How the answer is written."),
        *_SHOWING,
    ))


def reports(command: Command) -> Command:
    """Add the options of Reports."""
    return _add(command, (
        click.option("--format", metavar="FORMAT[=FILE]", multiple=True, default=("auto",),
                     callback=_check_formats, shell_complete=_complete_formats,
                     help="auto, text, json, sarif, junit, github, gitlab or markdown; may be given again, with "
                     "files.  [default: auto: github in GitHub Actions, else text]"),
        *_SHOWING,
    ))


def selecting(command: Command) -> Command:
    """Add the options of Selecting."""
    return _add(command, (
        click.option("--select", metavar="ID[,ID]...", multiple=True, help="Only these ids count; globs too."),
        click.option("--ignore", metavar="ID[,ID]...", multiple=True, help="These ids do not count; globs too."),
        click.option("--preview", is_flag=True, help="New rules of this release count, too."),
    ))


def control(command: Command) -> Command:
    """Add the options of Control."""
    return selecting(_add(command, (
        click.option("--baseline", metavar="FILE",
                     help="Known findings, which do not count.  [default: .gangform-baseline.json beside "
                     "gangform.yaml, if there]"),
        click.option("--write-baseline", metavar="[=FILE]", is_flag=False, flag_value="",
                     help="Write all findings of this run to the baseline."),
    )))


def hook(command: Command) -> Command:
    """Add ``--hook``."""
    return _add(command, (
        click.option("--hook", is_flag=True,
                     help="The PATHs are the files of a commit: those of other programs are passed over, and of the "
                     "kustomization that lists a file is told what is about that file."),
    ))


def comparing(command: Command) -> Command:
    """Add the option of Comparing."""
    return _add(command, (
        click.option("--changed-since", metavar="REVISION",
                     help="Look only at what may have changed since a git revision, such as origin/main, and also "
                     "tell what changed under the same name."),
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
        click.option("--if-configured", is_flag=True,
                     help="Do nothing where no gangform.yaml names overlays; for hooks that many repositories share."),
        click.option("--values", metavar="FILE", multiple=True,
                     help="Where SOURCE is a Helm chart: values; may be given again, later ones win."),
        click.option("--release", metavar="NAME", help="Where SOURCE is a Helm chart: the release.  [default: the "
                     "chart's name]"),
        click.option("--namespace", metavar="NAME", help="Where SOURCE is a Helm chart: the release's namespace.  "
                     "[default: default]"),
    )))


def _add(command: Command, decorators: Sequence[Callable[[Command], Command]]) -> Command:
    for decorate in reversed(decorators):
        command = decorate(command)
    return command
