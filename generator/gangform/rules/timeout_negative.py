"""A scheduleTimeoutSeconds below zero: the gang never starts.

Coscheduling lets waiting pods go when the time is over, and a negative time is over at once:
scheduler-plugins pkg/coscheduling/coscheduling.go Permit, pkg/util/podgroup.go GetWaitTimeDuration (v0.34);
seen with -1: no pod is ever bound. The API has no lower bound.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      scheduleTimeoutSeconds: -1  # <- here
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
      scheduleTimeoutSeconds: 300
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

Mend: write a number of seconds, or delete the line so that the scheduler's own time holds.
"""

from collections.abc import Iterator

from gangform import claims
from gangform.contracts import Scene, Subject
from gangform.model.edit import ABSENT, Edit
from gangform.model.finding import Problem, Severity

ID = "timeout-negative"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look at a group's and a policy's timeout."""
    claim = claims.read(subject, scene)
    if claim is None or claim.timeout is None or claim.timeout >= 0:
        return
    yield Problem(
        claim.timeout_at,
        f"scheduleTimeoutSeconds is {claim.timeout}: the time is over at once, so the gang never starts",
        "write a number of seconds, or delete the line (the scheduler's own time then holds)",
        edit=Edit(claim.timeout_at, ABSENT))
