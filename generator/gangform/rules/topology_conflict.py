"""A networkTopology that names its tier twice.

Volcano 1.14 and later refuse the group: pkg/webhooks/admission/podgroups/validate/validate_podgroup.go allows
highestTierAllowed or highestTierName, not both. Older versions do not know the name.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      networkTopology:
        highestTierAllowed: 2
        highestTierName: rack  # <- here
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
      networkTopology:
        highestTierName: rack
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

Mend: keep one of the two.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "topology-conflict"
SEVERITY = Severity.ERROR

_SINCE = "1.14"


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look at the topology of a group and of its sub-groups."""
    if subject.gang is None:
        return
    if not scene.at_least(scene.backends[subject.gang.backend].COMPONENT, _SINCE):
        return
    policies = get(subject.data, ("spec", "subGroupPolicy")) or ()
    places: list[Pointer] = [("spec", "networkTopology")]
    places += [("spec", "subGroupPolicy", index, "networkTopology") for index in range(len(policies))]
    for place in places:
        allowed, name = (get(subject.data, (*place, field)) for field in ("highestTierAllowed", "highestTierName"))
        if allowed is not None and name:
            yield Problem((*place, "highestTierName"), f"highestTierName {name} stands beside highestTierAllowed "
                          f"{int(allowed)}; Volcano refuses the group", "keep one of the two")
