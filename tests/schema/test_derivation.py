"""The schemas come from the CRDs, and mean what the API server does with them."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gangform import schema

TOOL = Path(__file__).resolve().parents[2] / "tools" / "derive_schemas.py"


@pytest.fixture
def tool_module(monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOL.parent))
    return importlib.import_module("derive_schemas")


def run(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TOOL), str(source), str(target)],
                          capture_output=True, text=True, check=False)


def crd(spec: dict[str, Any], **version: Any) -> dict[str, Any]:
    return {"kind": "CustomResourceDefinition", "spec": {
        "group": "example.org", "names": {"kind": "Thing"},
        "versions": [{"name": "v1", **version, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"apiVersion": {}, "kind": {}, "metadata": {"type": "object"},
                                             "spec": spec}}}}]}}


def test_the_schemas_are_what_the_crds_give(shared, tmp_path) -> None:
    result = run(shared / "crds", tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    derived = {f.relative_to(tmp_path).as_posix(): f.read_bytes() for f in tmp_path.rglob("*.json")}
    kept = {f"{name}.json": Path(schema.root(), f"{name}.json").read_bytes()
            for name in schema.names() if not name.startswith("gangform.dev/")}
    assert derived.keys() == kept.keys()
    assert [path for path in kept if kept[path] != derived[path]] == []


def test_the_schemas_are_small_and_carry_no_descriptions() -> None:
    for name in schema.names():
        text = schema.text(name)
        assert len(text.encode()) < 60_000
        if not name.startswith("gangform.dev/"):
            assert '"description"' not in text


def test_the_readme_tells_where_every_schema_comes_from() -> None:
    readme = Path(schema.root(), "README.md").read_text(encoding="utf-8")
    assert [name for name in schema.names() if f"| `{name}.json` |" not in readme] == []


def test_the_order_of_a_crd_does_not_matter(tool_module) -> None:
    spec = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 5}, "b": {"type": "boolean"}}}
    turned = {"properties": dict(reversed(spec["properties"].items())), "type": "object"}
    assert list(tool_module.derive(crd(spec))) == list(tool_module.derive(crd(turned)))


def test_objects_are_closed_unless_unknown_fields_are_preserved(tool_module) -> None:
    keep = {"x-kubernetes-preserve-unknown-fields": True}
    text = {"type": "object", "properties": {"a": {"type": "string"}}}
    structure = tool_module.structure({"type": "object", "properties": {
        "closed": text, "bare": {"type": "object"}, "open": text | keep,
        "anything": {"type": "object", **keep},
        "outer": {"type": "object", **keep, "properties": {"inner": text, "free": {"type": "object"}}}}})
    below = structure["properties"]
    assert structure["additionalProperties"] is False
    assert below["closed"]["additionalProperties"] is False
    assert below["bare"]["additionalProperties"] is False
    assert "additionalProperties" not in below["open"]
    assert "additionalProperties" not in below["anything"]
    assert below["outer"]["properties"]["inner"]["additionalProperties"] is False


def test_conditions_below_any_of_do_not_close_an_object(tool_module) -> None:
    node = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "anyOf": [{"properties": {"a": {"enum": ["x"]}}}, {"required": ["b"]}]}
    structure = tool_module.structure(node)
    assert structure["anyOf"] == [{"properties": {"a": {"enum": ["x"]}}}, {"required": ["b"]}]


def test_integer_formats_become_bounds_and_tighter_ones_stay(tool_module) -> None:
    convert = tool_module.structure
    assert convert({"type": "integer", "format": "int32"}) == {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}
    assert convert({"type": "integer", "format": "int64", "minimum": 1})["minimum"] == 1
    assert convert({"type": "integer", "format": "int32", "maximum": 9})["maximum"] == 9
    assert convert({"type": "integer", "minimum": 0}) == {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}
    assert convert({"type": "number", "minimum": 0, "exclusiveMinimum": True}) == {"type": "number", "exclusiveMinimum": 0}


def test_nullable_values_may_be_null(tool_module) -> None:
    convert = tool_module.structure
    assert convert({"type": "string", "nullable": True}) == {"type": ["string", "null"]}
    assert convert({"type": "string", "nullable": True, "enum": ["a"]})["enum"] == ["a", None]
    either = convert({"x-kubernetes-int-or-string": True, "nullable": True})
    assert either["anyOf"] == [{"type": "integer"}, {"type": "string"}, {"type": "null"}]


def test_a_number_that_may_be_text_has_64_bits(tool_module) -> None:
    either = tool_module.structure({"x-kubernetes-int-or-string": True})
    assert (either["minimum"], either["maximum"]) == (-(2**63), 2**63 - 1)


def test_a_version_that_is_not_served_gets_no_schema(tool_module) -> None:
    assert list(tool_module.derive(crd({"type": "object"}, served=False))) == []


def test_repeated_subtrees_are_written_once(tool_module) -> None:
    port = {"type": "object", "properties": {"number": {"type": "integer", "format": "int32"}}}
    spec = {"type": "object", "properties": {"inbound": port, "outbound": port}}
    (derived,) = tool_module.derive(crd(spec))
    data = json.loads(derived.text)
    assert data["properties"]["spec"]["properties"] == {
        "inbound": {"$ref": "#/definitions/inbound"}, "outbound": {"$ref": "#/definitions/inbound"}}
    assert "int32" not in data["definitions"], "used in one place only, inside a definition"


def test_every_definition_is_used_and_every_reference_leads_somewhere() -> None:
    for name in schema.names():
        text, data = schema.text(name), schema.load(name)
        for definition in data.get("definitions", {}):
            assert f'"#/definitions/{definition}"' in text, name
        assert text.count('"$ref"') == text.count('"#/definitions/')


@pytest.mark.parametrize(("content", "words"), [
    ("kind: Deployment\n", "thing.yaml: not a CustomResourceDefinition"),
    ("{", "thing.yaml: "),
    (json.dumps(crd({"type": "object", "x-new": 1})), "thing.yaml: unknown keywords: x-new"),
])
def test_an_unusable_file_is_named_and_nothing_is_written(tmp_path, content, words) -> None:
    source = tmp_path / "crds"
    source.mkdir()
    (source / "a.yaml").write_text(json.dumps(crd({"type": "object"})))
    (source / "thing.yaml").write_text(content)
    result = run(source, tmp_path / "schemas")
    assert result.returncode == 2
    assert result.stderr.startswith(f"error: {words}")
    assert not (tmp_path / "schemas").exists()


def test_a_folder_without_crds_is_an_error(tmp_path) -> None:
    result = run(tmp_path, tmp_path / "schemas")
    assert (result.returncode, result.stderr) == (2, f"error: no CRD in a *.yaml file of {tmp_path}\n")
