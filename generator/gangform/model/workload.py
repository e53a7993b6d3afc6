"""The neutral picture of a job: roles of pods, whatever API described them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from gangform.model.pointer import Pointer


class Ref(NamedTuple):
    """Identity of an object; ``namespace`` is empty when the manifest names none."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api_version.rpartition("/")[0]


def identify(data: Mapping[str, Any]) -> Ref:
    """Read an object's identity; whatever is missing or no text becomes empty."""
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    parts = (data.get("apiVersion"), data.get("kind"), metadata.get("namespace"), metadata.get("name"))
    return Ref(*(part if isinstance(part, str) else "" for part in parts))


class Places(NamedTuple):
    """Where a role's template carries what a scheduler reads; pointers into the job."""

    labels: Pointer
    annotations: Pointer
    scheduler_name: Pointer


class Role(NamedTuple):
    """Pods made from one template.

    Attributes:
        name: as the job's API calls it (``Launcher``, ``Worker``).
        replicas: pods that this role has.
        replicas_at: pointer of the value that decides the number (may be missing in the data).
        template: the pod template (``metadata`` and ``spec``), as in the job.
        template_at: pointer of the template in the job.
        places: where marks go.
    """

    name: str
    replicas: int
    replicas_at: Pointer
    template: Mapping[str, Any]
    template_at: Pointer
    places: Places

    @property
    def spec(self) -> Mapping[str, Any]:
        """The pod spec."""
        return self.template.get("spec") or {}

    @property
    def labels(self) -> Mapping[str, Any]:
        """The template's labels."""
        return (self.template.get("metadata") or {}).get("labels") or {}

    @property
    def annotations(self) -> Mapping[str, Any]:
        """The template's annotations."""
        return (self.template.get("metadata") or {}).get("annotations") or {}


class Policy(NamedTuple):
    """What the author asked of the gang; None where nothing was said.

    Attributes:
        min_available: pods.
        min_resources: resource name to quantity, as written.
        timeout_seconds: seconds.
        places: field name of this type to the pointer of the value in the job.
    """

    min_available: int | None = None
    queue: str | None = None
    priority_class: str | None = None
    min_resources: Mapping[str, Any] | None = None
    timeout_seconds: int | None = None
    places: Mapping[str, Pointer] = {}


class Workload(NamedTuple):
    """A job, whatever its API.

    Attributes:
        roles: in the order in which pods start (the launcher first).
        suspended: whether the job is held back and has no pods.
        together: names of the roles whose pods exist at the same time and so form the gang.
        followed: pointers of the values that the job's operator acts on while the job runs or after it.
        added_labels: keys of the labels that the job's operator itself gives to every pod.
        manager: to whom the job is left, where that is not its own operator; else empty.
    """

    ref: Ref
    labels: Mapping[str, Any]
    annotations: Mapping[str, Any]
    roles: tuple[Role, ...]
    policy: Policy
    suspended: bool
    together: tuple[str, ...]
    added_labels: frozenset[str] = frozenset()
    followed: frozenset[Pointer] = frozenset()
    manager: str = ""

    @property
    def gang(self) -> tuple[Role, ...]:
        """The roles whose pods exist at the same time."""
        return tuple(role for role in self.roles if role.name in self.together)

    @property
    def pods(self) -> int:
        """Pods of all roles."""
        return sum(role.replicas for role in self.roles)

    @property
    def pods_together(self) -> int:
        """Pods that exist at the same time."""
        return sum(role.replicas for role in self.gang)


class Pods(NamedTuple):
    """How the pods of a kind's jobs say whose they are.

    Attributes:
        labels: keys of the labels that name the operator, the job and the role.
        operator: the value of the first.
        roles: value of the last to the role's name.
        makers: kind of each other object that makes pods of a job, and what follows the job's name in its name.
    """

    labels: tuple[str, str, str]
    operator: str
    roles: Mapping[str, str]
    makers: tuple[tuple[str, str], ...] = ()


class Progress(NamedTuple):
    """Types of the conditions in which a kind's operator tells how far a job has come."""

    created: str
    suspended: str
    succeeded: str
    failed: str


class Held(NamedTuple):
    """A job inside another object, made at run time.

    Attributes:
        pointer: where in the holder's data.
        marked: whether it bears the mark of any backend.
    """

    pointer: Pointer
    ref: Ref
    marked: bool
