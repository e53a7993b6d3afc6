"""A quantity of the group that its scheduler spells in another way.

Volcano's PodGroup has no status subresource: the scheduler writes the whole object back with each new phase
(pkg/scheduler/cache/cache.go UpdatePodGroup, from 1.9), and Go writes quantities in their canonical form, 1 for
1000m and 1Gi for 1024Mi, always as text. Argo CD then shows a difference for ever, and with self-healing both write
in turns. The API server keeps other quantities of custom resources as they are written, those of MPIJobs among
them, so these are not judged. A note, and a warning where an object bears an annotation or label of Argo CD.
Derived from the code.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minResources:
        memory: 6144Mi  # <- here
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

Good::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minResources:
        memory: 6Gi
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

Mend: write the canonical form.
"""

from collections.abc import Iterator

from gangform import sizing
from gangform.contracts import Scene, Subject
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "quantity-not-canonical"
SEVERITY = Severity.NOTE


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare each quantity of a group's minResources with its canonical spelling."""
    gang = subject.gang
    if gang is None or not gang.min_resources or not scene.has(gang.backend, "rewrites-groups"):
        return
    severity = Severity.WARNING if _is_synced(subject) else None
    for name, amount in sizing.readable(gang.min_resources).items():
        written, canonical = gang.min_resources[name], amount.canonical()
        if written != canonical:
            pointer: Pointer = ("spec", "minResources", name)
            shown = f'"{canonical}"' if canonical.isdecimal() else canonical
            yield Problem(
                pointer, f"{scene.backends[gang.backend].TITLE} writes {written} back as {shown}: "
                "Argo CD shows a difference for ever",
                f"write {shown}", edit=Edit(pointer, canonical), severity=severity)


def _is_synced(subject: Subject) -> bool:
    keys = (*(get(subject.data, ("metadata", "annotations")) or ()), *(get(subject.data, ("metadata", "labels")) or ()))
    return any(key.startswith("argocd.argoproj.io/") for key in keys)
