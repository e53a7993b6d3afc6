"""Tell of every job how big its gang is, what it asks for, and which files would change."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from gangform import pipeline, sizing
from gangform.catalog import CATALOG
from gangform.contracts import Circumstances
from gangform.edges import disk
from gangform.model.finding import Problem
from gangform.model.source import Document
from gangform.model.workload import Ref, identify
from gangform.pipeline import Inspected
from gangform.provenance import locate_written
from gangform.settings import Cluster, Settings, Target
from gangform.workflows.gathering import Gathered, gather
from gangform.workflows.judging import Control, Judged, conclude, judge_build
from gangform.workflows.outcome import Counts, GangPlan, Planned, Progress
from gangform.workflows.overlays import prepare
from gangform.workflows.sources import Build, Shelf, build


def plan(
    paths: Sequence[str],
    settings: Settings,
    cluster: Cluster,
    targets: Sequence[Target],
    *,
    read_stdin: Callable[[], bytes],
    progress: Progress,
) -> Planned:
    """Plan the jobs below the paths for one cluster.

    Args:
        paths: files, folders (a kustomization is built), or ``-``.
        settings: severities.
        cluster: backend and options.
        targets: the cluster's overlays, to tell which files rendering would touch.
        read_stdin: called when ``-`` is among the paths.
        progress: told how far it is.

    Raises:
        InputError: a path does not exist or cannot be read.
        ProgramError: a kustomization needs kustomize, which is missing or failed.
    """
    shelf = Shelf()
    control = Control(settings)
    judged: list[Judged] = []
    jobs: list[GangPlan] = []
    files = _files(shelf, targets, control)
    gathered = _gather(shelf, paths, read_stdin)
    for built in _builds(shelf, gathered, progress):
        inspection = pipeline.inspect(built.documents, CATALOG)
        judged.append(judge_build(built, cluster, control))
        judged += [Judged(tuple(finding for finding in shelf.read(path).findings if finding.rule != "ambiguous-scalar"))
                   for path in built.files]
        priorities = {**inspection.priorities, **cluster.priorities}
        jobs += [_describe(item, built, cluster, priorities, files.get(_key(item.document), ()))
                 for item in inspection.jobs]
    counts = Counts(len(gathered.files), len(jobs), builds=len(gathered.kustomizations), patches=len(gathered.hidden))
    return Planned(conclude((), judged, control, counts), tuple(jobs))


def _gather(shelf: Shelf, paths: Sequence[str], read_stdin: Callable[[], bytes]) -> Gathered:
    """Walk the paths; a kustomization that cannot be read has no plan."""
    gathered = gather(shelf, paths, read_stdin)
    for _, error in gathered.unreadable:
        raise error
    return gathered


def _builds(shelf: Shelf, gathered: Gathered, progress: Progress) -> Iterator[Build]:
    reached: set[str] = set()
    for done, here in enumerate(gathered.kustomizations):
        progress("building kustomizations", done, len(gathered.kustomizations))
        reached.update(shelf.resource_files(here.folder))
        yield build(shelf, here.folder)
    for path in gathered.files:
        if path not in reached:
            yield Build(path, shelf.read(path).documents, {}, None, (path,))


Files = tuple[tuple[str, str], ...]
"""Files of overlays, each with what rendering would do to it."""


def _key(document: Document) -> tuple[str, Ref]:
    """Tell a job from another team's of the same name: by the text that holds it."""
    return disk.real(document.source.name), identify(document.data)


def _files(shelf: Shelf, targets: Sequence[Target], control: Control) -> dict[tuple[str, Ref], Files]:
    found: dict[tuple[str, Ref], Files] = {}
    for target in targets:
        if not disk.is_folder(target.source):
            continue
        prepared = prepare(shelf, target, control)
        changed = {change.path: change.kind for change in prepared.changes}
        wanted = {job.workload.ref for job in prepared.jobs}
        for document in prepared.built.documents:
            key = _key(document)
            if key[1] in wanted:
                mine = [path for path in prepared.tree if path.startswith(f"{key[1].name}.")]
                found[key] = (*found.get(key, ()),
                              *((f"{target.path}/{path}", changed.get(path, "same")) for path in mine))
    return found


def _describe(
    item: Inspected, built: Build, cluster: Cluster, priorities: Mapping[str, int], files: Files
) -> GangPlan:
    workload = item.subject.workload
    assert workload is not None  # noqa: S101 - the caller passes jobs only
    backend = CATALOG.backends[cluster.backend]
    planned = backend.plan(workload, Circumstances(cluster.options, priorities))
    size = sizing.min_member(workload)
    largest, requests = sizing.largest_pod(workload)
    gang = backend.read_group(planned.groups[0].data) if planned.groups else None
    return GangPlan(
        workload=workload,
        source=_source(item.document, built),
        backend=cluster.backend,
        min_member=size.value,
        reason=size.reason,
        asks=sizing.spell(sizing.gang_requests(workload)),
        largest=(largest, sizing.spell(requests)),
        queue=(gang.queue or "") if gang else "",
        priority_class=(gang.priority_class or "") if gang else "",
        files=files,
        notices=tuple(problem.message for problem in planned.notices),
    )


def _source(document: Document, built: Build) -> str:
    if built.chain is not None:
        return built.folder
    where = locate_written(document, Problem((), ""))
    return f"{where.path}:{where.line}"
