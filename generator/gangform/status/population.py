"""Pods of every kind: what each takes of its node, whose it is, and which groups it names. A few dozen bytes a pod."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from gangform.sizing import Requests
from gangform.status.fields import text
from gangform.status.ground import Ground
from gangform.status.picture import Key
from gangform.status.ties import GroupId, Ties

Uid = int | str
"""A pod's uid, as a number where it is one."""


class Place(NamedTuple):
    """Where pods are and whose; many share one.

    Attributes:
        node: whose place they hold, or empty.
        key: the gang; None for pods of no known job.
        marks: the groups that they name.
    """

    node: str
    amounts: Requests
    key: Key | None = None
    marks: tuple[GroupId, ...] = ()


def uid_of(data: Mapping[str, Any]) -> Uid:
    """Return an object's uid in the form that takes least."""
    uid = text(data, "metadata", "uid")
    try:
        return UUID(uid).int
    except ValueError:
        return uid or f"{text(data, 'metadata', 'namespace')}/{text(data, 'metadata', 'name')}"


_Spot = tuple[str, int, Key | None, tuple[GroupId, ...]]


def _spot(place: Place) -> _Spot:
    """What tells places apart: their amounts by identity, which holds as long as the place is kept."""
    return (place.node, id(place.amounts), place.key, place.marks)


class Population:
    """Counts pods in and out of nodes and groups."""

    def __init__(self, ground: Ground, ties: Ties) -> None:
        self._pods: dict[Uid, Place] = {}
        self._places: dict[_Spot, tuple[Place, int]] = {}
        self._ground = ground
        self._ties = ties

    def __len__(self) -> int:
        return len(self._pods)

    def get(self, uid: Uid) -> Place | None:
        """Return where a pod is that was put."""
        return self._pods.get(uid)

    def put(self, uid: Uid, place: Place) -> None:
        """Take in a pod as it is now; amounts must be shared ones."""
        before = self._pods.get(uid)
        if before == place:
            return
        self.drop(uid)
        self._pods[uid] = place = self._share(place)
        self._count(place, 1)

    def drop(self, uid: Uid) -> Place | None:
        """Forget a pod; return where it was."""
        before = self._pods.pop(uid, None)
        if before is not None:
            self._release(before)
            self._count(before, -1)
        return before

    def _share(self, place: Place) -> Place:
        """Return the one copy of a place, for one pod more."""
        spot = _spot(place)
        place, pods = self._places.get(spot, (place, 0))
        self._places[spot] = (place, pods + 1)
        return place

    def _release(self, place: Place) -> None:
        spot = _spot(place)
        _, pods = self._places.pop(spot)
        if pods > 1:
            self._places[spot] = (place, pods - 1)

    def _count(self, place: Place, sign: int) -> None:
        if place.node:
            self._ground.take(place.node, place.amounts, sign)
        if place.key is None:
            self._ties.estrange(place.marks, sign)
        else:
            self._ties.bind(place.key, ((mark.backend, mark.name) for mark in place.marks), sign)
