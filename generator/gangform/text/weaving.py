"""Old data, new data and the places of a text to the changes of the text.

In a block, added keys come right after their map's own key, and a removed key goes with its lines, but for
comments that stand on lines of their own. In braces, added keys come first.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gangform.model.pointer import Pointer
from gangform.text import spelling
from gangform.text.changes import BREAK, Changes, Obstacle
from gangform.text.locating import Node
from gangform.text.removing import REST, from_block, from_braces

_STEP, _MAX_STEP = 2, 9


class Woven(NamedTuple):
    """The new text, and what to say when it does not read as the new data."""

    text: str
    doubt: Obstacle


class _Spot(NamedTuple):
    """A value on the way through the document.

    Attributes:
        node: where it stands.
        at: its pointer.
        flow: whether what holds it is written in braces or brackets.
        step: by how many characters maps are indented here.
    """

    node: Node
    at: Pointer
    flow: bool
    step: int


def weave(text: str, root: Node, old: Any, new: Any, moves: Mapping[Pointer, Pointer]) -> Woven:
    """Return the text with every difference between old and new data written into it.

    Args:
        text: of one document.
        root: its places.
        old: what the text says.
        new: what it is to say; shares with ``old`` what does not change.
        moves: pointer in ``new`` to the pointer in ``old`` that the value is moved from.

    Raises:
        Obstacle: the text is written so that a difference has no place in it.
    """
    weaver = _Weaver(text, root, moves)
    weaver.walk(_Spot(root, (), root.flow, _STEP), old, new)
    changes = weaver.changes
    doubt = changes.clash or Obstacle(changes.first, "the text is written in a way that cannot be changed safely")
    return Woven(changes.apply(), doubt)


class _Weaver:
    """Walks old and new data side by side and collects the changes."""

    def __init__(self, text: str, root: Node, moves: Mapping[Pointer, Pointer]) -> None:
        self.changes = Changes(text)
        self._as_json = root.flow and _is_json(text[root.start:root.end])
        self._origins = {target: (origin, node) for target, origin in moves.items()
                         if (node := _find(root, origin)) is not None and node.key is not None}

    def walk(self, spot: _Spot, old: Any, new: Any) -> None:
        """Write the differences of one value."""
        if old is new or (old == new and type(old) is type(new) and not isinstance(old, dict | list)):
            return
        target = spot.node.target
        self._note_sharing(spot.node)
        if isinstance(old, dict) and isinstance(new, dict) and target.items is not None:
            self._map(spot, old, new)
        elif isinstance(old, list) and isinstance(new, list) and target.items is not None:
            if len(old) != len(new):
                raise Obstacle(target.start, "items of a list are not added or taken out")
            for index, (one, other) in enumerate(zip(old, new, strict=True)):
                self.walk(_Spot(target.items[index], (*spot.at, index), target.flow, spot.step), one, other)
        else:
            self._replace(spot._replace(node=target), new)

    def _note_sharing(self, node: Node) -> None:
        anchor = node.anchor or (node.target.anchor if node.alias else None)
        if anchor and self.changes.clash is None:
            self.changes.clash = Obstacle(node.start, f"other places share this value through the anchor &{anchor}")

    def _map(self, spot: _Spot, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        target = spot.node.target
        own = target.items or {}
        step = self._step(spot)
        removed = {key for key in old if key not in new}
        added = {key: value for key, value in new.items() if key not in old}
        for key in tuple(added):
            if self._rename(own, (*spot.at, key), removed):
                del added[key]
        for key in old:
            if key not in own and new.get(key) is not old[key]:
                self.changes.clash = Obstacle(target.start, f"{key} comes from another map through <<")
                if key in removed:
                    raise self.changes.clash
            child = target.child(key)
            if key in new and child is not None:
                self.walk(_Spot(child, (*spot.at, key), target.flow, step), old[key], new[key])
        gone = [node for node in target.pairs if any(node is own[key] for key in removed)]
        if target.flow:
            self._edit_braces(target, gone, added)
        else:
            self._edit_block(spot, gone, added, step)

    def _rename(self, own: Mapping[str | int, Node], pointer: Pointer, removed: set[str]) -> bool:
        """Rename a key in its place, where its value is moved inside one map."""
        origin, node = self._origins.get(pointer, ((), None))
        if node is None or node.key is None or origin[:-1] != pointer[:-1] or node is not own.get(origin[-1]):
            return False
        key = str(pointer[-1])
        self.changes.replace(*node.key, spelling.flow(key, as_json=True) if self._as_json else spelling.name(key))
        removed.discard(str(origin[-1]))
        return True

    def _step(self, spot: _Spot) -> int:
        """Return by how many characters the block map here is indented below its key."""
        target = spot.node.target
        if target.flow or not target.key or not target.pairs or not target.pairs[0].key:
            return spot.step
        step = self.changes.column(target.pairs[0].key[0]) - self.changes.column(target.key[0])
        return step if 0 < step <= _MAX_STEP else spot.step

    def _edit_braces(self, target: Node, gone: Sequence[Node], added: Mapping[str, Any]) -> None:
        begin = self.changes.text.find("{", target.start)
        first = target.pairs[0].key[0] if target.pairs and target.pairs[0].key else begin + 1
        if not target.start <= begin < first:
            raise Obstacle(target.start, "a pair without braces stands in a list")
        gap = self.changes.text[begin + 1:first]
        comma = f",{gap if gap and not gap.strip() else ' '}"
        pairs = [spelling.pair(key, value, as_json=self._as_json) for key, value in added.items()]
        if pairs:
            self.changes.replace(first, first, comma.join(pairs) + (comma if len(gone) < len(target.pairs) else ""))
        from_braces(self.changes, target, gone)

    def _edit_block(self, spot: _Spot, gone: Sequence[Node], added: Mapping[str, Any], step: int) -> None:
        target = spot.node.target
        if added:
            first = target.pairs[0].key or (target.start, target.start)
            column = self.changes.column(first[0])
            self.changes.insert(self._header_end(target), list(
                spelling.lines(added, spot.at, column, step, self._raw)))
        elif gone and len(gone) == len(target.pairs):
            if target.key is None:
                raise Obstacle(target.start, "nothing would be left of the map")
            self.changes.replace(self._colon(target), self._colon(target), " {}")
        from_block(self.changes, target, gone, [node for _, node in self._origins.values()])

    def _header_end(self, target: Node) -> int:
        """Return an offset on the line after which added keys stand."""
        if target.key is None:
            return target.end
        properties = target.start + len(f"&{target.anchor}") if target.anchor else 0
        return max(self._colon(target), properties)

    def _replace(self, spot: _Spot, new: Any) -> None:
        node, changes = spot.node, self.changes
        start = node.start
        if node.anchor:
            after = changes.text[start + len(f"&{node.anchor}"):node.end]
            start = node.end - len(after.lstrip(" \t"))
        if node.items and not node.flow:
            raise Obstacle(node.start, "a whole block would have to be written anew")
        empty = node.end == start
        if spot.flow or node.key is None:
            changes.replace(start, node.end, " " * empty + spelling.flow(new, as_json=self._as_json))
            return
        first, rest = spelling.after_colon(new, spot.at, changes.column(node.key[0]), spot.step, self._raw)
        if first:
            changes.replace(start, node.end, first if empty else first[1:])
        elif not empty:
            changes.replace(start if node.anchor else self._colon(node), node.end, "")
        if rest:
            changes.insert(node.end, rest)

    def _raw(self, pointer: Pointer, column: int) -> list[str] | None:
        """Return the lines of a moved pair as its author wrote them, at another column."""
        node = self._origins.get(pointer, ((), None))[1]
        if node is None or node.key is None or node.anchor:
            return None
        text, start = self.changes.text, self.changes.line_start(node.key[0])
        if text[start:node.key[0]].strip(" ") or not REST.match(text, node.end):
            return None
        first, *rest = BREAK.split(text[node.key[1]:self.changes.line_end(node.end)[0]])
        shift = column - (node.key[0] - start)
        if any(line[:-shift].strip(" ") for line in rest if shift < 0):
            return None
        moved = [(" " * shift + line if shift > 0 else line[-shift:]) if line.strip() else line for line in rest]
        return [" " * column + spelling.name(str(pointer[-1])) + first, *moved]

    def _colon(self, node: Node) -> int:
        """Return the offset after the colon of a node's key."""
        return self.changes.text.index(":", node.key[1] if node.key else node.start) + 1


def _find(root: Node, pointer: Pointer) -> Node | None:
    node: Node | None = root
    for token in pointer:
        node = node.child(token) if node else None
    return node


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
