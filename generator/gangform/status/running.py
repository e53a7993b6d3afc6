"""Gangs that are whole, or were."""

from collections.abc import Iterator

from gangform.status import advice, wording
from gangform.status.nodes import Nodes
from gangform.status.picture import GangStatus, Member, State
from gangform.status.stale import drift
from gangform.status.view import MEMBERS_WAITING, View

RECREATED_SECONDS = 5
"""A pod that was made so much later than its siblings was not made with them."""


def ending(view: View) -> GangStatus | None:
    """Running, as far as the job says: its first role has done its work, and the operator is about to say so."""
    first = next(iter(view.job.desired), "")
    pods = [pod for pod in view.sight.members if pod.role == first]
    done = [pod for pod in pods if pod.phase == "Succeeded"]
    if not done or any(not pod.over for pod in pods):
        return None
    ended = done[-1].ended
    return view.status(State.RUNNING, "Ending", f"{wording.short(done[-1])} has done its work; the job is about to end",
                       ended.at if ended else None)


def degraded(view: View) -> GangStatus | None:
    """Degraded: it was whole, and a member is lost while others hold their nodes."""
    if not view.bound:
        return None
    losses = [*_failed(view), *_leaving(view), *_anew(view), *_absent(view), *_stranded(view)]
    if not losses:
        return None
    reason, text, since, pod = losses[0]
    more = f", and {len(losses) - 1} more" if len(losses) > 1 else ""
    unmarked = _unmarked(view)
    if unmarked:
        reason = "SiblingsUnmarked"
        text = (f"{wording.short(unmarked[0])} was made anew and bears the mark, its siblings do not: it waits for "
                "a gang that they are not in; only a restart of the job helps")
        return view.status(State.DEGRADED, reason, text, unmarked[0].created or None, advice=advice.restart(view))
    return view.status(State.DEGRADED, reason, f"{text}{more}; {_rest(view)}", since, advice=_mend(view, reason, pod))


_Loss = tuple[str, str, int | None, Member | None]


def _failed(view: View) -> Iterator[_Loss]:
    """Pods that failed and have no other in their place."""
    for role in view.job.together:
        live = sum(pod.role == role for pod in view.live)
        failed = [pod for pod in view.pods if pod.role == role and pod.phase == "Failed"]
        missing = max(0, view.job.desired.get(role, 0) - live)
        for pod in sorted(failed, key=lambda one: (-one.created, one.name))[:missing]:
            how = f" ({wording.ending(pod.ended)})" if pod.ended else ""
            where = f" on node {pod.node}" if pod.node else ""
            yield "MemberFailed", f"{wording.short(pod)} failed{how}{where}", pod.ended.at if pod.ended else None, pod


def _leaving(view: View) -> Iterator[_Loss]:
    leaving = [pod for pod in view.bound if pod.terminating]
    if len(leaving) < len(view.bound):
        for pod in leaving:
            yield "MemberLeaving", f"{wording.short(pod)} is being deleted on node {pod.node}", None, pod


def _anew(view: View) -> Iterator[_Loss]:
    """Pods that were made after the others had their nodes, and have none."""
    last = max((pod.created for pod in view.bound), default=0)
    for pod in view.unbound:
        late = view.bound_at is not None and pod.created > view.bound_at and pod.created - last >= RECREATED_SECONDS
        if late or view.was_whole:
            yield "MemberWaiting", f"{wording.short(pod)} was made anew and has no node{view.why}", pod.created, pod


def _absent(view: View) -> Iterator[_Loss]:
    """Numbers of pods that are not there at all."""
    for role in view.job.together:
        here = sum(pod.role == role for pod in view.pods)
        gone = view.job.desired.get(role, 0) - here
        sure = view.was_whole or len(view.live) < view.min_member or view.settled(view.bound_at)
        if gone > 0 and sure:
            yield "MemberMissing", f"{wording.count(gone, role)} of {view.job.desired[role]} missing", None, None


def _stranded(view: View) -> Iterator[_Loss]:
    """Pods on nodes from which nothing is heard."""
    silent = Nodes.of(view.sight.nodes or ()).silent()
    for pod in view.bound:
        if pod.node in silent and pod.ready_at is None:
            yield "MemberUnreachable", f"{wording.short(pod)} is on node {pod.node}, which is not ready", None, pod


