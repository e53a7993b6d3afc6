"""Gangs whose pods or group are not all there yet, or that are no gangs at all."""

from collections.abc import Iterator

from gangform.status import advice, messages, wording
from gangform.status.picture import GangStatus, Note, State
from gangform.status.view import View

PODS_HIDDEN = "PodsHidden"
"""Reason of gangs whose pods cannot be seen."""

_RESOURCE_EXISTS = "ErrResourceExists"
_POD = "v1/Pod"


def broken(view: View) -> GangStatus | None:
    """Misconfigured: the job itself is not what its operator takes. One that runs all the same was taken."""
    if not view.job.faults or view.whole:
        return None
    rule = view.job.faults[0].partition(": ")[0]
    return view.status(State.MISCONFIGURED, "JobInvalid", wording.fault(view.job.faults), view.job.created or None,
                       advice=f"mend it in Git; gangform explain {rule} tells how")


def unseen(view: View) -> GangStatus | None:
    """WaitingForPods, for want of anything better, where pods cannot be seen."""
    if _POD not in view.sight.hidden:
        return None
    said = view.job.said
    told = f"; its condition GangScheduled says {said[0]}: {said[2]}" if said else ""
    return view.status(State.WAITING_FOR_PODS, PODS_HIDDEN, f"its pods cannot be seen from here{told}")


def quota(view: View) -> GangStatus | None:
    """QuotaRefused: pods are missing because a quota has no room for them."""
    if len(view.live) >= view.desired:
        return None
    for note in _refusals(view):
        refused = messages.quota(note.message)
        if refused is None:
            continue
        parts = [f"{_used(refused, name)}, a pod wants {wanted}" for name, wanted in sorted(refused.requested.items())
                 if name in refused.limited]
        message = f"ResourceQuota {refused.name}: {'; '.join(parts)}"
        return view.status(State.QUOTA_REFUSED, "QuotaExceeded", message, _since(view),
                           advice=f"kubectl describe resourcequota -n {view.job.key.namespace} {refused.name}")
    return None


def _used(refused: messages.Quota, name: str) -> str:
    return f"{refused.used.get(name, '0')} of {refused.limited[name]} {name} used"


def _refusals(view: View) -> Iterator[Note]:
    """Yield events that say that a pod could not be made, the newest first."""
    for note in reversed(view.sight.notes):
        old = note.at is not None and note.at < (view.whole_at or view.newest - view.sight.grace)
        if note.kind != "Pod" and not old and messages.refusal(note.message):
            yield note


def _since(view: View) -> int | None:
    """Since the last pod was made that could be."""
    return max((pod.created for pod in view.live), default=view.job.created) or None


def ungrouped(view: View) -> GangStatus | None:
    """Tell a job that no mark binds to any group; one pod alone needs none."""
    if view.desired == 1 or view.job.bonds or any(pod.bonds for pod in view.sight.members):
        return None
    message = f"no mark on its pods: not a gang; {len(view.bound)} of {view.desired} pods bound"
    return view.status(
        State.UNGROUPED, "NoMark", message, view.job.created or None,
        advice=f"mark both pod templates of {view.job.key.name} in Git: gangform render writes the marks")


def podless(view: View) -> GangStatus | None:
    """WaitingForPods: some are missing, and nothing is bound that could be missing them."""
    if len(view.live) >= view.desired or view.bound:
        return None
    exists = next((note for note in reversed(view.sight.notes) if _is_clash(note)), None)
    if exists is not None:
        message = ("the operator's own flag --gang-scheduling and Git both make the PodGroup, so that the operator "
                   "makes no pods [operator-gang-flag]")
        return view.status(
            State.MISCONFIGURED, "OperatorGangFlag", message, view.job.created or None,
            advice="take --gang-scheduling from mpi-operator's arguments; gangform explain operator-gang-flag")
    reason, message = _missing(view)
    return view.status(State.WAITING_FOR_PODS, reason, message, _since(view), advice=advice.describe(view))


def _is_clash(note: Note) -> bool:
    return note.reason == _RESOURCE_EXISTS and 'Kind "PodGroup"' in note.message


def _missing(view: View) -> tuple[str, str]:
    there = f"{len(view.live)} of {view.desired} pods exist"
    refused = next((messages.refusal(note.message) for note in _refusals(view)), "")
    if refused:
        return "PodsRefused", f"{there}; the API server refuses more: {refused}"
    failed = [pod for pod in view.pods if pod.phase == "Failed"]
    if failed:
        pod = max(failed, key=lambda one: (one.created, one.name))
        how = f" ({wording.ending(pod.ended)})" if pod.ended else ""
        return "MemberFailed", f"{there}; {wording.short(pod)} failed{how}"
    if view.job.manager and not view.live:
        return "ManagedElsewhere", f"its pods are left to {view.job.manager}, as managedBy says"
    if not view.job.acknowledged and not view.live and view.settled(view.job.created):
        return "OperatorSilent", "no operator has taken it up"
    return "PodsMissing", there


def groupless(view: View) -> GangStatus | None:
    """WaitingForPodGroup: the pods name a group object that is not there."""
    if view.group is not None or view.whole or not view.group_name or view.service.api in view.sight.hidden:
        return None
    message = f"its pods name PodGroup {view.group_name}, which is not there"
    return view.status(State.WAITING_FOR_POD_GROUP, "PodGroupMissing", message, view.newest or None,
                       advice=f"kubectl get {view.service.resource} -n {view.job.key.namespace} {view.group_name}")


def gated(view: View) -> GangStatus | None:
    """Gated: somebody holds pods back from every scheduler, and without them the gang is not whole."""
    held = [pod for pod in view.unbound if pod.gates]
    if not held or view.whole:
        return None
    gates = sorted({gate for pod in held for gate in pod.gates})
    gate = "gate" if len(gates) == 1 else "gates"
    message = f"{len(held)} of {len(view.live)} pods are held back by the scheduling {gate} {wording.join(gates)}"
    return view.status(State.GATED, "SchedulingGated", message, view.newest or None,
                       advice=advice.describe(view, held[0]))
