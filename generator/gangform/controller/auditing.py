"""Whether what was seen is what is there: when the first lists are in, what went unseen, what a watch never brought."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from gangform.controller.roll import Roll
from gangform.controller.watching import EVENT, Watched

ROUND_SECONDS = 60
SOON_SECONDS = 5
"""After a list came anew, and while the first ones are not in."""

PATIENCE_ROUNDS = 10
"""Where objects come and go all the time, numbers that are asked for one after the other differ by themselves."""

DEAF_SECONDS = 300
"""A watch that has not brought for so long what a list shows is dead."""


class Asking(NamedTuple):
    """Questions to the API server; both raise OSError when it does not answer.

    Attributes:
        number: how many objects a path of the API has; None where there is no such kind, or no right to see it.
        uids: the uids of all of them.
    """

    number: Callable[[str], Awaitable[int | None]]
    uids: Callable[[str], Awaitable[frozenset[str]]]


class Findings(NamedTuple):
    """What one round found of one kind.

    Attributes:
        gone: objects that were taken to exist and do not.
        unseen: how many exist that were not seen.
    """

    kind: Watched
    gone: tuple[Mapping[str, Any], ...] = ()
    unseen: int = 0


class Audit:
    """Compares numbers, and names only where the numbers go on to differ: lists of everything are rare."""

    def __init__(self, kinds: Iterable[Watched], namespaces: Collection[str], roll: Roll) -> None:
        # Events are watched in part only, and come and go by themselves.
        self._kinds = [kind for kind in kinds if kind != EVENT]
        self._namespaces = namespaces
        self._roll = roll
        self._complete: set[Watched] = set()
        self._differed: dict[Watched, int] = {}
        self._unseen: dict[Watched, tuple[float, frozenset[str]]] = {}
        self._last = 0.0

    @property
    def ready(self) -> bool:
        """Whether the first list of every kind was in at some time."""
        return self._complete >= set(self._kinds)

    def due(self, now: float) -> bool:
        """Whether it is time for the next round: soon where something is suspected, else now and then."""
        suspected = any(rounds >= PATIENCE_ROUNDS for rounds in self._differed.values())
        return now - self._last >= (ROUND_SECONDS if self.ready and not suspected else SOON_SECONDS)

    def suspect(self) -> None:
        """Take note that a watch began anew: what went meanwhile, of any kind, may have gone unseen."""
        self._differed = dict.fromkeys(self._kinds, PATIENCE_ROUNDS)

    def deaf(self, now: float) -> list[str]:
        """Return the kinds whose watch does not bring what is there."""
        return [kind.kind for kind, (since, _) in self._unseen.items() if now - since > DEAF_SECONDS]

    async def round(self, ask: Asking, now: float) -> list[Findings]:
        """Look at every kind once.

        Raises:
            OSError: the API server does not answer.
        """
        self._last = now
        return [found for kind in self._kinds if (found := await self._look(kind, ask, now)) is not None]

    async def _look(self, kind: Watched, ask: Asking, now: float) -> Findings | None:
        paths = list(dict.fromkeys(kind.path(namespace) for namespace in self._namespaces or (None,)))
        known = self._roll.count(kind.api, kind.kind)
        counts = [await ask.number(path) for path in paths]
        there = sum(count or 0 for count in counts)
        if there <= known or all(count is None for count in counts):
            self._complete.add(kind)
        if there == known:
            self._differed.pop(kind, None)
            return Findings(kind, unseen=len(self._still_unseen(kind, frozenset(), now)))
        self._differed[kind] = self._differed.get(kind, 0) + 1
        if self._differed[kind] <= PATIENCE_ROUNDS or kind not in self._complete:
            return None
        return await self._call_roll(kind, paths, ask, now)

    async def _call_roll(self, kind: Watched, paths: Iterable[str], ask: Asking, now: float) -> Findings:
        before = self._roll.uids(kind.api, kind.kind)
        there = frozenset[str]().union(*[await ask.uids(path) for path in paths])
        unseen = self._still_unseen(kind, there - self._roll.uids(kind.api, kind.kind), now)
        if not unseen:
            self._differed.pop(kind, None)
        return Findings(kind, tuple(self._roll.objects(kind.api, kind.kind, before - there)), len(unseen))

    def _still_unseen(self, kind: Watched, unseen: frozenset[str], now: float) -> frozenset[str]:
        """Keep of the unseen objects those that were unseen in the round before: the others may be on their way."""
        since, before = self._unseen.get(kind, (now, unseen))
        still = unseen & before
        if still:
            self._unseen[kind] = (since, still)
        else:
            self._unseen.pop(kind, None)
        return still