def _unmarked(view: View) -> tuple[Member, ...]:
    """Pods that wait with a mark while those that run have none."""
    marked = tuple(pod for pod in view.unbound if pod.bonds)
    return marked if marked and view.bound and not any(pod.bonds for pod in view.bound) else ()


def _rest(view: View) -> str:
    return f"{len(view.bound)} of {view.desired} pods hold their nodes"


def _mend(view: View, reason: str, pod: Member | None) -> str:
    if reason != "MemberFailed" or pod is None:
        return advice.describe(view, pod)
    # The pod of the first role is made anew by a Job of its own, after a pause; nobody makes the others anew.
    return advice.logs_of(pod) if pod.role == next(iter(view.job.desired), "") else advice.restart(view)


def whole(view: View) -> GangStatus | None:
    """Running, or Starting as long as not all are ready."""
    if not view.whole:
        return None
    if view.unbound:
        more = len(view.unbound)
        message = (f"{len(view.bound)} of {view.desired} pods are bound, which is enough to start; "
                   f"{wording.count(more, 'pod')} more {'waits' if more == 1 else 'wait'}{view.why}")
        return view.status(State.STARTING, MEMBERS_WAITING, message, view.bound_at,
                           advice=advice.describe(view, view.unbound[0]))
    return _starting(view) or _follows(view) or _running(view)


def _starting(view: View) -> GangStatus | None:
    late = [pod for pod in view.bound if pod.ready_at is None]
    if not late:
        return None
    message = f"all pods are bound, {len(view.ready)} of {len(view.bound)} ready"
    held = sorted({pod.held for pod in late if pod.held})
    if not view.settled(view.bound_at):
        return view.status(State.STARTING, "ContainersStarting", message, view.bound_at)
    worst = min(late, key=lambda pod: (not pod.held, pod.name))
    names = wording.some(sorted(map(wording.short, late)))
    why = f" ({wording.join(held)})" if held else ""
    return view.status(State.STARTING, "NotReady", f"{message}; {names} not ready{why}", view.bound_at,
                       advice=advice.describe(view, worst))


def _follows(view: View) -> GangStatus | None:
    """Starting, while roles that wait for the gang have not come after it."""
    waiting = [pod for pod in view.others if not pod.over and (not pod.bound or pod.ready_at is None)]
    wanted = {role for role in view.job.desired if role not in view.job.together}
    missing = sorted(role for role in wanted if not any(pod.role == role for pod in view.others))
    if not waiting and not missing:
        return None
    if missing:
        text, reason = f"the {wording.join(missing)} is not there yet", "LauncherMissing"
    else:
        pod = waiting[0]
        text = f"{wording.short(pod)} {'is not ready' if pod.bound else 'has no node'} yet"
        reason = "LauncherStarting" if pod.bound else "LauncherWaiting"
    return view.status(State.STARTING, reason, f"all {len(view.bound)} pods that start together are ready; {text}",
                       view.ready_at, advice=advice.describe(view, waiting[0] if waiting else None))


def _running(view: View) -> GangStatus:
    parts = [f"{len(view.bound)}/{view.desired} pods bound and ready; scheduling is not what hangs", *_restarts(view)]
    reason = "Whole"
    if view.group is None and view.group_name and view.service.api not in view.sight.hidden:
        parts.append(f"its PodGroup {view.group_name} is not there: a pod that is made anew would wait")
        reason = "PodGroupMissing"
    elif view.group_name and not any(pod.bonds for pod in view.bound):
        parts.append("its pods are older than their marks: a pod that is made anew would wait for siblings in vain")
        reason = "PodsUnmarked"
    stale = drift(view)
    if stale:
        parts.append(f"its PodGroup is stale: {stale}")
    if view.job.faults:
        parts.append(f"the job is not as gangform knows it: {wording.fault(view.job.faults)}")
    return view.status(State.RUNNING, reason, "; ".join(parts), view.ready_at, advice=advice.logs(view))


def _restarts(view: View) -> Iterator[str]:
    pods = [pod for pod in (*view.others, *view.bound) if pod.restarts]
    for pod in sorted(pods, key=lambda one: (-((one.ended.at if one.ended else None) or 0), one.name))[:3]:
        why = f" ({wording.ending(pod.ended)})" if pod.ended else ""
        yield f"{wording.short(pod)} restarted{why} on node {pod.node}"
