"""Volcano orders gangs by a priority that the group does not have.

Volcano takes a gang's priority from the group's priorityClassName alone, else from the cluster's default class
(pkg/scheduler/cache/cache.go, v1.9 to v1.15); that of the pods decides only among themselves. The gang then waits
behind, or is preempted by, jobs that it should precede (mpi-operator#592). Without a class on any pod nothing is
told, nor where the group has the class of one of its roles.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:  # <- here
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
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec: {schedulerName: volcano, priorityClassName: high, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec: {schedulerName: volcano, priorityClassName: high, containers: [{name: main, image: mpi}]}

Good::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      priorityClassName: high
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
            spec: {schedulerName: volcano, priorityClassName: high, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec: {schedulerName: volcano, priorityClassName: high, containers: [{name: main, image: mpi}]}

Mend: write the pods' class into the group; `gangform render` does.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity

ID = "pod-group-priority-unset"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare the priority class of a group with those of its pods, where the scheduler has such a field."""
    gang, jobs = subject.gang, scene.jobs_of(subject)
    if gang is None or len(jobs) != 1 or "priority_class" not in scene.backends[gang.backend].HONOURS:
        return
    classes = {role.name: str(role.spec["priorityClassName"]) for role in jobs[0].roles_in(subject)
               if role.spec.get("priorityClassName")}
    if not classes or gang.priority_class in classes.values():
        return
    title = scene.backends[gang.backend].TITLE
    first = next(iter(classes.values()))
    yield Problem(
        ("spec", "priorityClassName"),
        f"the pods of group {subject.ref.name} have priority class "
        f"{', '.join(f'{name} ({role})' for role, name in classes.items())}, the group "
        f"{gang.priority_class or 'none'}: {title} orders and preempts gangs by the group's",
        f"set priorityClassName: {first} in the group",
        edit=Edit(("spec", "priorityClassName"), first) if len(set(classes.values())) == 1 else None,
    )
