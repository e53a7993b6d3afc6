"""Tell of every job how big its gang is, what it asks for, and which files would change."""

from collections.abc import Callable, Iterator, Sequence

from gangform import pipeline, sizing
from gangform.catalog import CATALOG
from gangform.contracts import Circumstances
from gangform.edges import disk
from gangform.model.finding import Finding, Problem
from gangform.model.source import Document
from gangform.model.workload import Ref
from gangform.pipeline import Inspected
from gangform.provenance import locate_written
from gangform.settings import Cluster, Settings, Target
from gangform.workflows.gathering import gather
from gangform.workflows.judging import judge_build, settled
from gangform.workflows.outcome import Counts, GangPlan, Outcome, Planned, Progress
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
    findings: list[Finding] = []
    jobs: list[GangPlan] = []
    files = dict(_files(shelf, targets))
    for built in _builds(shelf, paths, read_stdin, progress):
        inspection = pipeline.inspect(built.documents, CATALOG)
        findings += judge_build(built, CATALOG, cluster)
        findings += [finding for path in built.files for finding in shelf.read(path).findings
                     if finding.rule != "ambiguous-scalar"]
        jobs += [_describe(item, built, cluster, files) for item in inspection.jobs]
    counts = Counts(files=len(jobs), jobs=len(jobs))
    return Planned(Outcome(settled(pipeline.merge(findings), settings), counts), tuple(jobs))


def _builds(
    shelf: Shelf, paths: Sequence[str], read_stdin: Callable[[], bytes], progress: Progress
) -> Iterator[Build]:
    gathered = gather(shelf, paths, read_stdin)
    reached: set[str] = set()
    for done, here in enumerate(gathered.kustomizations):
        progress("building kustomizations", done, len(gathered.kustomizations))
        reached.update(shelf.resource_files(here.folder))
        yield build(shelf, here.folder)
    for path in gathered.files:
        if path not in reached:
            yield Build(path, shelf.read(path).documents, {}, None, (path,))


def _files(shelf: Shelf, targets: Sequence[Target]) -> Iterator[tuple[Ref, tuple[tuple[str, str], ...]]]:
    for target in targets:
        if not disk.is_folder(target.source):
            continue
        prepared = prepare(shelf, target)
        changed = {change.path: change.kind for change in prepared.changes}
        for job in prepared.jobs:
            mine = [path for path in prepared.tree if path.startswith(f"{job.workload.ref.name}.")]
            yield job.workload.ref, tuple((f"{target.path}/{path}", changed.get(path, "same")) for path in mine)


def _describe(
    item: Inspected, built: Build, cluster: Cluster, files: dict[Ref, tuple[tuple[str, str], ...]]
) -> GangPlan:
    workload = item.subject.workload
    assert workload is not None  # noqa: S101 - the caller passes jobs only
    backend = CATALOG.backends[cluster.backend]
    planned = backend.plan(workload, Circumstances(cluster.options, cluster.priorities))
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
        files=files.get(workload.ref, ()),
        notices=tuple(problem.message for problem in planned.notices),
    )


def _source(document: Document, built: Build) -> str:
    if built.chain is not None:
        return built.folder
    where = locate_written(document, Problem((), ""))
    return f"{where.path}:{where.line}"
