"""Writes subtrees that occur more than once in a schema once, below ``definitions``, under readable names."""

import json
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

WELL_KNOWN: dict[str, Schema] = {
    "int32": {"maximum": 2**31 - 1, "minimum": -(2**31), "type": "integer"},
    "int64": {"maximum": 2**63 - 1, "minimum": -(2**63), "type": "integer"},
    "nonNegativeInt32": {"maximum": 2**31 - 1, "minimum": 0, "type": "integer"},
    "stringMap": {"additionalProperties": {"type": "string"}, "type": "object"},
    "strings": {"items": {"type": "string"}, "type": "array"},
}
"""Definitions that have one name wherever they come from."""

RENAMED = {
    "configMapKeyRef": "keySelector",
    "configMapRef": "optionalReference",
    "downwardAPI.items": "downwardAPIFiles",
    "fieldRef": "objectFieldSelector",
    "imagePullSecrets.[]": "localObjectReference",
    "items": "keysToPaths",
    "livenessProbe": "probe",
    "os": "nameOnly",
    "postStart": "lifecycleHandler",
    "preference": "nodeSelectorTerm",
    "requiredDuringSchedulingIgnoredDuringExecution.[]": "podAffinityTerm",
    "resourceFieldRef": "resourceFieldSelector",
    "sources.[].configMap": "configMapProjection",
    "template.metadata": "embeddedMetadata",
}
"""Where the first use of a shared type, by the end of its path, has a poor name for the others."""


def hoist(schema: Schema) -> Schema:
    """Write every subtree that occurs in more than one place once, below ``definitions``."""
    shared = _shared(schema)
    definitions = {name: _refer(json.loads(key), shared, top=True) for key, name in shared.items()}
    return _refer(schema, shared, top=True) | {"definitions": dict(sorted(definitions.items()))}


def _canonical(node: Schema) -> str:
    return json.dumps(node, sort_keys=True)


def _children(node: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield each subschema after its property's name, ``[]`` for items, ``{}`` for values of any key."""
    yield from node.get("properties", {}).items()
    for step, keyword in (("[]", "items"), ("{}", "additionalProperties")):
        if isinstance(node.get(keyword), dict):
            yield step, node[keyword]


def _shared(schema: Schema) -> dict[str, str]:
    """Return canonical text to name, for subtrees that have several parents and some size."""
    uses: dict[str, int] = {}
    paths: dict[str, tuple[str, ...]] = {}
    pending: list[tuple[Schema, tuple[str, ...]]] = [(schema, ())]
    while pending:
        node, path = pending.pop(0)
        for step, child in _children(node):
            key = _canonical(child)
            uses[key] = uses.get(key, 0) + 1
            if uses[key] == 1:
                paths[key] = (*path, step)
                pending.append((child, paths[key]))
    return _name({key: paths[key] for key, count in uses.items() if count > 1 and len(key) > 40})


def _name(paths: dict[str, tuple[str, ...]]) -> dict[str, str]:
    result: dict[str, str] = {}
    for key, path in sorted(paths.items(), key=lambda entry: (entry[1], entry[0])):
        words = [step for step in path if step not in {"[]", "{}"}]
        ends = (new for end, new in RENAMED.items() if ".".join(path).endswith(f".{end}"))
        name = _well_known(json.loads(key)) or next(ends, words[-1])
        for parent in reversed(words[:-1]):
            if name not in result.values():
                break
            name = parent + name[0].upper() + name[1:]
        result[key] = name
    return result


def _well_known(node: Schema) -> str:
    if node.get("x-kubernetes-int-or-string") is True:
        return "quantity" if "pattern" in node else "intOrString"
    values = node.get("additionalProperties")
    if isinstance(values, dict) and _well_known(values) == "quantity":
        return "quantities"
    return next((name for name, known in WELL_KNOWN.items() if known == node), "")


def _refer(node: Schema, shared: dict[str, str], *, top: bool = False) -> Schema:
    key = _canonical(node)
    if not top and key in shared:
        return {"$ref": f"#/definitions/{shared[key]}"}
    result = dict(node)
    if "properties" in node:
        result["properties"] = {name: _refer(part, shared) for name, part in node["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(node.get(keyword), dict):
            result[keyword] = _refer(node[keyword], shared)
    return result
