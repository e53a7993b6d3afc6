"""What a kind, a backend and a rule must be. Each plug-in is one module that fulfils a Protocol.

A kind knows one job API and nothing about schedulers; a backend knows one scheduler and nothing
about job APIs; a rule looks at the whole scene and reports on its own subject only.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from gangform.model.finding import Code, Problem, Severity
from gangform.model.gang import Bond, Gang
from gangform.model.plan import NameReference, Plan
from gangform.model.workload import Ref, Role, Workload

Groups = Literal["git", "operator"]
"""Who makes the group objects: files in Git, or the job operator with its own flag."""


class Kind(Protocol):
    """One job API.

    Attributes:
        API: apiVersion and kind.
        SCHEMA: name of its schema below ``schemas/``, without ``.json``.
        LEGACY: other apiVersions of the same group and kind, each with what the author must do.
        MOVES: dotted path of a field that is unknown there (``*`` stands for any key or index)
            to a sentence that says where it belongs.
        CODES: ids that ``check`` stamps on its problems.
    """

    API: tuple[str, str]
    SCHEMA: str
    LEGACY: Mapping[str, str]
    MOVES: Mapping[str, str]
    CODES: Mapping[str, Code]

    def check(self, data: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what the job's operator refuses although the schema allows it."""

    def read(self, data: Mapping[str, Any]) -> Workload:
        """Read a job that passed its schema; total on such data."""


class Option(NamedTuple):
    """One setting of a backend, wherever it is given.

    Attributes:
        type: ``text``, ``seconds`` (a whole number), ``choice`` or ``map`` (text to text).
        help: one sentence for users.
        default: what holds when it is not given; None means left out.
        choices: for ``choice``.
    """

    type: Literal["text", "seconds", "choice", "map"]
    help: str
    default: str | None = None
    choices: tuple[str, ...] = ()


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
        GROUP_API: apiVersion and kind of its group object.
        GROUP_SCHEMA: name of the group object's schema below ``schemas/``.
        MARK: the label or annotation that binds a pod to a group.
        SCHEDULER_NAMES: names under which it is commonly served.
        HONOURS: the fields of Policy that it can express.
        OPTIONS: its settings; ``schedulerName`` is always among them.
    """

    NAME: str
    TITLE: str
    GROUP_API: tuple[str, str]
    GROUP_SCHEMA: str
    MARK: NameReference
    SCHEDULER_NAMES: frozenset[str]
    HONOURS: frozenset[str]
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
        holder: the object whose text holds this one (a Workflow, a ConfigMap), when it is made at run time.
    """

    ref: Ref
    data: Mapping[str, Any]
    workload: Workload | None = None
    gang: Gang | None = None
    bonds: tuple[Bond, ...] = ()
    holder: Ref | None = None

    @property
    def gang_names(self) -> frozenset[tuple[str, str]]:
        """(namespace, name) of every gang that a job or a group object stands for."""
        names = {self.ref.name, *(bond.group for bond in self.bonds)}
        return frozenset((self.ref.namespace, name) for name in names)

    def bound_roles(self) -> Iterator[tuple[str, str, tuple[Role, ...]]]:
        """Yield (backend, group name, roles that bear its mark) for each group that a job names."""
        for backend, group in sorted({(bond.backend, bond.group) for bond in self.bonds}):
            bound = {bond.role for bond in self.bonds if (bond.backend, bond.group) == (backend, group)}
            roles = self.workload.roles if self.workload else ()
            yield backend, group, tuple(role for role in roles if role.name in bound)


class Scene(NamedTuple):
    """All that a rule may look at.

    Attributes:
        subjects: every object at hand; the kustomization file of a build is among them.
        by_kind: (API group, kind) to the objects.
        gangs: (backend, namespace, name) to the group object's subject.
        bound: (backend, namespace, group name) to the jobs whose templates bear that mark.
        mentioned: (backend, namespace, group name) of marks on anything that is no known job.
        backends: every known backend by name.
        whole: whether all objects of the deployment are at hand, so that a missing one is a fault.
        backend: name of the backend that the settings ask for, or empty.
        groups: who makes the groups.
        options: the wanted backend's options.
        versions: component to version, from the settings.
        before: (API group, kind, namespace, name) to the object as it was at the revision that the user
            compares with; None when there is no such comparison.
    """

    subjects: tuple[Subject, ...]
    by_kind: Mapping[tuple[str, str], tuple[Subject, ...]]
    gangs: Mapping[tuple[str, str, str], Subject]
    bound: Mapping[tuple[str, str, str], tuple[Subject, ...]]
    mentioned: frozenset[tuple[str, str, str]]
    backends: Mapping[str, Backend]
    whole: bool
    backend: str = ""
    groups: Groups = "git"
    options: Mapping[str, Any] = {}
    versions: Mapping[str, str] = {}
    before: Mapping[tuple[str, str, str, str], Mapping[str, Any]] | None = None

    def at_least(self, component: str, version: str) -> bool:
        """Whether a component is of this version or newer; the newest is taken for granted.

        Args:
            component: ``kubernetes``, ``scheduler-plugins``, ``volcano``, ``mpi-operator`` or ``kueue``.
            version: dotted numbers, such as ``1.12``.
        """
        stated = self.versions.get(component)
        return stated is None or _numbers(stated) >= _numbers(version)

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
