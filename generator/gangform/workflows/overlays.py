"""One overlay in memory: what its source builds to, the plans, the tree, and how that differs from disk."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.compare import Change, compare
from gangform.contracts import Circumstances
from gangform.edges import disk, folders
from gangform.model.errors import InputError
from gangform.model.finding import Finding, Location, Problem, Severity
from gangform.model.pointer import Pointer
from gangform.model.source import Document
from gangform.model.tree import Tree
from gangform.model.workload import Ref, identify
from gangform.overlay import adoption, marks
from gangform.overlay.layout import PlannedJob, lay_out
from gangform.pipeline import Inspected, Inspection, Statement
from gangform.settings import Target
from gangform.workflows.codes import CODES
from gangform.workflows.judging import Control, Judged, exempt, judge
from gangform.workflows.origin import obtain
from gangform.workflows.outcome import Counts
from gangform.workflows.sources import Build, Shelf

LARGE = 500
"""Objects of one source from which kustomize becomes slow (facts: worse than quadratic)."""

ONCE = frozenset({"priority-unknown"})
"""Ids that speak of the cluster rather than of a job: equal messages are told once."""


class Prepared(NamedTuple):
    """An overlay that could be written.

    Attributes:
        tree: the files it wants; empty when an error stands in the way.
        judged: what is said of the source, and of the result that the overlay would build to.
        changes: against the disk.
    """

    target: Target
    tree: Tree
    judged: tuple[Judged, ...]
    counts: Counts
    jobs: tuple[PlannedJob, ...]
    built: Build
    changes: tuple[Change, ...]

    @property
    def refused(self) -> bool:
        """Whether errors stand in the way of rendering."""
        return not self.tree


def prepare(shelf: Shelf, target: Target, control: Control) -> Prepared:
    """Read, check, plan and lay out one overlay, and compare it with the disk.

    Raises:
        InputError: the source cannot be what kustomize builds on, or holds no job; or a human's file stands where
            one of the overlay's belongs.
        ProgramError: the source needs kustomize, which is missing or failed.
    """
    built = obtain(shelf, target)
    settled = settle(shelf, target, built, control)
    if not settled.refused:
        _require_jobs(target, settled.inspection)
    source = disk.spell(disk.way(target.path, target.source))
    tree = {} if settled.refused else lay_out(settled.jobs, target.layout, source=source, others=settled.others)
    owned = folders.read_owned(target.path).texts
    folders.refuse_obstacles(target.path, tree, owned)
    changes = compare(owned, tree) if tree else ()
    return Prepared(target, tree, settled.judged, settled.counts, settled.jobs, built, changes)


class Settled(NamedTuple):
    """The objects of a source, and how its jobs are started.

    Attributes:
        judged: what is said of the source, and of what it becomes.
        refused: whether errors stand in the way.
    """

    inspection: Inspection
    jobs: tuple[PlannedJob, ...]
    judged: tuple[Judged, ...]
    refused: bool

    @property
    def counts(self) -> Counts:
        """How much was looked at."""
        return Counts(jobs=len(self.inspection.jobs), groups=len(self.inspection.groups), builds=1)

    @property
    def others(self) -> list[dict[str, Any]]:
        """Every object that is no job."""
        return [item.document.data for item in self.inspection.objects if item.subject.workload is None]


def settle(shelf: Shelf, target: Target, built: Build, control: Control) -> Settled:
    """Check the objects of a source, plan its jobs, and judge what both become."""
    inspection = pipeline.inspect(built.documents, CATALOG)
    planned, problems = _plan(target, inspection)
    judged = _judge_source([*_refuse_templates(inspection.statements), *problems], inspection, built, control)
    judged = judged._replace(findings=(*judged.findings, *_reader_findings(shelf, built)))
    if _has_errors(judged.findings):
        return Settled(inspection, planned, (judged,), refused=True)
    result = _judge_result(target, inspection, planned, built, control)
    return Settled(inspection, planned, (judged, result), refused=_has_errors(tuple(control.settle(result.findings))))


def _judge_source(
    statements: Sequence[Statement], inspection: Inspection, built: Build, control: Control
) -> Judged:
    """Gather what is said of the source. Nothing exempts from an error here: the overlay would lack the object."""
    judged = exempt(tuple(statements), inspection, None, control, built.locate)
    errors = tuple(one.finding for one in judged.suppressed if one.finding.severity is Severity.ERROR)
    others = tuple(one for one in judged.suppressed if one.finding.severity is not Severity.ERROR)
    return judged._replace(findings=(*judged.findings, *errors), suppressed=others)


def _require_jobs(target: Target, inspection: Inspection) -> None:
    if not inspection.jobs:
        jobs = sorted({name for _, name in CATALOG.kinds})
        raise InputError(f"{target.source} builds to no {' or '.join(jobs)}; there is nothing to render",
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
    priorities = {**inspection.priorities, **target.cluster.priorities}
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
    if inspection.jobs and len(inspection.objects) > LARGE:
        message = f"{target.source} builds to {len(inspection.objects)} objects; kustomize is slow beyond {LARGE}"
        yield _state(inspection.jobs[0], Problem((), message, "split it into several sources", code="source-large"))


def _state(item: Inspected, problem: Problem) -> Statement:
    severity = problem.severity or (CODES.get(problem.code) or adoption.CODES[problem.code]).severity
    return Statement(item.document, item.subject.ref, problem.code, severity, problem)


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
    target: Target, inspection: Inspection, planned: Sequence[PlannedJob], built: Build, control: Control
) -> Judged:
    """Let the rules look at what the overlay would build to; findings point at the source."""
    result = list(_result(inspection, planned))
    owners = {id(document): (owner, origins) for document, owner, origins in result}
    inspected = pipeline.inspect((document for document, _, _ in result), CATALOG)
    # What is wrong with an object of the source was said there; a group is seen here for the first time.
    inspected = inspected._replace(statements=tuple(
        statement for statement in inspected.statements if owners[id(statement.document)][1] is not None))
    scene = pipeline.assemble(inspected, CATALOG, whole=True, cluster=target.cluster)

    def locate(document: Document, problem: Problem) -> Location:
        owner, origins = owners[id(document)]
        pointer = problem.pointer if origins is None else origins.get(problem.pointer, ())
        return built.locate(owner, problem._replace(pointer=pointer))

    return judge(inspected, scene, control, locate)


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
