"""A job that is made at run time, which nothing marks for a gang.

It stands inside another object (a workflow, a trial, a script's ConfigMap) and never passes through an overlay, so
its pods get no mark, no group and no schedulerName: they start one by one. Its own shape is checked all the
same. Whether a gang is wanted there is a guess, so this is a note.

Bad::

    apiVersion: v1
    kind: ConfigMap
    metadata: {name: nightly}
    data:
      job.yaml: |  # <- here
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

Good::

    apiVersion: v1
    kind: ConfigMap
    metadata: {name: nightly}
    data:
      job.yaml: |
        apiVersion: kubeflow.org/v2beta1
        kind: MPIJob
        metadata: {name: pi}
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

Mend: write mark and schedulerName into the templates inside and create the group beside the job; or mark the pods in
the cluster by a policy, or let mpi-operator make the groups (--gang-scheduling).
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer
from gangform.model.workload import Held

ID = "runtime-job-unmarked"
SEVERITY = Severity.NOTE


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Say it once for each place that holds such jobs, unless the operator marks every job."""
    if scene.groups == "operator":
        return
    unmarked: dict[Pointer, list[Held]] = {}
    for held in subject.held:
        if not held.marked:
            unmarked.setdefault(held.pointer, []).append(held)
    for pointer, jobs in unmarked.items():
        one = len(jobs) == 1
        called = " and ".join(" ".join(filter(None, (job.ref.kind, job.ref.name))) for job in jobs)
        yield Problem(
            pointer,
            f"the {called} in this {subject.ref.kind} {'is' if one else 'are'} made at run time: no overlay marks "
            f"{'its' if one else 'their'} pods",
            "write mark and schedulerName into the templates inside, or mark the pods in the cluster",
            on="key",
        )
