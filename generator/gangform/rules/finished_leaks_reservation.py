"""The group of a finished job goes on reserving its minResources.

Volcano takes a group whose pods are gone for one that waits, lets it into the queue again and keeps its
minResources from other gangs (pkg/scheduler/framework/session.go jobStatus; seen: a job that succeeded, its
group Inqueue again; reported as volcano#2633). Only manifests that carry the job's status tell that it is
finished, such as those read from a cluster.

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
      runPolicy: {cleanPodPolicy: Running}
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
    status:
      conditions: [{type: Succeeded, status: "True"}]

Good::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minResources: {cpu: "3"}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
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
    status:
      conditions: [{type: Running, status: "True"}]

Mend: remove the group together with the job, or delete minResources.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import get

ID = "finished-leaks-reservation"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find groups that reserve although the only job they are for is over."""
    gang, jobs = subject.gang, scene.jobs_of(subject)
    if gang is None or not gang.min_resources or not scene.has(gang.backend, "reserves-without-pods"):
        return
    ended = _ended(jobs[0]) if len(jobs) == 1 else ""
    if ended:
        asked = ", ".join(f"{amount} {name}" for name, amount in sorted(gang.min_resources.items()))
        yield Problem(
            ("spec", "minResources"),
            f"job {jobs[0].ref.name} has {ended.lower()}, but its group keeps {asked} from other gangs",
            "remove the group together with the job, or delete minResources", on="key")


def _ended(job: Subject) -> str:
    """Return the condition that ended a job; mpi-operator's own words for it."""
    conditions = get(job.data, ("status", "conditions")) or ()
    return next((condition["type"] for condition in conditions
                 if condition.get("type") in ("Succeeded", "Failed") and condition.get("status") == "True"), "")
