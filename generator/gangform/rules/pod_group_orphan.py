"""A group that no pod names.

It starts nothing. Under Volcano a group with minResources keeps its reservation although it has no pods, and
can hold back every other gang of the queue (pkg/scheduler/plugins/overcommit; seen: an empty cluster, and
the next gang pending for ever).

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: old}  # <- here
    spec: {minMember: 3}
    ---
    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec: {minMember: 3}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: pi
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: pi
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

Good::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec: {minMember: 3}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: pi
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: pi
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

Mend: remove the group, or mark the pods that belong to it.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity

ID = "pod-group-orphan"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Report a group that neither a job nor any other object at hand mentions."""
    if subject.gang is None or not scene.whole:
        return
    key = (subject.gang.backend, subject.ref.namespace, subject.ref.name)
    if scene.jobs_of(subject) or key in scene.mentioned or _is_meant(subject, scene):
        return
    reserves = bool(subject.gang.min_resources) and scene.has(subject.gang.backend, "reserves-without-pods")
    held = " and keeps its minResources reserved" if reserves else ""
    yield Problem(
        ("metadata", "name"),
        f"no pod template names group {subject.ref.name}; it starts nothing{held}",
        "remove it, or mark the pods that belong to it",
    )


def _is_meant(subject: Subject, scene: Scene) -> bool:
    """Whether a mark that finds no group means this one: that fault is told where the mark is."""
    name = subject.ref.name
    dangling = (key for key in scene.bound if key not in scene.gangs and key[1] == subject.ref.namespace)
    return any(called in name or name in called for _, _, called in dangling)
