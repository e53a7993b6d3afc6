"""When a gang must be looked at again though nothing about it changed: only states that time or other gangs change."""

from gangform.status.picture import GangStatus, State

ROUND_SECONDS = 30
"""How often a gang is looked at whose state depends on what others leave free."""

_ON_OTHERS = frozenset({State.QUEUED, State.ASLEEP, State.NEVER_FITS, State.NO_SCHEDULER})
"""Told from nodes, from other gangs' pods, or from schedulers that are seen anywhere."""

_ON_TIME = frozenset({
    State.WAITING_FOR_PODS, State.WAITING_FOR_POD_GROUP, State.STARTING, State.QUEUED, State.PARTIAL, State.GATED,
})
"""Something else after the time of grace, or told with another reason."""


def look_again(status: GangStatus, now: int, grace: int, *, changed: bool) -> int | None:
    """Return when this state may have become another one by itself, in seconds; None where only a change does that.

    Args:
        status: what was just said of the gang.
        now: seconds.
        grace: how long a normal start may take, in seconds.
        changed: whether something about the gang changed since it was last looked at.
    """
    times = [now + ROUND_SECONDS] if status.state in _ON_OTHERS else []
    if status.state in _ON_TIME:
        # Grace runs from several beginnings (pods made, last one bound, last verdict), none later than the last change.
        ends = (now if changed or status.since is None else status.since) + grace + 1
        times += [ends] if ends > now else []
    return min(times, default=None)
