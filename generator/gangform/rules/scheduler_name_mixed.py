"""Pods of one gang are handed to different schedulers.

Coscheduling counts at its Permit step only pods that it placed itself: the others wait, time out and are
released, for ever (scheduler-plugins pkg/coscheduling/core/core.go, v0.31.8 and later; seen: the Launcher runs,
no Worker does). Under Volcano it is a warning: the pod that went elsewhere is placed without the gang. It is
one too where the operator makes the groups: it writes its own schedulerName into both templates.

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
              schedulerName: default-scheduler  # <- here
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

Mend: write the same schedulerName in both pod templates.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity

ID = "scheduler-name-mixed"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """For each group that the job names, compare the schedulerName of the bound roles."""
    if subject.workload is None:
        return
    for backend, group, roles in subject.bound_roles():
        names = {role.name: role.spec.get("schedulerName") or "default-scheduler" for role in roles}
        if len(set(names.values())) < 2:
            continue
        served = scene.backends[backend].SCHEDULER_NAMES | {scene.options.get("schedulerName")}
        odd = next((role for role in roles if names[role.name] not in served), roles[-1])
        said = ", ".join(f"{role} {name}" for role, name in names.items())
        right = next((name for name in names.values() if name in served), names[roles[-1].name])
        yield Problem(
            odd.places.scheduler_name,
            f"pods of group {group} have different schedulers: {said}",
            f"write schedulerName: {right} in both pod templates",
            edit=Edit(odd.places.scheduler_name, right) if len(served & {*names.values()}) == 1 else None,
            severity=Severity.WARNING if backend == "volcano" or scene.groups == "operator" else None,
        )
