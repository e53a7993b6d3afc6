"""How to mend what a schema refuses: where a field belongs, which name was meant."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from gangform.model.pointer import Pointer
from gangform.schema.store import Schema
from gangform.schema.structure import along, item, member, resolve
from gangform.schema.values import path, shown

METADATA = frozenset({
    "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generateName", "generation",
    "managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid",
})
"""Fields of ObjectMeta that a pod template inside a custom resource does not keep."""

GENERIC = frozenset({"apiVersion", "items", "key", "kind", "metadata", "name", "namespace", "path", "spec", "status",
                     "type", "value"})
"""Names that mean something else in each place: finding them elsewhere says nothing."""

DOWN, ASIDE = 3, 2
"""How many levels below its own map, and below each map above it, a field is looked for."""

RESOURCES = frozenset({"cpu", "memory", "ephemeral-storage"})
"""Resource names without a domain."""

TYPO, RESEMBLANCE = 0.85, 0.7
"""How alike two names are (difflib's ratio): surely a slip of the finger, and perhaps one."""

MANY = 12
"""A list of the known fields that is longer than this helps nobody."""


class View(NamedTuple):
    """What explaining needs besides the error.

    Attributes:
        original: the data before nulls were dropped.
        moves, homes: as in contracts.Kind.
    """

    original: Any
    schema: Schema
    moves: Mapping[str, str]
    homes: Mapping[str, str] = {}


def closest(word: str, known: Iterable[str], cutoff: float = RESEMBLANCE) -> str | None:
    """Return the known word that was most likely meant, if one is near enough (a ratio from 0 to 1)."""
    import difflib

    words = list(known)
    same = [candidate for candidate in words if candidate.lower() == word.lower()]
    return next(iter(same or difflib.get_close_matches(word, words, n=1, cutoff=cutoff)), None)


def for_unknown_field(pointer: Pointer, value: Any, view: View) -> str:
    """Say how to mend a field that its map does not know."""
    *above, last = pointer
    key = str(last)
    chain = list(along(tuple(above), view.schema))
    known = list(chain[-1].get("properties", ()))
    move = _listed(pointer, view.moves) or _name_home(key, find_home(pointer, view))
    if move:
        return move
    if "labels" in known and key in METADATA:
        return f"remove it: of metadata, a pod template keeps only {_enumerate(known)}"
    place = None if closest(key, known, TYPO) else _elsewhere(key, tuple(above), chain, view.schema)
    if place:
        return f"{key} belongs in {place}"
    meant = closest(key, known)
    if meant:
        return f'did you mean "{meant}"?'
    if "labels" in known and isinstance(value, (str, int, float)):
        return f"if it is a label, write it below {path((*above, 'labels'))}"
    return f"remove it; the fields there are {_enumerate(known)}" if 0 < len(known) <= MANY else "remove it"


def _name_home(key: str, home: Pointer | None) -> str:
    if home is None:
        return ""
    return f"{key} belongs in {path(home[:-1])}" if home[-1] == key else f"it is called {path(home)}"


def find_home(pointer: Pointer, view: View) -> Pointer | None:
    """Return the field that an unknown field was meant to be, where its kind knows one."""
    home = _listed(pointer, view.homes)
    if home is None:
        return None
    *steps, last = home.split(".")
    return (*(token if step == "*" else step for step, token in zip_longest(steps, pointer[:len(steps)])), last)


def for_wrong_type(pointer: Pointer, value: Any, wanted: str, view: View) -> str:
    """Say how to mend a value that has another type than the one wanted (``array``, ``string`` …)."""
    if wanted == "array":
        return _for_list(value, item(list(along(pointer, view.schema))[-1], view.schema))
    if wanted == "object":
        return "write one line per key, without dashes" if isinstance(value, list) else "write it as key: value"
    if wanted == "string":
        scalar = isinstance(value, (bool, int, float))
        return "put the value in quotes, as it should be read" if scalar else "write one text"
    return {"integer": "write digits only, without quotes", "boolean": "write true or false, without quotes"}.get(
        wanted, "")


def _for_list(value: Any, items: Schema) -> str:
    if not isinstance(value, dict):
        return f"write a list: [{shown(value)}]"
    if {"name", "value"} <= items.get("properties", {}).keys():
        return "write one item per name: - {name: …, value: …}"
    return "write a list; each of its items begins with a dash"


def for_quantity_map(pointer: Pointer) -> str:
    """Say how to mend a map or a list in the place of a quantity."""
    if pointer[-1] in ("requests", "limits"):
        return f'write the resources directly below {path(pointer[:-1])}, for example cpu: "2"'
    return 'write one quantity, for example "2" or 4Gi'


def _listed(pointer: Pointer, moves: Mapping[str, str]) -> str | None:
    for pattern, target in moves.items():
        steps = pattern.split(".")
        if len(steps) == len(pointer) and all(
                step in ("*", str(token)) for step, token in zip(steps, pointer, strict=True)):
            return target
    return None


def _elsewhere(key: str, above: Pointer, chain: list[Schema], schema: Schema) -> str | None:
    """Look for a field of this name near its map: below it first, then around the maps above."""
    if key in GENERIC:
        return None
    if key in RESOURCES or ("/" in key and "labels" not in chain[-1].get("properties", ())):
        resources = _elsewhere("limits", above, chain, schema)
        return resources and f"{resources}.limits"
    for height in range(len(above), -1, -1):
        depth = DOWN if height == len(above) else ASIDE
        steps = _search(key, chain[height], schema, depth)
        if steps is not None:
            start = path(above[:height]) if height else ""
            return (start + steps).removeprefix(".") or "the root"
    return None


def _search(key: str, node: Schema, schema: Schema, depth: int) -> str | None:
    """Return the nearest place of a field as text after the start, breadth first; containers come first."""
    pending = deque([(node, "", 0)])
    while pending:
        here, steps, level = pending.popleft()
        if key in here.get("properties", ()):
            return steps
        if level < depth:
            below = [(part, steps + step, level + 1) for step, part in _maps_below(here, schema)]
            if "containers" in here.get("properties", ()):
                found = _search(key, item(member(here, "containers", schema), schema), schema, 1)
                if found is not None:
                    return f"{steps}.containers[]{found}"
            pending.extend(below)
    return None


def _maps_below(node: Schema, schema: Schema) -> Iterator[tuple[str, Schema]]:
    for name, part in node.get("properties", {}).items():
        if name != "status":
            yield _through_lists(f".{name}", resolve(part, schema), schema)


def _through_lists(step: str, node: Schema, schema: Schema) -> tuple[str, Schema]:
    if "items" in node:
        return _through_lists(f"{step}[]", item(node, schema), schema)
    if isinstance(node.get("additionalProperties"), dict):
        return _through_lists(f"{step}.*", resolve(node["additionalProperties"], schema), schema)
    return step, node


def _enumerate(words: list[str]) -> str:
    *first, last = sorted(words)
    return f"{', '.join(first)} and {last}" if first else last
