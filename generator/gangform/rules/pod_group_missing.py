"""The pods name a group that is not there.

A group is looked up in the namespace of the pod. Under coscheduling the pods wait with "PodGroup not found"
(pkg/coscheduling/coscheduling.go Permit); under Volcano they wait without any condition or event (1.12
and later) or are refused at creation (1.11 and earlier). A rename by kustomize that misses
the mark ends here too.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: dev-pi}
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

Mend: add the group, or correct the name in the mark; `gangform render` writes both.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.layering import renamer_of
from gangform.model.finding import Problem, Severity
from gangform.model.gang import Bond

ID = "pod-group-missing"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look every mark of the job up in the job's own namespace."""
    if subject.workload is None or not scene.whole:
        return
    told = set()
    for bond in subject.bonds:
        key = (bond.backend, subject.ref.namespace, bond.group)
        made_by_operator = scene.groups == "operator" and bond.group == subject.ref.name
        twin = any((other, *key[1:]) in scene.gangs for other in scene.backends)
        if key in scene.gangs or key in told or made_by_operator or twin or _is_told_elsewhere(subject, bond, scene):
            continue
        told.add(key)
        where = f"namespace {subject.ref.namespace}" if subject.ref.namespace else "the same namespace"
        yield Problem(
            bond.pointer,
            f"no {scene.backends[bond.backend].TITLE} PodGroup {bond.group} in {where}",
            _hint(bond.backend, bond.group, scene),
        )


def _is_told_elsewhere(subject: Subject, bond: Bond, scene: Scene) -> bool:
    """Whether the group itself or a layer's rename is at fault, or the mark is a leftover that nobody reads."""
    key = (bond.backend, subject.ref.namespace, bond.group)
    return key in scene.faulty or renamer_of(*key, scene) is not None or scene.is_leftover(subject, bond)


def _hint(backend: str, group: str, scene: Scene) -> str:
    elsewhere = sorted(space or "(none)" for (name, space, called) in scene.gangs
                       if name == backend and called == group)
    if elsewhere:
        return f"the group stands in namespace {elsewhere[0]}; groups are never looked up across namespaces"
    near = sorted(called for (name, _, called) in scene.gangs
                  if name == backend and (called.endswith(group) or called.startswith(group)))
    if near:
        return f"a group {near[0]} is there: a prefix or suffix renamed it but not the mark"
    return "add the group, or correct the name"
