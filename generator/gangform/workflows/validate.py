"""Look at files, folders, kustomizations and stdin, and say what is wrong."""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.edges import checkout, disk
from gangform.model.errors import GangformError, ProgramError
from gangform.model.finding import Finding
from gangform.model.source import Document
from gangform.model.workload import Ref, identify
from gangform.provenance import locate_written
from gangform.report.text import count
from gangform.selection import EVERYTHING, IGNORE, Selection
from gangform.settings import Cluster, Settings
from gangform.text.reading import Reading
from gangform.workflows import configuration, failing, revisions
from gangform.workflows.gathering import Gathered, gather
from gangform.workflows.judging import Control, Judged, conclude, judge, judge_build, look_at
from gangform.workflows.outcome import Counts, LookedAt, Outcome, Progress
from gangform.workflows.revisions import Earlier
from gangform.workflows.sources import STDIN, Build, Shelf, build

OURS = ("MPIJob", "PodGroup")
"""Words without which a file found by walking is none of our business."""

FLUX = "kustomize.toolkit.fluxcd.io"
"""API group of the objects by which Flux applies a kustomization."""


class _Builds(NamedTuple):
    """What the builds say; ``beyond`` is how many jobs they hold from files that are not looked at alone."""

    findings: tuple[Finding, ...]
    judged: tuple[Judged, ...]
    notes: tuple[str, ...]
    reached: frozenset[str]
    built: int
    beyond: int = 0


def validate(
    paths: Sequence[str],
    settings: Settings,
    cluster: Cluster | None,
    *,
    read_stdin: Callable[[], bytes],
    progress: Progress,
    changed_since: str | None = None,
    selection: Selection = EVERYTHING,
) -> Outcome:
    """Check every job and group below the paths, alone and in the builds that hold them.

    Args:
        paths: files, folders, or ``-`` for stdin.
        settings: severities, and which overlay belongs to which cluster.
        cluster: what the jobs are meant for, when it was given.
        read_stdin: called when ``-`` is among the paths.
        progress: told how far it is.
        changed_since: the git revision to compare with, if any.
        selection: ids that the command line names.

    Raises:
        InputError: a path does not exist or cannot be read, or the revision is unknown.
        ProgramError: a program that was found failed to run.
    """
    return examine(Shelf(), paths, Control(settings, selection), cluster, read_stdin=read_stdin, progress=progress,
                   changed_since=changed_since)


def examine(
    shelf: Shelf, paths: Sequence[str], control: Control, cluster: Cluster | None, *,
    read_stdin: Callable[[], bytes], progress: Progress, changed_since: str | None = None,
) -> Outcome:
    """Do as ``validate`` does, and raise what it raises; files that the shelf holds are not read from the disk."""
    gathered = gather(shelf, paths, read_stdin)
    objects: list[LookedAt] = []
    with revisions.earlier(changed_since) as earlier:
        gathered = earlier.narrow(shelf, gathered, control.settings) if earlier else gathered
        readings = dict(_readings(shelf, gathered, progress))
        builds = _check_builds(shelf, gathered, control, cluster, progress, earlier)
        # kustomize refuses a whole build for one broken file, whatever that file holds.
        ours = gathered.named | builds.reached
        judged = [_judge_text(path, reading, ours) for path, reading in readings.items()]
        counts = Counts(len(readings), builds.beyond, builds=builds.built, patches=len(gathered.hidden))
        for scene_paths, whole in _scenes(readings, builds.reached):
            documents = [document for path in scene_paths for document in readings[path].documents]
            inspection = pipeline.inspect(documents, CATALOG, embedded=True)
            scene = None if whole else pipeline.assemble(
                inspection, CATALOG, whole=False, cluster=cluster, groups=control.settings.groups,
                making=_making(earlier, scene_paths))
            judged.append(judge(inspection, scene, control, locate_written))
            counts = _count(counts, inspection, [readings[path] for path in scene_paths])
            objects += look_at(inspection)
    findings, notes = builds.findings, builds.notes
    if gathered.charts:
        from gangform.workflows import charts

        charted = charts.check(shelf, gathered.charts, control, cluster, OURS)
        findings, notes = (*findings, *charted.findings), (*notes, *charted.notes)
        judged += charted.judged
        objects += charted.objects
        counts = counts._replace(jobs=counts.jobs + charted.jobs, builds=counts.builds + charted.built,
                                 charts=charted.skipped)
    return conclude(findings, (*judged, *builds.judged), control, counts, notes)._replace(objects=tuple(objects))


def _making(earlier: Earlier | None, paths: Sequence[str]) -> pipeline.Making | None:
    """Tell what the objects of files were at the revision to compare with."""
    return pipeline.Making(before=earlier.of_files(paths), revision=earlier.revision) if earlier else None


def _judge_text(path: str, reading: Reading, ours: frozenset[str]) -> Judged:
    """Gather what is wrong with a text as such, less what annotations in it exempt from."""
    findings = tuple(_reader_findings(path, reading, ours))
    if not findings or IGNORE not in reading.source.text:
        return Judged(findings)
    from gangform import suppression

    return Judged(*suppression.split_text_findings(findings, reading.documents, locate_written))


