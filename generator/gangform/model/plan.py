"""What a backend answers: data only, zero or more of each part."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from gangform.model.finding import Problem
from gangform.model.pointer import Pointer
from gangform.model.workload import Ref


class Mark(NamedTuple):
    """What a pod template receives; a None value takes the key out."""

    labels: Mapping[str, str | None] = {}
    annotations: Mapping[str, str | None] = {}
    scheduler_name: str | None = None


class NameReference(NamedTuple):
    """A label or annotation of every marked template that names an object.

    Attributes:
        group, kind: of the object that is named.
        holder: which map of the template carries the name.
        key: the key in that map.
    """

    group: str
    kind: str
    holder: Literal["labels", "annotations"]
    key: str


class FalseMark(NamedTuple):
    """A label or annotation that reads like a backend's mark and binds no pod.

    Attributes:
        holder: which map of the template carries it.
        key: the key in that map.
        read_before: the version of the backend's component that no longer reads it; empty if none ever did.
    """

    holder: Literal["labels", "annotations"]
    key: str
    read_before: str = ""


class Group(NamedTuple):
    """A scheduler's group object to emit.

    Attributes:
        data: the whole object, without namespace when the job has none.
        origins: pointer in ``data`` to the pointer in the job that it was computed from.
    """

    data: Mapping[str, Any]
    origins: Mapping[Pointer, Pointer] = {}


class Plan(NamedTuple):
    """How one backend starts one workload as a gang.

    Attributes:
        backend: the backend's name.
        workload: the job it is for.
        groups: group objects, named like the job.
        marks: role name to what its template receives.
        references: what must be renamed along with the groups.
        notices: what the backend cannot express, on the job's own data.
    """

    backend: str
    workload: Ref
    groups: tuple[Group, ...] = ()
    marks: Mapping[str, Mark] = {}
    references: tuple[NameReference, ...] = ()
    notices: tuple[Problem, ...] = ()
