"""A scheduleTimeoutSeconds above 900 counts as 900.

The scheduler lets no plugin hold a pod for more than 15 minutes: kubernetes
pkg/scheduler/framework/runtime/framework.go maxTimeout (v1.34). Nothing is wrong, but the number promises more.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      scheduleTimeoutSeconds: 3600  # <- here
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
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
      minMember: 3
      scheduleTimeoutSeconds: 900
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
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

Mend: write 900 or less.
"""

from collections.abc import Iterator

from gangform import claims
from gangform.contracts import Scene, Subject
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity

ID = "timeout-capped"
SEVERITY = Severity.NOTE

_MOST = 900


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look at a group's and a policy's timeout where the scheduler is known."""
    claim = claims.read(subject, scene)
    if claim is None or not claim.backend or claim.timeout is None or claim.timeout <= _MOST:
        return
    yield Problem(
        claim.timeout_at, f"scheduleTimeoutSeconds {claim.timeout} counts as {_MOST}: no pod is held for longer",
        f"write {_MOST}", edit=Edit(claim.timeout_at, _MOST))
