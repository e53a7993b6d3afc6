"""A cluster's gangs while they change: the client's watches, one thread each, feed one Board."""

import queue
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gangform.edges import cluster
from gangform.edges.cluster import AbsentError, ExpiredError, HiddenError
from gangform.edges.kubeconfig import Connection
from gangform.status.board import Change
from gangform.status.picture import Key
from gangform.workflows.live import Extent, Live, extents, forgo

_WAITING = 1000
"""Objects that watches may be ahead of the Board."""


class _Told(NamedTuple):
    """What a thread has to say: a change, an error, or with neither that its first list is through."""

    extent: Extent
    change: Change | None = None
    data: Mapping[str, Any] = {}
    error: Exception | None = None


class Follower:
    """Lists everything, then waits for changes. Its threads end with the process.

    Attributes:
        live: what is there by now.

    Raises:
        ProgramError: the API server is out of reach, or lets us list no jobs.
    """

    def __init__(self, connection: Connection, namespace: str, grace: int) -> None:
        self.live = Live(grace)
        self._told: queue.Queue[_Told] = queue.Queue(_WAITING)
        awaited = set(extents(namespace))
        for extent in sorted(awaited):
            threading.Thread(target=self._follow, args=(connection, extent), daemon=True).start()
        while awaited:
            told = self._told.get()
            self._take(told)
            if told.change is None:
                awaited.discard(told.extent)

    def wait(self, seconds: float) -> frozenset[Key]:
        """Take in what comes until then, and answer the gangs that it touches.

        Raises:
            ProgramError: the API server is out of reach.
        """
        touched: set[Key] = set()
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                touched |= self._take(self._told.get(timeout=left))
            except queue.Empty:
                break
        return frozenset(touched)

    def _take(self, told: _Told) -> frozenset[Key]:
        if isinstance(told.error, HiddenError | AbsentError):
            forgo(self.live, told.extent, told.error)
        elif told.error is not None:
            raise told.error
        elif told.change is not None:
            return self.live.feed(told.change, told.data)
        return frozenset()

    def _follow(self, connection: Connection, extent: Extent) -> None:
        known: dict[str, Mapping[str, Any]] = {}
        try:
            while True:
                version = self._list(connection, extent, known)
                try:
                    for change, data in cluster.changes(connection, extent.place, extent.home, version,
                                                        fields=extent.fields):
                        known.update(_identity(data))
                        if change == "DELETED":
                            known.pop(str(data["metadata"].get("uid")), None)
                        self._told.put(_Told(extent, change, data))
                except ExpiredError:
                    continue
        except Exception as error:  # noqa: BLE001 - told by the thread that reads, whatever it is
            self._told.put(_Told(extent, error=error))

    def _list(self, connection: Connection, extent: Extent, known: dict[str, Mapping[str, Any]]) -> str:
        """Tell every object, and what has gone since the last list; answer from where to watch."""
        listed: dict[str, Mapping[str, Any]] = {}
        version = ""
        for page in cluster.pages(connection, extent.place, extent.home, fields=extent.fields):
            version = page.version
            for data in page.objects:
                listed.update(_identity(data))
                self._told.put(_Told(extent, "ADDED", data))
        for uid in known.keys() - listed.keys():
            self._told.put(_Told(extent, "DELETED", known[uid]))
        known.clear()
        known.update(listed)
        self._told.put(_Told(extent))
        return version


def _identity(data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield an object's uid, and as much of it as tells that it has gone."""
    metadata = data["metadata"]
    kept = {name: metadata[name] for name in ("namespace", "name", "uid", "labels") if name in metadata}
    yield str(metadata.get("uid")), {"apiVersion": data["apiVersion"], "kind": data["kind"], "metadata": kept}
