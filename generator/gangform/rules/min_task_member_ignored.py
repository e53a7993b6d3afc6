"""The numbers of minTaskMember add up to more than minMember, so Volcano looks at none of them.

The check of single tasks is skipped as a whole when minMember is below their sum: pkg/scheduler/api/job_info.go
CheckTaskValid, CheckTaskReady (the same from 1.9 to 1.15). The gang then starts with any minMember pods.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minTaskMember:  # <- here
        launcher: 1
        worker: 3
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

Good::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minTaskMember:
        launcher: 1
        worker: 2
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

Mend: make minMember at least the sum, or lower the numbers of the tasks.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import get

ID = "min-task-member-ignored"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:  # noqa: ARG001  a group alone tells it
    """Compare a group's minMember with the sum of its tasks."""
    gang, tasks = subject.gang, get(subject.data, ("spec", "minTaskMember"))
    if gang is None or not tasks or not gang.min_member:
        return
    total = sum(tasks.values())
    if total > gang.min_member:
        numbers = " + ".join(f"{number} {task}" for task, number in tasks.items())
        yield Problem(
            ("spec", "minTaskMember"),
            f"minTaskMember adds up to {total} ({numbers}), minMember is {gang.min_member}: "
            "the scheduler skips the check of single tasks",
            f"set minMember {total}, or lower the numbers of the tasks", on="key")
