"""Fewer pods bear the group's mark than the group needs.

A scheduler counts only pods that name the group. Pods without the mark start alone, and the others wait
for members that never come: scheduler-plugins pkg/coscheduling/core/core.go PreFilter, Volcano
pkg/scheduler/plugins/gang/gang.go jobValid. Seen with both: the unmarked Launcher runs, no Worker does.

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
          template:  # <- here
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

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
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

Mend: give both pod templates the mark, or lower minMember to the pods that bear it.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity
from gangform.model.plan import NameReference
from gangform.model.workload import Role, Workload

ID = "partial-binding"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """For each group that the job names, count the pods that bear its mark."""
    if subject.workload is None:
        return
    for backend, group, roles in subject.bound_roles():
        owner = scene.gangs.get((backend, subject.ref.namespace, group))
        if owner is None or owner.gang is None or owner.gang.min_member is None:
            continue
        if len(scene.jobs_of(owner)) == 1:
            mark = scene.backends[backend].MARK
            yield from _judge(subject.workload, owner.gang.min_member, roles, group, mark)


def _judge(
    workload: Workload, members: int, bound: tuple[Role, ...], group: str, mark: NameReference
) -> Iterator[Problem]:
    marked = [role for role in workload.gang if role in bound]
    pods = sum(role.replicas for role in marked)
    unmarked = [role for role in workload.gang if role not in bound]
    if not unmarked or not pods < members <= workload.pods_together:
        return
    key, holder = mark.key, mark.holder
    roles = " + ".join(f"{role.replicas} {role.name}" for role in marked) or "none"
    places = unmarked[0].places
    yield Problem(
        unmarked[0].template_at,
        f"minMember {members} of group {group}, pods that bear its mark {pods} = {roles}; "
        f"the {unmarked[0].name} template has no {holder[:-1]} {key}",
        f'add {holder} "{key}: {group}" to the {unmarked[0].name} template, or set minMember {pods}',
        on="key",
        edit=Edit((*(places.labels if holder == "labels" else places.annotations), key), group),
    )
