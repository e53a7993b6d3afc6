"""The gang counts the Launcher, but the Launcher is made only when every Worker is ready.

With ``launcherCreationPolicy: WaitForWorkersReady`` the operator makes the Launcher after all Workers
are ready, and the scheduler starts no Worker before the whole gang exists: both wait for ever.
Source: kubeflow/mpi-operator pkg/controller/mpi_job_controller.go syncHandler (v0.8), reported as
mpi-operator#608; seen with coscheduling and with Volcano. The operator's own default has this fault.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      launcherCreationPolicy: WaitForWorkersReady
      runPolicy:
        cleanPodPolicy: Running
        schedulingPolicy:
          minAvailable: 3  # <- here
      mpiReplicaSpecs:
        Launcher:
          template: {spec: {containers: [{name: main, image: mpi}]}}
        Worker:
          replicas: 2
          template: {spec: {containers: [{name: main, image: mpi}]}}

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      launcherCreationPolicy: WaitForWorkersReady
      runPolicy:
        cleanPodPolicy: Running
        schedulingPolicy:
          minAvailable: 2
      mpiReplicaSpecs:
        Launcher:
          template: {spec: {containers: [{name: main, image: mpi}]}}
        Worker:
          replicas: 2
          template: {spec: {containers: [{name: main, image: mpi}]}}

Mend: set the number of Workers, or remove ``launcherCreationPolicy`` so that the Launcher starts with them.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.grouping import mend_members
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer
from gangform.model.workload import Workload

ID = "wait-for-workers-deadlock"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare what the gang asks for with the pods that exist before the Launcher."""
    if subject.workload is not None:
        policy = subject.workload.policy
        if policy.min_available is not None:
            yield from _judge(subject.workload, policy.min_available, "minAvailable",
                              policy.places["min_available"])
        elif scene.groups == "operator" and subject.workload.pods > subject.workload.pods_together:
            yield from _judge(subject.workload, subject.workload.pods, "the operator's default minMember",
                              ("spec", "launcherCreationPolicy"))
    if subject.gang is not None and subject.gang.min_member is not None:
        jobs = scene.jobs_of(subject)
        if len(jobs) == 1 and jobs[0].workload is not None:
            yield from _judge(jobs[0].workload, subject.gang.min_member, "minMember", ("spec", "minMember"),
                              subject)


def _judge(
    workload: Workload, members: int, what: str, pointer: Pointer, group: Subject | None = None
) -> Iterator[Problem]:
    together = workload.pods_together
    if not together < members <= workload.pods:
        return
    roles = " + ".join(f"{role.replicas} {role.name}" for role in workload.gang)
    late = " and the ".join(role.name for role in workload.roles if role.name not in workload.together)
    mend = mend_members(group.data, workload, members, together) if group else f"set {together}"
    yield Problem(
        pointer,
        f"{what} {members}, pods that exist together {together} = {roles}; the {late} waits for them",
        f"{mend}, or remove launcherCreationPolicy so that all pods start together",
        severity=Severity.WARNING if workload.suspended else None,
    )
