"""The condition GangScheduled: what it says of a gang, and whether that is news on the job."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from gangform.status.forming import PODS_HIDDEN
from gangform.status.picture import GangStatus, Job, State

TYPE = "GangScheduled"
MESSAGE_LIMIT = 1000
"""Characters; a scheduler's message may name every node."""

Truth = Literal["True", "False", "Unknown"]

_WHOLE = frozenset({State.RUNNING, State.SUCCEEDED})
_UNTOLD = frozenset({State.UNGROUPED})


class Condition(NamedTuple):
    """What is to stand on a job.

    Attributes:
        since: when it became true, false or unknown, in seconds.
    """

    status: Truth
    reason: str
    message: str
    since: int


def is_whole(status: GangStatus) -> bool:
    """Whether all pods that must start together have their nodes, or had them to the end."""
    if status.state is State.STARTING:
        return 0 < status.counts.min_member <= status.counts.bound
    return status.state in _WHOLE


def condition(status: GangStatus, job: Job | None, now: int) -> Condition | None:
    """Return what the job's condition must become, or None where it is right or may not be written yet.

    A condition that is written before the operator's own first one would suppress that. Of pods that cannot be seen
    nothing is said.
    """
    if job is None or not job.acknowledged or status.reason == PODS_HIDDEN:
        return None
    truth, message = _truth(status, job), status.message[:MESSAGE_LIMIT]
    reason = status.reason or str(status.state)
    if job.said is not None and job.said[:3] == (truth, reason, message):
        return None
    return Condition(truth, reason, message, _since(truth, status, job, now))


def _truth(status: GangStatus, job: Job) -> Truth:
    if is_whole(status) or (status.state is State.LEFT_OVER and job.finished == "Succeeded"):
        return "True"
    if status.state is State.FAILED or (status.state is State.LEFT_OVER and job.finished):
        # Whether it ever was whole is what was said of it while it lived.
        said = job.said[0] if job.said else ""
        return "True" if said == "True" else "False" if said == "False" else "Unknown"
    return "Unknown" if status.state in _UNTOLD else "False"


def _since(truth: Truth, status: GangStatus, job: Job, now: int) -> int:
    if job.said is not None and job.said[0] == truth and job.said[3] is not None:
        return job.said[3]
    earliest = (job.said[3] if job.said else None) or job.created
    return min(max(status.since if status.since is not None else now, earliest), now)


def as_object(told: Condition, job: Job, version: str, instant: str, since: str) -> Mapping[str, Any]:
    """Return the object to apply to the job's status: this condition and nothing else, and only on the job as seen.

    Args:
        told: the condition.
        job: that it is about.
        version: its resourceVersion as it was seen; empty for any.
        instant: now, in RFC 3339.
        since: ``told.since`` in RFC 3339.
    """
    return {
        "apiVersion": job.api_version,
        "kind": job.kind,
        "metadata": {
            "name": job.key.name, "namespace": job.key.namespace, **({"resourceVersion": version} if version else {}),
        },
        "status": {"conditions": [{
            "type": TYPE, "status": told.status, "reason": told.reason, "message": told.message,
            "lastTransitionTime": since, "lastUpdateTime": instant,
        }]},
    }
