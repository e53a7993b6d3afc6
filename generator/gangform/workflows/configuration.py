"""Find gangform.yaml, read it, and expand its overlays on the disk."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from gangform.catalog import BACKENDS
from gangform.contracts import Groups
from gangform.edges import disk, walking
from gangform.model.errors import InputError
from gangform.settings import Cluster, Settings, Target, captures, read, read_options
from gangform.text import reading

NAME = "gangform.yaml"


def load(explicit: str | None, *, need: bool = False, above: int = 32) -> Settings:
    """Read the settings.

    Args:
        explicit: a path that the user gave, or None to look upwards from the working folder to the
            root of the Git checkout.
        need: whether it is an error that there are none.
        above: how many folders above the working folder are looked into.

    Raises:
        InputError: there are none though needed, or they are wrong; the message names every fault.
    """
    path = explicit or _find(above)
    if path is None:
        if need:
            raise InputError(f"there is no {NAME} here or above",
                             "give SOURCE, -o DIR and --backend, or write one; see docs/settings.md")
        return Settings()
    found = reading.read(disk.show(path), disk.read_bytes(path))
    if found.findings or len(found.documents) > 1:
        lines = [f"{f.location.path}:{f.location.line}:{f.location.column}: {f.message}" for f in found.findings]
        raise InputError("\n".join(lines) or f"{disk.show(path)}: more than one document", "")
    if not found.documents:
        raise InputError(f"{disk.show(path)} is empty", "see docs/settings.md")
    settings, problems = read(found.documents[0], BACKENDS, _rule_ids(found.documents[0].data))
    if problems:
        lines = []
        for problem in problems:
            where = reading.location(found.documents[0], problem.pointer, problem.on)
            hint = f" ({problem.hint})" if problem.hint else ""
            lines.append(f"{where.path}:{where.line}:{where.column}: {problem.message}{hint}")
        raise InputError("\n".join(lines))
    folder = posixpath.dirname(disk.show(path)) or "."
    return settings._replace(path=disk.show(path), folder=folder)


def _rule_ids(data: Mapping[str, Any]) -> frozenset[str] | None:
    """Gather what ``rules:`` may name, from every module that reports; None where nothing is named."""
    if "rules" not in data:
        return None
    from gangform.workflows import explain

    return frozenset(name for name, _, _ in explain.listing())


def _find(above: int) -> str | None:
    folder = "."
    for _ in range(above + 1):
        path = posixpath.join(folder, NAME)
        if disk.exists(path):
            return posixpath.normpath(path)
        if disk.exists(posixpath.join(folder, ".git")):
            return None
        folder = posixpath.join(folder, "..")
    return None


def targets(settings: Settings, cluster: str | None = None) -> tuple[Target, ...]:
    """Expand every overlay on the disk, with paths relative to the working folder.

    Raises:
        InputError: an overlay's source matches no folder, or two overlays have one path.
    """
    found: dict[str, Target] = {}
    for overlay, matched in expand(settings):
        if cluster is not None and overlay.cluster.name != cluster:
            continue
        if not matched:
            raise InputError(f"{settings.path}: the source {overlay.source} "
                             "matches no folder with a kustomization or a chart")
        for target in matched:
            if target.path in found:
                raise InputError(f"{settings.path}: two overlays are written to {target.path}")
            found[target.path] = target
    return tuple(found[path] for path in sorted(found))


def expand(settings: Settings) -> Iterator[tuple[Target, list[Target]]]:
    """Yield each overlay of the settings with one for every folder that its source stands for.

    The paths of the latter are from the working folder. The disk is walked once, and only for captures.
    """
    below: list[str] | None = None
    for overlay in settings.overlays:
        if not captures.names(overlay.source):
            yield overlay, [_fill(settings, overlay, overlay.source, {})]
            continue
        below = _sources(settings.folder) if below is None else below
        yield overlay, [_fill(settings, overlay, folder, values)
                        for folder, values in captures.match(overlay.source, below)]


def _sources(top: str) -> list[str]:
    """Return the folders with a kustomization or a chart, as seen from the top."""
    found = walking.walk(top)
    below = {*(posixpath.dirname(name) or "." for name in found.kustomizations), *found.charts}
    return sorted(posixpath.relpath(folder, top) for folder in below)


def _fill(settings: Settings, overlay: Target, folder: str, values: Mapping[str, str]) -> Target:
    source = posixpath.normpath(posixpath.join(settings.folder, folder))
    path = posixpath.normpath(posixpath.join(settings.folder, captures.fill(overlay.path, values)))
    files = (posixpath.normpath(posixpath.join(source, captures.fill(name, values))) for name in overlay.values)
    return overlay._replace(
        source=source, path=path, values=tuple(files), release=captures.fill(overlay.release, values),
        namespace=captures.fill(overlay.namespace, values))


def select(
    settings: Settings,
    cluster: str | None,
    backend: str | None,
    options: Mapping[str, Any],
    groups: Groups | None = None,
) -> Cluster | None:
    """Pick a cluster of the settings, or make one for a backend; None when neither was named.

    Raises:
        InputError: an unknown cluster, backend or option.
    """
    if cluster is not None:
        if cluster not in settings.clusters:
            known = ", ".join(sorted(settings.clusters)) or f"none; there is no {NAME}"
            raise InputError(f"there is no cluster {cluster}", f"known clusters: {known}")
        chosen = settings.clusters[cluster]
        backend = chosen.backend
    elif backend is None:
        if options:
            raise InputError("--option needs --backend or --cluster")
        return None
    elif backend not in BACKENDS:
        raise InputError(f"there is no backend {backend}", f"known backends: {', '.join(sorted(BACKENDS))}")
    else:
        chosen = Cluster("", backend)
    values, problems = read_options(options, BACKENDS[chosen.backend], chosen.options)
    if problems:
        raise InputError("; ".join(problem.message for problem in problems),
                         "; ".join(dict.fromkeys(problem.hint for problem in problems if problem.hint)))
    return chosen._replace(options=values, groups=groups or chosen.groups)

