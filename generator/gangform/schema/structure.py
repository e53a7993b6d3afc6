"""Steps through a schema beside a step through data."""

import re
from collections.abc import Iterator
from typing import Any

from gangform.model.pointer import Pointer
from gangform.schema.store import Schema

ANYTHING: Schema = {}
"""The schema of a value that nothing is said about."""


def resolve(node: Any, schema: Schema) -> Schema:
    """Follow references inside the schema; a boolean schema says nothing about structure."""
    while isinstance(node, dict) and "$ref" in node:
        target: Any = schema
        for token in node["$ref"].removeprefix("#/").split("/"):
            target = target[token]
        node = target
    return node if isinstance(node, dict) and node else ANYTHING


def knows(node: Schema, key: str) -> bool:
    """Say whether an object of this schema may have the key."""
    if key in node.get("properties", ()) or node.get("additionalProperties", True) is not False:
        return True
    return any(re.search(pattern, key) for pattern in node.get("patternProperties", ()))


def member(node: Schema, key: str, schema: Schema) -> Schema:
    """Return the schema of the value at a key of an object."""
    properties = node.get("properties", ANYTHING)
    if key in properties:
        return resolve(properties[key], schema)
    for pattern, value in node.get("patternProperties", ANYTHING).items():
        if re.search(pattern, key):
            return resolve(value, schema)
    return resolve(node.get("additionalProperties", ANYTHING), schema)


def item(node: Schema, schema: Schema) -> Schema:
    """Return the schema of a list's items."""
    return resolve(node.get("items", ANYTHING), schema)


def along(pointer: Pointer, schema: Schema) -> Iterator[Schema]:
    """Yield the schema of the root, then of every value on the way to the pointer's."""
    node = resolve(schema, schema)
    yield node
    for token in pointer:
        node = item(node, schema) if isinstance(token, int) else member(node, token, schema)
        yield node
