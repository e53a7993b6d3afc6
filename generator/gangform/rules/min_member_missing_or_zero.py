"""A group that does not say how many of its pods start together.

Both schedulers take an absent minMember for 0 and then start the pods one by one: scheduler-plugins
pkg/coscheduling/core/core.go PreFilter, Volcano pkg/scheduler/plugins/gang/gang.go jobValid. Seen with both: of
ten pods, eight fit, and the eight Workers that started waited for the others. Volcano's API allows a written
0 too; that of coscheduling refuses it. Holds for every version.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:  # <- here
      minResources: {cpu: 3}
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
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

Good::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      minResources: {cpu: 3}
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
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

Mend: write the number of pods that must start together; `gangform render` computes it.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity

ID = "min-member-missing-or-zero"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Report a group without a number of pods that start together."""
    if subject.gang is None or (subject.gang.min_member or 0) != 0:
        return
    pods = _pods(subject, scene)
    said = "minMember 0" if subject.gang.min_member == 0 else "no minMember"
    number = str(pods) if pods else "the number of its pods"
    yield Problem(
        ("spec", "minMember"),
        f"group {subject.ref.name} has {said}: {scene.backends[subject.gang.backend].TITLE} starts its pods "
        "one by one, and no gang is formed",
        f"set minMember to {number}",
        edit=Edit(("spec", "minMember"), pods) if pods else None,
    )


def _pods(subject: Subject, scene: Scene) -> int:
    """Return how many pods of the one job that names the group exist together; 0 where that is not known."""
    jobs = scene.jobs_of(subject)
    if len(jobs) != 1 or jobs[0].workload is None:
        return 0
    return sum(role.replicas for role in jobs[0].roles_in(subject) if role in jobs[0].workload.gang)
