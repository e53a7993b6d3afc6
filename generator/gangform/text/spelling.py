"""How values are written into a text that somebody else has written: beside his own lines, in his style.

What is quoted and how is decided by ``text.writing``; here are only columns, braces and JSON.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from gangform.model.pointer import Pointer
from gangform.text.writing import write

Raw = Callable[[Pointer, int], "list[str] | None"]
"""Answers the lines of a pair that is moved as its author wrote it: its pointer and its new column."""

_PLAIN_IN_FLOW = re.compile(r"[A-Za-z0-9_./$+-]+")


def flow(value: Any, *, as_json: bool) -> str:
    """Write a value on one line, for use inside braces or brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(pair(key, item, as_json=as_json) for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(item, as_json=as_json) for item in value) + "]"
    if isinstance(value, str):
        text = write([value]).rstrip("\n")
        bare = not as_json and text == value and _PLAIN_IN_FLOW.fullmatch(text)
        return text if bare else json.dumps(value, ensure_ascii=False)
    return write([value]).rstrip("\n")


def pair(key: str, value: Any, *, as_json: bool) -> str:
    """Write a key and its value on one line, for use inside braces."""
    return f"{flow(key, as_json=as_json)}: {flow(value, as_json=as_json)}"


@lru_cache(maxsize=256)
def name(key: str) -> str:
    """Write a key as it stands in a block; the same few keys come again and again."""
    return write([{key: None}]).removesuffix(": null\n")


def lines(values: Mapping[str, Any], at: Pointer, column: int, step: int, raw: Raw) -> Iterator[str]:
    """Write pairs as lines of a block, without their ends.

    Args:
        values: the pairs.
        at: pointer of the map that holds them.
        column: number of characters before their keys.
        step: characters by which a map is indented below its key.
        raw: asked first for each pair.
    """
    for key, value in values.items():
        moved = raw((*at, key), column)
        if moved is not None:
            yield from moved
            continue
        first, rest = after_colon(value, (*at, key), column, step, raw)
        yield f"{' ' * column}{name(key)}:{first}"
        yield from rest


def after_colon(value: Any, at: Pointer, column: int, step: int, raw: Raw) -> tuple[str, list[str]]:
    """Write a value as what follows the colon on its key's line, and the lines below it.

    Args:
        value: what is to be written.
        at: its pointer.
        column: number of characters before its key.
        step: as for ``lines``.
        raw: as for ``lines``.
    """
    if isinstance(value, dict) and value:
        return "", list(lines(value, at, column + step, step, raw))
    first, *rest = write([{"k": value}]).rstrip("\n").split("\n")
    return first.removeprefix("k:"), [" " * column + line if line else "" for line in rest]
