"""For every field of a schema the smallest document that has it, and what that document becomes with one fault."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from gangform import schema
from gangform.model.pointer import Pointer, get, render
from gangform.schema.structure import along, item, member, resolve

WRONG = (7, "x", True, [], {}, None)
NUMBERS = (5.0, 2.5, -1, 0, 2**31, 2**63, 2.0**53, 1e30)
LISTS = ([None], ["x"], [7])
TIME = "2026-01-01T00:00:00Z"
ABSENT = "(absent)"
KEYS = {"mpiReplicaSpecs": "Launcher"}  # the key of a map; any will do for most


class Change(NamedTuple):
    """A document with one change.

    Attributes:
        place: what was changed.
        to: what it is now; ABSENT where a required field was taken away.
        document: the document.
    """

    place: Pointer
    to: Any
    document: dict[str, Any]

    def __str__(self) -> str:
        return f"{render(self.place)} = {self.to!r}"


def changes(name: str) -> Iterator[Change]:
    """Every document with one change that can be made of a schema, and those without a change."""
    root = schema.load(name)
    for place in _places(resolve(root, root), root, (), set()):
        if place in ((), ("apiVersion",), ("kind",)):
            continue  # they say which schema counts, and which address is asked
        document = _fitting(resolve(root, root), root, (), place)
        document["metadata"].setdefault("name", "a")
        value = get(document, place)
        yield Change(place, value, document)
        *_, node = along(place, root)
        yield from (Change(place, wrong, _put(document, place, wrong)) for wrong in (*_wrong(value), *_bounds(node)))
        if isinstance(value, dict):
            at = (*place, "zzUnknown")
            yield from (Change(at, wrong, _put(document, at, wrong)) for wrong in (1, None))
            yield from (Change((*place, key), ABSENT, _without(document, (*place, key))) for key in node.get("required", ()))


def _wrong(value: Any) -> Iterator[Any]:
    yield from WRONG
    if isinstance(value, int):
        yield from NUMBERS
    if isinstance(value, list):
        yield from LISTS
        yield [*value, *value]


def _bounds(node: dict[str, Any]) -> Iterator[Any]:
    """What just fits, and what just does not."""
    for keyword, beyond in (("minimum", -1), ("maximum", 1)):
        if keyword in node:
            yield from (node[keyword], node[keyword] + beyond)
    if "maxLength" in node:
        yield from ("a" * node["maxLength"], "a" * (node["maxLength"] + 1))
    if "x-kubernetes-int-or-string" in node:
        yield from ("500m", "1e1.5", "1 Gi", "")
    elif "pattern" in node:
        yield from ("a.b", "a-", "A", "a b", "")


def _places(node: dict[str, Any], root: dict[str, Any], at: Pointer, known: set[int]) -> Iterator[Pointer]:
    """Every place; what a shared definition holds only where it is used first."""
    yield at
    if id(node) in known:
        return
    known.add(id(node))
    for key in node.get("properties", ()):
        yield from _places(member(node, key, root), root, (*at, key), known)
    if isinstance(node.get("additionalProperties"), dict):
        key = KEYS.get(str(at[-1]), "k")
        yield from _places(member(node, key, root), root, (*at, key), known)
    if "items" in node:
        yield from _places(item(node, root), root, (*at, 0), known)


def _fitting(node: dict[str, Any], root: dict[str, Any], at: Pointer, wanted: Pointer) -> Any:
    """The smallest value that fits, with something at the wanted place."""
    kind = node.get("type", "integer" if "x-kubernetes-int-or-string" in node else None)
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        return [_fitting(item(node, root), root, (*at, 0), wanted)] if at != wanted or "minItems" in node else []
    if kind == "object":
        keys = dict.fromkeys([*node.get("required", ()), *wanted[len(at):len(at) + 1]])
        steps = ((key, (*at, key)) for key in keys)
        return {key: _fitting(member(node, key, root), root, step, wanted if wanted[:len(step)] == step else step)
                for key, step in steps}
    if kind == "string" and "const" not in node and "enum" not in node:
        return TIME if str(at[-1]).lower().endswith(("time", "timestamp")) else "a"
    scalar = {"integer": max(1, node.get("minimum", 1)), "boolean": True, "string": "a", None: {"x": 1}}
    return node.get("const", node.get("enum", [scalar[kind]])[0])


def _put(document: dict[str, Any], place: Pointer, value: Any) -> dict[str, Any]:
    *above, last = place
    changed = deepcopy(document)
    get(changed, tuple(above))[last] = value
    return changed


def _without(document: dict[str, Any], place: Pointer) -> dict[str, Any]:
    *above, last = place
    changed = deepcopy(document)
    del get(changed, tuple(above))[last]
    return changed
