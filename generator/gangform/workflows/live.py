"""What there is of a cluster, or of a dump of one, on a Board; and what of it cannot be seen."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from gangform.catalog import CATALOG
from gangform.edges import cluster, dumps
from gangform.edges.cluster import AbsentError, HiddenError, Place
from gangform.edges.kubeconfig import Connection
from gangform.model.errors import InputError, ProgramError
from gangform.status.board import Board, Change
from gangform.status.picture import Key

JOBS = tuple(Place(*api, f"{api[1].lower()}s") for api in CATALOG.kinds)
GROUPS = tuple(Place(*backend.GROUP_API, backend.RESOURCE.partition(".")[0]) for backend in CATALOG.backends.values())
PODS = Place("v1", "Pod", "pods")
NODES = Place("v1", "Node", "nodes", namespaced=False)
EVENTS = Place("v1", "Event", "events")
PRIORITIES = Place("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", namespaced=False)

_SAVED = (*JOBS, PODS, *GROUPS, NODES, PRIORITIES, EVENTS)
"""What a dump should hold."""

PLACED = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"
"""Selects the pods that take room on a node."""

FREE_UNKNOWN = "free capacity is unknown"
_COSTS: Mapping[str, str] = {
    PODS.kind: "whether gangs hold nodes is not known",
    NODES.kind: FREE_UNKNOWN,
    EVENTS.kind: "what only events tell, such as a refusal by a quota, is not known",
    PRIORITIES.kind: "every priority counts as 0",
    **{place.kind: "PodGroups that are missing, stale or left over are not told" for place in GROUPS},
}


class Extent(NamedTuple):
    """Objects that are listed together.

    Attributes:
        home: their namespace; all when empty.
        fields: a field selector.
        hides: the kind about which nothing can be said without them; their own when None.
        what: how a sentence calls them, where that is not the name of their kind.
    """

    place: Place
    home: str = ""
    fields: str = ""
    hides: Place | None = None
    what: str = ""


class Unseen(NamedTuple):
    """What cannot be seen, and what that costs."""

    what: str
    why: str
    cost: str

    def __str__(self) -> str:
        return f"{self.cost}: {self.why} {self.what}"


class Live:
    """A Board, the labels of its jobs, and what could not be put on it.

    Attributes:
        unseen: what cannot be seen.
        absent: kinds that are not installed.
        newest: the latest moment in a dump, RFC 3339; empty for a cluster.
    """

    def __init__(self, grace: int) -> None:
        self.board = Board(CATALOG, grace=grace)
        self.labels: dict[Key, Mapping[str, str]] = {}
        self.unseen: list[Unseen] = []
        self.absent: list[Place] = []
        self.newest = ""
        self._hidden: set[str] = set()

    def feed(self, change: Change, data: Mapping[str, Any]) -> frozenset[Key]:
        """Take in one object, and answer the gangs that it touches."""
        if (data.get("apiVersion"), data.get("kind")) in CATALOG.kinds:
            self._label(change, data.get("metadata"))
        return self.board.feed(change, data)

    def miss(
        self, place: Place, why: Literal["may not list", "the dump holds no"], what: str = "", *, told: bool = True,
    ) -> None:
        """Note that a kind cannot be seen; ``told`` says whether that costs anything."""
        # Without pods a node would look empty.
        self._hidden |= {f"{one.api_version}/{one.kind}" for one in ((PODS, NODES) if place is PODS else (place,))}
        self.board.hide(self._hidden)
        if not told:
            return
        cost = _COSTS[place.kind]
        alike = [one for one in self.unseen if (one.why, one.cost) == (why, cost)]
        names = " and ".join([*(one.what for one in alike), what or place.name])
        self.unseen = [*(one for one in self.unseen if one not in alike), Unseen(names, why, cost)]

    @property
    def lacking(self) -> tuple[Place, ...]:
        """What is not installed though gangs need it: the jobs' own kind, or every kind of group."""
        groups = [place for place in self.absent if place in GROUPS]
        return (*(place for place in self.absent if place in JOBS), *(groups if len(groups) == len(GROUPS) else ()))

    def _label(self, change: Change, metadata: Any) -> None:
        if not isinstance(metadata, dict):
            return
        key = Key(str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
        if change == "DELETED":
            self.labels.pop(key, None)
            return
        labels = metadata.get("labels")
        self.labels[key] = {str(name): str(value) for name, value in labels.items()} if isinstance(labels, dict) else {}


def from_dumps(texts: Iterable[tuple[str, bytes]], grace: int) -> Live:
    """Read what was saved.

    Args:
        texts: name and bytes of each.
        grace: how long a normal start may take, in seconds.

    Raises:
        InputError: a text is no dump, or nothing in it is of use.
    """
    live = Live(grace)
    seen: set[tuple[str, str]] = set()
    homes: set[str] = set()
    names: list[str] = []
    marked: set[str] = set()
    for name, data in texts:
        names.append(name)
        dump = dumps.read(name, data)
        marked.update(name for name, backend in CATALOG.backends.items() if backend.MARK.key.encode() in data)
        live.newest = max(live.newest, dump.newest)
        for one in dump.objects:
            seen.add((one["apiVersion"], one["kind"]))
            if one["kind"] == PODS.kind and isinstance(one.get("metadata"), dict):
                homes.add(str(one["metadata"].get("namespace") or ""))
            live.feed("ADDED", one)
    if not seen & {(place.api_version, place.kind) for place in (*JOBS, *GROUPS)}:
        wanted = ",".join(place.name for place in _SAVED)
        raise InputError(f"{' and '.join(names)}: no MPIJob and no PodGroup in it",
                         f"save it with: kubectl get {wanted} -A -o json > dump.json; "
                         "leave out what the cluster does not have")
    for place in (PODS, NODES, EVENTS):
        if (place.api_version, place.kind) not in seen:
            live.miss(place, "the dump holds no")
    for name, place in zip(CATALOG.backends, GROUPS, strict=True):
        if (place.api_version, place.kind) not in seen:
            # Whoever saved it may have left them out; that matters where pods or jobs name some.
            live.miss(place, "the dump holds no", told=name in marked)
    if (NODES.api_version, NODES.kind) in seen and len(homes) == 1:
        live.miss(NODES, "the dump holds no", "pods of other namespaces")
    return live


def from_cluster(connection: Connection, namespace: str, grace: int) -> Live:
    """List everything that tells about gangs.

    Args:
        connection: the API server.
        namespace: whose gangs are asked for; all when empty.
        grace: how long a normal start may take, in seconds.

    Raises:
        ProgramError: the API server is out of reach, or lets us list no jobs.
    """
    live = Live(grace)
    for extent in extents(namespace):
        take(live, extent, objects(connection, extent))
    return live


def extents(namespace: str) -> tuple[Extent, ...]:
    """Say what to list to know about the gangs of a namespace; of all when empty."""
    everywhere: tuple[Extent, ...] = (Extent(PRIORITIES), Extent(NODES))
    if namespace:
        # What is free on a node is told by the pods of all namespaces.
        others = f"{PLACED},metadata.namespace!={namespace}"
        everywhere = (*everywhere, Extent(PODS, "", others, NODES, "pods of all namespaces"))
    return (*(Extent(place, namespace) for place in (*JOBS, PODS, *GROUPS, EVENTS)), *everywhere)


def objects(connection: Connection, extent: Extent) -> Iterator[Mapping[str, Any]]:
    """Yield what an extent holds, one object at a time."""
    for page in cluster.pages(connection, extent.place, extent.home, fields=extent.fields):
        yield from page.objects


def take(live: Live, extent: Extent, listed: Iterable[Mapping[str, Any]]) -> None:
    """Put the objects of an extent on the board, or note why that cannot be.

    Raises:
        ProgramError: without them there is nothing to say.
    """
    try:
        for one in listed:
            live.feed("ADDED", one)
    except (HiddenError, AbsentError) as error:
        forgo(live, extent, error)


def forgo(live: Live, extent: Extent, error: HiddenError | AbsentError) -> None:
    """Note that an extent cannot be listed.

    Raises:
        ProgramError: without it there is nothing to say.
    """
    place = extent.place
    if isinstance(error, AbsentError):
        if place in {PODS, NODES, EVENTS}:
            raise ProgramError(f"what answers is no API server of Kubernetes: it knows no {place.name}",
                               "see server in the kubeconfig")
        live.absent.append(place)
    elif place in JOBS:
        where = f"in namespace {extent.home}" if extent.home else "in all namespaces"
        hint = "ask for the right to get, list and watch them"
        raise ProgramError(f"may not list {place.name} {where}: {error}",
                           hint if extent.home else f"name a namespace with -n, or {hint}")
    else:
        live.miss(extent.hides or place, "may not list", extent.what)
