"""From options to the cluster and the overlays that are meant."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from gangform.cli.options import Choice, Placement
from gangform.model.errors import InputError

if TYPE_CHECKING:
    from gangform.settings import Cluster, Layout, Settings, Target


def cluster(settings: "Settings", given: Choice) -> "Cluster | None":
    """The cluster that the options name, or None when they name none.

    Raises:
        click.UsageError: the options contradict each other.
        InputError: a name or value is unknown.
    """
    from gangform.workflows import configuration

    if given["cluster"] is not None and given["backend"] is not None:
        raise click.UsageError("--cluster and --backend exclude each other: "
                               "a cluster of gangform.yaml already names its backend")
    if given["cluster"] is None and given["backend"] is None and (given["option"] or given["groups"]):
        used = "--option" if given["option"] else "--groups"
        raise click.UsageError(f"{used} needs --backend or --cluster")
    options = _parse(given["option"])
    return configuration.select(settings, given["cluster"], given["backend"], options, given["groups"])


def one_cluster(settings: "Settings", given: Choice) -> "Cluster":
    """The cluster that the options name, else the only one of the settings.

    Raises:
        click.UsageError: none is named and the settings do not hold exactly one.
    """
    names = list(settings.clusters)
    if given["cluster"] is None and given["backend"] is None and len(names) == 1:
        given = {**given, "cluster": names[0]}
    chosen = cluster(settings, given)
    if chosen is None:
        named = f" ({', '.join(names)})" if names else ""
        raise click.UsageError(f"for which scheduler? Give --backend BACKEND or --cluster NAME{named}")
    return chosen


def load(given: Placement) -> "Settings":
    """Read the settings; a command without SOURCE cannot do without them.

    Raises:
        InputError: they are needed and missing, or wrong.
    """
    from gangform.workflows import configuration

    return configuration.load(given["config"], need=given["source"] is None)


def is_idle(given: Placement) -> bool:
    """Whether ``--if-configured`` says that there is nothing to do.

    Raises:
        InputError: the settings are wrong.
    """
    from gangform.workflows import configuration

    return given["if_configured"] and not configuration.load(given["config"]).overlays


def targets(settings: "Settings", given: Placement) -> "tuple[Target, ...]":
    """The overlays that the options mean: one from SOURCE to DIR, or those of the settings.

    Raises:
        click.UsageError: the options do not fit together.
        InputError: no overlay is meant.
    """
    from pathlib import PurePath

    from gangform.settings import Target

    if given["component"] and given["rendered"]:
        raise click.UsageError("--component and --rendered exclude each other")
    if "" in (given["source"], given["output"]):
        raise click.UsageError(f"{'-o' if given['source'] else 'the source'} is empty; write . for the working folder")
    if given["output"] is None:
        return _configured(settings, given)
    if given["source"] is None:
        raise click.UsageError("-o needs a SOURCE: gangform render base -o overlays/dev --backend volcano")
    layout: Layout = "kustomization"
    if given["component"] or given["rendered"]:
        layout = "component" if given["component"] else "rendered"
    source, path = PurePath(given["source"]).as_posix(), PurePath(given["output"]).as_posix()
    values = tuple(PurePath(name).as_posix() for name in given["values"])
    return (Target(one_cluster(settings, given), source, path, layout, given["force"], values,
                   given["release"] or "", given["namespace"] or ""),)


def _configured(settings: "Settings", given: Placement) -> "tuple[Target, ...]":
    from gangform.workflows import configuration

    stray = [flag for flag, used in (
        ("--backend", given["backend"] is not None), ("--option", given["option"]),
        ("--groups", given["groups"]), ("--component", given["component"]),
        ("--rendered", given["rendered"]), ("--values", given["values"]), ("--release", given["release"]),
        ("--namespace", given["namespace"])) if used]
    if stray:
        raise click.UsageError(f"{stray[0]} goes with SOURCE and -o DIR: gangform.yaml has its own")
    if not settings.path:
        raise InputError(f"nothing says where the overlay of {given['source']} goes",
                         "give -o DIR and --backend BACKEND, or write a gangform.yaml")
    wanted = cluster(settings, given)
    found = tuple(
        target._replace(replace_scheduler=target.replace_scheduler or given["force"])
        for target in configuration.targets(settings, wanted.name if wanted else None)
        if _meant(target, given["source"]))
    if not found:
        parts = [f" for cluster {wanted.name}" if wanted else "",
                 f" at or below {given['source']}" if given["source"] else ""]
        raise InputError(f"{settings.path} has no overlay{''.join(parts)}",
                         "add it below overlays:, or give SOURCE, -o DIR and --backend BACKEND")
    return found


def _meant(target: "Target", source: str | None) -> bool:
    from pathlib import PurePath

    wanted = "." if source is None else PurePath(os.path.normpath(source)).as_posix()
    return wanted == "." or any(
        path == wanted or path.startswith(wanted + "/") for path in (target.source, target.path))


def _parse(options: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Texts by option name, as ``settings.read_options`` takes them from a command line."""
    texts: dict[str, tuple[str, ...]] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not (name and equals):
            raise click.UsageError(f"--option {option!r} is not KEY=VALUE")
        texts[name] = (*texts.get(name, ()), value)
    return texts
