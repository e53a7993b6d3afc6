"""The gang's scheduler runs beside the default scheduler.

Two schedulers that place pods on the same nodes do not see each other's decisions in time and can give one
place away twice; the kubelet then refuses a pod of the gang (kubernetes-sigs/scheduler-plugins doc/install.md). This
is a guess: it is harmless where the two have nodes of their own, so the rule is off until it is named.

Bad::

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
            spec:
              schedulerName: scheduler-plugins-scheduler  # <- here
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Mend: serve coscheduling as default-scheduler, or give the two schedulers nodes of their own.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity

ID = "second-scheduler"
SEVERITY = Severity.NOTE


def check(subject: Subject, _scene: Scene) -> Iterator[Problem]:
    """Find gangs of coscheduling under a name of its own."""
    for backend, group, roles in subject.bound_roles():
        if backend != "coscheduling":
            continue
        for role in roles[:1]:
            name = role.spec.get("schedulerName")
            if name and name != "default-scheduler":
                yield Problem(
                    role.places.scheduler_name,
                    f"gang {group} is placed by {name}, which shares nodes with default-scheduler unless they are kept "
                    "apart",
                    "serve coscheduling as default-scheduler, or give the two schedulers nodes of their own",
                )
