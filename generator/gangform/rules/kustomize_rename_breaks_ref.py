"""A prefix or suffix renames the group, and the marks still name the old one.

kustomize renames objects and the references that it knows. A mark in the pod templates of an MPIJob is none of
those, so that the pods name a group that is not there and wait (scheduler-plugins
pkg/coscheduling/coscheduling.go Permit; Volcano leaves the job out of its session). The build succeeds without a
word. A nameReference in a file under `configurations:` makes kustomize carry
the mark along (seen with 5.8.1). Told where the name is changed; what nobody renamed is pod-group-missing.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: dev-pi}
    spec: {minMember: 3}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: dev-pi}
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
    namePrefix: dev-  # <- here
    resources: [pi.yaml, group.yaml]

Good::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: dev-pi}
    spec: {minMember: 3}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: dev-pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: dev-pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: dev-pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
    ---
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    metadata: {name: dev}
    namePrefix: dev-
    resources: [pi.yaml, group.yaml]
    configurations: [references.yaml]

Mend: add the nameReference beside the group; `gangform render` does.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.layering import KUSTOMIZATIONS, renamer_of
from gangform.model.finding import Problem, Severity

ID = "kustomize-rename-breaks-ref"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find the marks that miss their group because this kustomization renamed the group and not them."""
    if (subject.ref.group, subject.ref.kind) not in KUSTOMIZATIONS:
        return
    broken = []
    for (backend, namespace, group), jobs in sorted(scene.bound.items(), key=lambda entry: entry[0]):
        found = renamer_of(backend, namespace, group, scene)
        if found is not None and found.kustomization.ref == subject.ref:
            broken.append((group, found.name, jobs[0].ref.name))
    if not broken:
        return
    group, renamed, job = broken[0]
    field = "namePrefix" if subject.data.get("namePrefix") else "nameSuffix"
    more = f", and {len(broken) - 1} more" if len(broken) > 1 else ""
    yield Problem(
        (field,),
        f"{field} {subject.data[field]} renames the group {group} to {renamed}, but not the mark in the pod "
        f"templates of {job}{more}",
        "add configurations with a nameReference for the mark beside the group; gangform render writes one",
    )
