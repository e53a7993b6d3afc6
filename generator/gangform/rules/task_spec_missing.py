"""minTaskMember names a task that too few pods belong to, so the gang never starts.

Volcano counts the pods of a task by their volcano.sh/task-spec, an annotation, since 1.10 a label too:
pkg/scheduler/api/job_info.go getTaskID, CheckTaskValid. Seen: minTaskMember without task-spec on the templates,
no pod is ever bound; the same with it runs. Where minMember is smaller than the sum, Volcano looks at none of it:
min-task-member-ignored.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minTaskMember:
        worker: 2  # <- here
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
      minTaskMember:
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

Mend: annotate the pod template with volcano.sh/task-spec, or lower the number.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import get

ID = "task-spec-missing"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Count the pods of each task that a group asks for."""
    gang, jobs = subject.gang, scene.jobs_of(subject)
    tasks = get(subject.data, ("spec", "minTaskMember"))
    if gang is None or not tasks or len(jobs) != 1 or jobs[0].workload is None:
        return
    if (gang.backend, subject.ref.namespace, subject.ref.name) in scene.mentioned:
        return
    if sum(tasks.values()) > (gang.min_member or 0):
        return
    pods = _pods_by_task(jobs[0], gang.backend, scene)
    there = ", ".join(f"{number} of {task}" for task, number in sorted(pods.items()) if task) or "none"
    for task, needed in tasks.items():
        if needed > pods.get(task, 0):
            yield Problem(
                ("spec", "minTaskMember", task),
                f"minTaskMember asks for {needed} pods of task {task}; job {jobs[0].ref.name} has {pods.get(task, 0)} "
                f"(by task-spec: {there})",
                f'annotate the template of these pods with "volcano.sh/task-spec: {task}", or lower the number')


def _pods_by_task(job: Subject, backend: str, scene: Scene) -> dict[str, int]:
    pods: dict[str, int] = {}
    for role in job.workload.gang if job.workload else ():
        if any(bond.role == role.name and bond.backend == backend for bond in job.bonds):
            found = scene.role_key(backend, role)
            task = found[0] if found else ""
            pods[task] = pods.get(task, 0) + role.replicas
    return pods
