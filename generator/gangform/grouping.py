"""What every scheduler's group object shares: identity, metadata, the gang's size, and what gets lost.

Below the backends, which may not know each other; knows no scheduler.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gangform import sizing
from gangform.contracts import Circumstances
from gangform.model.finding import Problem, Severity
from gangform.model.gang import Gang, Option
from gangform.model.plan import Group, Mark, NameReference, Plan
from gangform.model.pointer import Pointer, get
from gangform.model.workload import Policy, Workload, identify

JOB_LABEL = "gangform.dev/job"
"""Label of every group object that gangform made; its value is the job's name."""

MANAGED_BY = "app.kubernetes.io/managed-by"

COMPUTED = "computed"
OMITTED = "omitted"


Fields = Mapping[str, tuple[Any, Pointer | None]]
"""Field of a group's spec to its value and to the pointer in the job that the value comes from.

A None value is left out; a None pointer is for what the settings say.
"""


class Scheduler(NamedTuple):
    """What is told of a backend to the parts that all share; fields as in ``contracts.Backend``."""

    name: str
    title: str
    group_api: tuple[str, str]
    mark: NameReference
    honours: frozenset[str]
    options: Mapping[str, Option]

    def option(self, circumstances: Circumstances, name: str) -> Any:
        """Return the value of an option, else its default, else None."""
        return circumstances.options.get(name, self.options[name].default)


def shared_options(min_resources: str) -> dict[str, Option]:
    """Return the options of every backend that has group objects; ``min_resources`` is its default."""
    return {
        "min-resources": Option(
            "choice", "Whether minResources is computed for jobs that set none, or left out.",
            min_resources, (COMPUTED, OMITTED)),
        "labels": Option("map", "Labels to add to every group."),
        "annotations": Option("map", "Annotations to add to every group."),
    }


def is_generated(data: Mapping[str, Any]) -> bool:
    """Whether gangform made a group object."""
    labels = get(data, ("metadata", "labels"))
    return isinstance(labels, dict) and JOB_LABEL in labels


def mend_members(group: Mapping[str, Any], workload: Workload, members: int, wanted: int) -> str:
    """Say how a group gets the right minMember: in the job or by rendering where gangform made it, else in itself."""
    if not is_generated(group):
        return f"set minMember {wanted}"
    if workload.policy.min_available == members:
        return f"set minAvailable {wanted}, or delete the line ({wanted} is the default)"
    return f"run gangform render, which sets minMember {wanted}"


def mend_resources(holder: Mapping[str, Any], workload: Workload, amount: str) -> str:
    """Say how one amount of minResources becomes right, in a group or a job; only what nobody wrote is computed."""
    if is_generated(holder) and workload.policy.min_resources is None:
        return f"run gangform render, which sets {amount}"
    return f"write {amount}, or delete the line"


def assemble(
    scheduler: Scheduler, workload: Workload, circumstances: Circumstances, fields: Fields
) -> Plan:
    """Put a plan together: one group named like the job, and its mark on every role.

    Args:
        scheduler: whose group it is.
        workload: the job.
        circumstances: as given to the backend.
        fields: the fields of the group's spec that only this scheduler has, in their order.
    """
    size = sizing.min_member(workload)
    wanted = scheduler.option(circumstances, "min-resources") == COMPUTED
    computed = wanted and workload.policy.min_resources is None
    resources = _min_resources(workload, size.value, circumstances.priorities, computed=computed)
    notices = [*_ignored(scheduler, workload.policy)]
    if computed and resources[0]:
        notices += _unknown_priorities(workload, size.value, circumstances.priorities)
    spec: Fields = {"minMember": (size.value, size.origin), "minResources": resources, **fields}
    mark = _mark(scheduler.mark, workload.ref.name, scheduler.option(circumstances, "schedulerName"))
    return Plan(
        backend=scheduler.name,
        workload=workload.ref,
        groups=(_group(scheduler, _metadata(workload, circumstances.options), spec),),
        marks={role.name: mark for role in workload.roles},
        references=(scheduler.mark,),
        notices=tuple(notices),
    )


