"""MPIJob of kubeflow.org/v2beta1: one Launcher and its Workers.

Knows the fields and defaults of kubeflow/mpi-operator (v0.8.2) and what its validation refuses; nothing
about schedulers.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gangform import sizing
from gangform.model.edit import Edit
from gangform.model.finding import Code, Problem, Severity
from gangform.model.pointer import Pointer, get
from gangform.model.workload import Places, Policy, Role, Workload, identify

API = ("kubeflow.org/v2beta1", "MPIJob")
SCHEMA = "kubeflow.org/mpijob_v2beta1"

_TO_V2BETA1 = (
    "move it to kubeflow.org/v2beta1: cleanPodPolicy, backoffLimit, activeDeadlineSeconds and "
    "ttlSecondsAfterFinished go into spec.runPolicy, "
)
LEGACY: Mapping[str, str] = {
    "kubeflow.org/v1": _TO_V2BETA1 + "and mainContainer goes away; it was served by training-operator",
    "kubeflow.org/v1alpha2": _TO_V2BETA1 + "and mainContainer goes away",
    "kubeflow.org/v1alpha1": _TO_V2BETA1 + "gpus or processingUnits become limits of the Worker's containers, "
    "and template becomes spec.mpiReplicaSpecs.Launcher and Worker, each with a template",
}

_RUN_POLICY = ("cleanPodPolicy", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished",
               "schedulingPolicy", "suspend", "managedBy")
_SCHEDULING_POLICY = ("minAvailable", "queue", "minResources", "priorityClass", "scheduleTimeoutSeconds")
_SPEC = ("slotsPerWorker", "runLauncherAsWorker", "launcherCreationPolicy", "sshAuthMountPath",
         "mpiImplementation", "mpiReplicaSpecs")
_RENAMED = {"minMember": "minAvailable", "priorityClassName": "priorityClass", "queueName": "queue",
            "scheduleTimeout": "scheduleTimeoutSeconds", "timeoutSeconds": "scheduleTimeoutSeconds"}

_POLICY = "spec.runPolicy.schedulingPolicy"
_REPLICA_SPEC = "spec.mpiReplicaSpecs.*"

HOMES: Mapping[str, str] = {
    **{f"{parent}.{name}": f"spec.runPolicy.{name}"
       for parent in ("spec", _REPLICA_SPEC, _POLICY) for name in _RUN_POLICY},
    **{f"{parent}.{name}": f"{_POLICY}.{name}" for parent in ("spec", "spec.runPolicy") for name in _SCHEDULING_POLICY},
    **{f"{parent}.{name}": f"spec.{name}" for parent in ("spec.runPolicy", _REPLICA_SPEC) for name in _SPEC},
    **{f"{at}.{old}": f"{_POLICY}.{new}" for at in ("spec.runPolicy", _POLICY) for old, new in _RENAMED.items()},
    **{f"{_REPLICA_SPEC}.{name}": f"{_REPLICA_SPEC}.template.metadata.{name}" for name in ("labels", "annotations")},
    **{f"{_REPLICA_SPEC}.{name}": f"{_REPLICA_SPEC}.template.spec.{name}"
       for name in ("containers", "initContainers", "volumes", "schedulerName", "nodeSelector", "tolerations",
                    "affinity", "priorityClassName", "hostNetwork", "serviceAccountName")},
    **{f"{_REPLICA_SPEC}.{name}": f"{_REPLICA_SPEC}.template.{name}" for name in ("spec", "metadata")},
    **{f"spec.{name}": f"spec.mpiReplicaSpecs.{name}" for name in ("Launcher", "Worker")},
    "spec.replicas": "spec.mpiReplicaSpecs.Worker.replicas",
}

MOVES: Mapping[str, str] = {
    **{f"spec.{old}": f"it is called {new}, in {_POLICY}" for old, new in _RENAMED.items()},
    **{f"spec.{name}": f"{name} belongs in template.spec of both spec.mpiReplicaSpecs.Launcher and Worker"
       for name in ("schedulerName", "nodeSelector", "tolerations")},
    **{f"spec.{name}": f"{name} is of kubeflow.org/v1alpha1; write it under limits of the Worker's containers"
       for name in ("gpus", "gpusPerNode", "processingUnits", "processingUnitsPerNode", "processingResourceType")},
    f"{_REPLICA_SPEC}.minReplicas": f"the least number of pods is {_POLICY}.minAvailable",
    **{f"{at}.restartPolicy": "restartPolicy belongs in spec.mpiReplicaSpecs.Launcher or Worker, beside template"
       for at in ("spec", "spec.runPolicy")},
    "spec.template": "template belongs in spec.mpiReplicaSpecs.Launcher and Worker",
    "spec.mainContainer": "mainContainer is of an older API and has no successor; take it out",
    "spec.launcherOnMaster": "launcherOnMaster is of kubeflow.org/v1alpha1; use the Launcher's nodeSelector",
    "spec.mpiDistribution": "mpiDistribution is called mpiImplementation now: OpenMPI, Intel or MPICH",
}

_WHY = "mpi-operator refuses the job: an event says so, and no pod is ever created."

CODES: Mapping[str, Code] = {name: Code(Severity.ERROR, f"{summary}\n\n{why}\n\nMend: {mend}") for
                             name, summary, why, mend in (
    ("job-name-too-long", "The names of the job's pods would be too long.",
     f"The last worker's host name, <job>-worker-<number>, may have 63 characters. {_WHY}",
     "shorten metadata.name."),
    ("job-name-invalid", "The job's name cannot begin the host names of its pods.",
     f"It may have lower case letters, digits and hyphens and must begin with a letter. {_WHY}",
     "rename the job."),
    ("launcher-missing", "The job has no Launcher.", _WHY,
     "write spec.mpiReplicaSpecs.Launcher with a template."),
    ("launcher-replicas", "The job has not exactly one Launcher.", _WHY,
     "set the Launcher's replicas to 1, or delete the line."),
    ("worker-replicas", "The job has a Worker without any replica.",
     f"Replicas that are not written count 0. {_WHY}",
     "write the Worker's replicas, or delete the Worker where the launcher works alone."),
    ("replica-type-unknown", "A replica type that is neither Launcher nor Worker.",
     "mpi-operator makes no pods of it and says nothing; names are case sensitive.",
     "rename it to Launcher or Worker, or take it out."),
    ("containers-missing", "A pod template without containers.", _WHY,
     "write at least one container in template.spec.containers."),
    ("restart-policy", "A restart policy that MPIJobs do not have.",
     f"Launcher and Worker take Never or OnFailure; Always and ExitCode belong to other jobs. {_WHY}",
     "write Never or OnFailure, or delete the line."),
    ("clean-pod-policy", "A cleanPodPolicy that does not exist.", _WHY,
     "write None, Running or All; None is the default."),
    ("mpi-implementation", "An MPI implementation that mpi-operator does not know.", _WHY,
     "write OpenMPI, Intel or MPICH; OpenMPI is the default."),
    ("managed-by", "A manager that MPIJobs do not know.", _WHY,
     "write kubeflow.org/mpi-operator or kueue.x-k8s.io/multikueue, or delete the line."),
    ("negative-number", "A number below zero where only zero or more has a meaning.",
     "mpi-operator refuses the job, or, for minAvailable, passes the number on to a scheduler that refuses it.",
     "write a number that is not negative, or delete the line."),
    ("quantity-unreadable", "A quantity that the API server stores although it means nothing.",
     "The pattern of the CRD lets through fractional exponents and sizes that fit no cluster.",
     "write a number and at most one suffix, such as 500m or 64Gi."),
    ("min-available-zero", "A minAvailable of 0 asks for no gang.",
     "mpi-operator passes it on; Volcano then starts the pods one by one, coscheduling refuses the group.",
     "write 1 or more, or delete the line: all pods that exist together are the default."),
)}

_CHOICES: tuple[tuple[str, Pointer, tuple[str, ...]], ...] = (
    ("clean-pod-policy", ("spec", "runPolicy", "cleanPodPolicy"), ("None", "Running", "All")),
    ("mpi-implementation", ("spec", "mpiImplementation"), ("OpenMPI", "Intel", "MPICH")),
    ("managed-by", ("spec", "runPolicy", "managedBy"), ("kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue")),
)
_NOT_NEGATIVE: tuple[Pointer, ...] = (
    ("spec", "slotsPerWorker"),
    *(("spec", "runPolicy", name) for name in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")),
)
_MIN_AVAILABLE_AT: Pointer = ("spec", "runPolicy", "schedulingPolicy", "minAvailable")
_HOST_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_LONGEST = 63

_REPLICAS_AT: Pointer = ("spec", "mpiReplicaSpecs")
_REPLICAS = {"Launcher": 1, "Worker": 0}
_POLICY_AT: Pointer = ("spec", "runPolicy", "schedulingPolicy")
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
_QUEUE_AT: Pointer = ("metadata", "annotations", "scheduling.volcano.sh/queue-name")


def read(data: Mapping[str, Any]) -> Workload:
    """Read an MPIJob that passed its schema; total on such data.

    Defaults as in kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1/default.go (v0.8.2). Replica types other
    than Launcher and Worker are left out, as the operator makes no pods of them.
    """
    metadata = data.get("metadata") or {}
    specs = ((name, get(data, (*_REPLICAS_AT, name))) for name in _REPLICAS)
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
    )


def _role(name: str, replica_spec: Mapping[str, Any]) -> Role:
    at = (*_REPLICAS_AT, name)
    template_at = (*at, "template")
    replicas = replica_spec.get("replicas")
    return Role(
        name=name,
        replicas=_REPLICAS[name] if replicas is None else int(replicas),
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
    candidates = [(field, (*_POLICY_AT, name)) for field, name in _POLICY_FIELDS.items()]
    for field, place in (*candidates, ("queue", _QUEUE_AT)):
        value = get(data, place)
        if field not in values and value is not None and value != "":
            values[field] = int(value) if isinstance(value, float) else value
            places[field] = place
    return Policy(**values, places=places)


def check(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what the operator refuses, and what it would silently drop or pass on broken.

    Mirrors kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go ValidateMPIJob (v0.8.2).
    """
    yield from _check_name(data)
    yield from _check_replica_types(get(data, _REPLICAS_AT) or {})
    for code, pointer, choices in _CHOICES:
        yield from _check_choice(data, code, pointer, choices)
    for pointer in (*_NOT_NEGATIVE, _MIN_AVAILABLE_AT):
        value = get(data, pointer)
        least = 1 if pointer == _MIN_AVAILABLE_AT else 0
        if value is not None and value < least:
            yield Problem(pointer, f"{pointer[-1]} is {int(value)}; it must be {least} or more",
                          "write another number, or delete the line",
                          code="negative-number" if value else "min-available-zero")
    yield from _check_quantities(data)


