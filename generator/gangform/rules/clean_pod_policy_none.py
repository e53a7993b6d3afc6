"""The Workers keep running and keep their resources after the job has ended.

cleanPodPolicy None, the default of mpi-operator (pkg/apis/kubeflow/v2beta1/default.go, v0.8.2), deletes no pod
when the Launcher is done. Workers run sshd and never end by themselves, so they hold their CPUs and GPUs, and
their place in the gang, until somebody deletes the job. It can be meant, for looking at the Workers: a note.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy:
        cleanPodPolicy: None  # <- here
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy:
        cleanPodPolicy: Running
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Mend: write cleanPodPolicy: Running, or All to delete finished pods too.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "clean-pod-policy-none"
SEVERITY = Severity.NOTE

_AT: Pointer = ("spec", "runPolicy", "cleanPodPolicy")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:  # noqa: ARG001  a job alone tells it
    """Find jobs with Workers that outlive them."""
    if subject.workload is None or subject.ref.kind != "MPIJob":
        return
    workers = sum(role.replicas for role in subject.workload.roles if role.name != "Launcher")
    written = get(subject.data, _AT)
    if workers and written in (None, "", "None"):
        said = "is None" if written else "is not written, and None is the default"
        yield Problem(_AT, f"cleanPodPolicy {said}: {workers} Worker{'s' * (workers != 1)} keep their resources "
                      "after the Launcher is done", "write Running, or All to delete finished pods too")