def _readings(shelf: Shelf, gathered: Gathered, progress: Progress) -> Iterator[tuple[str, Reading]]:
    for done, path in enumerate(gathered.files):
        progress("reading files", done, len(gathered.files))
        yield path, shelf.read(path)


def _reader_findings(path: str, reading: Reading, ours: frozenset[str]) -> Iterator[Finding]:
    if path not in ours and not any(word in reading.source.text for word in OURS):
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
    shelf: Shelf, gathered: Gathered, control: Control, cluster: Cluster | None, progress: Progress,
    earlier: Earlier | None,
) -> _Builds:
    findings = [finding for path, error in gathered.unreadable
                for finding in failing.report_unreadable(shelf, path, error)]
    if not gathered.kustomizations:
        return _Builds(tuple(findings), (), (), frozenset(), 0)
    from gangform.edges import kustomize

    judged: list[Judged] = []
    notes: list[str] = []
    reached: set[str] = set()
    clusters = _clusters(control.settings)
    syncs = _syncs(shelf, gathered)
    unbuilt = 0
    alone, beyond = frozenset(gathered.files), set[tuple[str, Ref]]()
    for done, here in enumerate(gathered.kustomizations):
        progress("building kustomizations", done, len(gathered.kustomizations))
        try:
            remote = shelf.find_remote(here.folder)
            if remote is not None:
                notes.append(f"{here.folder} was not built: {remote.where.path}:{remote.where.line} names "
                             f"{remote.entry}, which lies elsewhere, and gangform fetches nothing")
                continue
            if shelf.needs_program(here.folder) and kustomize.find() is None:
                unbuilt += 1
                continue
            built = build(shelf, here.folder)
        except ProgramError:
            raise
        except GangformError as error:
            findings.append(failing.report(shelf, here.folder, error))
            continue
        files = tuple(shelf.resource_files(here.folder))
        reached.update(files)
        if any(_holds_jobs(shelf.read(path)) for path in files if path not in alone):
            beyond |= _jobs_beyond(built, alone)
        built = built._replace(syncs=syncs.get(here.folder, ()))
        judged.append(judge_build(built, cluster or clusters.get(disk.real(here.folder)), control, earlier))
    if unbuilt:
        notes.append(f"{count(unbuilt, 'kustomization')} not built: neither kustomize nor kubectl is on PATH; "
                     "the files were checked one by one")
    return _Builds(tuple(findings), tuple(judged), tuple(notes), frozenset(reached), len(judged), len(beyond))


def _holds_jobs(reading: Reading) -> bool:
    return any(identify(document.data)[:2] in CATALOG.kinds for document in reading.documents)


def _jobs_beyond(built: Build, alone: frozenset[str]) -> set[tuple[str, Ref]]:
    """Name the jobs of a build that come from other files than those that are looked at alone.

    This asks the build for origins, which kustomize is slow to tell.
    """
    jobs = ((document, ref) for document in built.documents
            if (ref := identify(document.data))[:2] in CATALOG.kinds)
    origins = ((built.origins.get(document.number) if document.source.built else document.source.name, ref)
               for document, ref in jobs)
    return {(origin, ref) for origin, ref in origins if origin is not None and origin not in alone}


def _clusters(settings: Settings) -> dict[str, Cluster]:
    """Map the real path of each folder that builds an overlay of the settings to the cluster that it is for."""
    targets = (target for _, matched in configuration.expand(settings) for target in matched)
    return {disk.real(target.source if target.layout == "component" else target.path): target.cluster
            for target in targets}


def _syncs(shelf: Shelf, gathered: Gathered) -> dict[str, tuple[Document, ...]]:
    """Find the Flux Kustomizations among the files, by the folder that each applies."""
    found: dict[str, tuple[Document, ...]] = {}
    for path in gathered.files:
        reading = shelf.read(path)
        for document in reading.documents if FLUX in reading.source.text else ():
            spec = document.data.get("spec")
            if identify(document.data).group == FLUX and isinstance(spec, dict):
                # Flux takes the path from the top of the repository, we from the working folder.
                applied = posixpath.normpath(str(spec.get("path") or ".").lstrip("/"))
                folder = posixpath.relpath(applied, checkout.below_root() or ".")
                found[folder] = (*found.get(folder, ()), document)
    return found


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
    broken = (*inspection.broken, *inspection.held_broken)
    broken_jobs = sum(document.data.get("kind") == "MPIJob" for document in broken)
    held_jobs = sum(item.subject.workload is not None for item in inspection.held)
    return counts._replace(
        jobs=counts.jobs + len(inspection.jobs) + held_jobs + broken_jobs,
        groups=counts.groups + len(inspection.groups),
        templated=counts.templated + inspection.templated + inspection.held_templated
        + sum(reading.templated for reading in readings),
    )


