"""The group's manifest carries a status, or asks to be replaced as a whole.

Volcano's PodGroup has no status subresource (its CRD, from 1.9 to 1.15), so whoever applies the manifest writes
over the phase that the scheduler keeps there, and Argo CD's Replace=true wipes it; the gang then begins again as
pending. Coscheduling's group has the subresource, so there it does no harm. A status beside a uid was read from a
cluster, and is left alone.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
    status:  # <- here
      phase: Running
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
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]

Good::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
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
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]

Mend: take the status out of the manifest, and Replace=true out of the sync options.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.edit import ABSENT, Edit
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "status-in-manifest"
SEVERITY = Severity.WARNING

_OPTIONS_AT: Pointer = ("metadata", "annotations", "argocd.argoproj.io/sync-options")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look at groups of schedulers that keep their state in the object itself."""
    if subject.gang is None or not scene.has(subject.gang.backend, "rewrites-groups"):
        return
    title = scene.backends[subject.gang.backend].TITLE
    if subject.data.get("status") and not get(subject.data, ("metadata", "uid")):
        yield Problem(("status",), f"applying this status writes over the one that {title} keeps in the object",
                      "take it out", on="key", edit=Edit(("status",), ABSENT))
    options = str(get(subject.data, _OPTIONS_AT, "")).split(",")
    if "replace=true" in (option.strip().lower() for option in options):
        yield Problem(_OPTIONS_AT, f"Replace=true wipes the status that {title} keeps in the object",
                      "take Replace=true out")
