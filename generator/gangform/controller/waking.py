"""Which waiting gangs are worth a touch: they would fit now, and their scheduler does not look by itself."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gangform.status import reading
from gangform.status.board import Change
from gangform.status.picture import GangStatus, Key, Sight, State

SETTLE_SECONDS = 1
"""After capacity came free its own scheduler is given so long."""

FIRST_SECONDS = 10
LONGEST_SECONDS = 300
"""A gang that a touch did not help waits for its next one so long, and twice as long each time."""

PASS_LIMIT = 100
"""Gangs that are looked at in one pass, those first that have waited longest."""

_WAITING = frozenset({State.QUEUED, State.ASLEEP, State.NEVER_FITS})
"""One that fits on no node there is may fit on the one that comes."""

Fits = Callable[[Sight], bool]
"""Whether there is room for a gang as its sight stands."""


class Room:
    """What tells that capacity may have come free. Kubelets write their nodes' status often and seldom change it."""

    def __init__(self) -> None:
        self._nodes: dict[str, int] = {}

    def grows(self, change: Change, data: Mapping[str, Any]) -> bool:
        """Whether there may be more room after a change: a pod with a node ended or went, or a node is another one."""
        kind, status = data.get("kind"), data.get("status") or {}
        if kind == "Node":
            return self._is_other(change, data)
        if kind != "Pod":
            return False
        # Of a pod that was found to be gone nothing but its name is known.
        placed = bool((data.get("spec") or {}).get("nodeName")) or (change == "DELETED" and "spec" not in data)
        return placed and (change == "DELETED" or status.get("phase") in ("Succeeded", "Failed"))

    def _is_other(self, change: Change, data: Mapping[str, Any]) -> bool:
        name = str((data.get("metadata") or {}).get("name"))
        if change == "DELETED":
            self._nodes.pop(name, None)
            return False
        before, now = self._nodes.get(name), hash((
            reading.usable(data), reading.taints(data), frozenset(reading.labels(data).items()),
            frozenset((resource, amount.nanos) for resource, amount in reading.offers(data).items())))
        self._nodes[name] = now
        return now != before


class Waker:
    """Chooses gangs to wake. It is asked after capacity came free; without that it chooses none."""

    def __init__(self, sleepers: Iterable[str]) -> None:
        """Take the names of the backends whose gangs sleep until an event."""
        self._sleepers = frozenset(sleepers)
        self._waiting: dict[Key, int] = {}
        self._next: dict[Key, tuple[float, float]] = {}
        self._stirred: float | None = 0.0

    def stir(self, now: float) -> None:
        """Take note that capacity came free."""
        at = now + SETTLE_SECONDS
        self._stirred = at if self._stirred is None else min(self._stirred, at)

    def note(self, status: GangStatus, now: int) -> None:
        """Take note of a gang's state."""
        if status.state in _WAITING and status.backend in self._sleepers and status.group:
            self._waiting.setdefault(status.key, status.since if status.since is not None else now)
        else:
            self.drop(status.key)

    def drop(self, key: Key) -> None:
        """Forget a gang: it waits no longer, or is gone."""
        self._waiting.pop(key, None)
        self._next.pop(key, None)

    def due_at(self) -> float | None:
        """When ``choose`` may have something to choose, in seconds; None while nothing came free."""
        return self._stirred if self._waiting else None

    def choose(self, now: float, sight: Callable[[Key], Sight | None], fits: Fits) -> list[Key]:
        """Return the gangs to wake now, and count them as woken.

        Each is looked at as if it were alone: when two fit but not both, the scheduler takes its pick, and
        the other sleeps on, to be woken the next time.
        """
        if self._stirred is None or now < self._stirred:
            return []
        self._stirred = None
        chosen: list[Key] = []
        late: list[float] = []
        for key in sorted(self._waiting, key=lambda key: (self._waiting[key], key))[:PASS_LIMIT]:
            at, pause = self._next.get(key, (0.0, float(FIRST_SECONDS)))
            if at > now:
                late.append(at)
                continue
            seen = sight(key)
            if seen is None or not fits(seen):
                continue
            self._next[key] = (now + pause, min(2 * pause, LONGEST_SECONDS))
            chosen.append(key)
            late.append(now + pause)
        # Room that nobody took is offered again: the touch may have come too early, or the room is not what it seems.
        self._stirred = min(late, default=None)
        return chosen
