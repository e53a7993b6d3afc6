"""A name in minResources that is no resource of a node.

Coscheduling compares every name with what the nodes have, so a quota's name such as requests.cpu is never
satisfied: scheduler-plugins pkg/coscheduling/core/core.go CheckClusterResource (v0.34); seen: no pod is ever bound.
Volcano drops such names: pkg/scheduler/api/resource_info.go NewResource; seen: the gang runs as without them.
So this is an error under coscheduling, a note under Volcano, and a warning where nothing tells the scheduler.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minResources:
        requests.cpu: 3  # <- here
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

Mend: write the resource as containers write it (cpu, memory, nvidia.com/gpu), or delete the line.
"""

from collections.abc import Iterator

from gangform import claims, sizing
from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity

ID = "min-resources-bad-key"
SEVERITY = Severity.ERROR

_PREFIXES = ("requests.", "limits.", "count/")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look at the names of a group's and of a policy's minResources."""
    claim = claims.read(subject, scene)
    if claim is None:
        return
    consequence, severity = _judge(claim.backend, scene)
    for name in claim.resources or ():
        if not sizing.is_resource(name):
            yield Problem((*claim.resources_at, name), f"{name} is no resource of a node: {consequence}",
                          _hint(name), on="key", severity=severity)


def _judge(backend: str, scene: Scene) -> tuple[str, Severity]:
    if not backend:
        return "coscheduling would never start the gang, Volcano ignores the name", Severity.WARNING
    title = scene.backends[backend].TITLE
    if scene.has(backend, "blocks-on-min-resources"):
        return f"{title} waits for it for ever", Severity.ERROR
    return f"{title} ignores it", Severity.NOTE


def _hint(name: str) -> str:
    prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), "")
    meant = name.removeprefix(prefix)
    if prefix and sizing.is_resource(meant):
        return f"write {meant}"
    return "write cpu, memory, ephemeral-storage, hugepages-<size> or a device such as nvidia.com/gpu, or delete it"
