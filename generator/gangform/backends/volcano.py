"""Volcano: a PodGroup, and an annotation on both pod templates.

Its PodGroup has a queue and a priority class but no timeout: Volcano looks again in every cycle. The
scheduler reads the annotation alone (volcano-sh/volcano pkg/scheduler/api/job_info.go getJobID, v1.15).
"""

from collections.abc import Mapping
from typing import Any

from gangform import grouping, sizing
from gangform.contracts import Circumstances
from gangform.model.gang import Gang, Option, Queueing, RoleKey, Trait
from gangform.model.plan import FalseMark, NameReference, Plan
from gangform.model.pointer import Pointer
from gangform.model.workload import Workload

NAME = "volcano"
TITLE = "Volcano"
COMPONENT = "volcano"
GROUP_API = ("scheduling.volcano.sh/v1beta1", "PodGroup")
GROUP_SCHEMA = "scheduling.volcano.sh/podgroup_v1beta1"
RESOURCE = "podgroups.scheduling.volcano.sh"
AUTOMATIC = "podgroup-"
WORDS: tuple[str, ...] = ("tasks in gang", "pod group is not ready")
# No release that can be told apart here reads the group that Volcano had as kube-batch.
FORMER_GROUPS: Mapping[str, str] = {"scheduling.incubator.k8s.io": ""}
MARK = NameReference("scheduling.volcano.sh", "PodGroup", "annotations", "scheduling.k8s.io/group-name")
FALSE_MARKS: tuple[FalseMark, ...] = (
    FalseMark("annotations", "scheduling.volcano.sh/group-name"),
    FalseMark("labels", "scheduling.volcano.sh/group-name"),
    FalseMark("labels", "scheduling.k8s.io/group-name"),
)
FOREIGN_FIELDS: Mapping[Pointer, str] = {("spec", "scheduleTimeoutSeconds"): "timeout-on-volcano"}
SCHEDULER_NAMES = frozenset({"volcano"})
HONOURS = frozenset({"min_available", "min_resources", "queue", "priority_class"})
TRAITS: frozenset[Trait] = frozenset({"counts-idle-pods", "reserves-without-pods", "rewrites-groups"})
ROLE_KEYS: tuple[RoleKey, ...] = (
    RoleKey("annotations", "volcano.sh/task-spec"), RoleKey("labels", "volcano.sh/task-spec", "1.10"))
QUEUEING: Queueing | None = Queueing(("scheduling.volcano.sh", "Queue"), frozenset({"default", "root"}), "default")
OPTIONS: Mapping[str, Option] = {
    "schedulerName": Option("text", "The name under which the scheduler is served.", "volcano"),
    "queue": Option("text", "The queue of jobs that name none."),
    "priority-class": Option("text", "The priority class of the groups of jobs whose policy names none."),
    # The group of a finished or suspended job stays in Git and would go on reserving what it computes.
    **grouping.shared_options(min_resources=grouping.OMITTED),
}

_SCHEDULER = grouping.Scheduler(NAME, TITLE, GROUP_API, MARK, HONOURS, OPTIONS)


def plan(workload: Workload, circumstances: Circumstances) -> Plan:
    """Say how Volcano starts the workload as one gang.

    Mirrors kubeflow/mpi-operator pkg/controller/podgroup.go VolcanoCtrl.newPodGroup (v0.8.2), but for
    minResources, which it always computes: the operator deletes the group along with the pods, Git does not.
    """
    policy = workload.policy
    queue = (policy.queue, policy.places.get("queue"))
    if policy.queue is None:
        queue = (_SCHEDULER.option(circumstances, "queue"), None)
    wanted = None if policy.priority_class else _SCHEDULER.option(circumstances, "priority-class")
    named = None if wanted else sizing.priority_class(workload)
    return grouping.assemble(_SCHEDULER, workload, circumstances, {
        "queue": queue,
        "priorityClassName": (named.name, named.pointer) if named else (wanted, None),
    })


def read_group(data: Mapping[str, Any]) -> Gang:
    """Read a PodGroup that passed its schema."""
    return grouping.read_gang(NAME, data, {
        "min_member": "minMember", "min_resources": "minResources", "queue": "queue",
        "priority_class": "priorityClassName",
    })
