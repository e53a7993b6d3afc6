"""What each state of a gang means, how it is told, and what to do: the one source of ``gangform explain`` and docs."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from gangform.status.picture import ALARMING, State


class StatePage(NamedTuple):
    """The page of one state; texts are Markdown that reads well in a terminal, too.

    Attributes:
        means: what it says of the gang; the first sentence stands alone in lists.
        told: the evidence for it.
        do: the next thing to do.
    """

    means: str
    told: str
    do: str


def slug(state: State) -> str:
    """Return a state's name as alerts and ``gangform explain`` write it: ``never-fits``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", state.value).lower()


def find(name: str) -> State | None:
    """Return the state that is meant by ``never-fits``, ``NeverFits`` or ``neverfits``; None when none is."""
    plain = name.replace("-", "").lower()
    return next((state for state in State if state.value.lower() == plain), None)


_ALERTS: Mapping[str, State] = {
    "GangWaitingBesideFreeCapacity": State.ASLEEP, "GangWithoutScheduler": State.NO_SCHEDULER,
    "GangReservationLeftOver": State.LEFT_OVER, "GangQueuedTooLong": State.QUEUED,
}
"""Alerts that are not called as events are, ``Gang`` and the state."""


def announced(name: str) -> State | None:
    """Return the state that an event or an alert of this name tells of; None when there is none such."""
    return _ALERTS.get(name) or (find(name.removeprefix("Gang")) if name.startswith("Gang") else None)


def weight(state: State) -> str:
    """Say in a word how much a state matters."""
    return "alarming" if state in ALARMING else "normal"


def summary(state: State) -> str:
    """Return the page's first sentence."""
    return re.split(r"(?<=\.) ", PAGES[state].means.replace("\n", " "), maxsplit=1)[0]


def write(state: State) -> str:
    """Return the text of a page, without its heading."""
    page = PAGES[state]
    return f"{page.means}\n\nHow it is told:\n{page.told}\n\nWhat to do:\n{page.do[0].upper()}{page.do[1:]}\n"


