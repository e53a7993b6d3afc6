"""Two systems decide when the job starts: Kueue's queue and the gang scheduler.

Both together are legal: Kueue admits the job, then the scheduler places the gang. Keep their views equal: Kueue
counts every pod whatever minMember says, and can requeue a job whose pods are not ready in time. It is a warning
where Kueue's topology awareness puts a scheduling gate on each pod and scheduler-plugins is 0.34 or later:
coscheduling then counts each gate as one more missing pod until Kueue has taken it away
(pkg/coscheduling/core/core.go PreFilter), so that a late gate can fail the whole gang.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec: {minMember: 3}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata:
      name: pi
      labels:
        kueue.x-k8s.io/queue-name: research  # <- here
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

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
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

Mend: nothing, if both are meant; else take out the label, or the group and the marks.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity

ID = "mpi-managed-by-kueue"
SEVERITY = Severity.NOTE

_QUEUE = "kueue.x-k8s.io/queue-name"
_TOPOLOGY = frozenset({
    "kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology",
    "kueue.x-k8s.io/podset-unconstrained-topology",
})


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find jobs with a queue of Kueue whose pods belong to a group."""
    workload = subject.workload
    if workload is None or _QUEUE not in workload.labels or not subject.bonds:
        return
    backend = subject.bonds[0].backend
    gated = any(_TOPOLOGY & role.annotations.keys() for role in workload.roles)
    counts_gates = backend == "coscheduling" and scene.at_least("scheduler-plugins", "0.34")
    why = "; its topology gates count as missing pods of the gang" if gated and counts_gates else ""
    yield Problem(
        ("metadata", "labels", _QUEUE),
        f"Kueue admits this job from queue {workload.labels[_QUEUE]}, and {scene.backends[backend].TITLE} starts it "
        f"as a gang{why}",
        "nothing, if both are meant; else take out this label, or the group and the marks",
        severity=Severity.WARNING if why else None,
    )
