"""What the metrics say of all gangs together, kept up as single gangs change."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from gangform.controller.conditions import is_whole
from gangform.status.picture import GangStatus, Key, State

_OVER = frozenset({State.SUCCEEDED, State.FAILED, State.LEFT_OVER, State.SUSPENDED, State.UNGROUPED})
"""States of gangs that wait for nothing."""


class Bin(NamedTuple):
    """What gangs are counted by."""

    state: str
    backend: str
    namespace: str
    queue: str


class Tally:
    """Numbers of gangs and of their pods. Work per change is constant."""

    def __init__(self) -> None:
        self.gangs: Counter[Bin] = Counter()
        self.members: dict[str, Counter[str]] = {}
        self._present: Counter[str] = Counter()
        self._waits: dict[Key, tuple[str, int]] = {}

    def change(self, before: GangStatus | None, after: GangStatus | None) -> None:
        """Count a gang as it is now in the place of what it was; None where it was not there, or is gone."""
        if before is not None:
            self._count(before, -1)
        if after is not None:
            self._count(after, 1)

    def _count(self, status: GangStatus, sign: int) -> None:
        key = status.key
        place = Bin(str(status.state), status.backend, key.namespace, status.queue)
        self.gangs[place] += sign
        if not self.gangs[place]:
            del self.gangs[place]
        members = self.members.setdefault(key.namespace, Counter())
        for name in ("desired", "existing", "bound", "ready"):
            members[name] += sign * getattr(status.counts, name) if _has_pods(status) else 0
        self._present[key.namespace] += sign
        if not self._present[key.namespace]:
            del self._present[key.namespace], self.members[key.namespace]
        if sign > 0 and waits(status) and status.since is not None:
            self._waits[key] = (str(status.state), status.since)
        else:
            self._waits.pop(key, None)

    def longest_waits(self, now: int) -> Iterator[tuple[str, str, int]]:
        """Yield namespace, state and seconds of the gang that has waited longest in that state there."""
        longest: dict[tuple[str, str], int] = {}
        for key, (state, since) in self._waits.items():
            place = (key.namespace, state)
            longest[place] = min(longest.get(place, now), since)
        for (namespace, state), since in longest.items():
            yield namespace, state, max(0, now - since)


def waits(status: GangStatus) -> bool:
    """Whether the gang is to run and does not."""
    return status.state not in _OVER and not is_whole(status)


def _has_pods(status: GangStatus) -> bool:
    return status.state not in (State.SUCCEEDED, State.FAILED, State.LEFT_OVER, State.SUSPENDED)
