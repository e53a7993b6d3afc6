"""Groups that the source already holds: kept, brought up to date, or a conflict that a human must settle."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from gangform.grouping import JOB_LABEL
from gangform.model.finding import Code, Problem, Severity
from gangform.model.plan import Plan
from gangform.model.pointer import Pointer, get, render
from gangform.model.quantity import Quantity
from gangform.model.workload import Ref, identify

CODES: Mapping[str, Code] = {
    "pod-group-differs": Code(Severity.ERROR, """A hand-written PodGroup stands where the job's own must go.

The group of a job bears the job's name, so there can be only one. This one does not bear gangform's label
and says something else than the job asks for; gangform neither overwrites it nor writes a second one.

Mend: delete it and let gangform write it, or make both agree: runPolicy.schedulingPolicy of the job and the
backend's options decide what its group says. An equal group is left alone and used."""),
}

QUANTITIES = "minResources"
"""The field of both schedulers' groups whose values are quantities, equal however they are spelled."""


class Conflict(NamedTuple):
    """A group of the source that is in the way; the problem's pointer is in that group's data."""

    group: Ref
    problem: Problem


class Adoption(NamedTuple):
    """What becomes of the source's objects that stand where a plan's groups must go.

    Attributes:
        reused: groups that say what was planned, whoever wrote them; they are not emitted again.
        replaced: groups of ours for the same job that say something else.
        conflicts: groups of somebody else that say something else.
    """

    reused: tuple[Ref, ...] = ()
    replaced: tuple[Ref, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def adopt(plan: Plan, existing: Iterable[Mapping[str, Any]]) -> Adoption:
    """Judge the source's objects; those that stand in no group's place are passed over."""
    held: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for data in existing:
        held.setdefault(place(identify(data)), []).append(data)
    reused: list[Ref] = []
    replaced: list[Ref] = []
    conflicts: list[Conflict] = []
    for group in plan.groups:
        ref = identify(group.data)
        for data in sorted(held.get(place(ref), ()), key=identify):
            difference = _difference(_content(data), _content(group.data))
            ours = _labels(data).get(JOB_LABEL) == plan.workload.name
            if ours and identify(data).api_version == ref.api_version:
                same = difference is None and _decorated(data, group.data)
                (reused if same else replaced).append(ref)
            elif difference is None:
                reused.append(ref)
            else:
                conflicts.append(Conflict(identify(data), _conflict(data, group.data, difference, plan.workload)))
    return Adoption(tuple(reused), tuple(replaced), tuple(conflicts))


def place(ref: Ref) -> tuple[str, str, str, str]:
    """Say where an object stands: two in one place cannot be built together, whatever their versions.

    kustomize takes an object without a namespace for one of ``default``.
    """
    return ref.group, ref.kind, ref.namespace or "default", ref.name


def update(existing: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return a group of ours with the planned content; other labels and annotations of it are kept."""
    held, planned = existing["metadata"], wanted["metadata"]
    metadata = {**held, **{key: {**(held.get(key) or {}), **planned[key]}
                           for key in ("labels", "annotations") if key in planned}}
    return {**existing, **wanted, "metadata": metadata}


def _content(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in ("metadata", "status")}


def _labels(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return data["metadata"].get("labels") or {}


def _decorated(data: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all((data["metadata"].get(holder) or {}).items() >= (wanted["metadata"].get(holder) or {}).items()
               for holder in ("labels", "annotations"))


def _difference(held: Any, wanted: Any, at: Pointer = ()) -> Pointer | None:
    """Find the first field, by name, whose values differ; a null is as good as nothing."""
    if isinstance(held, Mapping) and isinstance(wanted, Mapping):
        steps = (_difference(held.get(key), wanted.get(key), (*at, key))
                 for key in sorted({*held, *wanted}))
        return next((step for step in steps if step is not None), None)
    if QUANTITIES in at and held is not None and wanted is not None:
        return None if _amount(held) == _amount(wanted) else at
    return None if held == wanted else at


def _amount(value: Any) -> Any:
    try:
        return Quantity.parse(value)
    except ValueError:
        return value


def _conflict(data: Mapping[str, Any], wanted: Mapping[str, Any], at: Pointer, job: Ref) -> Problem:
    held, planned = get(data, at), get(wanted, at)
    name = f"{data['kind']} {identify(data).name}"
    says = f"has no {_field(at)}" if held is None else f"says {_field(at)} {held}"
    needs = f"would have no {_field(at)}" if planned is None else f"needs {planned}"
    return Problem(
        at, f"the hand-written {name} {says}, but the group of {job.kind} {job.name} {needs}",
        f"delete this {data['kind']} and let gangform write it, or make both agree: the job's "
        "runPolicy.schedulingPolicy and the backend's options decide what its group says",
        code="pod-group-differs")


def _field(at: Pointer) -> str:
    return render(at)[1:].replace("/", ".")
