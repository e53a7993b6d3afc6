"""Changes of objects: the one that transform, fix and remove share, and those that a build applies."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gangform.model.pointer import Pointer


class Absent:
    """The value of an edit that takes the key out."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


class Edit(NamedTuple):
    """Set the value at a pointer, creating missing parent maps, or take it out (``ABSENT``).

    Attributes:
        origin: where the value is moved from, so that it goes away there; None when nothing moves.
    """

    pointer: Pointer
    value: Any
    origin: Pointer | None = None

    def __hash__(self) -> int:
        """Hash the places alone: a value may be a map or a list, and findings are kept in sets with their edits."""
        return hash((self.pointer, self.origin))


class Patch(NamedTuple):
    """What a build applies to an object.

    Attributes:
        kind, name: of the target, before any rename; empty where the patch does not say.
        data: a partial object, or a list of JSON6902 operations.
    """

    kind: str
    name: str
    data: Any


def put(data: Any, pointer: Pointer, value: Any) -> Any:
    """Return ``data`` with the value at the pointer, or without it for ``ABSENT``.

    Missing maps on the way are made, but not in order to take something out of them; a map that is
    emptied stays, as kustomize leaves it.
    """
    if not pointer:
        return value
    token, rest = pointer[0], pointer[1:]
    if isinstance(data, list):
        return [put(item, rest, value) if index == token else item for index, item in enumerate(data)]
    held = dict(data) if isinstance(data, Mapping) else {}
    if value is not ABSENT:
        return {**held, token: put(held.get(token), rest, value)}
    if token not in held:
        return data
    if rest:
        return {**held, token: put(held[token], rest, value)}
    del held[token]
    return held


def apply(data: Any, edits: Iterable[Edit]) -> Any:
    """Return ``data`` as it is after the edits, in their order; shares what they do not change."""
    for edit in edits:
        if edit.origin is not None:
            data = put(data, edit.origin, ABSENT)
        data = put(data, edit.pointer, edit.value)
    return data


def difference(old: Any, new: Any, at: Pointer = ()) -> Iterator[Edit]:
    """Yield the edits that make one value of another; lists are replaced whole."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from (Edit((*at, key), ABSENT) for key in old if key not in new)
        for key, value in new.items():
            yield from difference(old.get(key, ABSENT), value, (*at, key))
    elif old != new or type(old) is not type(new):
        yield Edit(at, new)