PAGES: Mapping[State, StatePage] = {
    State.SUSPENDED: StatePage(
        "The job is held back by its own field `suspend`. It has no pods, and that is as it should be.",
        "`spec.runPolicy.suspend` is true. In Volcano a PodGroup with minResources still reserves capacity\n"
        "meanwhile; the message says so.",
        "nothing, or set `suspend: false` in Git. Kueue sets the field by itself when it admits the job."),
    State.WAITING_FOR_PODS: StatePage(
        "The job is there and its pods are not. No scheduler has anything to place yet.",
        "Fewer pods exist than the job wants, and none of them holds a node. The reason OperatorSilent means that\n"
        "no operator has set the condition Created on the job. PodsMissing means that the operator took it up; the\n"
        "newest event of the job, when one tells of a refusal, is in the message.",
        "for OperatorSilent see whether mpi-operator runs and watches this namespace. Otherwise read the job's\n"
        "events:\n\n    kubectl events -n NAMESPACE --for mpijobs.kubeflow.org/JOB"),
    State.WAITING_FOR_POD_GROUP: StatePage(
        "The pods name a PodGroup that does not exist. They wait until it does, without a word of why.",
        "The pods bear a mark, and no object of that name is in their namespace.",
        "apply the PodGroup. If it is in Git, see whether Argo CD or Flux has synced it; if it is not, run\n"
        "`gangform render` and commit what it writes."),
    State.GATED: StatePage(
        "Something holds the pods back on purpose, before any scheduler looks at them. Kueue does so until it admits\n"
        "a job.",
        "Pods without a node have `spec.schedulingGates`; the message names the gates.",
        "ask whoever owns the gate. For Kueue look at the job's Workload and its queue:\n\n"
        "    kubectl get workloads.kueue.x-k8s.io -n NAMESPACE"),
    State.QUEUED: StatePage(
        "The gang waits for capacity, as a whole, and holds none. This is what gang scheduling is for.",
        "No pod has a node, and the scheduler says that something is short. Of a stuck gang's pods only one carries\n"
        'the reason; the message has that one in plain words. "cannot find enough sibling pods" is what every gang\n'
        "hears first, and no alarm.",
        "wait. If it takes too long: ask for less, add nodes, or look at who holds the capacity\n"
        "(`gangform status -A`). `gangform status JOB` says how much is short, where that is known."),
    State.PARTIAL: StatePage(
        "Some pods hold nodes and the others cannot come. The job does not run, and what it holds is lost to all\n"
        "others. Two such gangs can block each other for ever.",
        "Fewer pods than must start together have a node, for longer than a normal start takes since the last of\n"
        "them got one. The job's own condition may say Running.",
        "find out why the others are not in the gang: a mark missing on one template, a different schedulerName, a\n"
        "minMember that is too small. `gangform validate` finds these in the files. To free the nodes now, delete\n"
        "the job, or suspend it."),
    State.STARTING: StatePage(
        "The gang has its nodes, or is just getting them, and its containers are not all ready yet.",
        "Enough pods have a node and some are not ready; or pods were bound a moment ago and the rest follow. The\n"
        "reason NotReady means that it has taken longer than a normal start.",
        "nothing at first. If it lasts, look at the pod that is not ready: images and volumes are the usual causes.\n\n"
        "    kubectl describe pods -n NAMESPACE POD"),
    State.RUNNING: StatePage(
        "The gang is whole: every pod that must start has a node and is ready. If the job hangs, scheduling is not\n"
        "the cause.",
        "All pods of the gang are bound and ready. The message names pods that restarted, and why; and what of the\n"
        "job breaks a schema or a limit that is known here, though its operator took it.",
        "nothing. If the job hangs, read the Launcher's log. A Worker that restarted is not in the running mpirun any\n"
        "more.\n\n    kubectl logs -n NAMESPACE LAUNCHER --tail 50"),
    State.DEGRADED: StatePage(
        "The gang was whole and has lost a pod. What is left computes nothing, and holds its nodes.",
        "A pod is missing, has failed, was made anew after the others had their nodes, or is not ready on a node that\n"
        "is not ready either. The message says which, and how it ended.",
        "restart the job: set `spec.runPolicy.suspend` to true in Git, and to false again once its pods are gone, or\n"
        "start it under a new name. mpi-operator does not make a Worker anew that has failed, so that a\n"
        "retried Launcher waits for ever. A Launcher that has failed is made anew by its Job after a while, until\n"
        "`backoffLimit` is reached: read its log. With the reason SiblingsUnmarked, the new pod bears a mark that the\n"
        "running ones lack, and only a restart brings them together."),
    State.SUCCEEDED: StatePage(
        "The job has ended well.",
        "The job has the condition Succeeded, and its PodGroup reserves nothing.",
        "nothing."),
    State.FAILED: StatePage(
        "The job has ended badly. That is the job's own matter, not the scheduler's.",
        "The job has the condition Failed, and its PodGroup reserves nothing. The message has the reason.",
        "read the Launcher's log, if its pod is still there. A new run needs a new name."),
    State.LEFT_OVER: StatePage(
        "A PodGroup has outlived its job. In Volcano it can go on reserving what the job asked, and others wait for\n"
        "capacity that nobody uses.",
        "The job has finished or is gone; the PodGroup is there. The message says what it reserves, and who keeps it\n"
        "there.",
        "if Git owns it, remove job and PodGroup from Git: Argo CD or Flux would bring it back. Look there first when\n"
        "it was rendered by gangform. If nobody owns it, delete it, by its full name, since two schedulers have a\n"
        "kind PodGroup:\n\n"
        "    kubectl delete podgroups.scheduling.volcano.sh -n NAMESPACE NAME\n\n"
        "Overlays that gangform renders for Volcano leave minResources out, so that nothing is reserved."),
    State.STALE: StatePage(
        "The PodGroup does not fit the job any more. It was made for another number of pods, or for larger ones.",
        "The PodGroup's minMember is not the one that the job implies now, or its minResources are larger. Both\n"
        "numbers are in the message.",
        "run `gangform render`, commit, and let Argo CD or Flux sync. `gangform check` in CI finds it beforehand."),
    State.MISCONFIGURED: StatePage(
        "The job or its PodGroup has a fault with which no gang can form. Waiting mends nothing.",
        "The objects in the cluster break a rule of gangform, the job's schema or a limit of its operator; the\n"
        "message names the rule. It is told only while the gang does not run.",
        "`gangform explain RULE` says how to mend it. `gangform validate` finds the same in the files."),
    State.NO_SCHEDULER: StatePage(
        "Nobody schedules these pods. Their schedulerName is served by no scheduler that was seen here, and\n"
        "Kubernetes says nothing about that.",
        "No pod of the gang has a node or a condition PodScheduled, and no other pod of that schedulerName has one,\n"
        "for longer than a normal start takes.",
        "compare the name with the scheduler's configuration. The name in mpi-operator's flag `--gang-scheduling`,\n"
        "such as scheduler-plugins, is no name of a scheduler. Set it with the option schedulerName in gangform.yaml,\n"
        "render, and start the job anew: the name of a pod cannot be changed."),
    State.QUOTA_REFUSED: StatePage(
        "A ResourceQuota of the namespace does not let the operator make all pods. The gang stays incomplete, and its\n"
        "scheduler knows nothing of it.",
        'Pods are missing, and the newest event of the job says "exceeded quota". The message names the quota, what\n'
        "is used of how much, and what one pod wants.",
        "wait for others of the namespace to end, ask for less, or have the quota raised.\n\n"
        "    kubectl describe resourcequotas -n NAMESPACE"),
    State.NEVER_FITS: StatePage(
        "The gang is larger than the cluster. It waits for ever, and looks as if it only waited for its turn.",
        "A pod asks more of a resource than the largest usable node offers, or the gang asks more than all of them\n"
        "together. Nodes that are cordoned or not ready do not count. An autoscaler may bring nodes that are not\n"
        "there yet.",
        "ask for less per pod or in all, or bring larger nodes. See whether nodes are cordoned:\n"
        "`kubectl get nodes`."),
    State.ASLEEP: StatePage(
        "The gang would fit now, and its scheduler has not looked again. coscheduling wakes waiting gangs only when\n"
        "some pod is bound or some PodGroup changes, and else after some five minutes.",
        "No pod has a node, all that must start fit on what is free now, and for longer than a normal start takes\n"
        "the scheduler has said nothing. It takes the right to list nodes and the pods of all namespaces.",
        "touch the PodGroup; any annotation will do, and GitOps tools ignore one that is not in Git:\n\n"
        "    kubectl annotate podgroups.scheduling.x-k8s.io -n NAMESPACE NAME gangform.dev/woken=$(date +%s) \\\n"
        "      --overwrite\n\nThe controller can do that by itself: `--wake-gangs`."),
    State.UNGROUPED: StatePage(
        "The job runs without a gang: nothing on its pods says that they belong together. It may start partly, and\n"
        "then wait with what it holds.",
        "Neither the job's templates nor its pods bear the mark of a scheduler that is known here. A mark under an\n"
        "old key counts as none. A job of one pod needs none.",
        "render an overlay with `gangform render` and start the job under a new name: pods that exist do not change."),
}
"""Every state's page, in the order of State."""
