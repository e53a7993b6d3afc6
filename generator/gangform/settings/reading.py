"""A document to Settings: first its shape, then its meaning; every problem at its place."""

import posixpath
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from gangform.contracts import Backend
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get
from gangform.model.source import Document
from gangform.model.tree import Layout
from gangform.settings import captures
from gangform.settings.options import read_options, unknown
from gangform.settings.values import Cluster, RulesAt, Settings, Target

SCHEMA = "gangform.dev/settings_v1"
"""Name of the settings' schema below ``schemas/``, without ``.json``."""


_CHART_KEYS = ("values", "release", "namespace")
"""Keys of an overlay that only a Helm chart has a use for."""


def read(
    document: Document, backends: Mapping[str, Backend], rules: Collection[str] | None = None,
) -> tuple[Settings, tuple[Problem, ...]]:
    """Read gangform.yaml.

    Args:
        document: the file's one document.
        backends: every known backend by name.
        rules: every known finding id; None leaves the ids in ``rules:`` unchecked.

    Returns:
        The settings and every problem found. The settings are fit for use only without problems.
    """
    from gangform import schema

    data = _respell(document.data)
    path = document.source.name
    folder = posixpath.dirname(path) or "."
    problems = list(schema.check(data, SCHEMA))
    if problems:
        return Settings(path, folder), _as_written(problems, document.data)
    data = schema.prune(data)
    priorities = data.get("priorities", {})
    clusters = {name: _read_cluster(name, given, priorities, backends, problems)
                for name, given in data.get("clusters", {}).items()}
    overlays = tuple(_read_overlays(data.get("overlays", []), clusters, problems))
    problems += _collisions(overlays)
    settings = Settings(
        path, folder, clusters=clusters, overlays=tuple(target for _, target in overlays),
        rules=tuple(_read_rules(data.get("rules", []), rules, problems)),
        schema_locations=tuple(data.get("schema-locations", ())),
        kubeconform=data.get("kubeconform", "auto"), priorities=priorities)
    return settings, _as_written(problems, document.data)


def _respell(data: dict[str, Any]) -> dict[str, Any]:
    """Give rules their key ``off`` back: kubectl's YAML 1.1, which manifests need, reads a boolean there."""
    rules = data.get("rules")
    if not isinstance(rules, list):
        return data
    return {**data, "rules": [{"off" if key == "false" else key: value for key, value in entry.items()}
                              if isinstance(entry, dict) and "off" not in entry else entry for entry in rules]}


def _as_written(problems: list[Problem], data: dict[str, Any]) -> tuple[Problem, ...]:
    """Point at the key ``off`` as the document holds it."""
    return tuple(
        problem._replace(pointer=(*problem.pointer[:2], "false", *problem.pointer[3:]))
        if problem.pointer[:1] == ("rules",) and problem.pointer[2:3] == ("off",)
        and get(data, (*problem.pointer[:2], "off")) is None else problem
        for problem in problems)


def _read_cluster(
    name: str, given: Mapping[str, Any], priorities: Mapping[str, int], backends: Mapping[str, Backend],
    problems: list[Problem],
) -> Cluster:
    at: Pointer = ("clusters", name)
    options: Mapping[str, Any] = {}
    backend = backends.get(given["backend"])
    if backend is None:
        problems.append(unknown((*at, "backend"), given["backend"], backends, "known backend"))
    else:
        options, refused = read_options(given.get("options", {}), backend)
        problems += (problem._replace(pointer=(*at, "options", *problem.pointer)) for problem in refused)
    return Cluster(name, given["backend"], given.get("groups", "git"), options, given.get("versions", {}),
                   {**priorities, **given.get("priorities", {})}, frozenset(given.get("queues", ())))


def _read_overlays(
    given: list[Mapping[str, Any]], clusters: Mapping[str, Cluster], problems: list[Problem],
) -> Iterator[tuple[int, Target]]:
    for number, overlay in enumerate(given):
        at: Pointer = ("overlays", number)
        cluster = clusters.get(overlay["cluster"])
        if cluster is None:
            problems.append(unknown((*at, "cluster"), overlay["cluster"], clusters, "cluster of this file"))
            continue
        wrong = [problem for key in ("source", "path") for problem in _wrong_path(overlay[key], (*at, key))]
        wrong += _wrong_values(overlay, at)
        problems += wrong
        if wrong:
            continue
        usual: Layout = "rendered" if any(key in overlay for key in _CHART_KEYS) else "kustomization"
        target = Target(cluster, posixpath.normpath(overlay["source"]), posixpath.normpath(overlay["path"]),
                        overlay.get("layout", usual), overlay.get("replace-scheduler", False),
                        tuple(overlay.get("values", ())), overlay.get("release", ""), overlay.get("namespace", ""))
        problems += _wrong_target(target, at)
        problems += _wrong_chart(overlay, target, at)
        yield number, target


