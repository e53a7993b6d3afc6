"""What a kind, a backend and a rule must be. Each plug-in is one module that fulfils a Protocol.

A kind knows one job API and nothing about schedulers; a backend knows one scheduler and nothing
about job APIs; a rule looks at the whole scene and reports on its own subject only.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from gangform.model.edit import Patch
from gangform.model.finding import Code, Problem, Severity
from gangform.model.gang import Bond, Gang, Option, Queueing, RoleKey, Trait
from gangform.model.plan import FalseMark, NameReference, Plan
from gangform.model.pointer import Pointer
from gangform.model.workload import Held, Pods, Progress, Ref, Role, Workload

Groups = Literal["git", "operator"]
"""Who makes the group objects: files in Git, or the job operator with its own flag."""


class Kind(Protocol):
    """One job API.

    Attributes:
        API: apiVersion and kind.
        SCHEMA: name of its schema below ``schemas/``, without ``.json``.
        LEGACY: other apiVersions of the same group and kind, each with what the author must do.
        HOMES: dotted path of a field that is unknown there (``*`` stands for any key or index) to the dotted
            path of the field that it was meant to be, which takes its value as it is.
        MOVES: as HOMES, but to a sentence, for what cannot simply be moved.
        CODES: ids that ``check`` stamps on its problems.
        PODS: how its pods are told.
        PROGRESS: how its jobs' progress is told.
    """

    API: tuple[str, str]
    SCHEMA: str
    LEGACY: Mapping[str, str]
    HOMES: Mapping[str, str]
    MOVES: Mapping[str, str]
    CODES: Mapping[str, Code]
    PODS: Pods
    PROGRESS: Progress

    def check(self, data: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what the job's operator refuses although the schema allows it."""

    def read(self, data: Mapping[str, Any]) -> Workload:
        """Read a job that passed its schema; total on such data."""


class Circumstances(NamedTuple):
    """What a backend may know besides the job.

    Attributes:
        options: checked values of the backend's options; ``text`` and ``choice`` are str,
            ``seconds`` int, ``map`` dict; an option that is not given and has no default is absent.
        priorities: PriorityClass name to value.
    """

    options: Mapping[str, Any] = {}
    priorities: Mapping[str, int] = {}


class Backend(Protocol):
    """One scheduler.

    Attributes:
        NAME: as users write it.
        TITLE: as a sentence calls it.
        COMPONENT: as ``versions`` of the settings call what serves it.
        GROUP_API: apiVersion and kind of its group object.
        GROUP_SCHEMA: name of the group object's schema below ``schemas/``.
        RESOURCE: the group object's resource with its API group, as kubectl takes it.
        AUTOMATIC: how the names of groups begin that its own controller makes of pods without a mark; empty where it
            makes none.
        WORDS: how its messages are told from those of others.
        FORMER_GROUPS: API group that its group object once had, to the version that no longer reads it.
        MARK: the label or annotation that binds a pod to a group.
        FALSE_MARKS: what authors write in its place.
        FOREIGN_FIELDS: pointer of a field that its group object lacks and another scheduler's has, to the id of
            that fault.
        SCHEDULER_NAMES: names under which it is commonly served.
        HONOURS: the fields of Policy that it can express.
        TRAITS: what it does with its groups.
        ROLE_KEYS: where it looks for a pod's role inside its group, the first one that is there counts.
        QUEUEING: its queues; None where it has none.
        OPTIONS: its settings; ``schedulerName`` is always among them.
    """

    NAME: str
    TITLE: str
    COMPONENT: str
    GROUP_API: tuple[str, str]
    GROUP_SCHEMA: str
    RESOURCE: str
    AUTOMATIC: str
    WORDS: tuple[str, ...]
    FORMER_GROUPS: Mapping[str, str]
    MARK: NameReference
    FALSE_MARKS: tuple[FalseMark, ...]
    FOREIGN_FIELDS: Mapping[Pointer, str]
    SCHEDULER_NAMES: frozenset[str]
    HONOURS: frozenset[str]
    TRAITS: frozenset[Trait]
    ROLE_KEYS: tuple[RoleKey, ...]
    QUEUEING: Queueing | None
    OPTIONS: Mapping[str, Option]

    def plan(self, workload: Workload, circumstances: Circumstances) -> Plan:
        """Say how this scheduler starts the workload as one gang."""

    def read_group(self, data: Mapping[str, Any]) -> Gang:
        """Read a group object that passed its schema."""


