"""Says of every gang that is asked for why it does not run, or that it does."""

import difflib
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from gangform.catalog import CATALOG
from gangform.model.errors import InputError
from gangform.status import selectors
from gangform.status.fields import instant
from gangform.status.picture import GangStatus, Key, Sight, State
from gangform.status.selectors import Requirement
from gangform.status.summary import summarize
from gangform.workflows.live import Live

GRACE_SECONDS = 30
"""How long a normal start may take."""

_KINDS = frozenset(word for _, kind in CATALOG.kinds for word in (kind.lower(), f"{kind.lower()}s"))
_PREFIXES = _KINDS | {"pod", "pods", "po", "podgroup", "podgroups"} | {
    backend.RESOURCE for backend in CATALOG.backends.values()} | {
    f"{kind.lower()}{s}.{api.partition('/')[0]}" for api, kind in CATALOG.kinds for s in ("", "s")}


class Request(NamedTuple):
    """Which gangs are asked for.

    Attributes:
        namespace: all of them when empty.
        name: of a job, a pod or a group object; every gang when empty.
        labels: what the labels of a job must fulfil; a group without a job has none.
        states: only these; any when empty.
        problems: only those about which somebody must do something.
    """

    namespace: str = ""
    name: str = ""
    labels: tuple[Requirement, ...] = ()
    states: frozenset[State] = frozenset()
    problems: bool = False

    def wants(self, status: GangStatus) -> bool:
        """Whether a gang is shown in this state."""
        return (not self.states or status.state in self.states) and (not self.problems or status.alarming)


class Standing(NamedTuple):
    """How the gangs stand at one moment.

    Attributes:
        now: that moment, in seconds since 1970.
        every: all that were asked for, whatever their state, by namespace and name.
        shown: those of them that are in a wanted state.
        sights: what is known of each.
    """

    now: int
    every: tuple[GangStatus, ...]
    shown: tuple[GangStatus, ...]
    sights: Mapping[Key, Sight]


def split(name: str, namespace: str | None) -> tuple[str, str | None]:
    """Read ``pod/NAME`` and ``NAMESPACE/NAME``; answer the name and the namespace.

    Raises:
        InputError: two namespaces are named.
    """
    before, slash, after = name.rpartition("/")
    if not slash or before.lower() in _PREFIXES:
        return after or name, namespace
    if namespace not in {None, before} or "/" in before or not after:
        raise InputError(f"{name!r} is no name of a job, a pod or a PodGroup" if "/" in before or not after else
                         f"{name} names another namespace than -n {namespace}")
    return after, before


def moment(live: Live) -> int:
    """The time that ages are counted to: now; for a dump a little after the newest time in it.

    A dump does not say when it was made. What was the last to change in it counts as a start that goes on, what
    changed before as one that hangs.
    """
    now = int(time.time())
    newest = instant(live.newest)
    return now if newest is None else min(now, newest + GRACE_SECONDS)


def spell(seconds: int | None) -> str:
    """Spell a moment as RFC 3339 in UTC; empty where it is not known."""
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def look(live: Live, request: Request, now: int, previous: Mapping[Key, GangStatus] | None = None) -> Standing:
    """Summarize every gang that is asked for.

    Raises:
        InputError: there is none of the name.
    """
    keys = _find(live, request) if request.name else _select(live, request)
    sights = {key: sight for key in sorted(keys)
              if (sight := live.board.sight(key, now, (previous or {}).get(key))) is not None}
    every = tuple(status for sight in sights.values() if (status := summarize(sight)) is not None)
    shown = tuple(status for status in every if request.wants(status))
    return Standing(now, every, shown, sights)


def _select(live: Live, request: Request) -> Iterator[Key]:
    gangs = live.board.keys()
    for key in gangs:
        if request.namespace in {"", key.namespace} and (
                not request.labels or (key in live.labels and selectors.matches(request.labels, live.labels[key]))):
            yield key


def _find(live: Live, request: Request) -> Iterable[Key]:
    gangs = live.board.keys()
    homes = {request.namespace} if request.namespace else {key.namespace for key in gangs}
    found = {key for home in homes if (key := live.board.find(home, request.name)) is not None}
    if not found:
        where = f"namespace {request.namespace}" if request.namespace else "any namespace"
        raise InputError(f"there is no MPIJob, pod of one, or PodGroup named {request.name!r} in {where}",
                         _suggest(request, [key.name for key in gangs if key.namespace in homes]))
    return found


def _suggest(request: Request, names: Iterable[str]) -> str:
    known = sorted(set(names))
    near = [name for name in known if request.name in name][:3] or difflib.get_close_matches(request.name, known)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return "gangform status lists what there is" if known else "look with -A in all namespaces"
