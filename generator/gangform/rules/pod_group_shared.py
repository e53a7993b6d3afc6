"""Two jobs name the same group.

The scheduler counts the pods of both jobs together, so each can start in part and none as a whole. Seen with
coscheduling: two jobs of five pods in one group of five got four Workers each and no Launcher.

Bad::

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
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: tau}
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
    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: tau}
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
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: tau}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: tau
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: tau
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

Mend: give each job a group of its own, named like the job.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity

ID = "pod-group-shared"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Report on every job but the first that names a group."""
    if subject.workload is None:
        return
    told = set()
    for bond in subject.bonds:
        key = (bond.backend, subject.ref.namespace, bond.group)
        jobs = scene.bound.get(key, ())
        if len(jobs) < 2 or jobs[0].ref == subject.ref or key in told:
            continue
        told.add(key)
        yield Problem(
            bond.pointer,
            f"group {bond.group} is shared with the job {jobs[0].ref.name}: "
            "the scheduler counts the pods of both together",
            f"give {subject.ref.name} a group of its own",
        )
