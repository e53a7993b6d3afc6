"""The gang names a queue that is not there.

Volcano makes only the queues default and root itself. From 1.12 its webhook refuses a PodGroup of an unknown queue
(pkg/webhooks/admission/podgroups/validate); up to 1.11 it refuses the pods. Without the webhook the gang waits for
ever without any event (seen). This is looked at only where queues are known: the build holds Queue objects, or
the cluster's `queues` in the settings name them.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: Queue
    metadata: {name: research}
    spec: {weight: 1}
    ---
    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      queue: reserch  # <- here
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
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi}]

Good::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: Queue
    metadata: {name: research}
    spec: {weight: 1}
    ---
    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      queue: research
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
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi}]

Mend: correct the name, or add the Queue.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer

ID = "queue-unknown"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look up the queue of a group, or of a job whose group the operator makes."""
    if subject.gang is not None:
        if subject.gang.queue is not None:
            yield from _judge(subject.gang.queue, ("spec", "queue"), subject.gang.backend, scene)
    elif subject.workload is not None and subject.workload.policy.queue is not None:
        policy = subject.workload.policy
        grouped = any((scene.backend, *name) in scene.gangs for name in subject.gang_names)
        if scene.backend and not grouped:
            yield from _judge(policy.queue or "", policy.places["queue"], scene.backend, scene)


def _judge(name: str, pointer: Pointer, backend: str, scene: Scene) -> Iterator[Problem]:
    queueing = scene.backends[backend].QUEUEING
    if queueing is None or name in queueing.built_in or name in scene.queues:
        return
    objects = {queue.ref.name for queue in scene.by_kind.get(queueing.kind, ())}
    known = sorted(objects | scene.queues)
    if name in objects or not (scene.queues or (objects and scene.whole)):
        return
    refused = "PodGroup" if scene.at_least("volcano", "1.12") else "pods"
    yield Problem(pointer, f"there is no queue {name}: {scene.backends[backend].TITLE} refuses the {refused}",
                  f"known queues: {', '.join((*sorted(queueing.built_in), *known))}")
