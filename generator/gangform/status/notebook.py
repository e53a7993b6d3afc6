"""Events, kept with the objects that they speak of: few of each object, and few of objects that are not known."""

from collections.abc import Iterable
from typing import NamedTuple

from gangform.status.picture import Key, Note

KEPT = 8
"""Events of one object, each with a reason of its own."""

UNCLAIMED = 4096
"""Objects that are not known (yet) and of which events are kept."""


class About(NamedTuple):
    """An object that events speak of."""

    kind: str
    namespace: str
    name: str


class Notebook:
    """The newest event of each reason."""

    def __init__(self) -> None:
        self._keys: dict[About, Key] = {}
        self._known: dict[About, tuple[Note, ...]] = {}
        self._waiting: dict[About, tuple[Note, ...]] = {}

    def put(self, about: About, note: Note) -> Key | None:
        """Take note of an event; return the gang of its object, where that is known."""
        key = self._keys.get(about)
        if key is not None:
            self._known[about] = _with(self._known.get(about, ()), note)
            return key
        self._waiting[about] = _with(self._waiting.pop(about, ()), note)
        if len(self._waiting) > UNCLAIMED:
            del self._waiting[next(iter(self._waiting))]
        return None

    def claim(self, about: About, key: Key) -> None:
        """Keep an object's events as long as the object is there."""
        if about not in self._keys:
            self._keys[about] = key
            if about in self._waiting:
                self._known[about] = self._waiting.pop(about)

    def drop(self, about: About) -> None:
        """Forget an object's events."""
        self._keys.pop(about, None)
        self._known.pop(about, None)
        self._waiting.pop(about, None)

    def read(self, objects: Iterable[About]) -> tuple[Note, ...]:
        """Return the events of some objects, newest last."""
        found = [note for about in objects for note in self._known.get(about, ())]
        return tuple(sorted(found, key=_age))


def _with(notes: tuple[Note, ...], note: Note) -> tuple[Note, ...]:
    alike = next((one for one in notes if (one.reason, one.component) == (note.reason, note.component)), None)
    if alike is not None and _age(alike) >= _age(note):
        return notes
    rest = [one for one in notes if one is not alike]
    return tuple(sorted((*rest, note), key=_age)[-KEPT:])


def _age(note: Note) -> tuple[int, str, str, str, str]:
    return (note.at or 0, note.reason, note.message, note.name, note.component)
