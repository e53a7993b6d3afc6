"""Equal items in lists that the API server treats as maps or sets.

Mirrors k8s.io/apiextensions-apiserver pkg/apiserver/schema/listtype/validation.go (v0.34): the items of a
list of type ``map`` differ in their keys after defaults are filled in, those of type ``set`` in value.
"""

from collections.abc import Iterator
from typing import Any

from gangform.model.finding import Problem
from gangform.model.pointer import Pointer
from gangform.schema.store import Schema
from gangform.schema.structure import ANYTHING, item, member, resolve


def duplicates(data: Any, schema: Schema) -> Iterator[Problem]:
    """Yield one problem per item that repeats an earlier one."""
    yield from _search(data, resolve(schema, schema), schema, ())


def _search(data: Any, node: Schema, schema: Schema, pointer: Pointer) -> Iterator[Problem]:
    if node is ANYTHING:
        return
    if isinstance(data, dict):
        for key, value in data.items():
            if isinstance(value, (dict, list)):
                yield from _search(value, member(node, key, schema), schema, (*pointer, key))
    elif isinstance(data, list):
        below = item(node, schema)
        if "x-kubernetes-list-type" in node:
            yield from _compare(data, node, below, schema, pointer)
        for index, value in enumerate(data):
            if isinstance(value, (dict, list)):
                yield from _search(value, below, schema, (*pointer, index))


def _compare(items: list[Any], node: Schema, below: Schema, schema: Schema, pointer: Pointer) -> Iterator[Problem]:
    keys = node.get("x-kubernetes-list-map-keys", ())
    defaults = {key: member(below, key, schema).get("default") for key in keys}
    seen: dict[tuple[Any, ...], int] = {}
    for index, value in enumerate(items):
        identity = _identity(value, defaults)
        if identity is None:
            continue
        first = seen.setdefault(identity, index)
        if first != index:
            yield _problem(pointer, first, index, dict(zip(keys, identity, strict=False)) or value)


def _identity(value: Any, defaults: dict[str, Any]) -> tuple[Any, ...] | None:
    """Return what makes an item one of a kind; None when its shape is wrong, which the schema reports."""
    if defaults and not isinstance(value, dict):
        return None
    parts = tuple(value.get(key, default) for key, default in defaults.items()) if defaults else (value,)
    return parts if all(isinstance(part, (str, int, float)) for part in parts) else None


def _problem(pointer: Pointer, first: int, index: int, same: Any) -> Problem:
    from gangform.schema.values import path, shown

    what = ", ".join(f"{key} {shown(value)}" for key, value in same.items()) if isinstance(same, dict) else shown(same)
    return Problem(
        pointer=(*pointer, index),
        message=f"items {first} and {index} of {path(pointer)} both have {what}, "
                "but the items of this list must differ in it",
        hint=f"remove one of the two items, or change its {' or '.join(same)}" if isinstance(same, dict)
        else "remove one of the two items",
        code="duplicate-list-item",
    )