class Subject(NamedTuple):
    """An object that rules may report on.

    Attributes:
        data: the whole object, nulls pruned.
        workload: set when it is a job of a known kind.
        gang: set when it is a group object of a known backend.
        bonds: the marks on the workload's templates, of every backend.
        strays: what reads like a mark and binds no pod; the role is empty for what stands on the job itself.
        holder: the object whose text holds this one (a Workflow, a ConfigMap), when it is made at run time.
        held: the jobs that this object holds, those that are templates among them.
    """

    ref: Ref
    data: Mapping[str, Any]
    workload: Workload | None = None
    gang: Gang | None = None
    bonds: tuple[Bond, ...] = ()
    strays: tuple[Bond, ...] = ()
    holder: Ref | None = None
    held: tuple[Held, ...] = ()

    @property
    def gang_names(self) -> frozenset[tuple[str, str]]:
        """(namespace, name) of every gang that a job or a group object stands for."""
        names = {self.ref.name, *(bond.group for bond in (*self.bonds, *self.strays))}
        return frozenset((self.ref.namespace, name) for name in names)

    def bound_roles(self) -> Iterator[tuple[str, str, tuple[Role, ...]]]:
        """Yield (backend, group name, roles that bear its mark) for each group that a job names."""
        for backend, group in sorted({(bond.backend, bond.group) for bond in self.bonds}):
            bound = {bond.role for bond in self.bonds if (bond.backend, bond.group) == (backend, group)}
            roles = self.workload.roles if self.workload else ()
            yield backend, group, tuple(role for role in roles if role.name in bound)

    def roles_in(self, group: "Subject") -> tuple[Role, ...]:
        """Return the roles whose templates bear the mark of a group object."""
        owner = group.gang.backend if group.gang else ""
        return next((roles for backend, name, roles in self.bound_roles()
                     if (backend, name) == (owner, group.ref.name)), ())


