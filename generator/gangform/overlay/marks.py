"""What a plan changes in its job: values in maps, found through the places that the kind names.

Never changes what it is given.
"""

from collections.abc import Mapping
from typing import Any

from gangform.contracts import Backend
from gangform.model import edit
from gangform.model.edit import ABSENT, Edit
from gangform.model.plan import Mark, Plan
from gangform.model.pointer import Pointer, get
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
    marked: dict[str, Any] = edit.apply(dict(data), edits(workload, plan))
    return marked


def withdrawals(data: Mapping[str, Any], workload: Workload, plan: Plan) -> tuple[Edit, ...]:
    """Say what takes the plan's marks out of the job again: its own values alone.

    Maps of a template that hold nothing else go as well, since ``edits`` may have made them.
    """
    gone: dict[Pointer, None] = {}
    for role in workload.roles:
        ours = plan._replace(marks={role.name: plan.marks.get(role.name, Mark())})
        for pointer, value, _ in edits(workload, ours):
            if value is not ABSENT and get(data, pointer) == value:
                gone[pointer] = None
                while len(pointer := pointer[:-1]) > len(role.template_at) and all(
                        (*pointer, key) in gone for key in get(data, pointer)):
                    gone[pointer] = None
    return tuple(Edit(pointer, ABSENT) for pointer in gone if pointer[:-1] not in gone)


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
