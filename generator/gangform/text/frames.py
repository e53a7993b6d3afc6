"""The maps and lists that a composition is filling, and how maps are merged into them."""

from collections.abc import Iterator, Sequence
from typing import Any

from gangform.model.pointer import Pointer


class Await:
    """What a frame awaits next, where that is not the value of a key."""


KEY: Any = Await()
ITEM: Any = Await()
MERGE: Any = Await()


class Frame:
    """A map or list that is being filled.

    Attributes:
        data: the dict or list.
        seen: of a map, key to the offset where it was named, in characters.
        key: the key whose value is awaited, or KEY, ITEM or MERGE.
        merges: values of ``<<``.
        event: what began it; None for the frame that holds the root.
        nodes: values read before this one.
        height: depth of what is inside.
    """

    __slots__ = ("data", "event", "height", "key", "merges", "nodes", "seen")

    def __init__(self, data: Any, key: Any, event: Any, nodes: int) -> None:
        self.data = data
        self.seen: dict[Any, int] = {}
        self.key = key
        self.merges: list[Any] = []
        self.event = event
        self.nodes = nodes
        self.height = 0

    def step(self) -> Pointer:
        """Return the pointer from this map or list to what is awaited."""
        if self.key is KEY:
            return ()
        return ("<<" if self.key is MERGE else len(self.data) if self.key is ITEM else self.key,)

    def merge(self) -> Iterator[str]:
        """Put in the merged values; yield the keys above ``<<`` whose value kubectl would replace."""
        merged: dict[str, Any] = {}
        for value in self.merges:
            for source in value if type(value) is list else [value]:
                for key, item in source.items():
                    merged.setdefault(key, item)
        mark = self.seen[MERGE]
        for key, value in merged.items():
            if key not in self.seen:
                self.data[key] = value
            elif self.seen[key] < mark and self.data[key] != value:
                yield key


def path(frames: Sequence[Frame]) -> Pointer:
    """Return the pointer to the innermost map or list; the first frame holds the root."""
    return tuple(step for frame in frames[1:-1] for step in frame.step())


def is_mergeable(value: Any) -> bool:
    """Tell whether a value may stand behind ``<<``."""
    return type(value) is dict or (type(value) is list and all(type(item) is dict for item in value))


def copy(value: Any) -> Any:
    """Copy a value, so that no two places of the data share a map or list."""
    if type(value) is dict:
        return {key: copy(item) for key, item in value.items()}
    return [copy(item) for item in value] if type(value) is list else value
