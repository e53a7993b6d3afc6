"""One job of a stream: the edits of its text, the groups that go before it, and what is said of both."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.contracts import Backend, Circumstances
from gangform.grouping import JOB_LABEL
from gangform.model import edit
from gangform.model.edit import ABSENT, Edit
from gangform.model.finding import Finding, Severity
from gangform.model.pointer import Pointer, get
from gangform.model.source import Document
from gangform.model.workload import Workload, identify
from gangform.overlay import adoption, marks
from gangform.overlay.layout import PlannedJob
from gangform.pipeline import Inspection
from gangform.provenance import locate_written
from gangform.settings import Cluster, Target, read_options
from gangform.workflows.judging import Control, Judged, judge
from gangform.workflows.overlays import settle
from gangform.workflows.sources import Build, Shelf

CARRIED = (
    "config.kubernetes.io/path", "internal.config.kubernetes.io/path", "postrenderer.helm.sh/postrender-filename")
"""Annotations that tell a host which file an object belongs to; a job's groups get them too."""

Place = tuple[int, Pointer]
"""Where an object stands in a stream: offset of a piece of it in bytes, number of the YAML document in the
piece and pointer inside."""


class Aim(NamedTuple):
    """What is to become of the jobs.

    Attributes:
        cluster: where they run; None only to take out what was written for any.
        remove: whether marks and groups are taken out.
        replace_scheduler: whether a foreign schedulerName is replaced.
    """

    cluster: Cluster | None
    remove: bool = False
    replace_scheduler: bool = False

    @property
    def backends(self) -> Mapping[str, Backend]:
        """The backends whose traces are taken out."""
        if self.cluster is None:
            return CATALOG.backends
        return {self.cluster.backend: CATALOG.backends[self.cluster.backend]}


class Standing(NamedTuple):
    """A group object that the stream holds; ``job`` is the one that gangform made it for, or empty."""

    place: Place
    document: Document
    job: str = ""


