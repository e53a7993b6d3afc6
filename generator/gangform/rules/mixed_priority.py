"""Pods of one gang have different priorities under coscheduling.

Coscheduling sorts its queue by the priority of the pod first and by group only then (scheduler-plugins
pkg/coscheduling/coscheduling.go Less), so that other gangs come between the members, and asks for equal
priorities in its README. Seen: no harm on an empty cluster; on a full one the members wait for one another.
Classes whose values are at hand and equal are fine. Volcano reads the priority of the group and is not concerned.

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
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              priorityClassName: high  # <- here
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

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
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              priorityClassName: high
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              priorityClassName: high
              containers: [{name: main, image: mpi}]

Mend: give both pod templates the same priorityClassName.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.workload import Role

ID = "mixed-priority"
SEVERITY = Severity.WARNING

_CLASSES = ("scheduling.k8s.io", "PriorityClass")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare the priorities of the roles of each group whose scheduler sorts pods one by one."""
    for backend, group, roles in subject.bound_roles():
        names = [role.spec.get("priorityClassName") for role in roles]
        if not scene.has(backend, "sorts-single-pods") or len({_value(name, scene) for name in names}) < 2:
            continue
        odd = next(role for role in roles if role.spec.get("priorityClassName"))
        yield Problem(
            (*odd.template_at, "spec", "priorityClassName"),
            f"pods of group {group} have different priorities: {', '.join(map(_say, roles))}",
            "write the same priorityClassName in both pod templates",
        )


def _value(name: str | None, scene: Scene) -> int | str:
    """Return the number behind a class where the class is at hand, else its name."""
    for candidate in scene.by_kind.get(_CLASSES, ()):
        data: Mapping[str, Any] = candidate.data
        named = candidate.ref.name == name if name else data.get("globalDefault") is True
        if named and isinstance(data.get("value"), int):
            return int(data["value"])
    return name or 0


def _say(role: Role) -> str:
    return f"{role.name} {role.spec.get('priorityClassName') or 'none'}"
