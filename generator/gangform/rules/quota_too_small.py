"""The namespace's quota is smaller than one gang.

mpi-operator creates pods until the quota refuses one, and the job never has them all
(kubeflow/mpi-operator pkg/controller/mpi_job_controller.go getOrCreateWorker, v0.8.2). Seen: the pods say "cannot find
enough sibling pods", and only an event of the job names the quota. Compared are the pods that must start
together, each resource with its own cheapest pods, so that the number is the least that can be needed. Quotas
with scopes, and limits that a LimitRange may add, are left aside.

Bad::

    apiVersion: v1
    kind: ResourceQuota
    metadata: {name: team}
    spec: {hard: {requests.cpu: "16", pods: "8"}}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi, resources: {requests: {cpu: 1}}}]}
        Worker:
          replicas: 2  # <- here
          template:
            spec: {containers: [{name: main, image: mpi, resources: {requests: {cpu: 8}}}]}

Good::

    apiVersion: v1
    kind: ResourceQuota
    metadata: {name: team}
    spec: {hard: {requests.cpu: "17", pods: "8"}}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi, resources: {requests: {cpu: 1}}}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi, resources: {requests: {cpu: 8}}}]}

Mend: raise the quota, or make the job smaller.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gangform import sizing
from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import get
from gangform.model.quantity import Quantity
from gangform.model.workload import Workload

ID = "quota-too-small"
SEVERITY = Severity.ERROR

_COMPUTE = frozenset({"cpu", "memory", "ephemeral-storage"})
"""Resources that a quota can limit, and name without ``requests.`` (kubernetes pkg/quota/v1/evaluator/core/pods.go
podComputeUsageHelper, v1.34)."""


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare the least that a gang takes with every quota of its namespace."""
    if subject.workload is None or subject.holder is not None:
        return
    quotas = [quota for quota in scene.by_kind.get(("", "ResourceQuota"), ())
              if quota.ref.namespace == subject.ref.namespace]
    if not quotas:
        return
    members = min(_members(subject, scene), subject.workload.pods_together)
    needed = _usage(subject.workload, members)
    for quota in quotas:
        hard = _hard(quota.data)
        over = sorted(name for name in needed.keys() & hard.keys() if needed[name] > hard[name])
        if over:
            asked = ", ".join(f"{name} {needed[name].canonical()} of {hard[name].canonical()}" for name in over)
            roles = " + ".join(f"{role.replicas} {role.name}" for role in subject.workload.gang)
            yield Problem(
                subject.workload.gang[-1].replicas_at,
                f"the gang of {members} pods ({roles}) needs more than ResourceQuota {quota.ref.name} allows: {asked}",
                "raise the quota, or make the job smaller",
            )


def _members(subject: Subject, scene: Scene) -> int:
    for group, _ in scene.groups_of(subject):
        if group.gang is not None and group.gang.min_member is not None:
            return group.gang.min_member
    return sizing.min_member(subject.workload).value if subject.workload is not None else 0


def _hard(data: Mapping[str, Any]) -> sizing.Requests:
    if get(data, ("spec", "scopes")) or get(data, ("spec", "scopeSelector")):
        return {}
    hard = get(data, ("spec", "hard"))
    return sizing.readable(hard) if isinstance(hard, dict) else {}


def _usage(workload: Workload, members: int) -> sizing.Requests:
    """Return what quotas count for a gang, under every key that a quota may have for it."""
    pods, ref = Quantity.parse(members), workload.ref
    usage = {"pods": pods, "count/pods": pods, f"count/{ref.kind.lower()}s.{ref.group}": Quantity.parse(1)}
    for name, amount in sizing.least(workload, members, sizing.pod_requests).items():
        usage[f"requests.{name}"] = amount
        if name in _COMPUTE or name.startswith("hugepages-"):
            usage[name] = amount
    limits = sizing.least(workload, members, sizing.pod_limits)
    return usage | {f"limits.{name}": amount for name, amount in limits.items() if name in _COMPUTE}
