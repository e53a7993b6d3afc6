"""The neutral picture of a scheduler's group object and of what binds pods to it."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from gangform.model.pointer import Pointer
from gangform.model.workload import Ref

Trait = Literal[
    "blocks-on-min-resources", "counts-idle-pods", "reserves-without-pods", "rewrites-groups",
    "sleeps-until-event", "sorts-single-pods",
]
"""What a scheduler does with its groups: starts no pod while the cluster lacks minResources, whatever a
resource is called; counts a waiting pod that asks for nothing as started; holds minResources for a group
without pods; writes whole groups back, and so everything in them as it spells it; looks at a
waiting group again only when one of its own objects changes, or much later; sorts its queue by the
priority of each pod, so that other gangs can come between the members of one."""


class RoleKey(NamedTuple):
    """Where a scheduler looks for a pod's role inside its group.

    Attributes:
        since: version of the scheduler from which on it looks there; empty for every version.
    """

    holder: Literal["labels", "annotations"]
    key: str
    since: str = ""


class Queueing(NamedTuple):
    """The queues of a backend.

    Attributes:
        kind: API group and kind of a queue object.
        built_in: queues that every cluster has.
        default: the queue of a group that names none.
    """

    kind: tuple[str, str]
    built_in: frozenset[str]
    default: str


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


class Gang(NamedTuple):
    """A group object as its scheduler reads it; None where the object says nothing.

    Attributes:
        backend: name of the backend whose object it is.
        min_member: pods that must start together.
        min_resources: resource name to quantity, as written.
        timeout_seconds: seconds.
    """

    backend: str
    ref: Ref
    min_member: int | None = None
    min_resources: Mapping[str, Any] | None = None
    queue: str | None = None
    priority_class: str | None = None
    timeout_seconds: int | None = None


class Bond(NamedTuple):
    """A mark found on a pod template: the role's pods belong to the named group.

    Attributes:
        role: name of the role.
        backend: the backend that reads this key.
        group: the group's name, as written.
        pointer: where the mark stands in the job.
    """

    role: str
    backend: str
    group: str
    pointer: Pointer
