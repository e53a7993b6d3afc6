"""Whether what was seen is what is there: when the first lists are in, what went unseen, what a watch never brought."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from gangform.controller.arrivals import LOOK_SECONDS, Arrivals
from gangform.controller.roll import Roll
from gangform.controller.watching import EVENT, Watched

ROUND_SECONDS = 60
SOON_SECONDS = 5
"""After a list came anew."""

FIRST_SECONDS = 1
"""While the first lists are not in: nothing is told before."""

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
    """Compares numbers, and names only where the numbers go on to differ: lists of everything are rare.

    Attributes:
        arrivals: kinds that are installed later, or taken away and installed again.
    """

    def __init__(self, kinds: Iterable[Watched], namespaces: Collection[str], roll: Roll) -> None:
        # Events are watched in part only, and come and go by themselves.
        self._kinds = [kind for kind in kinds if kind != EVENT]
        self.arrivals = Arrivals()
        self._namespaces = namespaces
        self._roll = roll
        self._complete: set[Watched] = set()
        self._differed: dict[Watched, int] = {}
        self._unseen: dict[Watched, tuple[float, frozenset[str]]] = {}
        self._last = self._last_of_all = float("-inf")

    @property
    def ready(self) -> bool:
        """Whether the first list of every kind was in at some time."""
        return self._complete >= set(self._kinds)

    def due(self, now: float) -> bool:
        """Whether it is time for the next round: soon where something is suspected, else now and then."""
        return bool(self._wanted(now))

    def _wanted(self, now: float) -> list[Watched]:
        suspected = any(rounds >= PATIENCE_ROUNDS for rounds in self._differed.values())
        pause = SOON_SECONDS if suspected else ROUND_SECONDS
        if now - self._last_of_all >= (pause if self.ready else FIRST_SECONDS):
            return self._kinds
        return self.arrivals.awaited(self._kinds) if now - self._last >= LOOK_SECONDS else []

    def suspect(self) -> None:
        """Take note that a watch began anew: what went meanwhile, of any kind, may have gone unseen."""
        self._differed = dict.fromkeys(self._kinds, PATIENCE_ROUNDS)

    def deaf(self, now: float) -> list[str]:
        """Return the kinds whose watch does not bring what is there."""
        return [kind.kind for kind, (since, _) in self._unseen.items() if now - since > DEAF_SECONDS]

    async def round(self, ask: Asking, now: float) -> list[Findings]:
        """Look once at every kind that it is time for.

        Raises:
            OSError: the API server does not answer.
        """
        kinds = self._wanted(now)
        self._last = now
        if kinds is self._kinds:
            self._last_of_all = now
        return [found for kind in kinds if (found := await self._look(kind, ask, now)) is not None]

    async def _look(self, kind: Watched, ask: Asking, now: float) -> Findings | None:
        paths = list(dict.fromkeys(kind.path(namespace) for namespace in self._namespaces or (None,)))
        known = self._roll.count(kind.api, kind.kind)
        counts = [await ask.number(path) for path in paths]
        there = sum(count or 0 for count in counts)
        absent = all(count is None for count in counts)
        if there <= known or absent:
            self._complete.add(kind)
        if kind in self._complete:
            self.arrivals.note(kind, None if absent else there, known, now)
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
