"""kustomize's labels do not reach the pod templates of an MPIJob.

`labels` with includeTemplates, commonLabels and commonAnnotations know the templates of built-in kinds. Of an MPIJob
they reach metadata alone (kustomize#5295; seen with 5.8.1), and mpi-operator does not hand that on to pods. A mark
that is added so forms no gang. A queue label that is read on pods, asked for with includeTemplates, is a warning.
`fields:` with the paths of the templates makes kustomize write there, and then nothing is told.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec: {minMember: 3}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi, labels: {scheduling.x-k8s.io/pod-group: pi}}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
    ---
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    metadata: {name: dev}
    resources: [pi.yaml, group.yaml]
    labels:
    - includeTemplates: true
      pairs:
        scheduling.x-k8s.io/pod-group: pi  # <- here

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
    ---
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    metadata: {name: dev}
    resources: [pi.yaml, group.yaml]

Mend: write the mark into both pod templates; `gangform render` does.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gangform.contracts import Scene, Subject
from gangform.layering import KUSTOMIZATIONS
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer

ID = "labels-include-templates-inert"
SEVERITY = Severity.ERROR

_READ_ON_PODS = frozenset({"yunikorn.apache.org/queue", "yunikorn.apache.org/app-id", "applicationId", "queue"})
"""Labels by which YuniKorn finds a pod's queue and application (yunikorn-k8shim pkg/common/utils/utils.go, v1.7).
Kueue's queue label is none of them: it belongs on the job, where kustomize puts it."""


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look for marks and queues among the pairs that a kustomization adds, and for jobs that got them on top only."""
    if (subject.ref.group, subject.ref.kind) not in KUSTOMIZATIONS:
        return
    marks = {backend.MARK.key for backend in scene.backends.values()}
    marks |= {false.key for backend in scene.backends.values() for false in backend.FALSE_MARKS}
    for pointer, pairs, holder, asked in _pairs(subject.data):
        for key, value in pairs.items():
            is_mark = key in marks
            if not is_mark and not (asked and key in _READ_ON_PODS):
                continue
            job = next((job for job in _jobs(scene) if _got_on_top_only(job, holder, key, value)), None)
            if job is not None:
                yield Problem(
                    (*pointer, key),
                    f"kustomize adds {key} to the metadata of {job.ref.kind} {job.ref.name}, not to its pod templates"
                    + (": no gang is formed" if is_mark else ", where the scheduler reads it"),
                    "write it into both pod templates by a patch"
                    + ("; gangform render does" if is_mark else ", or list the templates under fields:"),
                    on="key",
                    severity=None if is_mark else Severity.WARNING,
                )


def _pairs(data: Mapping[str, Any]) -> Iterator[tuple[Pointer, Mapping[str, Any], str, bool]]:
    """Yield each map of additions with its pointer, what it adds to, and whether templates are asked for."""
    labels = data.get("labels")
    for number, entry in enumerate(labels if isinstance(labels, list) else ()):
        if isinstance(entry, dict) and isinstance(entry.get("pairs"), dict):
            yield ("labels", number, "pairs"), entry["pairs"], "labels", entry.get("includeTemplates") is True
    for field, holder in (("commonLabels", "labels"), ("commonAnnotations", "annotations")):
        if isinstance(data.get(field), dict):
            yield (field,), data[field], holder, True


def _jobs(scene: Scene) -> Iterator[Subject]:
    yield from (subject for subject in scene.subjects if subject.workload is not None)


def _got_on_top_only(job: Subject, holder: str, key: str, value: Any) -> bool:
    workload = job.workload
    if workload is None or not workload.roles:
        return False
    mine = workload.labels if holder == "labels" else workload.annotations
    templates = [role.labels if holder == "labels" else role.annotations for role in workload.roles]
    return mine.get(key) == value and not any(key in template for template in templates)
