"""A scheduleTimeoutSeconds of 0, or one that may be too short.

0 means neither no wait nor no limit but the scheduler's permitWaitingTimeSeconds, which the chart sets to 10:
scheduler-plugins pkg/coscheduling/coscheduling.go Permit (v0.34), manifests/install/charts/as-a-second-scheduler.
Ten seconds were too few for large gangs (scheduler-plugins#722). When the time of one waiting pod is over, all
are let go and the gang begins again. What is short for a cluster is a guess: a note tells of less than 60
seconds, the scheduler's own default, or of less than a fifth of a second per pod. A timeout that is left out is
left to the cluster.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      scheduleTimeoutSeconds: 0  # <- here
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

Mend: write a number of seconds in which all pods can be placed, or delete the line.
"""

from collections.abc import Iterator

from gangform import claims
from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity

ID = "timeout-zero-or-short"
SEVERITY = Severity.WARNING

_DEFAULT = 60
_PODS_PER_SECOND = 5


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look at a group's and a policy's timeout where the scheduler is known."""
    claim = claims.read(subject, scene)
    if claim is None or not claim.backend or claim.timeout is None:
        return
    pods = claim.workload.pods_together if claim.workload else claim.members or 0
    needed = max(_DEFAULT, pods // _PODS_PER_SECOND)
    if claim.timeout == 0:
        yield Problem(
            claim.timeout_at, "scheduleTimeoutSeconds 0 is not \"no limit\": the scheduler's own "
            "permitWaitingTimeSeconds holds, which its chart sets to 10",
            f"write {needed} or more, or delete the line")
    elif 0 < claim.timeout < needed:
        yield Problem(
            claim.timeout_at, f"scheduleTimeoutSeconds {claim.timeout} may be short for {pods} pods: when it is over "
            "before all are placed, all are let go",
            f"write {needed} or more, unless the cluster is known to be quick", severity=Severity.NOTE)
