"""More MPI processes per Worker than the Worker has CPUs or devices.

slotsPerWorker is how many processes mpirun may start in one Worker. When it is larger than the CPUs and every kind
of device that the Worker asks for, the processes share them. That is a guess: processes may share on purpose, and a
request may be smaller than what the pod is given. So it is a note, and only where slotsPerWorker is 2 or more.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      slotsPerWorker: 8  # <- here
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi, resources: {requests: {cpu: 2}}}]}

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      slotsPerWorker: 8
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi, resources: {requests: {cpu: 8}}}]}

Mend: lower slotsPerWorker, or ask for what the processes need.
"""

from collections.abc import Iterator

from gangform import sizing
from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get
from gangform.model.quantity import Quantity

ID = "slots-exceed-requests"
SEVERITY = Severity.NOTE

_AT: Pointer = ("spec", "slotsPerWorker")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:  # noqa: ARG001  a job alone tells it
    """Compare the slots with what one Worker asks for."""
    slots = get(subject.data, _AT)
    roles = subject.workload.roles if subject.workload else ()
    worker = next((role for role in roles if role.name == "Worker"), None)
    if worker is None or slots is None or slots < 2:
        return
    asked = {name: amount for name, amount in sizing.pod_requests(worker.spec).items()
             if amount and (name == "cpu" or "/" in name)}
    if asked and "resourceClaims" not in worker.spec and max(asked.values()) < Quantity.parse(int(slots)):
        amounts = " and ".join(f"{amount.canonical()} {name}" for name, amount in sorted(asked.items()))
        yield Problem(_AT, f"slotsPerWorker is {int(slots)}, but a Worker asks for {amounts}: the processes share them",
                      "lower slotsPerWorker, or ask for what the processes need")
