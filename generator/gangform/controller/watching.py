"""What is watched and how: kopf's handlers and settings. kopf watches, reconnects and backs off; nothing is stored."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import kopf

from gangform.contracts import Catalog
from gangform.controller.announcing import COMPONENT
from gangform.status.board import Change

CHUNK = 500
"""Objects that a first list brings at a time."""

WORKERS = 100
"""Objects that are handed on at the same time; a handler takes less than a millisecond."""

WORKER_IDLE_SECONDS = 0.05
BACKOFFS = (1, 2, 4, 8, 15)

EVENTS = "source!=kubelet,source!=gangform,reason!=Scheduled,reason!=SuccessfulCreate,reason!=SuccessfulDelete"
"""Leaves out what most events say. Not by their type: that a queue is full Volcano tells in a normal one."""

_TOLD_OF = frozenset({"PodGroup", "Pod"})

Feed = Callable[[str | None, Mapping[str, Any]], None]
"""Takes what a watch calls the change, or None for an object of a list of all of them, and the object."""


class Watched(NamedTuple):
    """A kind of object to watch.

    Attributes:
        api: its apiVersion.
        kind: as manifests call it.
    """

    api: str
    kind: str

    @property
    def plural(self) -> str:
        """The name of its collection in the API."""
        return f"{self.kind.lower()}{'es' if self.kind.endswith('s') else 's'}"

    @property
    def group(self) -> str:
        """Its API group; empty for the core."""
        return self.api.rpartition("/")[0]

    @property
    def version(self) -> str:
        """Its version inside the group."""
        return self.api.rpartition("/")[2]

    def path(self, namespace: str | None = None) -> str:
        """Where its collection stands in the API: of one namespace, or of all of them."""
        inside = f"/namespaces/{namespace}" if namespace and self.kind not in _CLUSTER_WIDE else ""
        return f"/{'apis' if self.group else 'api'}/{self.api}{inside}/{self.plural}"


POD, NODE, EVENT = Watched("v1", "Pod"), Watched("v1", "Node"), Watched("v1", "Event")
PRIORITY = Watched("scheduling.k8s.io/v1", "PriorityClass")
CRD = Watched("apiextensions.k8s.io/v1", "CustomResourceDefinition")
NAMESPACE = Watched("v1", "Namespace")
_CLUSTER_WIDE = frozenset({NODE.kind, PRIORITY.kind})


def watched(catalog: Catalog) -> tuple[Watched, ...]:
    """Return all that tells of the gangs of this catalog: jobs, groups, and what every cluster has."""
    jobs = [Watched(*api) for api in catalog.kinds]
    groups = [Watched(*backend.GROUP_API) for backend in catalog.backends.values()]
    return tuple(dict.fromkeys([PRIORITY, NODE, *groups, *jobs, POD, EVENT]))


class _Endless(Iterable[float]):
    """Pauses between attempts that never end: a watch has nobody to give up to."""

    def __iter__(self) -> Iterator[float]:
        return itertools.chain(BACKOFFS, itertools.repeat(BACKOFFS[-1]))


def settings(*, scan: bool = True) -> kopf.OperatorSettings:
    """Return settings under which memory stays small, nothing is written, and no outage ends the watch.

    Args:
        scan: whether kinds and namespaces that come later are looked for, which needs the right to list them.
    """
    chosen = kopf.OperatorSettings()
    chosen.scanning.disabled = not scan
    # The process goes on when a watch ends; kopf would kill it ten minutes later.
    chosen.process.ultimate_exiting_timeout = None
    chosen.posting.enabled = False
    chosen.watching.chunk_size = CHUNK
    chosen.watching.field_selectors[EVENT.group, EVENT.version, EVENT.plural] = EVENTS
    chosen.queueing.worker_limit = WORKERS
    chosen.queueing.idle_timeout = WORKER_IDLE_SECONDS
    chosen.networking.error_backoffs = _Endless()
    chosen.networking.request_timeout = 60
    chosen.networking.connect_timeout = 10
    return chosen


def registry(
    kinds: Iterable[Watched], jobs: frozenset[str], feed: Feed, login: Callable[[], kopf.AiohttpSession],
    note: Callable[[Watched], None] = lambda _: None,
) -> kopf.OperatorRegistry:
    """Return handlers that hand every change of these kinds on, with the way into the cluster.

    Args:
        kinds: what to watch.
        jobs: kinds of jobs, whose events are of interest.
        feed: takes each change.
        login: answers a session with credentials; asked again when they no longer hold.
        note: takes the kind of each object that was handed on.
    """
    made = kopf.OperatorRegistry()

    @kopf.on.login(registry=made)
    async def _login(**_: Any) -> kopf.AiohttpSession:
        return login()

    def handle(kind: Watched) -> None:
        @kopf.on.event(kind.group, kind.version, kind.plural, registry=made, id=f"{kind.plural}.{kind.group}")
        async def _handle(event: kopf.RawEvent, **_: Any) -> None:
            data = event["object"]
            note(kind)
            if kind != EVENT or _tells(data, jobs):
                feed(event["type"], data)

    for kind in kinds:
        handle(kind)
    return made


def change(word: str | None) -> Change:
    """Return what happened to an object; what a list brings is there, that is all."""
    return "DELETED" if word == "DELETED" else "MODIFIED" if word == "MODIFIED" else "ADDED"


def _tells(event: Mapping[str, Any], jobs: frozenset[str]) -> bool:
    """Whether an event may tell of a gang; our own tell nothing new."""
    ours = (event.get("reportingComponent") or (event.get("source") or {}).get("component")) == COMPONENT
    about = (event.get("involvedObject") or {}).get("kind")
    return not ours and (about in jobs or about in _TOLD_OF)
