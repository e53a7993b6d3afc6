"""Which objects were seen, by kind: a watch that begins anew never says what went while it was away."""

import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal


class Roll:
    """The names of all objects that are taken to exist; a few hundred bytes each."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}

    def feed(self, change: Literal["ADDED", "MODIFIED", "DELETED"], data: Mapping[str, Any]) -> bool:
        """Take note of one change; answer whether the object was known before."""
        meta = data.get("metadata") or {}
        of_kind = self._seen.setdefault((str(data.get("apiVersion")), str(data.get("kind"))), {})
        uid = str(meta.get("uid"))
        if change == "DELETED":
            return of_kind.pop(uid, None) is not None
        known = uid in of_kind
        if not known:
            of_kind[uid] = (sys.intern(str(meta.get("namespace") or "")), str(meta.get("name")))
        return known

    def count(self, api: str, kind: str) -> int:
        """Return how many objects of a kind are taken to exist."""
        return len(self._seen.get((api, kind), ()))

    def uids(self, api: str, kind: str) -> frozenset[str]:
        """Return the uids of a kind's objects."""
        return frozenset(self._seen.get((api, kind), ()))

    def objects(self, api: str, kind: str, uids: Collection[str]) -> Iterator[Mapping[str, Any]]:
        """Yield what is left to say of objects that are gone: what they were called."""
        of_kind = self._seen.get((api, kind), {})
        for uid in uids:
            if uid in of_kind:
                namespace, name = of_kind[uid]
                yield {
                    "apiVersion": api, "kind": kind, "metadata": {"namespace": namespace, "name": name, "uid": uid},
                }
