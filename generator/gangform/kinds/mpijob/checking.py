"""What mpi-operator refuses although the schema allows it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gangform.kinds.mpijob.reading import REPLICAS_AT
from gangform.model.edit import Edit
from gangform.model.finding import Code, Problem, Severity
from gangform.model.pointer import Pointer, get

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
    ("mpi-implementation", "An MPI implementation that mpi-operator does not know.", "The API server refuses the job.",
     "write OpenMPI, Intel or MPICH; OpenMPI is the default."),
    ("managed-by", "A manager that MPIJobs do not know.",
     "mpi-operator leaves the job to whoever is named, without an event, and no pod is ever created.",
     "write kubeflow.org/mpi-operator or kueue.x-k8s.io/multikueue, or delete the line."),
    ("negative-number", "A number below zero where only zero or more has a meaning.",
     "mpi-operator refuses the job, or, for minAvailable, tries for ever to make a group that the API server refuses.",
     "write a number that is not negative, or delete the line."),
    ("min-available-zero", "A minAvailable of 0 asks for no gang.",
     "mpi-operator then makes a group without minMember, and the scheduler starts the pods one by one.",
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


def check(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what the operator refuses, and what it would silently drop or pass on broken.

    Mirrors kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go ValidateMPIJob (v0.8.2).
    """
    yield from _check_name(data)
    yield from _check_replica_types(get(data, REPLICAS_AT) or {})
    for code, pointer, choices in _CHOICES:
        yield from _check_choice(data, code, pointer, choices)
    for pointer in (*_NOT_NEGATIVE, _MIN_AVAILABLE_AT):
        value = get(data, pointer)
        least = 1 if pointer == _MIN_AVAILABLE_AT else 0
        if value is not None and value < least:
            yield Problem(pointer, f"{pointer[-1]} is {int(value)}; it must be {least} or more",
                          "write another number, or delete the line",
                          code="negative-number" if value else "min-available-zero")


def _check_name(data: Mapping[str, Any]) -> Iterator[Problem]:
    name = get(data, ("metadata", "name"))
    if not name:
        return
    workers = int(get(data, (*REPLICAS_AT, "Worker", "replicas")) or 0)
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
        yield Problem(REPLICAS_AT, "the job has no Launcher: mpi-operator needs exactly one",
                      "write spec.mpiReplicaSpecs.Launcher with a template", on="key", code="launcher-missing")
    for name, replica_spec in replica_specs.items():
        at = (*REPLICAS_AT, name)
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
