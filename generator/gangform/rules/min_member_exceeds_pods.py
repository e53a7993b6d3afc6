"""The gang needs more pods than the job has, so it can never be complete.

Both schedulers refuse to start any pod of a group with fewer pods than minMember: scheduler-plugins
pkg/coscheduling/core/core.go PreFilter ("cannot find enough sibling pods"), Volcano
pkg/scheduler/plugins/gang/gang.go jobValid. Seen with both: no pod is ever bound.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy:
        cleanPodPolicy: Running
        schedulingPolicy:
          minAvailable: 9  # <- here
      mpiReplicaSpecs:
        Launcher:
          template: {spec: {containers: [{name: main, image: mpi}]}}
        Worker:
          replicas: 4
          template: {spec: {containers: [{name: main, image: mpi}]}}

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy:
        cleanPodPolicy: Running
        schedulingPolicy:
          minAvailable: 5
      mpiReplicaSpecs:
        Launcher:
          template: {spec: {containers: [{name: main, image: mpi}]}}
        Worker:
          replicas: 4
          template: {spec: {containers: [{name: main, image: mpi}]}}

Mend: set the number of pods, or delete the line; all pods of the job are the default.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.grouping import mend_members
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer
from gangform.model.workload import Workload

ID = "min-member-exceeds-pods"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare the policy's and the group's number with the pods of the job."""
    if subject.workload is not None and subject.workload.policy.min_available is not None:
        policy, together = subject.workload.policy, subject.workload.pods_together
        yield from _judge(subject.workload, policy.min_available or 0, "minAvailable",
                          policy.places["min_available"], "the job",
                          f"set {together}, or delete the line ({together} is the default)")
    if subject.gang is not None and subject.gang.min_member is not None:
        jobs = scene.jobs_of(subject)
        workload = jobs[0].workload if len(jobs) == 1 else None
        if workload is not None:
            members = subject.gang.min_member
            yield from _judge(workload, members, "minMember", ("spec", "minMember"), f"the job {jobs[0].ref.name}",
                              mend_members(subject.data, workload, members, workload.pods_together))


def _judge(
    workload: Workload, members: int, what: str, pointer: Pointer, job: str, hint: str
) -> Iterator[Problem]:
    if members <= workload.pods:
        return
    roles = " + ".join(f"{role.replicas} {role.name}" for role in workload.roles)
    yield Problem(
        pointer,
        f"{what} is {members} but {job} has {workload.pods} pod{'s' * (workload.pods != 1)} ({roles})",
        hint,
    )
