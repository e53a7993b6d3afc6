"""What a plan changes in its job: values in maps, found through the places that the kind names.

Never changes what it is given.
"""

from collections.abc import Mapping
from typing import Any

from gangform.contracts import Backend
from gangform.model.edit import ABSENT, Edit
from gangform.model.plan import Mark, Plan
from gangform.model.pointer import Pointer
from gangform.model.workload import Workload


def edits(workload: Workload, plan: Plan) -> tuple[Edit, ...]:
    """Say what the plan sets and takes out in the job, in the order of its roles."""
    found: list[Edit] = []
    for role in workload.roles:
        mark = plan.marks.get(role.name)
        if mark is None:
            continue
        for place, values in ((role.places.labels, mark.labels), (role.places.annotations, mark.annotations)):
            found += [Edit((*place, key), ABSENT if value is None else value)
                      for key, value in sorted(values.items())]
        if mark.scheduler_name is not None:
            found.append(Edit(role.places.scheduler_name, mark.scheduler_name))
    return tuple(found)


def apply(data: Mapping[str, Any], workload: Workload, plan: Plan) -> dict[str, Any]:
    """Return the job as it is with the plan's marks; shares what it does not change with ``data``."""
    marked = dict(data)
    for edit in edits(workload, plan):
        marked = put(marked, edit.pointer, edit.value)
    return marked


def disown(plan: Plan, workload: Workload, backends: Mapping[str, Backend]) -> Plan:
    """Let the plan also take out the marks of every other backend that stand on the job's templates."""
    foreign = [backend.MARK for name, backend in sorted(backends.items()) if name != plan.backend]
    marks = dict(plan.marks)
    for role in workload.roles:
        labels = _nulls(role.labels, [mark.key for mark in foreign if mark.holder == "labels"])
        annotations = _nulls(role.annotations, [mark.key for mark in foreign if mark.holder == "annotations"])
        if labels or annotations:
            mark = marks.get(role.name, Mark())
            marks[role.name] = mark._replace(labels={**labels, **mark.labels},
                                             annotations={**annotations, **mark.annotations})
    return plan._replace(marks=marks)


def _nulls(held: Mapping[str, Any], keys: list[str]) -> dict[str, str | None]:
    return {key: None for key in keys if key in held}


def put(data: Any, pointer: Pointer, value: Any) -> Any:
    """Return ``data`` with the value at the pointer, or without it for ``ABSENT``.

    Missing maps on the way are made, but not in order to take something out of them; a map that is
    emptied stays, as kustomize leaves it.
    """
    if not pointer:
        return value
    token, rest = pointer[0], pointer[1:]
    if isinstance(data, list):
        return [put(item, rest, value) if index == token else item for index, item in enumerate(data)]
    held = dict(data) if isinstance(data, Mapping) else {}
    if value is not ABSENT:
        return {**held, token: put(held.get(token), rest, value)}
    if token not in held:
        return data
    if rest:
        return {**held, token: put(held[token], rest, value)}
    del held[token]
    return held
