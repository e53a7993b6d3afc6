"""A pod that asks for nothing fills a place in the gang without being started.

Volcano counts a waiting pod without any request as ready (pkg/scheduler/api/job_info.go ReadyTaskNum) and starts
it later in its backfill action, or not. With a minMember below the number of pods the gang then starts with fewer
pods that compute than it says, and perhaps without its Launcher (volcano#646). With a minMember of all pods it
does no harm (seen), and where no pod asks for anything nothing holds the job back: both are left alone. A
LimitRange of the namespace may give the pod requests after all.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 2
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
            spec: {schedulerName: volcano, containers: [{name: main, image: mpi}]}  # <- here
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

Mend: give every container requests, or set minMember to the number of all pods.
"""

from collections.abc import Iterator

from gangform import sizing
from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.workload import Role

ID = "besteffort-member"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find roles without requests in gangs that may start in part."""
    if subject.workload is None:
        return
    for group, bound in scene.groups_of(subject):
        gang = group.gang
        if gang is None or not gang.min_member or not scene.has(gang.backend, "counts-idle-pods"):
            continue
        roles = [role for role in subject.workload.gang if role in bound]
        idle = [role for role in roles if not any(sizing.pod_requests(role.spec).values())]
        if idle and len(idle) < len(roles) and gang.min_member < sum(role.replicas for role in roles):
            yield _problem(gang.min_member, idle, scene.backends[gang.backend].TITLE)


def _problem(members: int, idle: list[Role], title: str) -> Problem:
    free = sum(role.replicas for role in idle)
    names = " and ".join(f"{role.replicas} {role.name}" for role in idle)
    return Problem(
        (*idle[0].template_at, "spec", "containers"),
        f"{names} asks for nothing, which {title} counts as started: of minMember {members} only "
        f"{max(0, members - free)} other pods must start",
        "give every container requests, or set minMember to the number of all pods", on="key")
