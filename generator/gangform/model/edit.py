"""One change of a value: the noun that transform, fix and remove share."""

from typing import Any, NamedTuple

from gangform.model.pointer import Pointer


class Absent:
    """The value of an edit that takes the key out."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


class Edit(NamedTuple):
    """Set the value at a pointer, creating missing parent maps, or take it out (``ABSENT``)."""

    pointer: Pointer
    value: Any