class Scene(NamedTuple):
    """All that a rule may look at.

    Attributes:
        subjects: every object at hand; the kustomization file of a build is among them.
        by_kind: (API group, kind) to the objects.
        gangs: (backend, namespace, name) to the group object's subject.
        faulty: as the keys of ``gangs``, for group objects that are at hand but did not pass their own checks.
        jobs: (namespace, name) to the job.
        bound: (backend, namespace, group name) to the jobs whose templates bear that mark.
        astray: as ``bound``, for what reads like a mark and binds no pod.
        mentioned: (backend, namespace, group name) of marks on anything that is no known job.
        backends: every known backend by name.
        whole: whether all objects of the deployment are at hand, so that a missing one is a fault.
        backend: name of the backend that the settings ask for, or empty.
        groups: who makes the groups; None when the settings do not say.
        options: the wanted backend's options.
        versions: component to version, from the settings.
        queues: queues that the cluster has, from the settings; empty when they do not say.
        before: (API group, kind, namespace, name) to the object as it was at the revision that the user
            compares with; None when there is no such comparison.
        revision: that revision, as the user names it.
        patches: target name (empty for patterns) to what the build applied, each with its place in the order.
        written: (API group, kind) to the objects as their files hold them, before the build.
    """

    subjects: tuple[Subject, ...]
    by_kind: Mapping[tuple[str, str], tuple[Subject, ...]]
    gangs: Mapping[tuple[str, str, str], Subject]
    bound: Mapping[tuple[str, str, str], tuple[Subject, ...]]
    mentioned: frozenset[tuple[str, str, str]]
    backends: Mapping[str, Backend]
    whole: bool
    backend: str = ""
    groups: Groups | None = None
    options: Mapping[str, Any] = {}
    versions: Mapping[str, str] = {}
    queues: frozenset[str] = frozenset()
    jobs: Mapping[tuple[str, str], Subject] = {}
    before: Mapping[tuple[str, str, str, str], Mapping[str, Any]] | None = None
    revision: str = ""
    astray: Mapping[tuple[str, str, str], tuple[Subject, ...]] = {}
    faulty: frozenset[tuple[str, str, str]] = frozenset()
    patches: Mapping[str, tuple[tuple[int, Patch], ...]] = {}
    written: Mapping[tuple[str, str], tuple[Mapping[str, Any], ...]] = {}

    def at_least(self, component: str, version: str) -> bool:
        """Whether a component is of this version or newer; the newest is taken for granted.

        Args:
            component: ``kubernetes``, ``scheduler-plugins``, ``volcano``, ``mpi-operator`` or ``kueue``.
            version: dotted numbers, such as ``1.12``.
        """
        stated = self.versions.get(component)
        return stated is None or _numbers(stated) >= _numbers(version)

    def groups_of(self, subject: Subject) -> Iterator[tuple[Subject, tuple[Role, ...]]]:
        """Yield the group objects at hand that a job's templates name, each with the roles that bear the mark."""
        for backend, name, roles in subject.bound_roles():
            group = self.gangs.get((backend, subject.ref.namespace, name))
            if group is not None:
                yield group, roles

    def role_key(self, backend: str, role: Role) -> tuple[str, Pointer] | None:
        """Return what a scheduler takes for the role of these pods inside their group, and where it stands."""
        for holder, key, since in self.backends[backend].ROLE_KEYS:
            labelled = holder == "labels"
            value = (role.labels if labelled else role.annotations).get(key)
            known = not since or self.at_least(self.backends[backend].COMPONENT, since)
            if known and isinstance(value, str) and value:
                return value, (*(role.places.labels if labelled else role.places.annotations), key)
        return None

    def has(self, backend: str, trait: Trait) -> bool:
        """Whether a backend of this name is known to do this with its groups."""
        return backend in self.backends and trait in self.backends[backend].TRAITS

    def scheduled_by(self, role: Role) -> str:
        """Return the name of the backend that a role's pods are handed to; empty for any other scheduler."""
        name = role.spec.get("schedulerName") or "default-scheduler"
        if self.backend and name == self.options.get("schedulerName"):
            return self.backend
        return next((key for key, backend in self.backends.items() if name in backend.SCHEDULER_NAMES), "")

    def is_leftover(self, subject: Subject, bond: Bond) -> bool:
        """Whether another mark on the same template is the one that the pods' scheduler reads."""
        readers = {self.scheduled_by(role) for role in (subject.workload.roles if subject.workload else ())
                   if role.name == bond.role}
        return bond.backend not in readers and any(
            twin.role == bond.role and twin.backend in readers for twin in subject.bonds)

    def jobs_of(self, subject: Subject) -> tuple[Subject, ...]:
        """Return the jobs whose templates name a group object."""
        if subject.gang is None:
            return ()
        return self.bound.get((subject.gang.backend, subject.ref.namespace, subject.ref.name), ())


def _numbers(version: str) -> tuple[int, ...]:
    parts = (part for part in version.lstrip("v").split("-")[0].split("+")[0].split("."))
    return tuple(int(part) if part.isdigit() else 0 for part in parts)


class Rule(Protocol):
    """One fault. The module's docstring is its documentation.

    Attributes:
        ID: the file's name in kebab case.
        SEVERITY: the default severity.
    """

    ID: str
    SEVERITY: Severity
    __doc__: str | None

    def check(self, subject: Subject, scene: Scene) -> Iterator[Problem]:
        """Yield the subject's problems; may look at the whole scene."""


class Catalog(NamedTuple):
    """Every plug-in, handed to the pipeline.

    Attributes:
        kinds: by (apiVersion, kind).
        backends: by name.
        rules: by id.
        yields: id to the ids that speak instead when both have something to say of one gang.
        preview: ids that count only when previews are asked for.
        off: ids that count only when the user names them.
    """

    kinds: Mapping[tuple[str, str], Kind]
    backends: Mapping[str, Backend]
    rules: Mapping[str, Rule]
    yields: Mapping[str, frozenset[str]] = {}
    preview: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()
