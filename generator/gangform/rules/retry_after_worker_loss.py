"""A retry that can only wait: the gang needs every pod, and a lost Worker does not come back.

mpi-operator does not make a Worker again whose pod has failed (pkg/controller/mpi_job_controller.go
getOrCreateWorker, v0.8), and both schedulers leave failed pods out of the count. When a Worker is lost, the
Launcher fails, its next pod joins the gang, and one pod is missing for ever (mpi-operator#647). This looks at
jobs whose Launcher has restartPolicy Never, so that each retry is a new pod; with OnFailure, the default, the
container restarts in its pod. A warning where backoffLimit asks for retries, else a note: 6 is the default.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running, backoffLimit: 3}
      mpiReplicaSpecs:
        Launcher:
          restartPolicy: Never  # <- here
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]

Good::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running, backoffLimit: 0}
      mpiReplicaSpecs:
        Launcher:
          restartPolicy: Never
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]

Mend: set backoffLimit: 0 so that the job fails instead of waiting, or restartPolicy OnFailure for the Launcher.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "retry-after-worker-loss"
SEVERITY = Severity.WARNING

_LAUNCHER_AT: Pointer = ("spec", "mpiReplicaSpecs", "Launcher", "restartPolicy")
_WORKER_AT: Pointer = ("spec", "mpiReplicaSpecs", "Worker", "restartPolicy")
_RETRIES_AT: Pointer = ("spec", "runPolicy", "backoffLimit")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find jobs whose next Launcher pod would wait for a Worker that is gone."""
    workload = subject.workload
    if workload is None or get(subject.data, _LAUNCHER_AT) != "Never":
        return
    retries = get(subject.data, _RETRIES_AT)
    if retries == 0 or get(subject.data, _WORKER_AT) == "OnFailure" or workload.pods < 2:
        return
    needed = max((group.gang.min_member or 0 for group, _ in scene.groups_of(subject) if group.gang), default=0)
    if needed == workload.pods == workload.pods_together:
        yield Problem(
            _LAUNCHER_AT, f"after the loss of a Worker {needed - 1} of the {needed} pods are left that the gang "
            f"needs, so each of the {6 if retries is None else int(retries)} retries of the Launcher waits for ever",
            "set backoffLimit: 0 so that the job fails instead, or restartPolicy: OnFailure",
            severity=Severity.NOTE if retries is None else None)
