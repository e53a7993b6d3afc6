"""What is known of a cluster, taken in one raw object at a time: jobs, pods, group objects, nodes, events."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from gangform.contracts import Catalog
from gangform.status import jobs, reading
from gangform.status.fields import condition, mapping, number, text
from gangform.status.ground import Ground
from gangform.status.notebook import About, Notebook
from gangform.status.picture import Group, Job, Key, Member
from gangform.status.population import Place, Population, Uid, uid_of
from gangform.status.sharing import shared, shared_amounts
from gangform.status.ties import GroupId, Ties

Change = Literal["ADDED", "MODIFIED", "DELETED"]
"""As watches call them; objects of a first list are ADDED."""

_NOBODY: frozenset[Key] = frozenset()


class Held(NamedTuple):
    """A group object.

    Attributes:
        claimed: the job that it says it is of.
        foreign: whether it is of something that is no job of a known kind.
    """

    group: Group
    text: jobs.Packed
    claimed: Key | None
    foreign: bool


class Gang:
    """A job and its pods.

    Attributes:
        faults: what the rules say of it, after what that was told from.
    """

    __slots__ = ("faults", "job", "members", "reading")

    def __init__(self) -> None:
        self.faults: tuple[Any, tuple[tuple[str, str], ...]] = (None, ())
        self.job: Job | None = None
        self.reading: jobs.Reading | None = None
        self.members: dict[Uid, Member] = {}


class Ledger:
    """The cluster as far as gangs go. Work per object is constant; nothing is listed anew per object."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.gangs: dict[Key, Gang] = {}
        self.groups: dict[GroupId, Held] = {}
        self.ties = Ties()
        self.notes = Notebook()
        self.ground = Ground()
        self.pods = Population(self.ground, self.ties)
        self._priorities: dict[str, int] = {}
        self.served: set[str] = set()
        self.looked = False
        self._backends = {backend.GROUP_API: backend for backend in catalog.backends.values()}
        self._takers = self._find_takers()

    def _find_takers(self) -> dict[tuple[str, str], Callable[[Mapping[str, Any], bool], frozenset[Key]]]:
        return {
            ("v1", "Pod"): self._pod, ("v1", "Node"): self._node,
            ("v1", "Event"): self._event, ("events.k8s.io/v1", "Event"): self._event,
            ("scheduling.k8s.io/v1", "PriorityClass"): self._priority,
            **dict.fromkeys(self.catalog.kinds, self._job),
            **dict.fromkeys(self._backends, self._group),
        }

    def take(self, change: Change, data: Mapping[str, Any]) -> frozenset[Key]:
        """Take in one object of whatever kind; answer the gangs that it touches."""
        taker = self._takers.get((text(data, "apiVersion"), text(data, "kind")))
        if taker is None or not text(data, "metadata", "name"):
            return _NOBODY
        return taker(data, change == "DELETED")

    def _job(self, data: Mapping[str, Any], gone: bool) -> frozenset[Key]:  # noqa: FBT001  one way to call all takers
        key = reading.key_of(data)
        gang = self.gangs.get(key)
        if gone and (gang is None or gang.job is None or gang.job.uid != text(data, "metadata", "uid")):
            return _NOBODY
        gang = self.gangs.setdefault(key, gang or Gang())
        before = gang.reading
        if gone:
            self._forget(key, gang.job)
            gang.job = gang.reading = None
        else:
            kind = self.catalog.kinds[text(data, "apiVersion"), text(data, "kind")]
            gang.reading = jobs.read(data, self.catalog, self._priorities, before)
            gang.job = jobs.job(data, key, kind, gang.reading)
            self._remember(key, gang.job)
        touched = self._beside(key)
        self._rebind(key, before, gang.reading)
        self._tidy(key, gang)
        return touched | self._beside(key)

    def _rebind(self, key: Key, before: jobs.Reading | None, after: jobs.Reading | None) -> None:
        if after is not before:
            self.ties.bind(key, before.bonds if before else (), -1)
            self.ties.bind(key, after.bonds if after else (), 1)

    def _tidy(self, key: Key, gang: Gang) -> None:
        if gang.job is None and not gang.members:
            self.gangs.pop(key, None)

    def _group(self, data: Mapping[str, Any], gone: bool) -> frozenset[Key]:  # noqa: FBT001
        backend = self._backends[text(data, "apiVersion"), text(data, "kind")]
        namespace, name = reading.key_of(data)
        identity = GroupId(backend.NAME, namespace, name)
        before = self.groups.get(identity)
        if gone and (before is None or before.group.uid != text(data, "metadata", "uid")):
            return _NOBODY
        touched = self._around(identity)
        if before is not None and before.claimed is not None:
            self.ties.unclaim(before.claimed, identity)
        about = About(text(data, "kind"), namespace, name)
        if gone:
            del self.groups[identity]
            self.notes.drop(about)
            return touched
        job = reading.claimed(data, self.catalog.kinds)
        held = Held(reading.group(data, backend, self.catalog.kinds),
                     jobs.pack(jobs.authored(data), before.text if before else None),
                     Key(namespace, job) if job else None, reading.is_foreign(data, backend, self.catalog.kinds))
        self.groups[identity] = held
        self.notes.claim(about, Key(namespace, name))
        if held.claimed is not None:
            self.ties.claim(held.claimed, identity)
        return touched | self._around(identity)

    def _pod(self, data: Mapping[str, Any], gone: bool) -> frozenset[Key]:  # noqa: FBT001
        self.looked = True
        uid, namespace = uid_of(data), shared(text(data, "metadata", "namespace"))
        if gone:
            self.notes.drop(About("Pod", namespace, text(data, "metadata", "name")))
            place = self.pods.drop(uid)
            return self._leave(place.key, uid) if place is not None and place.key is not None else _NOBODY
        self._witness(data)
        owner = reading.belongs(data, self.catalog.kinds)
        marks = reading.bonds(data, self.catalog.backends)
        node, amounts = shared(reading.placed(data)), shared_amounts(reading.asked(data))
        groups = shared(tuple(GroupId(backend, namespace, name) for backend, name in marks))
        if owner is None:
            self.notes.drop(About("Pod", namespace, text(data, "metadata", "name")))
            return self._stranger(uid, Place(node, amounts, None, groups))
        key, role = shared(Key(namespace, owner[0])), owner[1]
        gang = self.gangs.setdefault(key, Gang())
        touched = self._beside(key)
        self.pods.put(uid, Place(node, amounts, key, groups))
        gang.members[uid] = reading.member(data, key, role, marks, amounts)
        self.notes.claim(About("Pod", namespace, gang.members[uid].name), key)
        return touched | self._beside(key)

    def _stranger(self, uid: Uid, place: Place) -> frozenset[Key]:
        before = self.pods.get(uid)
        if place.node or place.marks:
            self.pods.put(uid, place)
        else:
            self.pods.drop(uid)
        touched = frozenset[Key]().union(*(self._around(group) for group in place.marks))
        return touched | (self._leave(before.key, uid) if before is not None and before.key is not None else _NOBODY)

    def _leave(self, key: Key, uid: Uid) -> frozenset[Key]:
        gang = self.gangs.get(key)
        if gang is not None:
            gang.members.pop(uid, None)
            self._tidy(key, gang)
        return self._beside(key)

    def _witness(self, data: Mapping[str, Any]) -> None:
        """Take note of a scheduler that has dealt with a pod; a pod that a kubelet made itself is no proof."""
        scheduled = condition(mapping(data, "status"), "PodScheduled")
        mirrored = "kubernetes.io/config.mirror" in mapping(data, "metadata", "annotations")
        if scheduled and not mirrored and scheduled.get("reason") != "SchedulingGated":
            self.served.add(text(data, "spec", "schedulerName"))

    def _node(self, data: Mapping[str, Any], gone: bool) -> frozenset[Key]:  # noqa: FBT001
        name = shared(text(data, "metadata", "name"))
        if gone:
            self.ground.drop(name)
        else:
            self.ground.put(name, data)
        return _NOBODY

    def _event(self, data: Mapping[str, Any], gone: bool) -> frozenset[Key]:  # noqa: FBT001
        read = reading.note(data)
        if read is None or gone:
            return _NOBODY
        namespace, note = read
        if note.component and note.reason in ("Scheduled", "FailedScheduling"):
            self.served.add(note.component)
        key = self.notes.put(About(note.kind, namespace, note.name), note)
        if key is None or note.kind == "Pod":
            return _NOBODY if key is None else frozenset({key})
        groups = (GroupId(name, namespace, note.name) for name in self.catalog.backends)
        return frozenset({key}).union(*(self._around(group) for group in groups if group in self.groups))

    def _priority(self, data: Mapping[str, Any], gone: bool) -> frozenset[Key]:  # noqa: FBT001
        name, value = text(data, "metadata", "name"), number(data.get("value"))
        before = self._priorities.get(name)
        if gone:
            self._priorities.pop(name, None)
        else:
            self._priorities[name] = value
        return _NOBODY if before == self._priorities.get(name) else frozenset(self._reread())

    def _reread(self) -> Iterator[Key]:
        """Read those jobs once more whose groups depend on priorities: classes change almost never."""
        for key, gang in self.gangs.items():
            if gang.job is not None and gang.reading is not None and gang.reading.mixed:
                gang.reading = jobs.again(gang.reading, self.catalog, self._priorities)
                gang.job = gang.job._replace(implied=gang.reading.implied)
                yield key

    # --- who is whose ---------------------------------------------------------------------------------

    def abouts(self, key: Key, job: Job) -> tuple[About, ...]:
        """Return the job and what makes pods of it, as events call them."""
        makers = self.catalog.kinds[job.api_version, job.kind].PODS.makers
        return (About(job.kind, *key), *(About(kind, key.namespace, key.name + ending) for kind, ending in makers))

    def _remember(self, key: Key, job: Job) -> None:
        for about in self.abouts(key, job):
            self.notes.claim(about, key)

    def _forget(self, key: Key, job: Job | None) -> None:
        for about in self.abouts(key, job) if job else ():
            self.notes.drop(about)

    def orphan(self, group: GroupId) -> Key | None:
        """Return the gang that a group stands for by itself; None while it is a job's, or nothing of ours."""
        held, key = self.groups.get(group), Key(group.namespace, group.name)
        if held is None or held.foreign or self.ties.is_strange(group) or self._has_job(key):
            return None
        named = (*self.ties.keys(group), *((held.claimed,) if held.claimed else ()))
        return None if any(map(self._has_job, named)) else key

    def _has_job(self, key: Key) -> bool:
        gang = self.gangs.get(key)
        return gang is not None and gang.job is not None

    def _around(self, group: GroupId) -> frozenset[Key]:
        """Return the gangs that a change of a group may touch."""
        held = self.groups.get(group)
        claimed = (held.claimed,) if held is not None and held.claimed is not None else ()
        return frozenset((*self.ties.keys(group), *claimed, Key(group.namespace, group.name)))

    def _beside(self, key: Key) -> frozenset[Key]:
        """Return the gangs that a change of a gang may touch."""
        return frozenset({key}).union(*(self._around(group) for group in self.ties.groups(key)))

    def owners(self, group: GroupId) -> frozenset[Key]:
        """Return the jobs that name a group, and the one that it says it is of."""
        held = self.groups.get(group)
        claimed = (held.claimed,) if held is not None and held.claimed is not None else ()
        return frozenset(filter(self._has_job, (*self.ties.keys(group), *claimed)))
