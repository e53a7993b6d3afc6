"""Rules over a whole build, and the settings' last word on severities."""

import fnmatch
from collections.abc import Iterable, Iterator, Sequence

from gangform import pipeline
from gangform.contracts import Catalog
from gangform.model.finding import Finding, Location, Problem
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.pipeline import Inspection
from gangform.provenance import computed_from
from gangform.settings import Cluster, Settings
from gangform.workflows.sources import Build


def judge_build(built: Build, catalog: Catalog, cluster: Cluster | None) -> tuple[Finding, ...]:
    """Check every object of a build alone and together; findings point at their authors' lines."""
    inspection = pipeline.inspect(built.scene, catalog)
    whole = not inspection.templated
    scene = pipeline.assemble(inspection, catalog, whole=whole, cluster=cluster)
    statements = (*inspection.statements, *pipeline.judge(inspection, scene, catalog))
    return tuple(pipeline.settle(statements, _Locator(built, inspection, catalog), built.folder))


class _Locator:
    """The way from a built value to its author."""

    def __init__(self, built: Build, inspection: Inspection, catalog: Catalog) -> None:
        self._built = built
        self._catalog = catalog
        self._jobs: dict[str, dict[str, Document]] = {}
        for item in inspection.jobs:
            self._jobs.setdefault(item.subject.ref.namespace, {})[item.subject.ref.name] = item.document

    def __call__(self, document: Document, problem: Problem) -> Location:
        jobs = self._jobs.get(identify(document.data).namespace, {})
        source = computed_from(document, jobs, self._catalog, problem.pointer)
        if source is None:
            return self._built.locate(document, problem)
        return self._built.locate(source[0], problem._replace(pointer=source[1]))


def settled(findings: Sequence[Finding], settings: Settings) -> tuple[Finding, ...]:
    """Apply the settings' severities and switches by path; the last matching entry wins."""
    return tuple(_settled(findings, settings))


def _settled(findings: Iterable[Finding], settings: Settings) -> Iterator[Finding]:
    for finding in findings:
        severity = finding.severity
        off = False
        for entry in settings.rules:
            if any(fnmatch.fnmatch(finding.location.path, pattern) for pattern in entry.paths):
                off = off or finding.rule in entry.off
                severity = entry.severity.get(finding.rule, severity)
        if not off:
            yield finding._replace(severity=severity)
