"""A pod whose requests and limits the API server refuses, so that it is never made.

An MPIJob is stored with any amounts; its pods are not. The API server refuses a pod with a negative amount, with a
request above its limit, and with devices or huge pages whose request is not exactly the limit or has none, since
these cannot be shared; devices are counted in whole numbers (kubernetes pkg/apis/core/validation/validation.go,
ValidateResourceRequirements, v0.34). mpi-operator tells it in an event and tries again for ever; the members that
could be made wait in the gang.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec:
              containers:
              - name: main
                image: mpi
                resources:
                  requests: {nvidia.com/gpu: 4}  # <- here

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec:
              containers:
              - name: main
                image: mpi
                resources:
                  limits: {nvidia.com/gpu: 4}

Mend: write the amount of devices and huge pages under limits only; for cpu and memory, ask for no more than the limit.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gangform import sizing
from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer
from gangform.model.quantity import ZERO, Quantity

ID = "pod-resources-refused"
SEVERITY = Severity.ERROR

_FRACTIONS = "num"
"""Suffixes with which a canonical amount is no whole number."""


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:  # noqa: ARG001 - the contract of rules
    """Find containers whose amounts the API server refuses."""
    if subject.workload is None:
        return
    for role in subject.workload.roles:
        for field in ("initContainers", "containers"):
            for number, container in enumerate(role.spec.get(field) or ()):
                at = (*role.template_at, "spec", field, number, "resources")
                yield from _check(container.get("resources") or {}, at, role.name)


def _check(resources: Mapping[str, Any], at: Pointer, role: str) -> Iterator[Problem]:
    requests, limits = (sizing.readable(resources.get(field)) for field in ("requests", "limits"))
    for field, amounts in (("requests", requests), ("limits", limits)):
        for name, amount in amounts.items():
            fault = _fault_of_amount(name, amount) or (
                _fault_of_request(name, amount, limits.get(name)) if field == "requests" else None)
            if fault is not None:
                yield Problem((*at, field, name), f"the {role} {fault[0]}: the API server refuses its pods", fault[1])


def _fault_of_amount(name: str, amount: Quantity) -> tuple[str, str] | None:
    if amount < ZERO:
        return f"asks for {amount.canonical()} of {name}", "write an amount that is not negative"
    if _is_device(name) and amount.canonical()[-1] in _FRACTIONS:
        return f"asks for {amount.canonical()} of {name}, which is no whole number", "write a whole number"
    return None


def _fault_of_request(name: str, request: Quantity, limit: Quantity | None) -> tuple[str, str] | None:
    if _is_device(name) or name.startswith("hugepages-"):
        if limit is None:
            return f"requests {name} without a limit", f"write {name} under limits; the request follows it"
        if request != limit:
            return (f"requests {request.canonical()} of {name}, and its limit is {limit.canonical()}",
                    "make both equal; they cannot be shared")
    if limit is not None and request > limit:
        return (f"requests {request.canonical()} of {name}, more than its limit {limit.canonical()}",
                "lower the request, or raise the limit")
    return None


def _is_device(name: str) -> bool:
    """Mirrors kubernetes pkg/apis/core/v1/helper/helpers.go IsExtendedResourceName (v0.34)."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")
