"""Events on a job: one for each state that its gang comes into, the same from every controller, and not too many."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from gangform.status.picture import GangStatus, Job, Key, State

COMPONENT = "gangform"
SETTLE_SECONDS = 5
NEWS_SECONDS = 600
"""A state that is older was told by whoever watched before, if anyone did."""

BURST = 10
REFILL_SECONDS = 60
"""A gang may have so many events at once, and one more in so many seconds."""

MESSAGE_LIMIT = 1000
_NAME_LIMIT = 230

_PASSING = frozenset({State.WAITING_FOR_PODS, State.WAITING_FOR_POD_GROUP, State.QUEUED, State.STARTING})
"""Every gang comes through these in a moment; they are told of only where one stays in them."""


class Allowance:
    """How many more events each gang may have; remembers only gangs that had some lately."""

    def __init__(self) -> None:
        self._spent: dict[Key, tuple[float, float]] = {}

    def wait(self, key: Key, now: float) -> float:
        """Return how many seconds a gang must wait for its next event: 0 when it may have one now."""
        return max(0.0, (self._tokens_spent(key, now) - BURST + 1) * REFILL_SECONDS)

    def spend(self, key: Key, now: float) -> None:
        """Count one event of a gang."""
        self._spent[key] = (self._tokens_spent(key, now) + 1, now)

    def drop(self, key: Key) -> None:
        """Forget a gang."""
        self._spent.pop(key, None)

    def _tokens_spent(self, key: Key, now: float) -> float:
        spent, at = self._spent.get(key, (0.0, now))
        left = max(0.0, spent - (now - at) / REFILL_SECONDS)
        if not left:
            self._spent.pop(key, None)
        return left


def settles_at(status: GangStatus, now: int) -> int:
    """Return from when on a state is worth an event, in seconds; a time that is not after now means at once."""
    if status.state not in _PASSING:
        return now
    return (status.since if status.since is not None else now) + SETTLE_SECONDS


def is_old_news(status: GangStatus, job: Job, now: int) -> bool:
    """Whether a state that is seen for the first time was told before this controller came."""
    told = job.said is not None and job.said[1] == (status.reason or str(status.state))
    return told or (status.since is not None and status.since < now - NEWS_SECONDS)


def as_object(status: GangStatus, job: Job, instant: str, since: str) -> Mapping[str, Any]:
    """Return the event of a state. Its name follows from what it says, so that a second one of the same is refused.

    Args:
        status: the state.
        job: that it is about.
        instant: now, in RFC 3339.
        since: when the gang came into the state, in RFC 3339.
    """
    digest = blake2b(f"{job.uid}|{status.state}|{since}".encode(), digest_size=8).hexdigest()
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{job.key.name[:_NAME_LIMIT]}.{digest}", "namespace": job.key.namespace},
        "involvedObject": {
            "apiVersion": job.api_version, "kind": job.kind, "name": job.key.name, "namespace": job.key.namespace,
            "uid": job.uid,
        },
        "reason": f"Gang{status.state}",
        "message": status.message[:MESSAGE_LIMIT],
        "type": "Warning" if status.alarming else "Normal",
        "firstTimestamp": instant,
        "lastTimestamp": instant,
        "count": 1,
        "source": {"component": COMPONENT},
        "reportingComponent": COMPONENT,
        "reportingInstance": "",
    }
