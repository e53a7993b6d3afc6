"""scheduler-plugins coscheduling: a PodGroup, and a label on both pod templates.

Its PodGroup has a timeout but neither queue nor priority class. The scheduler reads the label alone
(kubernetes-sigs/scheduler-plugins pkg/util/podgroup.go GetPodGroupLabel, v0.34.7).
"""

from collections.abc import Mapping
from typing import Any

from gangform import grouping
from gangform.contracts import Circumstances
from gangform.model.gang import Gang, Option, Queueing, RoleKey, Trait
from gangform.model.plan import FalseMark, NameReference, Plan
from gangform.model.pointer import Pointer
from gangform.model.workload import Workload

NAME = "coscheduling"
TITLE = "coscheduling"
COMPONENT = "scheduler-plugins"
GROUP_API = ("scheduling.x-k8s.io/v1alpha1", "PodGroup")
GROUP_SCHEMA = "scheduling.x-k8s.io/podgroup_v1alpha1"
RESOURCE = "podgroups.scheduling.x-k8s.io"
AUTOMATIC = ""
WORDS: tuple[str, ...] = ("cannot find enough sibling pods", "PodGroup not found", "resource gap: ", "PodGroup ")
FORMER_GROUPS: Mapping[str, str] = {"scheduling.sigs.k8s.io": "0.25"}
MARK = NameReference("scheduling.x-k8s.io", "PodGroup", "labels", "scheduling.x-k8s.io/pod-group")
# The labels of older releases: apis/scheduling/v1alpha1/types.go, by tag.
FALSE_MARKS: tuple[FalseMark, ...] = (
    FalseMark("annotations", "scheduling.x-k8s.io/pod-group"),
    FalseMark("labels", "pod-group.scheduling.sigs.k8s.io", "0.25"),
    FalseMark("labels", "pod-group.scheduling.sigs.k8s.io/name", "0.19"),
)
FOREIGN_FIELDS: Mapping[Pointer, str] = {}
SCHEDULER_NAMES = frozenset({"scheduler-plugins-scheduler"})
HONOURS = frozenset({"min_available", "min_resources", "timeout_seconds"})
TRAITS: frozenset[Trait] = frozenset({"blocks-on-min-resources", "sleeps-until-event", "sorts-single-pods"})
ROLE_KEYS: tuple[RoleKey, ...] = ()
QUEUEING: Queueing | None = None
OPTIONS: Mapping[str, Option] = {
    "schedulerName": Option(
        "text", "The name under which the scheduler is served; default-scheduler when it is the only one.",
        "scheduler-plugins-scheduler"),
    "timeout": Option(
        "seconds", "How long the pods of an incomplete gang wait, for jobs that do not say it themselves."),
    # Without it, several gangs that nearly fit are tried again without end, and slow down whatever else comes.
    **grouping.shared_options(min_resources=grouping.COMPUTED),
}

_SCHEDULER = grouping.Scheduler(NAME, TITLE, GROUP_API, MARK, HONOURS, OPTIONS)


def plan(workload: Workload, circumstances: Circumstances) -> Plan:
    """Say how coscheduling starts the workload as one gang.

    Mirrors kubeflow/mpi-operator pkg/controller/podgroup.go SchedulerPluginsCtrl.newPodGroup (v0.8.2), but
    leaves the timeout out where it writes 0: both mean the scheduler's own permitWaitingTimeSeconds.
    """
    policy = workload.policy
    timeout = (policy.timeout_seconds, policy.places.get("timeout_seconds"))
    if policy.timeout_seconds is None:
        timeout = (_SCHEDULER.option(circumstances, "timeout"), None)
    return grouping.assemble(_SCHEDULER, workload, circumstances, {"scheduleTimeoutSeconds": timeout})


def read_group(data: Mapping[str, Any]) -> Gang:
    """Read a PodGroup that passed its schema."""
    return grouping.read_gang(NAME, data, {
        "min_member": "minMember", "min_resources": "minResources",
        "timeout_seconds": "scheduleTimeoutSeconds",
    })
