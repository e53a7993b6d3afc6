"""How big a gang is: its least number of pods, what these ask for, and its priority.

Pure, and for any kind: it sees roles and pod specs, never a job's own fields. A quantity that ``unreadable``
would tell raises ValueError; ``schema.unreadable`` tells it, so that nothing is sized that holds one.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from gangform.model.pointer import Pointer
from gangform.model.quantity import ZERO, Quantity
from gangform.model.workload import Role, Workload

Requests = dict[str, Quantity]
"""Resource name to amount: cores, bytes or devices."""

BUILT_IN_PRIORITIES: Mapping[str, int] = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
"""Classes that every cluster has (kubernetes/kubernetes pkg/apis/scheduling/types.go, v1.34)."""


class MinMember(NamedTuple):
    """Pods that must start together.

    Attributes:
        origin: pointer in the job of the value that decides it.
        reason: why, in a few words.
    """

    value: int
    origin: Pointer
    reason: str


class NamedClass(NamedTuple):
    """A priority class by name, and where the job names it."""

    name: str
    pointer: Pointer


def min_member(workload: Workload) -> MinMember:
    """Return what the author asked, else the pods that exist at the same time.

    Differs from mpi-operator pkg/controller/podgroup.go calculateMinAvailable (v0.8.2), which counts a
    launcher that waits for its workers, so that both wait for ever.
    """
    policy, gang = workload.policy, workload.gang
    if policy.min_available is not None:
        return MinMember(policy.min_available, policy.places["min_available"], "minAvailable in the file")
    origin = gang[-1].replicas_at if gang else ()
    return MinMember(workload.pods_together, origin, _reason(workload))


def _reason(workload: Workload) -> str:
    gang = workload.gang
    waiting = [role.name for role in workload.roles if role not in gang]
    if waiting:
        awaited = " and ".join(f"{role.name.lower()}s" for role in gang)
        return f"the {' and the '.join(waiting)} waits for its {awaited}"
    if len(gang) == 1:
        return f"the {gang[0].name} is alone (no minAvailable in the file)"
    return f"{' + '.join(str(role.replicas) for role in reversed(gang))} (no minAvailable in the file)"


def pod_requests(spec: Mapping[str, Any]) -> Requests:
    """Return what one pod asks of a node, per resource.

    Mirrors kubernetes/component-helpers resource/helpers.go PodRequests (v0.34) after the API server's
    defaults (kubernetes pkg/apis/core/v1/defaults.go): a limit stands in for a missing request, sidecars
    (restartable init containers) run beside the containers, each init container runs beside the sidecars
    before it, requests of the whole pod replace the sum, and overhead comes on top.
    """
    requests = _containers(spec, _container_requests)
    requests |= _whole_pod_requests(spec.get("resources") or {}, requests)
    return _add(requests, _amounts(spec.get("overhead")))


def pod_limits(spec: Mapping[str, Any]) -> Requests:
    """Return what one pod may use at most, per resource; a container without a limit adds nothing.

    Mirrors kubernetes/component-helpers resource/helpers.go PodLimits (v0.34): overhead comes on top of limits only.
    """
    limits = _containers(spec, lambda container: _amounts((container.get("resources") or {}).get("limits")))
    limits |= _amounts((spec.get("resources") or {}).get("limits"))
    return _add(limits, {name: more for name, more in _amounts(spec.get("overhead")).items() if name in limits})


def least(workload: Workload, members: int, of_pod: Callable[[Mapping[str, Any]], Requests]) -> Requests:
    """Return the least that any ``members`` pods take that exist together, each resource for itself."""
    pods = [(role.replicas, of_pod(role.spec)) for role in workload.gang]
    total: Requests = {}
    for name in sorted({name for _, requests in pods for name in requests}):
        left, amount = members, ZERO
        for replicas, requests in sorted(pods, key=lambda pod: pod[1].get(name, ZERO)):
            counted = max(0, min(replicas, left))
            left -= counted
            amount += requests.get(name, ZERO) * counted
        total[name] = amount
    return total


def _containers(spec: Mapping[str, Any], of_container: Callable[[Mapping[str, Any]], Requests]) -> Requests:
    total: Requests = {}
    for container in spec.get("containers") or ():
        total = _add(total, of_container(container))
    sidecars: Requests = {}
    peak: Requests = {}
    for container in spec.get("initContainers") or ():
        own = of_container(container)
        if container.get("restartPolicy") == "Always":
            total, sidecars = _add(total, own), _add(sidecars, own)
            peak = _highest(peak, sidecars)
        else:
            peak = _highest(peak, _add(own, sidecars))
    return _highest(total, peak)


def _container_requests(container: Mapping[str, Any]) -> Requests:
    resources = container.get("resources") or {}
    return _amounts(resources.get("limits")) | _amounts(resources.get("requests"))


def _whole_pod_requests(resources: Mapping[str, Any], containers: Requests) -> Requests:
    limits = {name: amount for name, amount in _amounts(resources.get("limits")).items()
              if name not in containers or name.startswith("hugepages-")}
    return {name: amount for name, amount in (limits | _amounts(resources.get("requests"))).items()
            if name in {"cpu", "memory"} or name.startswith("hugepages-")}


def _amounts(resources: Mapping[str, Any] | None) -> Requests:
    return {name: _amount(value) for name, value in (resources or {}).items()}


def _amount(value: Any) -> Quantity:
    # The API server takes `cpu: 1.0` for a whole number, and so does the schema.
    return Quantity.parse(int(value) if isinstance(value, float) and value.is_integer() else value)


def _add(one: Requests, other: Requests, times: int = 1) -> Requests:
    return one | {name: one.get(name, ZERO) + amount * times for name, amount in other.items()}


def _highest(one: Requests, other: Requests) -> Requests:
    return one | {name: max(one.get(name, amount), amount) for name, amount in other.items()}


def is_resource(name: str) -> bool:
    """Whether nodes can have a resource of this name; quotas' names, such as requests.cpu, are none of them.

    Mirrors kubernetes pkg/apis/core/v1/helper/helpers.go IsNativeResource and IsExtendedResourceName (v0.34).
    """
    if name.startswith(("hugepages-", "attachable-volumes-")):
        return True
    quota = name.startswith(("requests.", "limits.", "count/"))
    return name in {"cpu", "memory", "ephemeral-storage", "pods"} or ("/" in name and not quota)


def readable(resources: Mapping[str, Any] | None) -> Requests:
    """Read the amounts of a map; those that are no quantity are left out."""
    broken = {pointer[-1] for pointer, _ in unreadable(resources, ())}
    return _amounts({name: value for name, value in (resources or {}).items() if name not in broken})


def is_stated(spec: Mapping[str, Any], name: str) -> bool:
    """Whether the manifest alone decides how much of a resource a pod asks.

    A namespace's LimitRange can give cpu, memory and ephemeral-storage to containers that say nothing
    (kubernetes plugin/pkg/admission/limitranger, v0.34); devices come from manifests.
    """
    if "/" in name or name.startswith("hugepages-"):
        return True
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    return all(name in _container_requests(container) for container in containers)


def unreadable(resources: Mapping[str, Any] | None, at: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Yield where in the resources at ``at`` no quantity stands, and why."""
    for name, value in (resources or {}).items():
        try:
            _amount(value)
        except ValueError as refused:
            yield (*at, name), str(refused)


