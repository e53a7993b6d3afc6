"""Look at files, folders, kustomizations and stdin, and say what is wrong."""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.model.errors import GangformError, ProgramError
from gangform.model.finding import Finding, Location, Severity
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.provenance import locate_written
from gangform.settings import Cluster, Settings
from gangform.text.reading import Reading
from gangform.workflows.gathering import Gathered, gather
from gangform.workflows.judging import judge_build, settled
from gangform.workflows.outcome import Counts, Outcome, Progress
from gangform.workflows.sources import STDIN, Kustomization, Shelf, build

OURS = ("MPIJob", "PodGroup")
"""Words without which a file found by walking is none of our business."""


class _Builds(NamedTuple):
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    reached: frozenset[str]
    built: int


def validate(
    paths: Sequence[str],
    settings: Settings,
    cluster: Cluster | None,
    *,
    read_stdin: Callable[[], bytes],
    progress: Progress,
) -> Outcome:
    """Check every job and group below the paths, alone and in the builds that hold them.

    Args:
        paths: files, folders, or ``-`` for stdin.
        settings: severities, and which overlay belongs to which cluster.
        cluster: what the jobs are meant for, when it was given.
        read_stdin: called when ``-`` is among the paths.
        progress: told how far it is.

    Raises:
        InputError: a path does not exist or cannot be read.
        ProgramError: a program that was found failed to run.
    """
    shelf = Shelf()
    gathered = gather(shelf, paths, read_stdin)
    readings = dict(_readings(shelf, gathered, progress))
    builds = _check_builds(shelf, gathered, settings, cluster, progress)
    findings = [finding for path, reading in readings.items()
                for finding in _reader_findings(path, reading, gathered)]
    counts = Counts(files=len(readings), builds=builds.built, patches=len(gathered.hidden))
    for scene_paths, whole in _scenes(readings, builds.reached):
        documents = [document for path in scene_paths for document in readings[path].documents]
        inspection = pipeline.inspect(documents, CATALOG)
        statements = inspection.statements
        if not whole:
            scene = pipeline.assemble(inspection, CATALOG, whole=False, cluster=cluster)
            statements += pipeline.judge(inspection, scene, CATALOG)
        findings += pipeline.settle(statements, locate_written)
        counts = _count(counts, inspection, [readings[path] for path in scene_paths])
    merged = pipeline.merge((*findings, *builds.findings))
    return Outcome(settled(merged, settings), counts, builds.notes)


def _readings(shelf: Shelf, gathered: Gathered, progress: Progress) -> Iterator[tuple[str, Reading]]:
    for done, path in enumerate(gathered.files):
        progress("reading files", done, len(gathered.files))
        yield path, shelf.read(path)


def _reader_findings(path: str, reading: Reading, gathered: Gathered) -> Iterator[Finding]:
    if path not in gathered.named and not any(word in reading.source.text for word in OURS):
        return
    for finding in reading.findings:
        if finding.rule != "ambiguous-scalar" or _is_ours(finding):
            yield finding


def _is_ours(finding: Finding) -> bool:
    subject = finding.subject
    groups = {backend.GROUP_API for backend in CATALOG.backends.values()}
    return subject is not None and (
        (subject.api_version, subject.kind) in CATALOG.kinds or (subject.api_version, subject.kind) in groups)


def _check_builds(
    shelf: Shelf, gathered: Gathered, settings: Settings, cluster: Cluster | None, progress: Progress
) -> _Builds:
    if not gathered.kustomizations:
        return _Builds((), (), frozenset(), 0)
    from gangform.edges import kustomize

    findings: list[Finding] = []
    notes: list[str] = []
    reached: set[str] = set()
    by_path = {target.path: target.cluster for target in settings.overlays}
    count = 0
    for done, here in enumerate(gathered.kustomizations):
        progress("building kustomizations", done, len(gathered.kustomizations))
        remote = shelf.is_remote(here.folder)
        if remote is not None:
            notes.append(f"{here.path} names {remote}, which lies elsewhere: it was not built")
            continue
        if shelf.needs_program(here.folder) and kustomize.find() is None:
            continue
        try:
            built = build(shelf, here.folder)
        except ProgramError:
            raise
        except GangformError as error:
            findings.append(_build_failed(here, error))
            continue
        count += 1
        reached.update(shelf.resource_files(here.folder))
        findings += judge_build(built, CATALOG, cluster or by_path.get(here.folder))
    unbuilt = [here for here in gathered.kustomizations
               if shelf.needs_program(here.folder) and kustomize.find() is None]
    if unbuilt:
        notes.append(f"{len(unbuilt)} kustomizations were not built: neither kustomize nor kubectl is on PATH; "
                     "their files were checked one by one")
    return _Builds(tuple(findings), tuple(notes), frozenset(reached), count)


def _build_failed(here: Kustomization, error: GangformError) -> Finding:
    return Finding(Location(here.path, 1, 1, 1, 1), "kustomize-build-failed", Severity.ERROR, error.message,
                   error.hint or f"run kustomize build {here.folder}")


def _scenes(
    readings: Mapping[str, Reading], reached: frozenset[str]
) -> Iterator[tuple[list[str], bool]]:
    """Yield files that belong together, and whether a build has already looked at them whole."""
    folders: dict[str, list[str]] = {}
    for path in readings:
        if path in reached:
            yield [path], True
        else:
            folders.setdefault(path if path == STDIN else posixpath.dirname(path), []).append(path)
    for paths in folders.values():
        identities = [identify(document.data) for path in paths
                      for document in _once(readings[path].documents)]
        if len(set(identities)) == len(identities):
            yield paths, False
        else:
            yield from (([path], False) for path in paths)


def _once(documents: Sequence[Document]) -> list[Document]:
    return [document for document in documents if document.data.get("kind") in OURS]


def _count(counts: Counts, inspection: pipeline.Inspection, readings: Sequence[Reading]) -> Counts:
    broken_jobs = sum(document.data.get("kind") == "MPIJob" for document in inspection.broken)
    return counts._replace(
        jobs=counts.jobs + len(inspection.jobs) + broken_jobs,
        groups=counts.groups + len(inspection.groups),
        templated=counts.templated + inspection.templated + sum(reading.templated for reading in readings),
    )


