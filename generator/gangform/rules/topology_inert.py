"""A networkTopology that asks for nothing.

In the mode hard, which is the default, the tier is the demand; without highestTierAllowed or highestTierName
nothing is required: pkg/scheduler/api/job_info.go (Volcano 1.14 and later, which know both fields). Volcano before
1.12 drops the whole field. It also needs the plugin network-topology-aware and HyperNodes in the cluster, which
manifests do not show.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      networkTopology:  # <- here
        mode: hard
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
        mode: hard
        highestTierAllowed: 2
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

Mend: write highestTierAllowed or highestTierName, or mode: soft.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "topology-inert"
SEVERITY = Severity.WARNING

_SINCE = "1.12"
_NAMES_SINCE = "1.14"


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look at the topology of a group and of its sub-groups."""
    if subject.gang is None:
        return
    component = scene.backends[subject.gang.backend].COMPONENT
    for at, topology in _topologies(subject.data):
        if not scene.at_least(component, _SINCE):
            yield Problem(at, f"networkTopology does nothing before Volcano {_SINCE}; this cluster has "
                          f"{scene.versions[component]}", "take it out, or update Volcano", on="key")
        elif scene.at_least(component, _NAMES_SINCE) and _is_empty(topology):
            yield Problem(at, "networkTopology is hard but names no tier, so it requires nothing",
                          "write highestTierAllowed or highestTierName, or mode: soft", on="key")


def _topologies(data: Mapping[str, Any]) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    policies = get(data, ("spec", "subGroupPolicy")) or ()
    places: list[Pointer] = [("spec", "networkTopology")]
    places += [("spec", "subGroupPolicy", index, "networkTopology") for index in range(len(policies))]
    for place in places:
        topology = get(data, place)
        if topology is not None:
            yield place, topology


def _is_empty(topology: Mapping[str, Any]) -> bool:
    tiers = ("highestTierAllowed", "highestTierName")
    return topology.get("mode", "hard") == "hard" and not any(topology.get(name) not in (None, "") for name in tiers)
