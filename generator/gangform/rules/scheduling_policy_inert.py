"""The job's schedulingPolicy asks one thing, and its group says another.

Only mpi-operator's own gang scheduling reads runPolicy.schedulingPolicy (kubeflow/mpi-operator
pkg/controller/podgroup.go, v0.8.2). With groups from Git its flag is off, and what counts is the group. A policy
that agrees with the group is fine, and so is one that gangform has yet to render. Told are a difference, and a
policy in a deployment whose other jobs have groups from Git while this one names none.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      queue: default
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy:
        cleanPodPolicy: Running
        schedulingPolicy:
          minAvailable: 3
          queue: research  # <- here
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec: {schedulerName: volcano, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec: {schedulerName: volcano, containers: [{name: main, image: mpi}]}

Good::

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
      runPolicy:
        cleanPodPolicy: Running
        schedulingPolicy:
          minAvailable: 3
          queue: research
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec: {schedulerName: volcano, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec: {schedulerName: volcano, containers: [{name: main, image: mpi}]}

Mend: render the group again, or delete the policy.
"""

from collections.abc import Iterator
from typing import Any

from gangform import sizing
from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.gang import Gang
from gangform.model.workload import Workload

ID = "scheduling-policy-inert"
SEVERITY = Severity.WARNING

_SAID = {
    "min_available": ("min_member", "minMember"),
    "queue": ("queue", "queue"),
    "priority_class": ("priority_class", "priorityClassName"),
    "min_resources": ("min_resources", "minResources"),
    "timeout_seconds": ("timeout_seconds", "scheduleTimeoutSeconds"),
}
"""Field of a job's policy to the field of Gang that answers it, and to its name in the group object."""


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare the policy with the groups that the job names, or find that it names none."""
    workload = subject.workload
    if workload is None or not workload.policy.places or scene.groups == "operator":
        return
    groups = [(group.ref.name, group.gang) for group, _ in scene.groups_of(subject) if group.gang is not None]
    if len(groups) == 1:
        yield from _compare(workload, *groups[0], scene)
    elif not subject.bonds and not subject.strays and scene.whole and scene.gangs:
        yield from _report_nobody(subject, workload, scene)


def _compare(workload: Workload, name: str, gang: Gang, scene: Scene) -> Iterator[Problem]:
    policy = workload.policy
    for field in sorted(scene.backends[gang.backend].HONOURS & policy.places.keys()):
        mine, theirs = getattr(policy, field), getattr(gang, _SAID[field][0])
        if field == "min_resources":
            mine, theirs = sizing.readable(mine), sizing.readable(theirs)
        if mine != theirs:
            place = policy.places[field]
            yield Problem(
                place,
                f"{place[-1]} is {_show(getattr(policy, field))}, but group {name} has {_SAID[field][1]} "
                f"{_show(getattr(gang, _SAID[field][0]))}, and the group counts",
                "make them equal, or delete the line; gangform render writes the group from it",
            )


def _report_nobody(subject: Subject, workload: Workload, scene: Scene) -> Iterator[Problem]:
    named = {name for _, _, name in scene.gangs}
    if subject.ref.name in named:
        return
    place = min(workload.policy.places.values())
    yield Problem(
        place,
        f"nobody reads {place[-1]}: the job names no group, and with groups from Git, as others here have, "
        "mpi-operator makes none",
        "add a group and its marks, as gangform render does, or delete schedulingPolicy",
        on="key",
    )


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {amount}" for name, amount in sorted(value.items())) or "nothing"
    return "nothing" if value is None else str(value)