class Revision(NamedTuple):
    """What becomes of a job.

    Attributes:
        rounds: edits of its document, each to be made in the text that the one before has left.
        groups: new group objects.
        fates: for groups of ours that do not stay as they are, the new object, or None to take it out.
        refused: whether errors stand in the way.
    """

    rounds: tuple[tuple[Edit, ...], ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()
    fates: Mapping[Place, Mapping[str, Any] | None] = {}
    judged: tuple[Judged, ...] = ()
    refused: bool = False


def made_for(data: Mapping[str, Any]) -> str:
    """Return the name of the job that gangform made a group object for; empty for a group of somebody else."""
    labels = get(data, ("metadata", "labels"))
    job = labels.get(JOB_LABEL) if isinstance(labels, dict) else None
    return job if isinstance(job, str) else ""


def revise(document: Document, standing: Sequence[Standing], aim: Aim, control: Control) -> Revision:
    """Say what becomes of a job of an API that gangform speaks.

    Args:
        document: the job.
        standing: the groups that bear its name or its label, in its namespace.
        aim: what is to become of it.
        control: which ids count.
    """
    if aim.remove:
        return _remove(document, aim, control)
    if aim.cluster is None:
        raise ValueError("a job cannot be marked for no cluster")
    moved = _leave_others(document, aim.cluster, control)
    left = document._replace(data=edit.apply(document.data, moved)) if moved else document
    name = identify(document.data).name
    ours = [one for one in standing if one.job == name]
    group_apis = {CATALOG.backends[aim.cluster.backend].GROUP_API}
    kept = [one for one in standing if one not in ours or _api(one.document) in group_apis] \
        if aim.cluster.groups == "git" else [one for one in standing if one not in ours]
    target = Target(aim.cluster, document.source.name, document.source.name, replace_scheduler=aim.replace_scheduler)
    source = Build(document.source.name, (left, *(one.document for one in kept)), {}, None)
    settled = settle(Shelf(), target, source, control)
    if settled.refused or not settled.jobs:
        return Revision(judged=settled.judged, refused=True)
    job = settled.jobs[0]
    groups, fates = _settle_groups(job, kept)
    used = _used(job, kept)
    fates |= {one.place: None for one in ours if one.place not in fates and one.place not in used}
    rounds = (moved, _effective(left.data, marks.edits(job.workload, job.plan)))
    return Revision(tuple(filter(None, rounds)), groups, fates, settled.judged)


def _api(document: Document) -> tuple[str, str]:
    return identify(document.data)[:2]


def _effective(data: Any, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Leave out edits that change nothing."""
    return tuple(one for one in edits if get(data, one.pointer, ABSENT) != one.value)


def _settle_groups(
    job: PlannedJob, kept: Sequence[Standing]
) -> tuple[tuple[Mapping[str, Any], ...], dict[Place, Mapping[str, Any] | None]]:
    """Say which groups are new, and what becomes of those of ours that are out of date."""
    new: list[Mapping[str, Any]] = []
    fates: dict[Place, Mapping[str, Any] | None] = {}
    for group in job.plan.groups:
        ref = identify(group.data)
        if ref in job.adoption.replaced:
            fates |= {one.place: adoption.update(one.document.data, group.data) for one in kept
                      if adoption.place(identify(one.document.data)) == adoption.place(ref)}
        elif ref not in job.adoption.reused:
            new.append(_carry(group.data, job.workload.annotations))
    return tuple(new), fates


def _carry(group: Mapping[str, Any], annotations: Mapping[str, Any]) -> Mapping[str, Any]:
    """Let a new group go into the file of its job."""
    carried = {key: annotations[key] for key in CARRIED if key in annotations}
    if not carried:
        return group
    metadata = group["metadata"]
    held = dict(sorted({**metadata.get("annotations", {}), **carried}.items()))
    return {**group, "metadata": {**metadata, "annotations": held}}


def _used(job: PlannedJob, kept: Sequence[Standing]) -> set[Place]:
    wanted = {adoption.place(identify(group.data)) for group in job.plan.groups}
    return {one.place for one in kept if adoption.place(identify(one.document.data)) in wanted}


def _leave_others(document: Document, cluster: Cluster, control: Control) -> tuple[Edit, ...]:
    """Take out what gangform once wrote for another scheduler, so that nothing of it stays behind."""
    others = {name: backend for name, backend in CATALOG.backends.items()
              if name != cluster.backend and backend.MARK.key in document.source.text}
    if not others:
        return ()
    inspection = pipeline.inspect((document,), CATALOG)
    workload = inspection.jobs[0].subject.workload if inspection.jobs else None
    return tuple(_withdraw(document, workload, others, control)) if workload else ()


def _withdraw(
    document: Document, workload: Workload, backends: Mapping[str, Backend], control: Control,
    given: Cluster | None = None,
) -> Iterator[Edit]:
    """Yield what takes out the marks of some backends, from the roles that bear them."""
    for name, backend in backends.items():
        marked = [bond.role for bond in pipeline.bonds(workload, {name: backend}) if bond.group == workload.ref.name]
        roles = [role for role in workload.roles if role.name in marked]
        names = {role.spec.get("schedulerName") for role in roles}
        known = [given.options] if given else [dict(read_options({}, backend)[0]), *(
            cluster.options for cluster in control.settings.clusters.values() if cluster.backend == name)]
        options = next((one for one in known if one.get("schedulerName") in names), known[0])
        plan = backend.plan(workload, Circumstances(options))
        plan = plan._replace(marks={role.name: plan.marks[role.name] for role in roles})
        yield from marks.withdrawals(document.data, workload, plan)


def _remove(document: Document, aim: Aim, control: Control) -> Revision:
    inspection = pipeline.inspect((document,), CATALOG)
    judged = refuse_templates(judge(inspection, None, control, locate_written))
    if not inspection.jobs:
        return Revision(judged=(judged,), refused=True)
    edits = _gone(document, inspection, aim, control)
    return Revision((edits,) if edits else (), judged=(judged,))


def _gone(document: Document, inspection: Inspection, aim: Aim, control: Control) -> tuple[Edit, ...]:
    workload = inspection.jobs[0].subject.workload
    found = _withdraw(document, workload, aim.backends, control, aim.cluster) if workload else ()
    return tuple(dict.fromkeys(found))


def refuse_templates(judged: Judged) -> Judged:
    """Make errors of templates: what they become is not known, so they cannot be marked."""
    return judged._replace(findings=tuple(map(refuse_template, judged.findings)))


def refuse_template(finding: Finding) -> Finding:
    """Make an error of one finding that tells of a template."""
    return finding._replace(severity=Severity.ERROR) if finding.rule == "templated" else finding
