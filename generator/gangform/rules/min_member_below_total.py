"""The gang is complete before all pods of the job are placed.

minMember counts pods, whatever their role. With fewer than all, a job can start without a Worker that mpirun
waits for, or without its Launcher, and holds its devices meanwhile: scheduler-plugins
pkg/coscheduling/core/core.go Permit, Volcano pkg/scheduler/api/job_info.go. Seen with coscheduling: twelve pods,
minMember 6, room for eight: eight Workers ran, no Launcher. Pods that bear no mark are left out on purpose and
do not count. A job that horovodrun lets shrink, and a group that says its number for each role, are not told.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy:
        cleanPodPolicy: Running
        schedulingPolicy:
          minAvailable: 2  # <- here
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy:
        cleanPodPolicy: Running
        schedulingPolicy:
          minAvailable: 3
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Mend: count every pod that bears the mark, or delete the number.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.grouping import mend_members
from gangform.model.finding import Problem, Severity
from gangform.model.workload import Role, Workload

ID = "min-member-below-total"
SEVERITY = Severity.WARNING

_ELASTIC = ("--min-np", "--min-num-proc")
"""Arguments of horovodrun for a job that can do with fewer workers (horovod/runner/launch.py, v0.28)."""


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare a group's number with its pods, and a policy's with the job's where no group is at hand."""
    if subject.workload is not None:
        policy = subject.workload.policy
        if policy.min_available and not any(scene.groups_of(subject)):
            yield from _judge(subject, subject.workload, subject.workload.gang, policy.min_available)
    if subject.gang is not None and subject.gang.min_member and not _is_in_parts(subject):
        jobs = scene.jobs_of(subject)
        workload = jobs[0].workload if len(jobs) == 1 else None
        if workload is not None:
            roles = tuple(role for role in jobs[0].roles_in(subject) if role in workload.gang)
            yield from _judge(subject, workload, roles, subject.gang.min_member)


def _judge(subject: Subject, workload: Workload, roles: tuple[Role, ...], members: int) -> Iterator[Problem]:
    pods = sum(role.replicas for role in roles)
    if members >= pods or any(map(_is_elastic, workload.roles)):
        return
    listed = " + ".join(f"{role.replicas} {role.name}" for role in roles)
    without = "without its Launcher" if roles[0].name == "Launcher" else "without some of them"
    fault = f"{members}, pods that exist together {pods} = {listed}: the job may start {without}"
    if subject.gang is None:
        yield Problem(workload.policy.places["min_available"], f"minAvailable {fault}",
                      f"set {pods}, or delete the line ({pods} is the default)")
    else:
        yield Problem(("spec", "minMember"), f"minMember {fault}",
                      mend_members(subject.data, workload, members, pods))


def _is_in_parts(subject: Subject) -> bool:
    """Whether the group says for each role how many of its pods it needs."""
    spec = subject.data.get("spec") or {}
    return bool(spec.get("minTaskMember") or spec.get("subGroupPolicy"))


def _is_elastic(role: Role) -> bool:
    words = (word for container in role.spec.get("containers") or ()
             for word in (*(container.get("command") or ()), *(container.get("args") or ())))
    return any(option in word for word in words for option in _ELASTIC)
