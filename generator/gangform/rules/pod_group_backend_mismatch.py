"""The mark belongs to one scheduler, the group to the other.

Each scheduler reads only its own PodGroup API: `scheduling.x-k8s.io` belongs to coscheduling,
`scheduling.volcano.sh` to Volcano. Pods that are marked for one and grouped for the other form no gang.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
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
                scheduling.x-k8s.io/pod-group: pi  # <- here
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

Mend: use group, mark and schedulerName of one scheduler.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity

ID = "pod-group-backend-mismatch"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find marks whose group exists only in another backend's API."""
    if subject.workload is None:
        return
    told = set()
    for bond in subject.bonds:
        place = (subject.ref.namespace, bond.group)
        if (bond.backend, *place) in scene.gangs or (bond.backend, *place) in told:
            continue
        other = next((name for name in scene.backends if (name, *place) in scene.gangs), None)
        if other is None or any(twin.backend == other and twin.group == bond.group for twin in subject.bonds):
            continue
        told.add((bond.backend, *place))
        api = " ".join(scene.backends[bond.backend].GROUP_API)
        yield Problem(
            bond.pointer,
            f"this mark is read by {scene.backends[bond.backend].TITLE}, but group {bond.group} is "
            f"a {' '.join(scene.backends[other].GROUP_API)} of {scene.backends[other].TITLE}",
            f"make the group a {api}, or mark the pods for {scene.backends[other].TITLE}",
        )