def min_resources(workload: Workload, members: int, priorities: Mapping[str, int]) -> dict[str, str]:
    """Return what exactly the ``members`` pods ask that must start, in canonical spelling, by name.

    The pods of the highest priority count first, at equal priority in the order of the roles. Equals the
    value of mpi-operator pkg/controller/podgroup.go calPGMinResource (v0.8.2) for pods without init
    containers, sidecars and overhead, all existing together, whose launcher has no lower priority than its
    workers. Otherwise the operator counts pods that do not exist or need not start.
    """
    total: Requests = {}
    for role in sorted(workload.gang, key=lambda role: -_priority(role, priorities)):
        counted = max(0, min(role.replicas, members))
        members -= counted
        if counted:
            total = _add(total, pod_requests(role.spec), counted)
    return spell(total)


def spell(requests: Mapping[str, Quantity]) -> dict[str, str]:
    """Spell amounts canonically, sorted by resource name, without the zeros."""
    return {name: requests[name].canonical() for name in sorted(requests) if requests[name]}


def policy_resources(workload: Workload) -> dict[str, str]:
    """Spell the minResources that the author wrote; empty when there are none."""
    return spell(_amounts(workload.policy.min_resources))


def gang_requests(workload: Workload) -> Requests:
    """Return what all pods ask that exist at the same time."""
    total: Requests = {}
    for role in workload.gang:
        total = _add(total, pod_requests(role.spec), role.replicas)
    return total


def largest_pod(workload: Workload) -> tuple[str, Requests]:
    """Return the role whose pod is hardest to place, and what one such pod asks.

    Devices weigh most, then cpu, then memory; of equals the first role.
    """
    pods = [(role.name, pod_requests(role.spec)) for role in workload.roles if role.replicas > 0]
    return max(pods, key=lambda pod: _weight(pod[1]), default=("", {}))


def _weight(requests: Requests) -> tuple[Quantity, Quantity, Quantity]:
    devices = sum((amount for name, amount in requests.items() if "/" in name), ZERO)
    return devices, requests.get("cpu", ZERO), requests.get("memory", ZERO)


def unknown_priorities(
    workload: Workload, members: int, priorities: Mapping[str, int]
) -> tuple[NamedClass, ...]:
    """Return the classes, each once, that count 0 for want of a value and decide which pods come first."""
    classes = {role.spec.get("priorityClassName") for role in workload.gang}
    if members >= workload.pods_together or len(classes) < 2:
        return ()
    found: dict[str, NamedClass] = {}
    for named in _named_classes(workload.gang):
        if named.name not in priorities and named.name not in BUILT_IN_PRIORITIES:
            found.setdefault(named.name, named)
    return tuple(found.values())


def priority_class(workload: Workload) -> NamedClass | None:
    """Return the class of the gang: the policy's, else that of the first role that names one.

    Mirrors mpi-operator pkg/controller/podgroup.go calculatePriorityClassName (v0.8.2).
    """
    policy = workload.policy
    if policy.priority_class:
        return NamedClass(policy.priority_class, policy.places["priority_class"])
    return next(_named_classes(workload.roles), None)


def _named_classes(roles: tuple[Role, ...]) -> Iterator[NamedClass]:
    for role in roles:
        name = role.spec.get("priorityClassName")
        if name:
            yield NamedClass(name, (*role.template_at, "spec", "priorityClassName"))


def _priority(role: Role, priorities: Mapping[str, int]) -> int:
    name = role.spec.get("priorityClassName") or ""
    return priorities.get(name, BUILT_IN_PRIORITIES.get(name, 0))
