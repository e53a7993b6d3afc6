"""minResources is less than the pods ask that must start together.

The check of free capacity then lets the gang through too early. Coscheduling finds out pod by pod and gives up
again; Volcano lets more gangs into the queue than fit. Values that mpi-operator computes have this where pods
have init containers, sidecars or an overhead, which it leaves out: pkg/controller/podgroup.go calPGMinResource
(v0.8.2). A smaller number can be meant, hence a note; the least that any such pods can ask is compared.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minResources:
        cpu: 2  # <- here
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
      minResources:
        cpu: 3
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

Mend: write what the pods ask, or delete the line so that nothing is checked.
"""

from collections.abc import Iterator

from gangform import claims, sizing
from gangform.contracts import Scene, Subject
from gangform.grouping import mend_resources
from gangform.model.finding import Problem, Severity
from gangform.model.quantity import ZERO

ID = "min-resources-overcommit"
SEVERITY = Severity.NOTE


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare each amount with the least that minMember pods can ask."""
    claim = claims.read(subject, scene)
    if claim is None or claim.workload is None or not claim.members:
        return
    needed = sizing.least(claim.workload, claim.members, sizing.pod_requests)
    for name, asked in sizing.readable(claim.resources).items():
        least = needed.get(name, ZERO)
        if asked < least:
            yield Problem(
                (*claim.resources_at, name),
                f"minResources asks for {asked.canonical()} of {name}, but the {claim.members} pods that must "
                f"start ask for {least.canonical()}",
                mend_resources(subject.data, claim.workload, least.canonical()))
