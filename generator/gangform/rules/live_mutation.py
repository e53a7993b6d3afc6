"""The scheduler, group or priority of a job changed under the same name.

mpi-operator never changes pods that exist, and of a launcher's Job it follows next to nothing
(kubeflow/mpi-operator pkg/controller/mpi_job_controller.go, v0.8.2). If the job runs, a Worker that is lost and made
again gets the new scheduler, mark or priority and the others keep the old: seen, the new pod waits for siblings
that never come, beside free capacity. Told only with `--changed-since`, for a job that had the same name at that
revision; that it runs cannot be seen from Git.

Bad::

    # At origin/main:
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}
    ---
    # Now:
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
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler  # <- here
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

Good::

    # At origin/main:
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}
    ---
    # Now:
    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi-r2}
    spec: {minMember: 3}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi-r2}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi-r2}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi-r2}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

Mend: rename the job along with the change, or wait until it has ended.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get
from gangform.model.workload import Role

ID = "live-mutation"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare with the job of this name at the earlier revision."""
    ref = subject.ref
    before = (scene.before or {}).get((ref.group, ref.kind, ref.namespace, ref.name))
    if before is None:
        return
    for role in subject.workload.roles if subject.workload else ():
        if get(before, role.template_at) is None:
            continue
        for pointer, what in _watched(role, scene):
            old, new = get(before, pointer), get(subject.data, pointer)
            if old != new:
                yield Problem(
                    pointer,
                    f"{what} of the {role.name} was {old or 'absent'} at {scene.revision} and is {new or 'absent'} "
                    f"now, in a job of the same name: if {ref.name} runs, only pods that are made again follow, "
                    "and no longer fit the others",
                    "give the job a new name, or make sure that it does not run",
                )
                return


def _watched(role: Role, scene: Scene) -> Iterator[tuple[Pointer, str]]:
    """Yield what must be equal on all pods of a gang."""
    yield role.places.scheduler_name, "schedulerName"
    yield (*role.template_at, "spec", "priorityClassName"), "priorityClassName"
    for backend in scene.backends.values():
        places = role.places.labels if backend.MARK.holder == "labels" else role.places.annotations
        yield (*places, backend.MARK.key), backend.MARK.key
