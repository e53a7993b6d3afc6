"""The neutral picture of a scheduler's group object and of what binds pods to it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from gangform.model.pointer import Pointer
from gangform.model.workload import Ref


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
