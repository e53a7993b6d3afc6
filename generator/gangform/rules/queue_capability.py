"""The gang asks for more than its queue may ever have.

A queue's capability is a hard limit: Volcano neither enqueues a gang whose minResources pass it nor places
pods beyond it (pkg/scheduler/plugins/proportion and capacity, v1.15). Without minResources the requests of
the pods that start together are compared. Only Queue objects at hand are looked at, and only the queue itself, not
the parents of a hierarchy.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: Queue
    metadata: {name: research}
    spec: {capability: {cpu: 16}}
    ---
    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      queue: research
      minResources:
        cpu: "17"  # <- here
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
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1}}}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 8}}}]

Good::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: Queue
    metadata: {name: research}
    spec: {capability: {cpu: 17}}
    ---
    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      queue: research
      minResources:
        cpu: "17"
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
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1}}}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 8}}}]

Mend: ask for less, name another queue, or raise the capability of the queue.
"""

from collections.abc import Iterator

from gangform import sizing
from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.gang import Gang
from gangform.model.pointer import Pointer, get

ID = "queue-capability"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare what a group needs at least with the capability of its queue."""
    gang = subject.gang
    queueing = scene.backends[gang.backend].QUEUEING if gang is not None else None
    if gang is None or queueing is None:
        return
    name = gang.queue or queueing.default
    queue = next((queue for queue in scene.by_kind.get(queueing.kind, ()) if queue.ref.name == name), None)
    capability = get(queue.data, ("spec", "capability")) if queue is not None else None
    if not isinstance(capability, dict):
        return
    needed, pointer = _needs(subject, gang, scene)
    allowed = sizing.readable(capability)
    over = sorted(resource for resource in needed.keys() & allowed.keys() - {"pods"}
                  if needed[resource] > allowed[resource])
    if over:
        asked = ", ".join(f"{resource} {needed[resource].canonical()} of {allowed[resource].canonical()}"
                          for resource in over)
        at = (*pointer, over[0]) if pointer[-1] == "minResources" else pointer
        yield Problem(at, f"the gang needs more than queue {name} may have: {asked}",
                      f"ask for less, name another queue, or raise spec.capability of queue {name}")


def _needs(subject: Subject, gang: Gang, scene: Scene) -> tuple[sizing.Requests, Pointer]:
    if gang.min_resources is not None:
        return sizing.readable(gang.min_resources), ("spec", "minResources")
    jobs = scene.jobs_of(subject)
    if len(jobs) != 1 or jobs[0].workload is None or gang.min_member is None:
        return {}, ("spec", "minMember")
    return sizing.least(jobs[0].workload, gang.min_member, sizing.pod_requests), ("spec", "minMember")