def _check_name(data: Mapping[str, Any]) -> Iterator[Problem]:
    name = get(data, ("metadata", "name"))
    if not name:
        return
    workers = int(get(data, (*_REPLICAS_AT, "Worker", "replicas")) or 0)
    last = f"{name}-worker-{max(workers, 1) - 1}"
    if not _HOST_NAME.fullmatch(last):
        yield Problem(
            ("metadata", "name"),
            f"{name} cannot begin the host name {last} of the last worker: it must have lower case letters, "
            "digits and hyphens only and begin with a letter",
            "rename the job", code="job-name-invalid")
    if len(last) > _LONGEST:
        yield Problem(
            ("metadata", "name"),
            f"the name is {len(last) - _LONGEST} characters too long: the last worker would be called {last}, "
            f"which has {len(last)} characters of at most {_LONGEST}",
            f"shorten it to {len(name) - len(last) + _LONGEST} characters", code="job-name-too-long")


def _check_replica_types(replica_specs: Mapping[str, Any]) -> Iterator[Problem]:
    if "Launcher" not in replica_specs:
        yield Problem(_REPLICAS_AT, "the job has no Launcher: mpi-operator needs exactly one",
                      "write spec.mpiReplicaSpecs.Launcher with a template", on="key", code="launcher-missing")
    for name, replica_spec in replica_specs.items():
        at = (*_REPLICAS_AT, name)
        if name not in ("Launcher", "Worker"):
            yield _unknown_type(name, at)
            continue
        yield from _check_replicas(name, at, replica_spec.get("replicas"))
        yield from _check_choice(replica_spec, "restart-policy", ("restartPolicy",), ("Never", "OnFailure"), at)
        if not get(replica_spec, ("template", "spec", "containers")):
            yield Problem(
                (*at, "template", "spec", "containers"), f"the {name} has no containers: it needs at least one",
                f"write {name}.template.spec.containers", on="key", code="containers-missing")


