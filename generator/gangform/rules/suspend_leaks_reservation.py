"""The group of a job that is held back reserves its minResources.

Volcano does not ask whether a group has pods: one with minResources is let into the queue and keeps that much
from other gangs (pkg/scheduler/plugins/overcommit, proportion, capacity; seen on an empty cluster: the next gang
pends until the group is deleted). A job has no pods while it is suspended, while Kueue holds it in a queue, and
when it runs in another cluster. mpi-operator deletes its own group then; a group in Git stays.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minResources:  # <- here
        cpu: "3"
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running, suspend: true}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]

Good::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running, suspend: true}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]

Mend: delete minResources, or add the group when the job is to run.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.edit import ABSENT, Edit
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import get

ID = "suspend-leaks-reservation"
SEVERITY = Severity.WARNING

_AT = ("spec", "minResources")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find groups that reserve although the only job they are for has no pods."""
    gang, jobs = subject.gang, scene.jobs_of(subject)
    if gang is None or not gang.min_resources or not scene.has(gang.backend, "reserves-without-pods"):
        return
    reason = _reason(jobs[0]) if len(jobs) == 1 else ""
    if reason:
        asked = ", ".join(f"{amount} {name}" for name, amount in sorted(gang.min_resources.items()))
        yield Problem(
            _AT, f"job {jobs[0].ref.name} {reason}, but its group keeps {asked} from other gangs meanwhile",
            "delete minResources, or add the group when the job is to run", on="key", edit=Edit(_AT, ABSENT))


def _reason(job: Subject) -> str:
    if job.workload is None:
        return ""
    if get(job.data, ("spec", "runPolicy", "managedBy")) == "kueue.x-k8s.io/multikueue":
        return "runs in another cluster (managedBy)"
    if job.workload.suspended:
        return "is suspended and has no pods"
    queue = job.workload.labels.get("kueue.x-k8s.io/queue-name")
    return f"has no pods while Kueue holds it in queue {queue}" if queue else ""
