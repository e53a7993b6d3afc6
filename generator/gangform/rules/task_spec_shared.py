"""Launcher and Workers call themselves the same task.

Volcano remembers per task that a pod did not fit and skips the rest of the task in that cycle
(pkg/scheduler/actions/allocate, pkg/scheduler/api/job_info.go, from 1.9): a Launcher that fits is not tried after
a Worker that does not, and minTaskMember cannot tell them apart.

Bad::

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
            metadata:
              annotations:
                scheduling.k8s.io/group-name: pi
                volcano.sh/task-spec: pi
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata:
              annotations:
                scheduling.k8s.io/group-name: pi
                volcano.sh/task-spec: pi  # <- here
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
            metadata:
              annotations:
                scheduling.k8s.io/group-name: pi
                volcano.sh/task-spec: launcher
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata:
              annotations:
                scheduling.k8s.io/group-name: pi
                volcano.sh/task-spec: worker
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]

Mend: give each pod template a name of its own, such as launcher and worker.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.workload import Role

ID = "task-spec-shared"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find two roles of one job and one group that bear the same task."""
    for backend, _, roles in subject.bound_roles():
        first: dict[str, Role] = {}
        for role in roles:
            found = scene.role_key(backend, role)
            if found is None:
                continue
            task, pointer = found
            other = first.setdefault(task, role)
            if other is not role:
                yield Problem(
                    pointer, f"{role.name} and {other.name} are both task {task}: one that does not fit keeps the "
                    "other from being tried",
                    f"write another name, such as {role.name.lower()}")
