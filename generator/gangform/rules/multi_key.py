"""A pod template bears the marks of two schedulers.

A pod goes to one scheduler, and that one reads its own mark alone. The other is a leftover that misleads
readers, and takes effect on the day somebody changes the schedulerName. Where mpi-operator's own gang scheduling is
on, it writes one of the two itself (kubeflow/mpi-operator pkg/controller/podgroup.go decoratePodTemplateSpec, v0.8.2).

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
              labels: {scheduling.x-k8s.io/pod-group: pi}
              annotations:
                scheduling.k8s.io/group-name: pi  # <- here
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
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
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

Mend: delete the mark of the scheduler that the pods do not go to.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.edit import ABSENT, Edit
from gangform.model.finding import Problem, Severity

ID = "multi-key"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Report the marks that a template bears beside the one that its scheduler reads, once per backend."""
    told = set()
    for role in subject.workload.roles if subject.workload else ():
        mine = [bond for bond in subject.bonds if bond.role == role.name]
        reader = scene.scheduled_by(role)
        if not any(bond.backend == reader for bond in mine):
            continue
        for bond in mine:
            if bond.backend == reader or bond.backend in told:
                continue
            told.add(bond.backend)
            yield Problem(
                bond.pointer,
                f"the pods go to {scene.backends[reader].TITLE}, which does not read this mark of "
                f"{scene.backends[bond.backend].TITLE}",
                "delete the line",
                on="key",
                edit=Edit(bond.pointer, ABSENT),
            )
