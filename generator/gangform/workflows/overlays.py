"""One overlay in memory: what its source builds to, the plans, the tree, and how that differs from disk."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.compare import Change, compare
from gangform.contracts import Circumstances
from gangform.edges import disk, folders
from gangform.model.errors import InputError
from gangform.model.finding import Code, Finding, Problem, Severity
from gangform.model.pointer import Pointer
from gangform.model.source import Document
from gangform.model.tree import Tree
from gangform.model.workload import Ref, identify
from gangform.overlay import adoption, marks
from gangform.overlay.layout import PlannedJob, lay_out
from gangform.pipeline import Inspected, Inspection, Statement
from gangform.settings import Target
from gangform.workflows.outcome import Counts
from gangform.workflows.sources import Build, Shelf, build

LARGE = 500
"""Objects of one source from which kustomize becomes slow (facts: worse than quadratic)."""

ONCE = frozenset({"priority-unknown"})
"""Ids that speak of the cluster rather than of a job: equal messages are told once."""

CODES: Mapping[str, Code] = {
    "name-generated": Code(Severity.ERROR, """A job with generateName cannot become an overlay.

kustomize builds only objects that have a name, and the job's pods find their group by the job's name.

Mend: write metadata.name; give each run a name of its own."""),
    "scheduler-name-foreign": Code(Severity.ERROR, """The job asks for a scheduler that is not known here.

An overlay would have to replace the author's schedulerName, and nobody but the author knows whether that is
meant.

Mend: take schedulerName out of the job, name your scheduler with the option schedulerName, or render with
--force to replace it."""),
    "priority-unknown": Code(Severity.NOTE, """A PriorityClass whose value is not known counts as 0.

Which pods must start first decides the gang's minResources when minMember is below the number of pods.

Mend: put the PriorityClass into the source, or its value under priorities in the settings."""),
    "source-large": Code(Severity.WARNING, """A source with very many objects.

kustomize grows worse than quadratically: 1,000 objects take seconds, 10,000 ten minutes. Many small builds are
quick.

Mend: split the source, and let the settings map many sources to many overlays."""),
    "policy-field-ignored": Code(Severity.NOTE, """The schedulingPolicy asks for what this scheduler cannot express.

coscheduling has no queue and no priorityClass, Volcano has no scheduleTimeoutSeconds.

