"""Which jobs belong to which group objects, by whatever tells it, and whether anybody else does."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from gangform.status.picture import Key

Left = TypeVar("Left")
Right = TypeVar("Right")


class GroupId(NamedTuple):
    """A group object's name."""

    backend: str
    namespace: str
    name: str


class Ties:
    """Marks that bind gangs to groups, counted; groups that say whose they are; marks on pods of no gang."""

    def __init__(self) -> None:
        self._counts: dict[tuple[Key, GroupId], int] = {}
        self._named: dict[GroupId, tuple[Key, ...]] = {}
        self._names: dict[Key, tuple[GroupId, ...]] = {}
        self._claims: dict[Key, set[GroupId]] = {}
        self._strangers: Counter[GroupId] = Counter()

    def bind(self, key: Key, bonds: Iterable[tuple[str, str]], sign: int) -> None:
        """Count marks of a gang (1), or marks that are gone (-1)."""
        for backend, name in bonds:
            group = GroupId(backend, key.namespace, name)
            before = self._counts.pop((key, group), 0)
            if before + sign:
                self._counts[key, group] = before + sign
            if not before:
                self._named[group] = (*self._named.get(group, ()), key)
                self._names[key] = (*self._names.get(key, ()), group)
            elif not before + sign:
                _take(self._named, group, key)
                _take(self._names, key, group)

    def claim(self, key: Key, group: GroupId) -> None:
        """Take note that a group says that it is a job's."""
        self._claims.setdefault(key, set()).add(group)

    def unclaim(self, key: Key, group: GroupId) -> None:
        """Take it back."""
        claimed = self._claims.get(key, set())
        claimed.discard(group)
        if not claimed:
            self._claims.pop(key, None)

    def estrange(self, groups: Iterable[GroupId], sign: int) -> None:
        """Count marks on a pod of no gang (1), or marks that are gone (-1)."""
        for group in groups:
            self._strangers[group] += sign
            if not self._strangers[group]:
                del self._strangers[group]

    def is_strange(self, group: GroupId) -> bool:
        """Whether pods of no gang bear a group's mark."""
        return group in self._strangers

    def keys(self, group: GroupId) -> Iterator[Key]:
        """Yield the gangs that name a group."""
        yield from self._named.get(group, ())

    def groups(self, key: Key) -> frozenset[GroupId]:
        """Return the groups that a gang names, and those that say that they are its own."""
        return frozenset(self._names.get(key, ())) | frozenset(self._claims.get(key, ()))


def _take(index: dict[Left, tuple[Right, ...]], left: Left, right: Right) -> None:
    rest = tuple(one for one in index[left] if one != right)
    if rest:
        index[left] = rest
    else:
        del index[left]
