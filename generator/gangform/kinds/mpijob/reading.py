"""An MPIJob as a neutral workload."""

from collections.abc import Mapping
from typing import Any

from gangform.model.pointer import Pointer, get
from gangform.model.workload import Places, Policy, Role, Workload, identify

REPLICAS_AT: Pointer = ("spec", "mpiReplicaSpecs")
REPLICAS = {"Launcher": 1, "Worker": 0}
POLICY_AT: Pointer = ("spec", "runPolicy", "schedulingPolicy")
_POLICY_FIELDS = {
    "min_available": "minAvailable", "queue": "queue", "priority_class": "priorityClass",
    "min_resources": "minResources", "timeout_seconds": "scheduleTimeoutSeconds",
}
_ADDED_LABELS = frozenset(
    f"training.kubeflow.org/{name}" for name in ("operator-name", "job-name", "job-role", "replica-index"))
_FOLLOWED: frozenset[Pointer] = frozenset({
    ("spec", "mpiReplicaSpecs", "Worker", "replicas"),
    *(("spec", "runPolicy", name) for name in ("suspend", "cleanPodPolicy", "schedulingPolicy")),
})
_OPERATOR = "kubeflow.org/mpi-operator"
_QUEUE_AT: Pointer = ("metadata", "annotations", "scheduling.volcano.sh/queue-name")


def read(data: Mapping[str, Any]) -> Workload:
    """Read an MPIJob that passed its schema; total on such data.

    Defaults as in kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1/default.go (v0.8.2). Replica types other
    than Launcher and Worker are left out, as the operator makes no pods of them.
    """
    metadata = data.get("metadata") or {}
    specs = ((name, get(data, (*REPLICAS_AT, name))) for name in REPLICAS)
    roles = tuple(_role(name, replica_spec) for name, replica_spec in specs if replica_spec is not None)
    return Workload(
        ref=identify(data),
        labels=metadata.get("labels") or {},
        annotations=metadata.get("annotations") or {},
        roles=roles,
        policy=_policy(data),
        suspended=get(data, ("spec", "runPolicy", "suspend")) is True,
        together=_together(data, roles),
        added_labels=_ADDED_LABELS,
        followed=_FOLLOWED,
        manager=_manager(data),
    )


def _manager(data: Mapping[str, Any]) -> str:
    """The operator passes over jobs of others (managedByExternalController in pkg/controller/mpi_job_controller.go)."""
    manager = get(data, ("spec", "runPolicy", "managedBy"))
    return "" if manager in (None, _OPERATOR) else str(manager)


def _role(name: str, replica_spec: Mapping[str, Any]) -> Role:
    at = (*REPLICAS_AT, name)
    template_at = (*at, "template")
    replicas = replica_spec.get("replicas")
    return Role(
        name=name,
        replicas=REPLICAS[name] if replicas is None else int(replicas),
        replicas_at=(*at, "replicas"),
        template=replica_spec.get("template") or {},
        template_at=template_at,
        places=Places((*template_at, "metadata", "labels"), (*template_at, "metadata", "annotations"),
                      (*template_at, "spec", "schedulerName")),
    )


def _together(data: Mapping[str, Any], roles: tuple[Role, ...]) -> tuple[str, ...]:
    """Without workers a waiting launcher is created at once (pkg/controller/mpi_job_controller.go)."""
    waits = get(data, ("spec", "launcherCreationPolicy")) == "WaitForWorkersReady"
    workers = any(role.name == "Worker" and role.replicas > 0 for role in roles)
    return tuple(role.name for role in roles if role.name == "Worker" or not (waits and workers))


def _policy(data: Mapping[str, Any]) -> Policy:
    values: dict[str, Any] = {}
    places: dict[str, Pointer] = {}
    candidates = [(field, (*POLICY_AT, name)) for field, name in _POLICY_FIELDS.items()]
    for field, place in (*candidates, ("queue", _QUEUE_AT)):
        value = get(data, place)
        if field not in values and value is not None and value != "":
            values[field] = int(value) if isinstance(value, float) else value
            places[field] = place
    return Policy(**values, places=places)