def _wrong_path(path: str, at: Pointer) -> Iterator[Problem]:
    if "\\" in path:
        yield Problem(at, f"path {path!r} has a backslash", "write / on every system")
    elif path.startswith(("/", "~")) or path[1:2] == ":":
        yield Problem(at, f"path {path!r} is absolute", "write it relative to the folder of this file")
    elif posixpath.normpath(path).split("/")[0] == "..":
        yield Problem(at, f"path {path!r} leads out of the folder of this file",
                      "move this file to the top of the repository, and write paths from there")
    elif at[-1] == "path" and posixpath.normpath(path) == ".":
        yield Problem(at, "the overlay would be written into the folder of this file",
                      "give it a folder of its own")
    elif fault := captures.fault(path):
        yield Problem(at, f"path {path!r} {fault}", "see the settings page of the documentation for examples")


def _wrong_values(overlay: Mapping[str, Any], at: Pointer) -> Iterator[Problem]:
    """Find values files that do not lie in the repository; their paths begin at the chart."""
    for number, path in enumerate(overlay.get("values", ())):
        here = (*at, "values", number)
        if path.startswith(("/", "~")) or path[1:2] == ":" or "://" in path:
            yield Problem(here, f"values file {path!r} is no path from the chart's folder",
                          "write it relative to the source")
        else:
            yield from _wrong_path(posixpath.join(overlay["source"], path), here)


def _wrong_chart(overlay: Mapping[str, Any], target: Target, at: Pointer) -> Iterator[Problem]:
    given = [key for key in _CHART_KEYS if key in overlay]
    if given and target.layout != "rendered":
        yield Problem((*at, "layout"), f"layout {target.layout} does not fit {given[0]}, which is for Helm charts: "
                      "kustomize builds on no chart", "write layout: rendered, or leave the layout out")
    known = captures.names(target.source)
    for key in given:
        texts = overlay[key] if isinstance(overlay[key], list) else [overlay[key]]
        for name in (name for text in texts for name in captures.names(text) if name not in known):
            yield Problem((*at, key), f"{{{name}}} is not in source {target.source!r}, so nothing fills it",
                          f"put {{{name}}} into the source, or write a fixed text")


def _wrong_target(target: Target, at: Pointer) -> Iterator[Problem]:
    source, path = captures.names(target.source), captures.names(target.path)
    for name in path:
        if name not in source:
            yield Problem((*at, "path"), f"{{{name}}} is not in source {target.source!r}, so nothing fills it",
                          f"put {{{name}}} into the source, or write a fixed path")
    for name in source:
        if name not in path:
            yield Problem((*at, "path"), f"{{{name}}} of source {target.source!r} is missing here, so that "
                          f"every {name} would be written to the same folder", f"put {{{name}}} into the path")
    if target.source == target.path:
        yield Problem((*at, "path"), f"the overlay would be written into its own source {target.source!r}",
                      "give it a folder of its own")
    elif target.layout == "kustomization" and _inside(target.path, target.source):
        yield Problem((*at, "path"), f"{target.path!r} lies inside its source {target.source!r}, which "
                      "kustomize refuses to build as a cycle",
                      "move it beside the source, or set layout: component")


def _inside(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(folder + "/")


def _collisions(overlays: tuple[tuple[int, Target], ...]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, target in overlays:
        taken = first.setdefault(captures.outline(target.path), number)
        if taken != number:
            yield Problem(("overlays", number, "path"),
                          f"overlay {number + 1} has the same path as overlay {taken + 1}: {target.path!r}",
                          "give each overlay a folder of its own")


def _read_rules(
    given: list[Mapping[str, Any]], known: Collection[str] | None, problems: list[Problem],
) -> Iterator[RulesAt]:
    for number, entry in enumerate(given):
        at: Pointer = ("rules", number)
        off, severity = entry.get("off", []), entry.get("severity", {})
        if known is not None:
            problems += (unknown((*at, "off", index), name, known, "rule")
                         for index, name in enumerate(off) if name not in known)
            problems += (unknown((*at, "severity", name), name, known, "rule", on_key=True)
                         for name in severity if name not in known)
        yield RulesAt(tuple(entry.get("paths", ("**",))), frozenset(off),
                      {name: Severity[word.upper()] for name, word in severity.items()})
