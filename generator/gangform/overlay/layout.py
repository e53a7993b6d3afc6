"""Jobs and their plans to the files of an overlay, in one of three shapes. Equal input, equal bytes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from gangform.model.errors import InputError
from gangform.model.plan import Plan
from gangform.model.tree import GENERATED_LINE, Layout, Tree
from gangform.model.workload import Ref, Workload, identify
from gangform.overlay import stems
from gangform.overlay.adoption import Adoption, place, update
from gangform.overlay.marks import apply, edits
from gangform.overlay.patches import patch, replacement
from gangform.overlay.references import configure
from gangform.text import writing

KUSTOMIZATION = "kustomization.yaml"
REFERENCES = "references.yaml"

KUSTOMIZATION_API = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
COMPONENT_API = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}


class PlannedJob(NamedTuple):
    """A job, how it is started, and what becomes of groups that its source already holds.

    Attributes:
        data: the job as kustomize sees it where the overlay comes in: the built source; for a component
            the overlay that lists it, without the component and before its own namePrefix, nameSuffix
            and namespace, which kustomize applies later.
        workload, plan: of this ``data``.
    """

    data: dict[str, Any]
    workload: Workload
    plan: Plan
    adoption: Adoption = Adoption()


class _File(NamedTuple):
    """A file and how kustomization.yaml lists it: as a resource, or as a patch with or without a target."""

    name: str
    documents: Sequence[Any]
    listed: Literal["resources", "patches"]
    target: Mapping[str, str] = {}


def lay_out(
    jobs: Sequence[PlannedJob], layout: Layout, *, source: str = "", others: Sequence[Mapping[str, Any]] = ()
) -> Tree:
    """Lay an overlay out, in whatever order the jobs come.

    Args:
        jobs: without conflicts in their adoptions.
        layout: the shape.
        source: path from the overlay's folder to the source's, for ``kustomization``.
        others: every object of the built source that is none of the jobs, for ``rendered``.

    Raises:
        InputError: two objects have the same identity, so that one would hide the other.
    """
    _refuse_twins([job.workload.ref for job in jobs])
    if layout == "rendered":
        return _write(_rendered(jobs, others))
    files = _patched(jobs)
    body: dict[str, Any] = dict(COMPONENT_API if layout == "component" else KUSTOMIZATION_API)
    resources = [file.name for file in files if file.listed == "resources"]
    body["resources"] = [source, *resources] if layout == "kustomization" else resources
    body["patches"] = [{"path": file.name} | ({"target": dict(file.target)} if file.target else {})
                       for file in files if file.listed == "patches"]
    references = configure((job.workload, job.plan) for job in jobs)
    body["configurations"] = [REFERENCES] if references else []
    kustomization = {key: value for key, value in body.items() if value}
    written = {file.name: file.documents for file in files} | {KUSTOMIZATION: [kustomization]}
    return _write(written | {REFERENCES: [references]} if references else written)


def _patched(jobs: Iterable[PlannedJob]) -> list[_File]:
    """Lay out groups, and patches of jobs and of groups that the source holds."""
    planned = {job.workload.ref: job for job in jobs}
    names = stems.choose(stems.for_jobs(planned))
    found = (file for ref, job in planned.items() for file in _files(job, names[ref]))
    return sorted(found, key=lambda file: file.name)


def _files(job: PlannedJob, stem: str) -> Iterator[_File]:
    groups = {identify(group.data): group.data for group in job.plan.groups}
    marks = patch(job.data, job.workload.ref, edits(job.workload, job.plan))
    if marks:
        yield _File(f"{stem}.patch.yaml", [marks.document], "patches", marks.target)
    # The source lists these groups already; a second one under the same name could not be built.
    replaced = [replacement(groups[ref], ref).document for ref in job.adoption.replaced]
    if replaced:
        yield _File(f"{stem}.podgroup-patch.yaml", replaced, "patches")
    new = [data for ref, data in groups.items()
           if ref not in job.adoption.reused and ref not in job.adoption.replaced]
    if new:
        yield _File(f"{stem}.podgroup.yaml", new, "resources")


def manifests(jobs: Sequence[PlannedJob], others: Sequence[Mapping[str, Any]]) -> str:
    """Write final manifests as one stream, in whatever order the objects come; empty when there is none.

    Args:
        jobs: without conflicts in their adoptions.
        others: every object of the source that is none of the jobs.

    Raises:
        InputError: two objects have the same identity, so that one would hide the other.
    """
    # Several objects may leave their names to the API server.
    nameless = [data for data in others if not identify(data).name]
    documents, rest = _finish(jobs, [data for data in others if identify(data).name])
    documents |= {ref: [data] for ref, data in rest.items()}
    stream = [data for ref in sorted(documents) for data in documents[ref]] + nameless
    return writing.write(stream)


def _rendered(jobs: Sequence[PlannedJob], others: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Lay out final manifests in files."""
    documents, rest = _finish(jobs, others)
    candidates = stems.for_jobs(documents) | stems.for_others(rest)
    names = stems.choose(candidates, taken=(KUSTOMIZATION.removesuffix(".yaml"),))
    documents |= {ref: [data] for ref, data in rest.items()}
    files = {f"{names[ref]}.yaml": content for ref, content in documents.items()}
    return {**files, KUSTOMIZATION: [{**KUSTOMIZATION_API, "resources": sorted(files)}]}


def _finish(
    jobs: Sequence[PlannedJob], others: Sequence[Mapping[str, Any]]
) -> tuple[dict[Ref, list[Any]], dict[Ref, Mapping[str, Any]]]:
    """Put each job's groups before it, those that the source holds among them; the second part is what remains."""
    _refuse_twins([*(job.workload.ref for job in jobs), *(identify(data) for data in others)])
    rest = {identify(data): data for data in others}
    held = {(ref.api_version, place(ref)): ref for ref in rest}
    documents: dict[Ref, list[Any]] = {}
    for job in jobs:
        groups = []
        for group in job.plan.groups:
            ref = identify(group.data)
            if ref in job.adoption.reused:
                groups.append(rest.pop(held[ref.api_version, place(ref)]))
            elif ref in job.adoption.replaced:
                groups.append(update(rest.pop(held[ref.api_version, place(ref)]), group.data))
            else:
                groups.append(group.data)
        documents[job.workload.ref] = [*groups, apply(job.data, job.workload, job.plan)]
    return documents, rest


def _refuse_twins(refs: Iterable[Ref]) -> None:
    for ref, uses in sorted(Counter(refs).items()):
        if uses > 1:
            where = f" in namespace {ref.namespace}" if ref.namespace else ""
            name = ref.name or "without a name"
            raise InputError(f"{ref.api_version} {ref.kind} {name}{where} is in the source {uses} times",
                             "leave one, or give the others names of their own")


def _write(documents: Mapping[str, Iterable[Any]]) -> Tree:
    return {name: writing.write(documents[name], header=GENERATED_LINE) for name in sorted(documents)}
