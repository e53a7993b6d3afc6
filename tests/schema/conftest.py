"""Documents that fit a schema, drawn at random, and kubeconform's verdict on documents."""

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from gangform import schema
from gangform.schema.structure import item, member, resolve

NAMES = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"), exclude_characters="$"), max_size=8)
QUANTITIES = st.one_of(
    st.integers(-9, 2**40), st.integers(0, 99).map(float),
    st.sampled_from(["1", "500m", "1.5Gi", "2e3", "2E-3", ".5", "5.", "+1k", "-1", "10u", "3Ei", "0"]))


def _scalars(node: dict[str, Any]) -> st.SearchStrategy[Any] | None:
    if "const" in node:
        return st.just(node["const"])
    if "enum" in node:
        return st.sampled_from(node["enum"])
    if "x-kubernetes-int-or-string" in node:
        return QUANTITIES if "pattern" in node else st.integers(-(2**31), 2**31 - 1) | TEXTS
    kind = node.get("type")
    if kind == "string" or kind == ["string", "null"]:
        return NAMES if "pattern" in node else TEXTS
    if kind == "integer":
        low, high = max(node.get("minimum", -(2**53)), -(2**53)), min(node.get("maximum", 2**53), 2**53)
        return st.integers(low, high) | st.integers(low, high).map(float)
    return st.booleans() if kind == "boolean" else None


@st.composite
def documents(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Draw an object that fits a schema."""
    root = schema.load(name)

    def grow(node: dict[str, Any], depth: int) -> Any:
        scalars = _scalars(node)
        if scalars is not None:
            return draw(scalars)
        room = max(0, 4 - depth // 3)
        if node["type"] == "array":
            return unlike(node, [grow(item(node, root), depth + 1) for _ in range(draw(st.integers(min(1, room), min(2, room))))])
        properties = node.get("properties", {})
        if not properties:
            keys = draw(st.lists(NAMES, min_size=1 if depth < 4 else 0, max_size=2, unique=True))
            return {key: grow(member(node, key, root), depth + 1) for key in keys} if (
                "additionalProperties" in node) else {}
        needed = {*node.get("required", ()), *(["name"] if "anyOf" in node else []), *(["spec"] if depth == 0 else [])}
        optional = sorted(properties.keys() - needed)
        chosen = draw(st.lists(st.sampled_from(optional), max_size=room, unique=True)) if optional else []
        return {key: grow(member(node, key, root), depth + 1) for key in sorted({*needed, *chosen})}

    def unlike(node: dict[str, Any], items: list[Any]) -> list[Any]:
        """Keep one of the items that a keyed list would call equal."""
        kind, keys = node.get("x-kubernetes-list-type"), node.get("x-kubernetes-list-map-keys", ())
        below = item(node, root)
        seen: dict[Any, Any] = {}
        for index, value in enumerate(items):
            identity = index if kind is None else value if kind == "set" else tuple(
                value.get(key, member(below, key, root).get("default")) for key in keys)
            seen.setdefault(identity, value)
        return list(seen.values())

    result: dict[str, Any] = grow(resolve(root, root), 0)
    return result


@pytest.fixture(scope="session")
def judge(kubeconform: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[Any]], list[bool]]:
    """Ask kubeconform about many objects at once, each in a file of its own."""

    def ask(objects: Sequence[Any]) -> list[bool]:
        folder = tmp_path_factory.mktemp("objects")
        for index, data in enumerate(objects):
            text = json.dumps(data, ensure_ascii=False)
            folder.joinpath(f"{index:04}.json").write_text(text, encoding="utf-8")
        run = subprocess.run(
            [kubeconform, "-strict", "-verbose", "-output", "json", "-schema-location", schema.location(), str(folder)],
            capture_output=True, text=True, check=False)
        results = json.loads(run.stdout)["resources"]
        # An error is a refusal, such as metadata that is no map, unless kubeconform could not use our schema.
        assert [r for r in results if r["status"] == "statusError" and "schema" in r["msg"]] == []
        verdicts = {Path(r["filename"]).name: r["status"] for r in results}
        assert "statusSkipped" not in verdicts.values()
        assert len(verdicts) == len(objects)
        return [verdicts[name] == "statusValid" for name in sorted(verdicts)]

    return ask


@pytest.fixture(scope="session")
def draw_documents() -> Callable[[str], st.SearchStrategy[dict[str, Any]]]:
    """The strategy of documents that fit the named schema."""
    return documents
