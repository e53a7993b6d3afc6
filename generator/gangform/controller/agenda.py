"""Which gangs must be looked at, and when: each stands here once, at the earliest time that anyone asked for."""

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from gangform.status.picture import Key

_SLACK = 64
"""Entries that no longer count may be so many, and as many as those that count, before they are swept out."""


class Agenda:
    """Gangs by the time at which they are due; a time only ever moves forward for a gang that is not yet taken."""

    def __init__(self) -> None:
        self._due: dict[Key, float] = {}
        self._heap: list[tuple[float, Key]] = []

    def __len__(self) -> int:
        return len(self._due)

    def put(self, keys: Iterable[Key], at: float) -> None:
        """Make gangs due at a time in seconds, or leave them at an earlier one."""
        for key in keys:
            if at < self._due.get(key, float("inf")):
                self._due[key] = at
                heappush(self._heap, (at, key))
        if len(self._heap) > 2 * len(self._due) + _SLACK:
            self._heap = [(at, key) for key, at in self._due.items()]
            heapify(self._heap)

    def drop(self, key: Key) -> None:
        """Forget a gang."""
        self._due.pop(key, None)

    def take(self, now: float, limit: int) -> list[Key]:
        """Take out the gangs that are due, the longest overdue first, no more than a limit."""
        taken: list[Key] = []
        while self._heap and self._heap[0][0] <= now and len(taken) < limit:
            at, key = heappop(self._heap)
            if self._due.get(key) == at:
                del self._due[key]
                taken.append(key)
        return taken

    def next(self) -> float | None:
        """When the next gang is due; None when none is."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None
