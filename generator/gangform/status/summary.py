"""Why a gang does not run, or that it does: one answer for one sight.

It is told from pods and group, never from the job's own condition Running, which says so as soon as one pod runs.
"""

from collections.abc import Callable

from gangform.status import forming, over, running, waiting
from gangform.status.picture import Counts, GangStatus, Sight, State
from gangform.status.view import View

_ANSWERS: tuple[Callable[[View], GangStatus | None], ...] = (
    over.finished,
    over.suspended,
    forming.broken,
    forming.unseen,
    running.ending,
    forming.quota,
    forming.ungrouped,
    forming.podless,
    forming.groupless,
    forming.gated,
    running.degraded,
    running.whole,
    waiting.misconfigured,
    waiting.stale,
    waiting.unserved,
    waiting.oversized,
    waiting.partial,
    waiting.asleep,
)
"""The first that has something to say speaks."""


def summarize(sight: Sight) -> GangStatus:
    """Say of one gang why it does not run, or that it does."""
    if sight.job is None:
        if sight.group is not None:
            return over.absent(sight, sight.group)
        return GangStatus(sight.key, State.WAITING_FOR_PODS, "JobAbsent", "nothing of it is there", Counts(), sight.now)
    view = View(sight, sight.job)
    answers = (answer(view) for answer in _ANSWERS)
    return next((status for status in answers if status is not None), None) or waiting.queued(view)