def _group(scheduler: Scheduler, metadata: Mapping[str, Any], spec: Fields) -> Group:
    api_version, kind = scheduler.group_api
    said = {name: field for name, field in spec.items() if field[0] is not None}
    values = {name: value for name, (value, _) in said.items()}
    origins: dict[Pointer, Pointer] = {("metadata", "name"): ("metadata", "name")}
    origins |= {("spec", name): origin for name, (_, origin) in said.items() if origin is not None}
    return Group({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": values}, origins)


def _mark(mark: NameReference, group: str, scheduler_name: str) -> Mark:
    if mark.holder == "labels":
        return Mark(labels={mark.key: group}, scheduler_name=scheduler_name)
    return Mark(annotations={mark.key: group}, scheduler_name=scheduler_name)


def _min_resources(
    workload: Workload, members: int, priorities: Mapping[str, int], *, computed: bool
) -> tuple[dict[str, str] | None, Pointer | None]:
    if workload.policy.min_resources is not None:
        return sizing.policy_resources(workload) or None, workload.policy.places["min_resources"]
    if not computed or not workload.gang:
        return None, None
    return sizing.min_resources(workload, members, priorities) or None, workload.gang[-1].template_at


def _metadata(workload: Workload, options: Mapping[str, Any]) -> dict[str, Any]:
    labels = {MANAGED_BY: "gangform", **options.get("labels", {}), JOB_LABEL: workload.ref.name}
    annotations = {**dict(_hook(workload.annotations)), **options.get("annotations", {})}
    metadata: dict[str, Any] = {"name": workload.ref.name}
    if workload.ref.namespace:
        metadata["namespace"] = workload.ref.namespace
    metadata["labels"] = dict(sorted(labels.items()))
    if annotations:
        metadata["annotations"] = dict(sorted(annotations.items()))
    return metadata


_HOOKS = (
    ("helm.sh/hook", "helm.sh/hook-delete-policy", "helm.sh/hook-weight"),
    ("argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy", "argocd.argoproj.io/sync-wave"),
)


def _hook(annotations: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not any(hook in annotations for hook, _, _ in _HOOKS):
        return
    for hook, delete_policy, weight in _HOOKS:
        # Argo CD runs Helm's hooks too, and then obeys a wave before a weight.
        if hook not in annotations and weight not in annotations:
            continue
        yield from ((key, annotations[key]) for key in (hook, delete_policy) if key in annotations)
        yield weight, str(_whole(annotations.get(weight, "0")) - 1)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        return 0


def _ignored(scheduler: Scheduler, policy: Policy) -> Iterator[Problem]:
    for field in Policy._fields:
        value = getattr(policy, field)
        if field == "places" or value is None or field in scheduler.honours:
            continue
        place = policy.places[field]
        yield Problem(
            place,
            f"{scheduler.title} has no place for {place[-1]}: {value} does nothing there",
            "delete the line, unless the job also runs under another scheduler",
            code="policy-field-ignored",
            severity=Severity.NOTE,
        )


def _unknown_priorities(workload: Workload, members: int, priorities: Mapping[str, int]) -> Iterator[Problem]:
    for name, pointer in sizing.unknown_priorities(workload, members, priorities):
        yield Problem(
            pointer,
            f"the value of PriorityClass {name} is not known; it counts as 0",
            "put the PriorityClass into the source, or its value under priorities in the settings",
            code="priority-unknown",
            severity=Severity.NOTE,
        )


def read_gang(backend: str, data: Mapping[str, Any], names: Mapping[str, str]) -> Gang:
    """Read a group object that passed its schema; ``names`` are fields of Gang to those of its spec."""
    spec = data.get("spec") or {}
    return Gang(backend, identify(data), **{field: spec.get(name) for field, name in names.items()})