def _unknown_type(name: str, at: Pointer) -> Problem:
    near = next((known for known in ("Launcher", "Worker") if name.lower().rstrip("s") == known.lower()), "")
    return Problem(
        at, f"{name} is no replica type of an MPIJob: mpi-operator makes no pods of it",
        f"did you mean {near}?" if near else "rename it to Launcher or Worker, or take it out",
        on="key", code="replica-type-unknown")


def _check_replicas(name: str, at: Pointer, replicas: Any) -> Iterator[Problem]:
    if name == "Launcher":
        if replicas is not None and replicas != 1:
            yield Problem((*at, "replicas"), f"the Launcher has {int(replicas)} replicas; it must have 1",
                          "set 1, or delete the line (1 is the default)", code="launcher-replicas")
    elif replicas is None:
        yield Problem(at, "the Worker has no replicas, which counts 0; it must have 1 or more",
                      "write replicas, or delete the Worker where the Launcher works alone",
                      on="key", code="worker-replicas")
    elif replicas < 1:
        yield Problem((*at, "replicas"), f"the Worker has {int(replicas)} replicas; it must have 1 or more",
                      "write another number, or delete the Worker where the Launcher works alone",
                      code="worker-replicas")


def _check_choice(
    data: Mapping[str, Any], code: str, pointer: Pointer, choices: tuple[str, ...], base: Pointer = ()
) -> Iterator[Problem]:
    value = get(data, pointer)
    if value is None or value in choices or (value == "" and code in ("restart-policy", "mpi-implementation")):
        return
    listed = f"{', '.join(choices[:-1])} or {choices[-1]}"
    near = next((choice for choice in choices if choice.lower() == str(value).lower()), "")
    yield Problem(
        (*base, *pointer), f'{pointer[-1]} is "{value}"; it must be {listed}',
        f"write {near}" if near else f"write {listed}, or delete the line",
        edit=Edit((*base, *pointer), near) if near else None, code=code)


def _check_quantities(data: Mapping[str, Any]) -> Iterator[Problem]:
    found = [*sizing.unreadable(get(data, (*_POLICY_AT, "minResources")), (*_POLICY_AT, "minResources"))]
    for name in _REPLICAS:
        at = (*_REPLICAS_AT, name, "template", "spec")
        found += sizing.unreadable_in_pod(get(data, at) or {}, at)
    for pointer, why in found:
        yield Problem(pointer, why, "write a quantity that fits a cluster", code="quantity-unreadable")
