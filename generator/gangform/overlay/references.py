"""kustomize's name references, so that whoever renames a group renames what names it.

kustomize knows neither MPIJobs nor PodGroups: a ``namePrefix`` stacked on an overlay would rename the
group and leave the marks behind. The configuration travels with the overlay and holds for every layer
above it.
"""

from collections.abc import Iterable
from typing import Any

from gangform.grouping import JOB_LABEL
from gangform.model.plan import Mark, NameReference, Plan
from gangform.model.pointer import Pointer
from gangform.model.workload import Ref, Workload

Field = tuple[str, str, str]
"""API group and kind of the object that names another, and the path of the name in it."""


def configure(jobs: Iterable[tuple[Workload, Plan]]) -> dict[str, Any] | None:
    """Write the transformer configuration for jobs and their plans, or None when nothing names anything."""
    fields: dict[tuple[str, str], set[Field]] = {}
    for workload, plan in jobs:
        for named, field in (*_marks(workload, plan), *_identities(workload.ref, plan)):
            fields.setdefault(named, set()).add(field)
    if not fields:
        return None
    return {"nameReference": [
        {**_api(group, kind),
         "fieldSpecs": [{**_api(*field[:2]), "path": field[2]} for field in sorted(fields[group, kind])]}
        for group, kind in sorted(fields)
    ]}


def _marks(workload: Workload, plan: Plan) -> list[tuple[tuple[str, str], Field]]:
    """Say what the marks name, and where they stand."""
    found = []
    for reference in plan.references:
        for role in workload.roles:
            value = _value(plan.marks.get(role.name, Mark()), reference)
            if value is not None:
                place = role.places.labels if reference.holder == "labels" else role.places.annotations
                found.append((_named(reference, value, workload.ref, plan),
                              (workload.ref.group, workload.ref.kind, _path((*place, reference.key)))))
    return found


def _value(mark: Mark, reference: NameReference) -> str | None:
    return (mark.labels if reference.holder == "labels" else mark.annotations).get(reference.key)


def _named(reference: NameReference, value: str, job: Ref, plan: Plan) -> tuple[str, str]:
    # Where the operator makes the group there is none to follow, but the group will bear the job's name.
    if not plan.groups and value == job.name:
        return job.group, job.kind
    return reference.group, reference.kind


def _identities(job: Ref, plan: Plan) -> list[tuple[tuple[str, str], Field]]:
    """Let the label that says whose group it is follow the job, else a renamed group is a stranger."""
    path = _path(("metadata", "labels", JOB_LABEL))
    return [((job.group, job.kind), (group.data["apiVersion"].rpartition("/")[0], group.data["kind"], path))
            for group in plan.groups]


def _path(pointer: Pointer) -> str:
    r"""Write a field path as kyaml's path splitter reads it: ``\/`` is a slash in a key, lists are implied.

    Mirrors kubernetes-sigs/kustomize, kyaml/utils/pathsplitter.go, PathSplitter (5.8.1). The ``~1`` of
    JSON Pointers would be taken literally, without an error.
    """
    return "/".join(token.replace("/", r"\/") for token in pointer if isinstance(token, str))


def _api(group: str, kind: str) -> dict[str, str]:
    return ({"group": group} if group else {}) | {"kind": kind}
