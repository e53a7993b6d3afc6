"""Situations of gangs in tables: state, reason and message that must be said of so many raw objects."""

import gangs
from situations import (
    CLASH,
    CPU,
    GAP,
    QUOTA,
    SIBLINGS,
    at,
    condition,
    event,
    group,
    job,
    node,
    nodes,
    pod,
    pods,
    silent,
    stranger,
)

OOM = {"reason": "OOMKilled", "exitCode": 137, "finishedAt": at(50)}
SERVED = stranger("seen", said="0/4 nodes are available: 4 Insufficient cpu.", scheduler="scheduler-plugins-scheduler")
FULL = [stranger(f"web-{index}", node=f"n{index}", asked={"cpu": "4"}) for index in range(1, 5)]
VOLUME = "0/4 nodes are available: 4 node(s) had volume node affinity conflict. preemption: none"
RUNNING = pods(node="n1")
VOLCANO = pods(node="n1", backend="volcano")
GONE = [pod("launcher-x7k2", node="n1"), pod("worker-0", node="n1")]
SAYS_NOTHING = gangs.pod("coscheduling", None)
PINNED = {"affinity": {"nodeAffinity": {}}}


def named(scheduler):
    """Job pi for a scheduler of another name."""
    data = job()
    for spec in data["spec"]["mpiReplicaSpecs"].values():
        spec["template"]["spec"]["schedulerName"] = scheduler
    return data


def alone():
    """Job pi of a launcher and nothing else, without a mark."""
    data = job("")
    del data["spec"]["mpiReplicaSpecs"]["Worker"]
    return data


