"""Every gang of a cluster, kept as its objects change: fed one raw object at a time, asked for one gang at a time."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gangform.contracts import Catalog
from gangform.status import faults
from gangform.status.ledger import Change, Gang, Ledger
from gangform.status.notebook import About
from gangform.status.picture import GangStatus, Group, Job, Key, Member, Node, Note, Sight
from gangform.status.services import describe
from gangform.status.ties import GroupId

__all__ = ["Board", "Change"]

_POD, _NODE = "v1/Pod", "v1/Node"


class Board:
    """The cluster as far as gangs go. Work per object is constant; nothing is listed anew per event."""

    def __init__(self, catalog: Catalog, *, grace: int = 30) -> None:
        """Begin with an empty cluster.

        Args:
            catalog: every plug-in.
            grace: how long a normal start may take, in seconds.
        """
        self._catalog = catalog
        self._grace = grace
        self._ledger = Ledger(catalog)
        self._hidden: frozenset[str] = frozenset()
        self._services = {name: describe(backend) for name, backend in catalog.backends.items()}

    def feed(self, change: Change, data: Mapping[str, Any]) -> frozenset[Key]:
        """Take in one object as the API server sent it, of whatever kind; answer the gangs that it touches.

        An object that breaks its schema is kept as far as it can be read and told in the gang's status. Of a
        DELETED one nothing is needed but apiVersion, kind and metadata with namespace, name and uid.
        """
        return self._ledger.take(change, data)

    def hide(self, kinds: Iterable[str]) -> None:
        """Say which kinds cannot be seen here, by their apiVersion/kind: what needs them is not guessed."""
        self._hidden = frozenset(kinds)

    def keys(self) -> frozenset[Key]:
        """Every gang: of each job, and of each group object that no job names."""
        jobs = (key for key, gang in self._ledger.gangs.items() if gang.job is not None)
        groups = (self._ledger.orphan(group) for group in self._ledger.groups)
        return frozenset((*jobs, *(key for key in groups if key is not None)))

    def sight(self, key: Key, now: int, previous: GangStatus | None = None) -> Sight | None:
        """All that is known of one gang; None when nothing of it is there any more."""
        gang = self._ledger.gangs.get(key)
        if gang is None or gang.job is None:
            return self._leftover(key, now, previous)
        identity = self._group_of(key, gang.job, gang)
        held = self._ledger.groups.get(identity) if identity else None
        group = held.group if held else None
        members = tuple(sorted(gang.members.values(), key=lambda pod: (pod.created, pod.name, pod.uid)))
        notes = self._notes(key, gang.job, members, group)
        return Sight(
            key, now, gang.job, group, members, notes, self.nodes(), self._served(),
            self._faults(gang, identity, group, members), previous, self._grace, self._hidden,
            (identity.backend, identity.name) if identity else ("", ""), self._services)

    def nodes(self) -> tuple[Node, ...] | None:
        """Every node with what is free of it; None when none can be seen."""
        return (self._ledger.ground.nodes() or None) if _NODE not in self._hidden else None

    def find(self, namespace: str, name: str) -> Key | None:
        """The gang of a job, of a pod or of a group object of this name."""
        key = Key(namespace, name)
        gang = self._ledger.gangs.get(key)
        if gang is not None and gang.job is not None:
            return key
        return next(self._search(namespace, name), None)

    def _search(self, namespace: str, name: str) -> Iterator[Key]:
        for key, gang in self._ledger.gangs.items():
            named = key.namespace == namespace and any(pod.name == name for pod in gang.members.values())
            if named and gang.job is not None:
                yield key
        for backend in self._catalog.backends:
            group = GroupId(backend, namespace, name)
            yield from (key for key in self._ledger.owners(group))
            orphan = self._ledger.orphan(group)
            if orphan is not None:
                yield orphan

    # --- one gang -------------------------------------------------------------------------------------

    def _leftover(self, key: Key, now: int, previous: GangStatus | None) -> Sight | None:
        for backend in self._catalog.backends:
            group = GroupId(backend, key.namespace, key.name)
            if self._ledger.orphan(group) == key:
                held = self._ledger.groups[group]
                return Sight(key, now, None, held.group, previous=previous, grace=self._grace, hidden=self._hidden,
                             named=(backend, key.name), services=self._services)
        return None

    def _group_of(self, key: Key, job: Job, gang: Gang) -> GroupId | None:
        """Choose the group that counts: one that the pods' scheduler reads, then one that is there."""
        schedulers = {*job.schedulers, *(pod.scheduler for pod in gang.members.values())}

        def rank(group: GroupId) -> tuple[bool, bool, GroupId]:
            read = bool(schedulers & self._catalog.backends[group.backend].SCHEDULER_NAMES)
            return not read, group not in self._ledger.groups, group

        return min(self._ledger.ties.groups(key), key=rank, default=None)

    def _notes(self, key: Key, job: Job, members: tuple[Member, ...], group: Group | None) -> tuple[Note, ...]:
        pods = (About("Pod", key.namespace, pod.name) for pod in members)
        groups = (About(group.gang.ref.kind, key.namespace, group.gang.ref.name),) if group else ()
        return self._ledger.notes.read((*self._ledger.abouts(key, job), *pods, *groups))

    def _served(self) -> frozenset[str] | None:
        return frozenset(self._ledger.served) if self._ledger.looked and _POD not in self._hidden else None

    def _faults(
        self, gang: Gang, identity: GroupId | None, group: Group | None, members: tuple[Member, ...]
    ) -> tuple[tuple[str, str], ...]:
        """Ask the rules, unless the gang needs nothing; and not again as long as its objects stay the same."""
        if gang.job is None or gang.reading is None or not faults.worth(gang.job, group, members):
            return ()
        visible = identity is None or self._services[identity.backend].api not in self._hidden
        return faults.of(gang, identity, members, self._ledger, self._catalog, whole=visible)