Mend: nothing, or take the field out; the message names field and scheduler."""),
}


class Prepared(NamedTuple):
    """An overlay that could be written.

    Attributes:
        tree: the files it wants; empty when an error stands in the way.
        findings: of the source, and of the result that the overlay would build to.
        objects: the source's objects that are not jobs, for the rendered layout.
        changes: against the disk.
    """

    target: Target
    tree: Tree
    findings: tuple[Finding, ...]
    counts: Counts
    jobs: tuple[PlannedJob, ...]
    built: Build
    changes: tuple[Change, ...]

    @property
    def refused(self) -> bool:
        """Whether errors stand in the way of rendering."""
        return not self.tree


def prepare(shelf: Shelf, target: Target) -> Prepared:
    """Read, check, plan and lay out one overlay, and compare it with the disk.

    Raises:
        InputError: the source cannot be what kustomize builds on, or holds no job.
        ProgramError: the source needs kustomize, which is missing or failed.
    """
    built = _source(shelf, target)
    inspection = pipeline.inspect(built.documents, CATALOG)
    _require_jobs(target, inspection)
    planned, problems = _plan(target, inspection)
    statements = [*_refuse_templates(inspection.statements), *problems]
    findings = list(pipeline.settle(statements, built.locate))
    findings += _reader_findings(shelf, built)
    if not _has_errors(findings):
        findings += _judge_result(target, inspection, planned, built)
    counts = Counts(jobs=len(inspection.jobs), groups=len(inspection.groups), builds=1)
    merged = pipeline.merge(findings)
    tree = {} if _has_errors(merged) else _lay_out(target, inspection, planned)
    changes = compare(folders.read_owned(target.path).texts, tree) if tree else ()
    return Prepared(target, tree, merged, counts, planned, built, changes)


def _source(shelf: Shelf, target: Target) -> Build:
    here = shelf.kustomization(target.source) if disk.is_folder(target.source) else None
    inside = _is_below(target.path, target.source)
    if target.layout == "component":
        if here is None:
            raise InputError(f"{target.source} holds no kustomization that could list a component",
                             "name the folder of the overlay that will list it in its components")
        return build(shelf, target.source, without=frozenset({target.path}), renames=False)
    if target.layout == "rendered":
        return build(shelf, target.source) if here else _loose(shelf, target)
    if here is None:
        what = "is not a folder with a kustomization" if disk.exists(target.source) else "does not exist"
        raise InputError(f"{target.source} {what}, so an overlay cannot build on it",
                         "add a kustomization.yaml that lists its manifests, or use --rendered")
    if inside:
        raise InputError(f"the output {target.path} lies below its source {target.source}, "
                         "which kustomize cannot build", "write it beside the source, or use --component")
    return build(shelf, target.source)


def _loose(shelf: Shelf, target: Target) -> Build:
    """Read plain files as they are; only final manifests can be made of them."""
    if disk.is_folder(target.source):
        paths = [path for path in disk.walk(target.source).files
                 if not _is_below(path, target.path) and not shelf.is_generated(path)]
    else:
        paths = [target.source]
    documents = tuple(document for path in paths for document in shelf.read(path).documents)
    return Build(target.source, documents, {}, None, tuple(paths))


def _is_below(path: str, folder: str) -> bool:
    return folder in {path, "."} or path.startswith(folder + "/")


def _require_jobs(target: Target, inspection: Inspection) -> None:
    jobs = {name for _, name in CATALOG.kinds}
    broken = any(document.data.get("kind") in jobs for document in inspection.broken)
    if not inspection.jobs and not broken:
        raise InputError(f"{target.source} builds to no {' or '.join(sorted(jobs))}; there is nothing to render",
                         "name a source that holds jobs")


def _refuse_templates(statements: Sequence[Statement]) -> Iterator[Statement]:
    """A template cannot become an overlay: what is a note elsewhere stops a render."""
    for statement in statements:
        if statement.rule == "templated":
            yield statement._replace(severity=Severity.ERROR)
        else:
            yield statement


def _reader_findings(shelf: Shelf, built: Build) -> Iterator[Finding]:
    for path in built.files:
        for finding in shelf.read(path).findings:
            if finding.rule == "templated":
                yield finding._replace(severity=Severity.ERROR)
            elif finding.rule != "ambiguous-scalar":
                yield finding


def _has_errors(findings: Sequence[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _plan(target: Target, inspection: Inspection) -> tuple[tuple[PlannedJob, ...], list[Statement]]:
    priorities = {**_priorities(inspection), **target.cluster.priorities}
    groups = {item.subject.ref: item for item in inspection.groups}
    planned = tuple(_plan_job(target, priorities, item, groups) for item in inspection.jobs)
    said = list(_size(target, inspection))
    told: set[str] = set()
    for item, job in zip(inspection.jobs, planned, strict=True):
        own = [*_unnamed(item), *_foreign_scheduler(target, item),
               *(notice for notice in job.plan.notices if notice.code not in ONCE or notice.message not in told)]
        told.update(problem.message for problem in own)
        said += [_state(item, problem) for problem in own]
        said += [_state(groups[conflict.group], conflict.problem) for conflict in job.adoption.conflicts]
    return planned, said


def _size(target: Target, inspection: Inspection) -> Iterator[Statement]:
    if len(inspection.objects) > LARGE:
        message = f"{target.source} builds to {len(inspection.objects)} objects; kustomize is slow beyond {LARGE}"
        yield _state(inspection.jobs[0], Problem((), message, "split it into several sources", code="source-large"))


def _state(item: Inspected, problem: Problem) -> Statement:
    severity = problem.severity or {**adoption.CODES, **CODES}[problem.code].severity
    return Statement(item.document, item.subject.ref, problem.code, severity, problem)


def _priorities(inspection: Inspection) -> dict[str, int]:
    return {item.subject.ref.name: value for item in inspection.objects
            if item.subject.ref.kind == "PriorityClass"
            and isinstance(value := item.subject.data.get("value"), int)}


def _plan_job(
    target: Target, priorities: Mapping[str, int], item: Inspected, groups: Mapping[Ref, Inspected]
) -> PlannedJob:
    workload = item.subject.workload
    assert workload is not None  # noqa: S101 - the caller passes jobs only
    backend = CATALOG.backends[target.cluster.backend]
    plan = backend.plan(workload, Circumstances(target.cluster.options, priorities))
    if target.cluster.groups == "operator":
        plan = plan._replace(groups=())
    adopted = adoption.adopt(plan, (group.subject.data for group in groups.values()))
    plan = marks.disown(plan, workload, CATALOG.backends)
    return PlannedJob(dict(item.document.data), workload, plan, adopted)


def _unnamed(item: Inspected) -> Iterator[Problem]:
    if not item.subject.ref.name:
        yield Problem(("metadata", "generateName"), "a job without a name of its own cannot be rendered",
                      "write metadata.name instead of generateName", on="key", code="name-generated")


def _foreign_scheduler(target: Target, item: Inspected) -> Iterator[Problem]:
    if target.replace_scheduler or item.subject.workload is None:
        return
    known = {"default-scheduler", target.cluster.options.get("schedulerName")}
    for backend in CATALOG.backends.values():
        known |= backend.SCHEDULER_NAMES
    for role in item.subject.workload.roles:
        name = role.spec.get("schedulerName")
        if name and name not in known:
            yield Problem(role.places.scheduler_name,
                          f"the {role.name} asks for the scheduler {name}, which no backend here is served under",
                          "take it out, name it with --option schedulerName, or replace it with --force",
                          code="scheduler-name-foreign")


def _judge_result(
    target: Target, inspection: Inspection, planned: Sequence[PlannedJob], built: Build
) -> Iterator[Finding]:
    """Let the rules look at what the overlay would build to; findings point at the source."""
    result = list(_result(inspection, planned))
    owners = {id(document): (owner, origins) for document, owner, origins in result}
    inspected = pipeline.inspect((document for document, _, _ in result), CATALOG)
    scene = pipeline.assemble(inspected, CATALOG, whole=True, cluster=target.cluster)
    for statement in pipeline.judge(inspected, scene, CATALOG):
        owner, origins = owners[id(statement.document)]
        problem = statement.problem
        if origins is not None:
            problem = problem._replace(pointer=origins.get(problem.pointer, ()))
        yield from pipeline.settle([statement._replace(document=owner, problem=problem)], built.locate)


def _result(
    inspection: Inspection, planned: Sequence[PlannedJob]
) -> Iterator[tuple[Document, Document, Mapping[Pointer, Pointer] | None]]:
    """Yield what the overlay builds to: the object, whose place it has, where its values come from."""
    emitted = set()
    for item, job in zip(inspection.jobs, planned, strict=True):
        marked = marks.apply(job.data, job.workload, job.plan)
        yield item.document._replace(data=marked), item.document, None
        for group in job.plan.groups:
            ref = identify(group.data)
            if ref not in job.adoption.reused:
                emitted.add(adoption.place(ref))
                yield item.document._replace(data=dict(group.data)), item.document, group.origins
    for item in inspection.objects:
        if item.subject.workload is None and adoption.place(item.subject.ref) not in emitted:
            yield item.document._replace(data=dict(item.document.data)), item.document, None


def _lay_out(target: Target, inspection: Inspection, planned: Sequence[PlannedJob]) -> Tree:
    others = [item.document.data for item in inspection.objects if item.subject.workload is None]
    return lay_out(planned, target.layout, source=posixpath.relpath(target.source, target.path), others=others)