OVER = {
    "succeeded": ("Succeeded", "MPIJobSucceeded", "the job has succeeded",
                  [job("coscheduling", condition("Succeeded")), group(), *RUNNING]),
    "failed": ("Failed", "BackoffLimitExceeded", "the job has failed: Job has reached the specified backoff limit",
               [job("coscheduling", condition("Failed", reason="BackoffLimitExceeded",
                                              message="Job has reached the specified backoff limit")), group()]),
    "finished, and Volcano goes on reserving": (
        "LeftOver", "JobFinished", "the job has succeeded, and its PodGroup reserves 12 CPU; Argo CD application nlp keeps",
        [job("volcano", condition("Succeeded")),
         group("volcano", minResources={"cpu": "12"}, more={"annotations": {
             "argocd.argoproj.io/tracking-id": "nlp:scheduling.volcano.sh/PodGroup:lab/pi"}})]),
    "finished, without minResources": ("Succeeded", "", "succeeded", [job("volcano", condition("Succeeded")), group("volcano")]),
    "finished, its workers still running": (
        "Succeeded", "", "succeeded",
        [job("volcano", condition("Succeeded")), group("volcano", minResources={"cpu": "12"}), *VOLCANO]),
    "no job": ("LeftOver", "JobAbsent", "PodGroup pi has no job", [group()]),
    "no job, and the operator made it": (
        "LeftOver", "JobAbsent", "PodGroup pi has no job; the operator keeps it there",
        [group(more={"ownerReferences": [{"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "name": "pi"}]})]),
    "no job, reserving": (
        "LeftOver", "JobAbsent", "PodGroup pi has no job and reserves 64Gi memory; Flux kustomization apps keeps it there",
        [group("volcano", minResources={"memory": "64Gi"}, more={"labels": {"kustomize.toolkit.fluxcd.io/name": "apps"}})]),
    "suspended": ("Suspended", "Suspended", "the job is suspended", [job(run={"suspend": True}), group()]),
    "suspended, and Volcano reserves": (
        "Suspended", "", "its PodGroup still reserves 12 CPU",
        [job("volcano", run={"suspend": True}), group("volcano", minResources={"cpu": "12"})]),
}

FORMING = {
    "its job breaks its schema": ("Misconfigured", "JobInvalid", "[unknown-field]", [job(bogus=1), group(), *RUNNING[1:]]),
    "its operator refuses the job": ("Misconfigured", "JobInvalid", "[worker-replicas]", [job(workers=0), group()]),
    "a quota": ("QuotaRefused", "QuotaExceeded", "ResourceQuota lab-cpu: 24 of 24 requests.cpu used, a pod wants 8",
                [job(), group(), *pods(said=SIBLINGS)[:2], event("MPIJobFailed", QUOTA)]),
    "a quota for the launcher, told of its Job": (
        "QuotaRefused", "QuotaExceeded", "ResourceQuota lab-cpu",
        [job(), group(), *pods(said=SIBLINGS)[1:],
         event("FailedCreate", QUOTA.replace("worker pod created failed", "Error creating"), "Job", "pi-launcher")]),
    "a quota that let all of it in a moment later, and then a worker was lost": (
        "Degraded", "MemberFailed", "worker-1 failed",
        [job("coscheduling", condition("GangScheduled", "True", "Whole", "3/3")), group(), *RUNNING[:2],
         pod("worker-1", node="n1", phase="Failed", ended=OOM), event("MPIJobFailed", QUOTA)]),
    "a quota, long ago": ("Running", "", "", [job(), group(), *RUNNING, event("MPIJobFailed", QUOTA)]),
    "a webhook": ("WaitingForPods", "PodsRefused", 'admission webhook "pods.example.com" denied the request: no',
                  [job(), group(), event("MPIJobFailed", 'worker pod created failed: admission webhook "pods.example.com" '
                                         "denied the request: no")]),
    "a limit range": ("WaitingForPods", "PodsRefused", "maximum cpu usage per Container is 4",
                      [job(), group(), event("MPIJobFailed", 'worker pod created failed: pods "pi-worker-0" is forbidden: '
                                             "maximum cpu usage per Container is 4, but limit is 8")]),
    "no mark, running": ("Ungrouped", "NoMark", "no mark on its pods: not a gang; 3 of 3 pods bound",
                         [job(""), *pods(node="n1", marked=False, scheduler="default-scheduler")]),
    "no mark, and nothing there": ("Ungrouped", "NoMark", "0 of 3", [job("")]),
    "only the mark that Volcano gives its own": (
        "Ungrouped", "NoMark", "", [job(""), *[
            one | {"metadata": one["metadata"] | {"annotations": {"scheduling.k8s.io/group-name": "podgroup-1"}}}
            for one in pods(node="n1", marked=False)]]),
    "no operator": ("WaitingForPods", "OperatorSilent", "no operator has taken it up", [silent(job()), group()]),
    "left to somebody else": (
        "WaitingForPods", "ManagedElsewhere", "its pods are left to kueue.x-k8s.io/multikueue, as managedBy says",
        [silent(job(run={"managedBy": "kueue.x-k8s.io/multikueue"})), group()]),
    "left to its own operator by name": (
        "WaitingForPods", "OperatorSilent", "no operator has taken it up",
        [silent(job(run={"managedBy": "kubeflow.org/mpi-operator"})), group()]),
    "no pods": ("WaitingForPods", "PodsMissing", "0 of 3 pods exist", [job(), group()]),
    "some pods": ("WaitingForPods", "PodsMissing", "1 of 3 pods exist", [job(), group(), pod("worker-0", said=SIBLINGS)]),
    "the operator's flag": ("Misconfigured", "OperatorGangFlag", "the operator's own flag",
                            [silent(job()), group(), event("ErrResourceExists", CLASH)]),
    "another clash": ("WaitingForPods", "OperatorSilent", "",
                      [silent(job()), group(), event("ErrResourceExists", CLASH.replace("PodGroup", ""))]),
    "no group": ("WaitingForPodGroup", "PodGroupMissing", "its pods name PodGroup pi, which is not there",
                 [job(), *pods(said="PodGroup not found")]),
    "a group of the other scheduler": ("WaitingForPodGroup", "", "", [job(), group("volcano"), *pods(said="PodGroup not found")]),
    "one pod alone, without a mark": (
        "Running", "Whole", "1/1 pods bound and ready; scheduling is not what hangs",
        [alone(), pod("launcher-x7k2", node="n1", marked=False, scheduler="default-scheduler")]),
    "gates": ("Gated", "SchedulingGated", "3 of 3 pods are held back by the scheduling gate kueue.x-k8s.io/admission",
              [job(), group(), *pods(schedulingGates=[{"name": "kueue.x-k8s.io/admission"}])]),
}

WHOLE = {
    "running": ("Running", "Whole", "3/3 pods bound and ready; scheduling is not what hangs", [job(), group(), *RUNNING]),
    "its job has a field that is not known here": (
        "Running", "Whole", 'the job is not as gangform knows it: spec has no field "bogus"', [job(bogus=1), group(), *RUNNING]),
    "more pods than must start, held back": (
        "Starting", "MembersWaiting", "2 of 3 pods are bound, which is enough to start; 1 pod more waits",
        [job(run={"schedulingPolicy": {"minAvailable": 2}}), group(members=2), *RUNNING[:2],
         pod("worker-1", schedulingGates=[{"name": "later"}])]),
    "a member restarted": (
        "Running", "Whole", "worker-1 restarted (OOMKilled, exit code 137) on node n1",
        [job(), group(), *RUNNING[:2], pod("worker-1", node="n1", restarts=1, ended=OOM)]),
    "its group is stale": ("Running", "Whole", "its PodGroup is stale: it has minMember 2, the job implies 3",
                           [job(), group(members=2), *RUNNING]),
    "its group is gone": ("Running", "PodGroupMissing", "its PodGroup pi is not there", [job(), *RUNNING]),
    "older than its marks": ("Running", "PodsUnmarked", "its pods are older than their marks",
                             [job(), group(), *pods(node="n1", marked=False)]),
    "the operator's group, no marks in Git": (
        "Running", "Whole", "3/3", [job(""), group(more={"ownerReferences": [
            {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "name": "pi"}]}), *RUNNING]),
    "the launcher is done": ("Running", "Ending", "launcher-x7k2 has done its work",
                             [job(), group(), pod("launcher-x7k2", node="n1", phase="Succeeded"), *RUNNING[1:]]),
    "not ready for long": ("Starting", "NotReady", "1 of 3 ready; launcher-x7k2 and worker-0 not ready (ImagePullBackOff)",
                           [job(), group(), *pods(node="n1", ready=False, waiting="ImagePullBackOff")[:2], RUNNING[2]]),
    "more pods than must start": (
        "Starting", "MembersWaiting", "2 of 3 pods are bound, which is enough to start; 1 pod more waits",
        [job(run={"schedulingPolicy": {"minAvailable": 2}}), group(members=2), *RUNNING[:2], pod("worker-1", said=CPU)]),
    "the launcher waits for its workers": (
        "Starting", "LauncherMissing", "all 2 pods that start together are ready; the Launcher is not there yet",
        [job(launcherCreationPolicy="WaitForWorkersReady"), group(members=2), *RUNNING[1:]]),
    "the launcher finds no node": (
        "Starting", "LauncherWaiting", "launcher-x7k2 has no node yet",
        [job(launcherCreationPolicy="WaitForWorkersReady"), group(members=2), *RUNNING[1:],
         pod("launcher-x7k2", said=CPU, seconds=20)]),
    "the launcher came after its workers": (
        "Running", "Whole", "2/2", [job(launcherCreationPolicy="WaitForWorkersReady"), group(members=2), *RUNNING]),
    "a worker failed": ("Degraded", "MemberFailed", "worker-1 failed (OOMKilled, exit code 137) on node n1; 2 of 3 pods hold",
                        [job(), group(), *GONE, pod("worker-1", node="n1", phase="Failed", ended=OOM)]),
    "the launcher failed, and its Job has not made the next one": (
        "Degraded", "MemberFailed", "launcher-x7k2 failed (OOMKilled, exit code 137) on node n1",
        [job(), group(), pod("launcher-x7k2", node="n1", phase="Failed", ended=OOM), *RUNNING[1:]]),
    "a worker was evicted": ("Degraded", "MemberFailed", "worker-1 failed (Evicted) on node n1",
                             [job(), group(), *GONE, pod("worker-1", node="n1", phase="Failed", reason="Evicted")]),
    "a worker is gone": ("Degraded", "MemberMissing", "1 Worker of 2 missing", [job(), group(), *GONE]),
    "a worker is being deleted": ("Degraded", "MemberLeaving", "worker-1 is being deleted on node n1",
                                  [job(), group(), *GONE, pod("worker-1", node="n1", leaving=True)]),
    "a node with a worker is not heard of any more": (
        "Degraded", "MemberUnreachable", "worker-1 is on node n2, which is not ready; 3 of 3 pods hold",
        [job(), group(), *GONE, pod("worker-1", node="n2", ready=False), node("n1"), node("n2", ready=False)]),
    "a node with a worker is cordoned": (
        "Running", "Whole", "3/3", [job(), group(), *GONE, pod("worker-1", node="n2"), node("n1"), node("n2", cordoned=True)]),
    "a worker was made anew and finds no node": (
        "Degraded", "MemberWaiting", "worker-1 was made anew and has no node",
        [job(), group(), *GONE, pod("worker-1", said=CPU, seconds=300)]),
    "the launcher failed and was made anew, at once": (
        "Running", "Whole", "", [job(), group(), *RUNNING, pod("launcher-old", node="n1", phase="Failed", ended=OOM)]),
    "marks came while it ran, then a worker was lost": (
        "Degraded", "SiblingsUnmarked", "bears the mark, its siblings do not",
        [job(), group(), *pods(node="n1", marked=False)[:2], pod("worker-1", said=SIBLINGS, seconds=300)]),
}

WAITING = {
    "a rule's error on the job": (
        "Misconfigured", "WaitForWorkersDeadlock", "[wait-for-workers-deadlock]",
        [job(launcherCreationPolicy="WaitForWorkersReady", run={"schedulingPolicy": {"minAvailable": 3}}), group(),
         *pods(said=SIBLINGS)[1:]]),
    "a rule's error on the group": (
        "Misconfigured", "MinResourcesBadKey", "requests.cpu",
        [job(), group(minResources={"requests.cpu": "3"}), *pods(said=SIBLINGS)]),
    "more must start than there are": (
        "Stale", "PodGroupStale", "PodGroup pi is stale: it has minMember 9, the job implies 3",
        [job(), group(members=9), *pods(said=SIBLINGS)]),
    "minResources of a larger job": (
        "Stale", "PodGroupStale", "its minResources are 30 CPU, the job implies 3 CPU",
        [job(), group(minResources={"cpu": "30"}), *pods(said=SIBLINGS)]),
    "nobody serves the scheduler": (
        "NoScheduler", "SchedulerUnseen", ('schedulerName "scheduler-plugins" is served by nobody seen here; '
                                          '"scheduler-plugins-scheduler" is'), [job(), group(), SERVED, *pods(scheduler="scheduler-plugins")]),
    "a pod too large": ("NeverFits", "PodTooLarge", "a pod wants 6 CPU, largest node has 4",
                        [job(), group(), *nodes(), *pods(said=CPU, asked={"cpu": "6"})]),
    "a device that no node has": ("NeverFits", "PodTooLarge", "a pod wants 8 nvidia.com/gpu, largest node has none",
                                  [job(), group(), *nodes(), *pods(said=CPU, asked={"nvidia.com/gpu": "8"})]),
    "a bound pod's node is cordoned, and the others fit nowhere now": (
        "Partial", "BoundInPart", "1 of 3 pods that must start together are bound",
        [job(), group(), pod("launcher-x7k2", node="n1", asked={"cpu": "3"}),
         *pods(said=CPU, asked={"cpu": "3"})[1:], node("n1", cordoned=True), node("n2")]),
    "a gang too large": ("NeverFits", "GangTooLarge", "the gang wants 12 CPU, all nodes together have 8",
                         [job(), group(), *nodes(2), *pods(said=CPU, asked={"cpu": "4"})]),
    "a gang too large in pieces": ("NeverFits", "GangTooLarge", "all nodes together can hold 2 of 3 pods that want 3 CPU each",
                                   [job(), group(), *nodes(2, cpu="5"), *pods(said=CPU, asked={"cpu": "3"})]),
    "minResources too large": ("NeverFits", "MinResourcesTooLarge", "minResources are 32 CPU, all nodes together have 16",
                               [job(launcher=SAYS_NOTHING, worker=SAYS_NOTHING,
                                    run={"schedulingPolicy": {"minResources": {"cpu": "32"}}}),
                                group(minResources={"cpu": "32"}), *nodes(), *pods(said=GAP, asked={})]),
    "bound in part": ("Partial", "BoundInPart", "2 of 3 pods that must start together are bound: not enough CPU; node(s) had untolerated taint {a: b}",
                      [job(), group(), *RUNNING[:2], pod("worker-1", said=CPU)]),
    "asleep": ("Asleep", "NotLookedAgain", "it fits now", [job(), group(), *nodes(), *pods(said=SIBLINGS)]),
    "room, for pods with wishes of their own": (
        "Queued", "NotLookedAt", "", [job(), group(), *nodes(), *pods(said=SIBLINGS, **PINNED)]),
    "room, but not where it may go": (
        "Queued", "Unschedulable", "no node takes its pods: node(s) had untolerated taint {gpu: yes}",
        [job(), group(), *nodes(taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]),
         *pods(said="0/4 nodes are available: 4 node(s) had untolerated taint {gpu: yes}. preemption: none")]),
    "room that is tolerated": (
        "Asleep", "", "", [job(), group(), *nodes(taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]),
                           *pods(said=SIBLINGS, tolerations=[{"key": "gpu", "operator": "Exists"}])]),
    "room, and Volcano looks by itself": (
        "Queued", "NotLookedAt", "it fits now",
        [job("volcano"), group("volcano"), *nodes(), *pods(said=SIBLINGS, backend="volcano")]),
    "full, by nodes": ("Queued", "InsufficientResources", "waiting for capacity: 3 CPU short",
                       [job(), group(), *nodes(), *FULL, *pods(said=CPU)]),
    "full, by the scheduler's word": ("Queued", "InsufficientResources", "waiting for capacity: 8 CPU short",
                                      [job(), group(), *pods(said=SIBLINGS)[:2], pod("worker-1", said=GAP)]),
    "full, nodes unknown": ("Queued", "InsufficientResources", "waiting for capacity: not enough CPU",
                            [job(), group(), *pods(said=SIBLINGS)[:2], pod("worker-1", said=CPU)]),
    "the operator's own group": (
        "Queued", "InsufficientResources", "8 CPU short", [job(""), group(more={"ownerReferences": [
            {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "name": "pi"}]}), *pods(said=GAP)]),
    "a scheduler of a name of its own": (
        "Queued", "InsufficientResources", "8 CPU short", [named("mine"), group(), *pods(said=GAP, scheduler="mine")]),
    "a scheduler that took the plain one's name": (
        "Queued", "InsufficientResources", "8 CPU short",
        [named("default-scheduler"), group(), *pods(said=GAP, scheduler="default-scheduler")]),
    "all of it is being deleted": ("Running", "", "", [job(), group(), *pods(node="n1", leaving=True)]),
    "only the first message": ("Queued", "NotLookedAt", "coscheduling has not said yet why it waits",
                               [job(), group(), *pods(said=SIBLINGS)]),
    "Volcano's queue is full": (
        "Queued", "QueueFull", "queue nlp is full: not enough cpu",
        [job("volcano"), group("volcano", queue="nlp", said="queue resource quota insufficient: insufficient cpu"),
         *pods(backend="volcano")]),
    "Volcano's queue is full, and nodes are free": (
        "Queued", "QueueFull", "queue nlp is full", [job("volcano"), group("volcano", queue="nlp"), *nodes(), *pods(backend="volcano"),
                                                     event("Unschedulable", "queue resource quota insufficient", "PodGroup")]),
    "all that is free is promised to others": (
        "Queued", "CapacityPromised", "waiting for capacity: the cluster is promised to other gangs",
        [job("volcano"), group("volcano"), *nodes(), *pods(backend="volcano"),
         event("Unschedulable", "resource in cluster is overused", "PodGroup")]),
    "room, and a volume that is elsewhere": (
        "Queued", "Unschedulable", "no node takes its pods: node(s) had volume node affinity conflict",
        [job(), group(), *nodes(), *pods(said=SIBLINGS)[:2], pod("worker-1", said=VOLUME)]),
    "room, and Volcano finds a volume elsewhere": (
        "Queued", "Unschedulable", "volume node affinity conflict",
        [job("volcano"), group("volcano"), *nodes(), *pods(backend="volcano", said=VOLUME)]),
    "too large even for those that must start": (
        "NeverFits", "GangTooLarge", "all nodes together can hold 1 of the 2 pods that must start and want 3 CPU each",
        [job(run={"schedulingPolicy": {"minAvailable": 2}}), group(members=2), node(), *pods(said=CPU, asked={"cpu": "3"})]),
    "large enough for those that must start": (
        "Queued", "", "", [job(run={"schedulingPolicy": {"minAvailable": 2}}), group(members=2), *nodes(2), *FULL[:2],
                           *pods(said=CPU, asked={"cpu": "3"})]),
}

YOUNG = {
    "no operator yet": ("WaitingForPods", "PodsMissing", [silent(job()), group()]),
    "the first message": ("Queued", "NotLookedAt", [job(), group(), *nodes(), *pods(said=SIBLINGS)]),
    "nobody has looked yet": ("Queued", "NotLookedAt", [job(), group(), SERVED, *pods(scheduler="other")]),
    "bound in part": ("Starting", "PodsBinding", [job(), group(), *RUNNING[:2], pod("worker-1", said=CPU)]),
    "a group, and its job is still to come": ("WaitingForPods", "JobAbsent", [group()]),
    "not ready": ("Starting", "ContainersStarting", [job(), group(), *pods(node="n1", ready=False)]),
}

HIDDEN = {
    "pods": (["v1/Pod"], "WaitingForPods", "PodsHidden", [job(), group()]),
    "nodes": (["v1/Node"], "Queued", "InsufficientResources", [job(), group(), *nodes(), *pods(said=CPU)]),
    "groups": (["scheduling.x-k8s.io/v1alpha1/PodGroup"], "Running", "Whole", [job(), *RUNNING]),
    "groups, waiting": (["scheduling.x-k8s.io/v1alpha1/PodGroup"], "Queued", "", [job(), *pods(said=GAP)]),
    "groups of another scheduler": (["scheduling.volcano.sh/v1beta1/PodGroup"], "WaitingForPodGroup", "",
                                    [job(), *pods(said=GAP)]),
}
