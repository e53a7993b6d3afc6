"""Derives the strict JSON Schemas below ``schemas/`` from CustomResourceDefinitions.

Usage: ``python tools/derive_schemas.py CRDS SCHEMAS``: every ``*.yaml`` file in the folder CRDS is
read, and every served version becomes ``SCHEMAS/<group>/<kind>_<version>.json`` (draft-07).

A schema says what the API server accepts under strict field validation: structure only, no
descriptions. Unknown fields are closed off as the server's pruning does it (k8s.io/apiextensions-apiserver
pkg/apiserver/schema/pruning, v0.34), integer formats become bounds, and repeated subtrees are written once.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml
from shared_definitions import Schema, hoist

KEPT = frozenset({
    "type", "enum", "pattern", "default", "required", "minimum", "maximum", "multipleOf",
    "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields",
})
"""Keywords that mean the same in a CRD and in draft-07, or that only gangform reads."""

CONVERTED = frozenset({
    "properties", "additionalProperties", "items", "anyOf", "allOf", "oneOf", "not", "nullable", "format",
    "exclusiveMinimum", "exclusiveMaximum", "x-kubernetes-list-type",
})

DROPPED = frozenset({"description", "title", "example", "externalDocs", "x-kubernetes-map-type",
                     "x-kubernetes-validations"})
"""Texts, what concerns merging only, and rules in an expression language."""

BOUNDS = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}

LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"

STRING = {"type": "string"}
STRINGS = {"type": "object", "additionalProperties": STRING}
BOOLEAN = {"type": "boolean"}
INT64 = {"type": "integer", "format": "int64"}
TIME = {"type": "string", "nullable": True}

OBJECT_META: Schema = {
    "type": "object",
    "anyOf": [{"required": ["name"]}, {"required": ["generateName"]}],
    "properties": {
        "annotations": STRINGS,
        "creationTimestamp": TIME,
        "deletionGracePeriodSeconds": INT64,
        "deletionTimestamp": TIME,
        "finalizers": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"},
        "generateName": STRING,
        "generation": INT64,
        "labels": STRINGS,
        "managedFields": {"type": "array", "items": {"type": "object", "properties": {
            "apiVersion": STRING, "fieldsType": STRING, "manager": STRING, "operation": STRING,
            "subresource": STRING, "time": TIME,
            "fieldsV1": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}},
        "name": {"type": "string", "maxLength": 253, "pattern": rf"^{LABEL}(\.{LABEL})*$"},
        "namespace": {"type": "string", "maxLength": 63, "pattern": f"^({LABEL})?$"},
        "ownerReferences": {"type": "array", "items": {
            "type": "object", "required": ["apiVersion", "kind", "name", "uid"], "properties": {
                "apiVersion": STRING, "blockOwnerDeletion": BOOLEAN, "controller": BOOLEAN,
                "kind": STRING, "name": STRING, "uid": STRING}},
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"]},
        "resourceVersion": STRING,
        "selfLink": STRING,
        "uid": STRING,
    },
}
"""ObjectMeta of k8s.io/apimachinery pkg/apis/meta/v1/types.go (v0.34), which a CRD leaves to the server."""

class UnusableCrdError(Exception):
    """A file is no CRD, or its CRD uses a keyword whose strict meaning is not settled here."""


class Derived(NamedTuple):
    """One schema file: its path below the folder, and its text."""

    path: str
    text: str


def derive(crd: Schema) -> Iterator[Derived]:
    """Yield a schema for every served version of a CustomResourceDefinition."""
    spec = crd["spec"]
    for version in spec["versions"]:
        if version.get("served", True):
            api = f"{spec['group']}/{version['name']}"
            kind = spec["names"]["kind"]
            schema = hoist(_root(api, kind, version["schema"]["openAPIV3Schema"]))
            yield Derived(f"{spec['group']}/{kind.lower()}_{version['name']}.json", _layout(schema))


def _root(api: str, kind: str, openapi: Schema) -> Schema:
    parts = {name: structure(part) for name, part in openapi["properties"].items()
             if name not in {"apiVersion", "kind", "metadata"}}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"{kind} {api}",
        "type": "object",
        "additionalProperties": False,
        "required": sorted({"apiVersion", "kind", "metadata", *openapi.get("required", ())}),
        "properties": {
            "apiVersion": {"const": api},
            "kind": {"const": kind},
            "metadata": structure(OBJECT_META),
            **parts,
        },
    }


def structure(node: Schema, *, preserved: bool = False, logical: bool = False) -> Schema:
    """Convert one structural schema to draft-07.

    Args:
        node: the CRD's schema.
        preserved: whether an ancestor keeps unknown fields and nothing in between says otherwise.
        logical: whether the node stands below anyOf, allOf, oneOf or not, where it only narrows
            a structure that is declared outside and so must not close it.

    Raises:
        UnusableCrdError: the node has a keyword that this converter does not know.
    """
    unknown = node.keys() - KEPT - CONVERTED - DROPPED
    if unknown:
        raise UnusableCrdError(f"unknown keywords: {', '.join(sorted(unknown))}")
    preserved = preserved or node.get("x-kubernetes-preserve-unknown-fields") is True
    result = {key: node[key] for key in sorted(KEPT & node.keys())}
    if node.get("x-kubernetes-list-type", "atomic") != "atomic":
        result["x-kubernetes-list-type"] = node["x-kubernetes-list-type"]
    result |= {key: [structure(part, logical=True) for part in node[key]]
               for key in ("anyOf", "allOf", "oneOf") if key in node}
    if "not" in node:
        result["not"] = structure(node["not"], logical=True)
    _convert_children(node, result, preserved=preserved, logical=logical)
    _convert_numbers(node, result)
    _convert_unions(node, result)
    return dict(sorted(result.items()))


def _convert_children(node: Schema, result: Schema, *, preserved: bool, logical: bool) -> None:
    if "items" in node:
        result["items"] = structure(node["items"], preserved=preserved, logical=logical)
    if "properties" in node:
        below = preserved and not logical
        result["properties"] = {name: structure(part, preserved=below, logical=logical)
                                for name, part in sorted(node["properties"].items())}
    if isinstance(node.get("additionalProperties"), dict):
        result["additionalProperties"] = structure(node["additionalProperties"], logical=logical)
    elif "additionalProperties" in node:
        result["additionalProperties"] = node["additionalProperties"]
    elif node.get("type") == "object" and not logical and not _keeps_unknown(node, preserved=preserved):
        result["additionalProperties"] = False


def _keeps_unknown(node: Schema, *, preserved: bool) -> bool:
    """Whether unknown fields survive here: properties below a preserving ancestor prune again."""
    if "properties" in node:
        return node.get("x-kubernetes-preserve-unknown-fields") is True
    return preserved


def _convert_numbers(node: Schema, result: Schema) -> None:
    if node.get("type") == "integer":
        low, high = BOUNDS.get(str(node.get("format")), BOUNDS["int64"])  # where none is named, Go's int64 counts
        result["minimum"] = max(low, node.get("minimum", low))
        result["maximum"] = min(high, node.get("maximum", high))
    for key, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if node.get(key) is True:
            result[key] = result.pop(bound)


def _convert_unions(node: Schema, result: Schema) -> None:
    if node.get("x-kubernetes-int-or-string") is True:
        result.pop("type", None)
        result["anyOf"] = [{"type": "integer"}, {"type": "string"}]
        result["minimum"], result["maximum"] = BOUNDS["int64"]
    if node.get("nullable") is not True:
        return
    if "type" in result:
        result["type"] = [result["type"], "null"]
    else:
        result["anyOf"] = [*result["anyOf"], {"type": "null"}]
    if "enum" in result:
        result["enum"] = [*result["enum"], None]


def _layout(schema: Schema) -> str:
    """Write one line per definition, so that a difference shows what changed and the file stays small."""
    entries = []
    for keyword, value in schema.items():
        if keyword in {"definitions", "properties"}:
            lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(part)}" for name, part in value.items())
            entries.append(f"{json.dumps(keyword)}: {{\n{lines}\n }}")
        else:
            entries.append(f"{json.dumps(keyword)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(entries) + "\n}\n"


def read(folder: Path) -> Iterator[Derived]:
    """Yield the schemas of every CRD in the ``*.yaml`` files of a folder, in order of the files' names.

    Raises:
        UnusableCrdError: a file is no YAML, or holds something else than CRDs that can be converted.
    """
    for file in sorted(folder.glob("*.yaml")):
        try:
            yield from _read_file(file)
        except (UnusableCrdError, yaml.YAMLError) as error:
            raise UnusableCrdError(f"{file.name}: {error}") from error


def _read_file(file: Path) -> Iterator[Derived]:
    for crd in yaml.safe_load_all(file.read_text(encoding="utf-8")):
        if not isinstance(crd, dict) or crd.get("kind") != "CustomResourceDefinition":
            raise UnusableCrdError("not a CustomResourceDefinition")
        yield from derive(crd)


def main(arguments: list[str]) -> int:
    """Write the schemas of every CRD in a folder, all or none; return the exit code."""
    if len(arguments) != 2:
        print("usage: derive_schemas.py CRDS SCHEMAS", file=sys.stderr)
        return 2
    source, target = map(Path, arguments)
    try:
        schemas = list(read(source))
    except UnusableCrdError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not schemas:
        print(f"error: no CRD in a *.yaml file of {source}", file=sys.stderr)
        return 2
    for path, text in schemas:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
