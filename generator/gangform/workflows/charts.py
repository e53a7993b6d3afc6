"""Helm charts as sources: what they render to, and which of their templates made which object."""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.edges import disk, helm
from gangform.edges.disk import CHART_FILE
from gangform.model.errors import InputError
from gangform.model.finding import Finding, Location, Severity
from gangform.model.source import Document
from gangform.model.workload import Ref
from gangform.report.text import count
from gangform.settings import Cluster, Settings, Target
from gangform.text import reading
from gangform.workflows import configuration
from gangform.workflows.judging import Control, Judged, judge_build, look_at
from gangform.workflows.outcome import LookedAt
from gangform.workflows.sources import Build, Shelf

_SOURCE = re.compile(r"^# Source: ([^\r\n]+?)[ \t]*\r?$", re.MULTILINE)
_CONTENT = re.compile(r"^[^#\s-]", re.MULTILINE)


class Charted(NamedTuple):
    """What is said of charts.

    Attributes:
        notes: plain sentences for stderr.
        objects: the jobs and groups that the charts render to.
        jobs: how many jobs these are, each once.
        built: how often a chart was rendered.
        skipped: charts whose templates were left alone.
    """

    findings: tuple[Finding, ...] = ()
    judged: tuple[Judged, ...] = ()
    notes: tuple[str, ...] = ()
    objects: tuple[LookedAt, ...] = ()
    jobs: int = 0
    built: int = 0
    skipped: int = 0


def check(
    shelf: Shelf, templates: Mapping[str, Sequence[str]], control: Control, cluster: Cluster | None,
    words: Collection[str],
) -> Charted:
    """Judge what charts render to with the values that the settings name; a template alone says nothing.

    Args:
        shelf: files of this run.
        templates: folder of a chart to its templates.
        control: which ids count.
        cluster: what the jobs are meant for, when it was given.
        words: without one of them in its templates a chart is not ours.

    Raises:
        ProgramError: helm was found but failed to run.
    """
    targets = _targets(control.settings)
    wanted = [target for chart in templates for target in targets.get(chart, ())]
    skipped = tuple(_skip(chart) for chart, files in templates.items() if chart not in targets
                    and any(word in shelf.read(path).source.text for path in files for word in words))
    if wanted and helm.find() is None:
        number = count(len({target.source for target in wanted}), "chart")
        return Charted(skipped, notes=(f"helm is not on PATH: {number} not rendered",), skipped=len(skipped))
    findings = list(skipped)
    judged = []
    objects: dict[tuple[str, Ref], LookedAt] = {}
    for target in wanted:
        try:
            built = build_target(shelf, target)
        except InputError as error:
            findings.append(_failed(target, error))
            continue
        judged.append(judge_build(built, cluster or target.cluster, control))
        found = look_at(pipeline.inspect(built.documents, CATALOG), target.source)
        objects |= {(one.path, one.ref): one for one in found}
    jobs = sum(ref.kind in {kind for _, kind in CATALOG.kinds} for _, ref in objects)
    return Charted(tuple(findings), tuple(judged), (), tuple(objects.values()), jobs, len(judged), len(skipped))


def _targets(settings: Settings) -> dict[str, list[Target]]:
    """Return the overlays of the settings by source; one that stands for no folder is no fault here."""
    found: dict[str, list[Target]] = {}
    for _, matched in configuration.expand(settings):
        for target in matched:
            source = disk.shorten(target.source)
            found.setdefault(source, []).append(target._replace(source=source))
    return found


def _skip(chart: str) -> Finding:
    return Finding(Location(posixpath.join(chart, CHART_FILE), 1, 1, 1, 1), "templated", Severity.NOTE,
                   "the templates of this chart were left alone",
                   f"name it as a source in gangform.yaml, or run: helm template {chart} | gangform validate -")


def _failed(target: Target, error: InputError) -> Finding:
    return Finding(Location(posixpath.join(target.source, CHART_FILE), 1, 1, 1, 1), "chart-render-failed",
                   Severity.ERROR, error.message, error.hint)


def build_target(shelf: Shelf, target: Target) -> Build:
    """Render the chart that is an overlay's source.

    Raises:
        InputError: another layout than ``rendered`` is wanted, or as for ``build``.
        ProgramError: as for ``build``.
    """
    if target.layout != "rendered":
        raise InputError(f"{target.source} is a Helm chart, and kustomize builds on no chart",
                         "only final manifests can be made of a chart: use --rendered, or layout: rendered")
    return build(shelf, target.source, helm.Release(
        target.release, target.namespace or "default", target.values, target.cluster.versions.get("kubernetes", "")))


def build(shelf: Shelf, folder: str, release: helm.Release) -> Build:
    """Render a chart.

    Args:
        shelf: files of this run.
        folder: holds the chart.
        release: what it is rendered for; the chart's own name stands in for an empty name.

    Raises:
        InputError: helm refuses the chart, or it renders to what cannot be read.
        ProgramError: helm is missing or failed to run.
    """
    program = helm.require(f"{folder} is a Helm chart")
    chart = _name(shelf, folder)
    text = helm.template(folder, release._replace(name=release.name or chart), program=program)
    rendered = reading.read(f"{folder} (rendered)", text, built=True)
    for finding in rendered.findings:
        if finding.severity is Severity.ERROR or finding.rule == "templated":
            raise InputError(f"{folder} renders to what cannot be read: {finding.message}",
                             f"see `helm template {folder}`")
    origins = dict(_origins(text, rendered.documents, folder, chart))
    return Build(folder, rendered.documents, origins, None, templated=True)


def _name(shelf: Shelf, folder: str) -> str:
    path = posixpath.join(folder, CHART_FILE)
    documents = shelf.read(path).documents
    name = documents[0].data.get("name") if len(documents) == 1 else None
    if not isinstance(name, str) or not name:
        raise InputError(f"{path} names no chart", "write name: and version:, as helm needs them")
    return name


def _origins(
    text: str, documents: Iterable[Document], folder: str, chart: str
) -> Iterator[tuple[int, str]]:
    """Tell which template each document came from.

    A template that begins with ``---`` is parted from its comment, so the last comment above counts.
    """
    told = list(_SOURCE.finditer(text))
    offsets = [match.start() for match in told]
    for document in documents:
        content = _CONTENT.search(text, document.start)
        above = bisect_left(offsets, content.start() if content else document.end)
        if above:
            yield document.number, _template(told[above - 1][1], folder, chart)


def _template(source: str, folder: str, chart: str) -> str:
    """Turn the path of a comment, which begins with the chart's name, into the path of the file."""
    first, _, rest = source.partition("/")
    path = posixpath.normpath(posixpath.join(folder, rest if first == chart else source))
    # A packed subchart has its templates in an archive.
    return path if disk.exists(path) else posixpath.join(folder, CHART_FILE)
