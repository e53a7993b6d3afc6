"""The gang asks for more in minResources than all its pods together.

It waits for capacity that its pods never use: coscheduling until the whole cluster has that much free
(scheduler-plugins pkg/coscheduling/core/core.go CheckClusterResource, v0.34; seen with cpu 64: no pod is bound on
48 free CPU, all of them on 64, of which they use 3), Volcano until its queue has (pkg/scheduler/plugins/overcommit;
a warning there). A resource that a LimitRange of the namespace may add to a container is left out of the comparison.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minResources:
        cpu: 64  # <- here
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

Mend: write what the pods ask, or delete minResources.
"""

from collections.abc import Iterator

from gangform import claims, sizing
from gangform.claims import Claim
from gangform.contracts import Scene, Subject
from gangform.grouping import mend_resources
from gangform.model.edit import ABSENT, Edit
from gangform.model.finding import Problem, Severity
from gangform.model.quantity import ZERO, Quantity
from gangform.model.workload import Workload

ID = "min-resources-overstated"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare each amount with the sum over all pods of the job."""
    claim = claims.read(subject, scene)
    if claim is None or claim.workload is None or not claim.resources:
        return
    stern = scene.has(claim.backend, "blocks-on-min-resources")
    pods = [(role, sizing.pod_requests(role.spec)) for role in claim.workload.roles]
    for name, asked in sizing.readable(claim.resources).items():
        if name == "pods" or not sizing.is_resource(name):
            continue
        if not all(sizing.is_stated(role.spec, name) for role, _ in pods):
            continue
        total = sum((requests.get(name, ZERO) * role.replicas for role, requests in pods), ZERO)
        if asked > total:
            yield _problem(subject, claim, claim.workload, name, (asked, total))._replace(
                severity=None if stern else Severity.WARNING)


def _problem(
    subject: Subject, claim: Claim, workload: Workload, name: str, amounts: tuple[Quantity, Quantity]
) -> Problem:
    asked, total = (amount.canonical() for amount in amounts)
    pointer = (*claim.resources_at, name)
    roles = " + ".join(f"{role.replicas} {role.name}" for role in workload.roles)
    whole = claim.members == workload.pods
    mend = total if amounts[1] else ABSENT
    return Problem(
        pointer, f"minResources asks for {asked} of {name}, but all pods of the job ({roles}) ask for {total}",
        mend_resources(subject.data, workload, total) if amounts[1] else "delete the line",
        edit=Edit(pointer, mend) if whole else None)
