"""The name of the group does not fit into the label that must carry it.

Under coscheduling the mark is a label, and a label's value has at most 63 characters, begins and ends with a
letter or digit, and has only letters, digits, `-`, `_` and `.` in it (kubernetes apimachinery
pkg/util/validation). Names of objects may be longer. kustomize and the API server take such an MPIJob; only its
pods are refused. A job with generateName and a fixed mark is a warning: all its runs share one group.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: resnet-50-imagenet-synthetic-data-mixed-precision-cluster-a-b-cd}
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
                scheduling.x-k8s.io/pod-group:
                  resnet-50-imagenet-synthetic-data-mixed-precision-cluster-a-b-cd  # <- here
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group:
                  resnet-50-imagenet-synthetic-data-mixed-precision-cluster-a-b-cd
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

Good::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: resnet-50-imagenet}
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
                scheduling.x-k8s.io/pod-group:
                  resnet-50-imagenet
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group:
                  resnet-50-imagenet
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

Mend: shorten the name of the group, and the marks with it.
"""

import re
from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.gang import Gang

ID = "label-value-invalid"
SEVERITY = Severity.ERROR

LONGEST = 63
"""Characters that a label's value may have (kubernetes apimachinery pkg/util/validation, v0.34)."""

_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Judge the names that labels must carry."""
    if subject.gang is not None:
        yield from _check_group(subject, subject.gang, scene)
    if subject.workload is not None:
        yield from _check_marks(subject, scene)
        yield from _check_name(subject)


def _check_group(subject: Subject, gang: Gang, scene: Scene) -> Iterator[Problem]:
    """A group whose name no label can hold is told here only where no mark names it."""
    marked_by = scene.backends[gang.backend].MARK.holder
    fault = _fault(subject.ref.name)
    if marked_by == "labels" and fault and not scene.jobs_of(subject):
        yield Problem(("metadata", "name"),
                      f"no pod can name the group {subject.ref.name} in a label: {fault}", "rename the group")


def _check_marks(subject: Subject, scene: Scene) -> Iterator[Problem]:
    told = set()
    for bond in subject.bonds:
        fault = _fault(bond.group)
        if scene.backends[bond.backend].MARK.holder == "labels" and fault and bond.group not in told:
            told.add(bond.group)
            yield Problem(bond.pointer, f"{bond.group!r} is no value of a label, so no pod is created: {fault}",
                          "rename the group, and write its new name here")


def _check_name(subject: Subject) -> Iterator[Problem]:
    metadata = subject.data.get("metadata") or {}
    if subject.bonds and metadata.get("generateName") and not metadata.get("name"):
        yield Problem(
            ("metadata", "generateName"),
            f"every job made from generateName {metadata['generateName']} names the one group "
            f"{subject.bonds[0].group}: the scheduler counts the pods of all of them together",
            "give the job a name, and a group of the same name",
            severity=Severity.WARNING,
        )


def _fault(name: str) -> str:
    if len(name) > LONGEST:
        return f"it has {len(name)} characters of at most {LONGEST}"
    if not name:
        return "it is empty"
    return "" if _VALUE.fullmatch(name) else "it may have letters, digits, -, _ and ., and no sign at either end"
