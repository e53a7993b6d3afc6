"""Explicit nulls, as the API server treats them.

Mirrors k8s.io/apiextensions-apiserver pkg/apiserver/schema/defaulting (prune.go, v0.34): a null member is
dropped before validation as if it had not been written. Unknown fields are reported before that step, so
``check`` keeps an unknown member even when it is null. Items of lists are never dropped.
"""

from typing import Any

from gangform.schema.store import Schema
from gangform.schema.structure import ANYTHING, item, knows, member, resolve


def prune(data: Any) -> Any:
    """Return the data without members that are null, at any depth; null items of lists stay."""
    if isinstance(data, dict):
        return {key: prune(value) for key, value in data.items() if value is not None}
    if isinstance(data, list):
        return [prune(value) for value in data]
    return data


def holds_null(data: Any) -> bool:
    """Say whether any member, at any depth, is null."""
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            members = value.values()
            if None in members:
                return True
            pending += [part for part in members if isinstance(part, (dict, list))]
        elif isinstance(value, list):
            pending += [part for part in value if isinstance(part, (dict, list))]
    return False


def prune_known(data: Any, schema: Schema) -> Any:
    """Return the data without null members, except where the schema does not know them or says nothing."""
    return _prune(data, resolve(schema, schema), schema)


def _prune(data: Any, node: Schema, schema: Schema) -> Any:
    if node is ANYTHING:
        return data
    if isinstance(data, dict):
        return {key: _prune(value, member(node, key, schema), schema)
                for key, value in data.items() if value is not None or not knows(node, key)}
    if isinstance(data, list):
        return [_prune(value, item(node, schema), schema) for value in data]
    return data
