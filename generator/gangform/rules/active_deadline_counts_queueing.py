"""The time that the gang waits for its place counts against activeDeadlineSeconds.

The deadline goes to the Launcher's Job and runs from its start time, which is set while its pod is still pending:
kubernetes pkg/controller/job/job_controller.go syncJob (v1.34), kubernetes#111948. It can be meant as a limit of
everything, hence a note. It is a warning where the deadline ends before the gang's own scheduleTimeoutSeconds.
A Launcher that waits for its Workers, and a job that Kueue holds or that is suspended, start their clock later.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      scheduleTimeoutSeconds: 600
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy:
        cleanPodPolicy: Running
        activeDeadlineSeconds: 300  # <- here
      mpiReplicaSpecs:
        Launcher:
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
      minMember: 2
      scheduleTimeoutSeconds: 600
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      launcherCreationPolicy: WaitForWorkersReady
      runPolicy: {cleanPodPolicy: Running, activeDeadlineSeconds: 300}
      mpiReplicaSpecs:
        Launcher:
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

Mend: add the longest wait that is acceptable to the deadline, or set launcherCreationPolicy: WaitForWorkersReady.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "active-deadline-counts-queueing"
SEVERITY = Severity.NOTE

_AT: Pointer = ("spec", "runPolicy", "activeDeadlineSeconds")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find jobs in a gang whose deadline begins when they begin to wait."""
    workload, deadline = subject.workload, get(subject.data, _AT)
    if workload is None or deadline is None or workload.pods > workload.pods_together:
        return
    groups = [group.gang for group, _ in scene.groups_of(subject) if group.gang]
    held = workload.suspended or "kueue.x-k8s.io/queue-name" in workload.labels
    if held or not groups or workload.pods < 2:
        return
    timeout = max((gang.timeout_seconds or 0 for gang in groups), default=0)
    if timeout >= deadline:
        yield Problem(
            _AT, f"activeDeadlineSeconds {int(deadline)} is over before the gang has waited its "
            f"scheduleTimeoutSeconds {timeout} once: waiting counts",
            "write a longer deadline, or a shorter timeout", severity=Severity.WARNING)
    else:
        yield Problem(
            _AT, f"the {int(deadline)} seconds of activeDeadlineSeconds begin while the gang still waits for its place",
            "add the longest wait that is acceptable, or leave it when waiting is meant to count")
