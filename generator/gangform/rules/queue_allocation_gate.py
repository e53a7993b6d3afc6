"""A scheduling gate of Volcano that Volcano will not take away.

Volcano 1.15 and later remove the gate scheduling.volcano.sh/queue-allocation-gate only from pods that carry the
annotation of the same name with the value "true" (pkg/scheduler/actions/allocate; the gate itself is put there by
its webhook, behind the alpha feature SchedulingGatesQueueAdmission). Up to 1.14 nothing of Volcano removes it. A pod
that keeps a gate is never placed, and its gang never starts.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
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
              annotations:
                scheduling.k8s.io/group-name: pi
            spec:
              schedulerName: volcano
              schedulingGates:
              - name: scheduling.volcano.sh/queue-allocation-gate  # <- here
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
              annotations:
                scheduling.k8s.io/group-name: pi
                scheduling.volcano.sh/queue-allocation-gate: "true"
            spec:
              schedulerName: volcano
              schedulingGates:
              - name: scheduling.volcano.sh/queue-allocation-gate
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi}]

Mend: take the gate out and write the annotation: Volcano adds the gate itself.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.workload import Role

ID = "queue-allocation-gate"
SEVERITY = Severity.ERROR

_GATE = "scheduling.volcano.sh/queue-allocation-gate"


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find templates with the gate that nobody will open."""
    for role in subject.workload.roles if subject.workload else ():
        index = _gate(role)
        removes = scene.at_least("volcano", "1.15")
        if index is None or (removes and role.annotations.get(_GATE) == "true"):
            continue
        why = (f'without the annotation {_GATE}: "true"' if removes
               else f"because Volcano {scene.versions['volcano']} knows no such gate")
        yield Problem(
            (*role.template_at, "spec", "schedulingGates", index, "name"),
            f"this gate is never taken away from the {role.name} {why}",
            f'take the gate out and write the annotation {_GATE}: "true"; Volcano adds the gate itself' if removes
            else "take the gate out",
        )


def _gate(role: Role) -> int | None:
    gates = role.spec.get("schedulingGates") or ()
    return next((index for index, gate in enumerate(gates) if gate.get("name") == _GATE), None)
