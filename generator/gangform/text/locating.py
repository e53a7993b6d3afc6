"""Where the values of a document stand in its text; computed only when someone asks.

Rules and schemas speak in pointers. Here the document's text is read once more, with the places
this time, and pointers become lines and columns.
"""

from functools import lru_cache
from typing import Any, Literal

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from gangform.model.finding import Location
from gangform.model.pointer import Pointer, render
from gangform.model.source import Document, Place
from gangform.text.events import JsonText, find_json, open_events
from gangform.text.lines import Lines
from gangform.text.scalars import is_merge, key_text, read_tagged, resolve

Part = Literal["key", "value"]


class Node:
    """One value of the text.

    Attributes:
        start, end: its span, in characters from the begin of the document.
        key: span of its key; None in a list and at the root.
        items: key or index to child; None for a scalar. The pairs are those of the text, without merged ones.
        pairs: of a map, the values in the order of the text, those of ``<<`` among them.
        merged: nodes of the maps that ``<<`` brings in, the strongest first.
        flow: whether a map or list is written in braces or brackets.
        anchor: name that the text gives it.
        alias: the node whose value this reference repeats.
    """

    __slots__ = ("alias", "anchor", "end", "flow", "items", "key", "merged", "pairs", "start")

    def __init__(self, event: Any, items: dict[str | int, "Node"] | None = None) -> None:
        self.start: int = event.start_mark.index
        self.end: int = event.end_mark.index
        self.key: tuple[int, int] | None = None
        self.items = items
        self.merged: list[Node] = []
        self.pairs: list[Node] = []
        self.flow: bool = items is not None and bool(event.flow_style)
        self.anchor: str | None = event.anchor
        self.alias: Node | None = None

    @property
    def target(self) -> "Node":
        """The node itself, or the one that it refers to."""
        return self.alias or self

    def child(self, token: str | int) -> "Node | None":
        """Return what stands under a key or index, merged keys included."""
        waiting = [self]
        while waiting:
            own = waiting.pop().target
            if own.items and token in own.items:
                return own.items[token]
            waiting.extend(reversed(own.merged))
        return None


class Positions:
    """The places of one document; the text that was read last is not read again.

    Args:
        document: as ``reading.read`` answered it.
        pure: whether to do without libyaml.
    """

    def __init__(self, document: Document, *, pure: bool = False) -> None:
        text = document.source.text[document.start:document.end]
        self._document = document
        self._lines, self.root = _read_places(text, document.line, pure=pure)

    def node(self, pointer: Pointer) -> Node | None:
        """Return the node at a pointer of the document's data, or None where there is none."""
        node, missing = self._walk(pointer)
        return None if missing else node

    def place(self, pointer: Pointer, on: Part = "value") -> Place:
        """Return the span of a key or value; of a missing one, the key of its nearest ancestor."""
        return self._lines.place(*self._span(pointer, on))

    def location(self, pointer: Pointer, on: Part = "value") -> Location:
        """Return the place as findings show it; without lines when no author wrote the text."""
        source = self._document.source
        shown = render(pointer)
        if source.built:
            return Location(source.name, pointer=shown)
        span = self._span(pointer, on)
        return Location(source.name, *self._lines.place(*span), shown, self._lines.excerpt(span[0]))

    def _span(self, pointer: Pointer, on: Part) -> tuple[int, int]:
        node, missing = self._walk(pointer)
        if node.key and (missing or on == "key"):
            return node.key
        return node.start, node.end

    def _walk(self, pointer: Pointer) -> tuple[Node, bool]:
        node = self.root
        for token in self._document.base + pointer:
            child = node.child(token)
            if child is None:
                return node, True
            node = child
        return node, False


def locate(document: Document, pointer: Pointer, on: Part = "value") -> Place:
    """Return where a value or its key stands; of a missing one, the key of its nearest ancestor."""
    return Positions(document).place(pointer, on)


def location(document: Document, pointer: Pointer, on: Part = "value") -> Location:
    """Return where a value or its key stands, as findings show it."""
    return Positions(document).location(pointer, on)


class _NodeReader:
    """Builds the nodes of one document that is known to be sound."""

    def __init__(self, text: str, json: JsonText | None) -> None:
        self.root: Node | None = None
        self._text = text
        self._json = json
        self._open: list[Node] = []
        self._keys: list[Any] = []
        self._anchors: dict[str, tuple[Node, Any]] = {}

    def take(self, event: Any) -> None:
        """Take the next event."""
        kind = type(event)
        if kind is MappingEndEvent or kind is SequenceEndEvent:
            self._end(event)
        elif kind is AliasEvent:
            node = Node(event)
            node.anchor = None
            target, origin = self._anchors[event.anchor]
            node.alias = target
            self._place(origin, node)
        elif kind is ScalarEvent:
            node = Node(event)
            if event.style in {"|", ">"}:
                node.end = node.start + len(self._text[node.start:node.end].rstrip())
            self._place(event, node)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            node = Node(event, {})
            self._place(event, node)
            self._open.append(node)
            self._keys.append(None if kind is MappingStartEvent else 0)

    def _place(self, event: Any, node: Node) -> None:
        if node.anchor:
            self._anchors[node.anchor] = (node, event)
        if not self._open:
            self.root = node
            return
        parent: Any = self._open[-1]
        key = self._keys[-1]
        if isinstance(key, int):
            parent.items[key] = node
            self._keys[-1] = key + 1
        elif key is None:
            self._keys[-1] = (self._read_key(event), (node.start, node.end))
        else:
            self._keys[-1] = None
            self._name(parent, key, node)

    def _read_key(self, event: Any) -> str | None:
        """Return the JSON key, or None for a merge key."""
        if is_merge(event):
            return None
        if event.tag:
            return str(key_text(read_tagged(event.value, event.tag)))
        if event.implicit[0]:
            return str(key_text(resolve(event.value)))
        return self._json.read(event) if self._json else str(event.value)

    def _name(self, parent: Any, key: tuple[str | None, tuple[int, int]], node: Node) -> None:
        name, node.key = key
        parent.pairs.append(node)
        if name is None:
            parent.merged.append(node)
        else:
            parent.items[name] = node

    def _end(self, event: Any) -> None:
        node: Any = self._open.pop()
        self._keys.pop()
        node.end = event.end_mark.index if node.flow else max(
            (child.end for child in (*node.items.values(), *node.merged)), default=node.start)
        node.merged = [source for value in node.merged for source in _sources(value)]


def _sources(node: Node) -> list[Node]:
    if node.alias or node.merged or node.items is None or not all(isinstance(key, int) for key in node.items):
        return [node]
    return list(node.items.values())


@lru_cache(maxsize=1)
def _read_places(text: str, first: int, *, pure: bool) -> tuple[Lines, Node]:
    """Read a document's text; a list object has one text for all its items, and many may be asked for in turn."""
    return Lines(text, first), _read_nodes(text, pure=pure)


def _read_nodes(text: str, *, pure: bool) -> Node:
    json = find_json(text)
    next_event = open_events(json.shadow if json else text, pure=pure)
    reader = _NodeReader(text, json)
    while type(event := next_event()) is not StreamEndEvent:
        reader.take(event)
    if reader.root is None:
        raise LookupError("the document is empty")
    return reader.root
