"""Gangs that are over, held back, or no more than a group object."""

from gangform.sizing import Requests
from gangform.status import advice, wording
from gangform.status.picture import Counts, GangStatus, Group, Sight, State
from gangform.status.reading import RENDERED
from gangform.status.services import Service
from gangform.status.view import View


def absent(sight: Sight, group: Group) -> GangStatus:
    """Say of a group object without a job what it is."""
    gang = group.gang
    service = sight.services.get(gang.backend, Service(gang.backend, gang.backend))
    # Groups come before their jobs where Git is applied in order.
    young = sight.now - group.created <= sight.grace
    state = State.WAITING_FOR_PODS if young else State.LEFT_OVER
    message = f"PodGroup {gang.ref.name} has no job{_keeps(group)}{_owned(group)}"
    before = sight.previous
    same = before is not None and before.state is State.LEFT_OVER
    since = before.since if same and before is not None else group.created or sight.now
    return GangStatus(
        sight.key, state, "JobAbsent", message, Counts(min_member=gang.min_member or 0), since,
        gang.backend, gang.ref.name, gang.queue or "", {},
        "" if young else advice.delete_group(service, sight.key.namespace, gang.ref.name, group.owner))


def _keeps(group: Group) -> str:
    return f" and reserves {wording.amounts(reserved(group))}" if reserved(group) else ""


def _owned(group: Group) -> str:
    if group.owner.startswith(RENDERED):
        return f"; {group.owner}"
    return f"; {group.owner} keeps it there" if group.owner else ""


def reserved(group: Group | None) -> Requests:
    """Return what a group holds back though it has no pods."""
    return {name: amount for name, amount in (group.reserves if group else {}).items() if amount}


def finished(view: View) -> GangStatus | None:
    """Succeeded and Failed, or LeftOver while the group still reserves something."""
    job, group = view.job, view.group
    if not job.finished:
        return None
    at = job.ending.at if job.ending else None
    if group is not None and reserved(group) and not view.bound:
        message = f"the job has {_done(view)}, and its PodGroup{_keeps(group).removeprefix(' and')}{_owned(group)}"
        return view.status(State.LEFT_OVER, "JobFinished", message, at, advice=advice.delete_group(
            view.service, job.key.namespace, group.gang.ref.name, group.owner))
    state = State.SUCCEEDED if job.finished == "Succeeded" else State.FAILED
    ended = job.ending
    why = (ended.message or ended.reason) if ended and state is State.FAILED else ""
    # mpi-operator joins its own reason and message with the pod's by a slash and a colon, also where there is no pod.
    return view.status(state, (ended.reason.rstrip("/") if ended else "") or str(state),
                       f"the job has {_done(view)}{f': {_line(why)}' if why else ''}", at,
                       advice=advice.logs(view, ended=True) if state is State.FAILED else "")


def _done(view: View) -> str:
    return "succeeded" if view.job.finished == "Succeeded" else "failed"


def _line(text: str) -> str:
    return " ".join(text.split()).rstrip(".: ")


def suspended(view: View) -> GangStatus | None:
    """Suspended, whatever its group does meanwhile."""
    if not view.job.suspended:
        return None
    message = "the job is suspended"
    if view.live:
        message += f"; of its pods {len(view.live)} still there"
    if view.group is not None and reserved(view.group):
        message += f"; its PodGroup still reserves {wording.amounts(reserved(view.group))}"
    return view.status(State.SUSPENDED, "Suspended", message, view.job.suspended_at)
