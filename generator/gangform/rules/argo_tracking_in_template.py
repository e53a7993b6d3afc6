"""Argo CD's own tracking mark stands in a pod template.

Argo CD writes it on the objects that it applies, to know them again; in a template it comes from a copied live
object or from a transformer that reaches too far. Every pod then claims to be another object, which Argo CD
ignores (argo-cd docs/user-guide/resource_tracking.md), and renaming the application changes a template of a
running job. The label app.kubernetes.io/instance is common in templates and is not meant.

Bad::

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
                example.com/owner: ml
                argocd.argoproj.io/tracking-id: ml:kubeflow.org/MPIJob:ml/pi  # <- here
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Good::

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
                example.com/owner: ml
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Mend: take the line out.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.edit import ABSENT, Edit
from gangform.model.finding import Problem, Severity

ID = "argo-tracking-in-template"
SEVERITY = Severity.NOTE

_ANNOTATION = "argocd.argoproj.io/tracking-id"
_LABEL = "argocd.argoproj.io/instance"


def check(subject: Subject, _scene: Scene) -> Iterator[Problem]:
    """Find the annotation, and the label that some set-ups use in its place, on pod templates."""
    for role in subject.workload.roles if subject.workload else ():
        for key, carried, place in (
            (_ANNOTATION, role.annotations, role.places.annotations), (_LABEL, role.labels, role.places.labels),
        ):
            if key in carried:
                pointer = (*place, key)
                yield Problem(pointer, f"{key} is Argo CD's mark on objects that it applies; it says nothing in the "
                              f"{role.name} template", "take the line out", on="key", edit=Edit(pointer, ABSENT))
