"""How values and places are written in messages."""

import re
from typing import Any

from gangform.model.pointer import Pointer

LONGEST = 60
"""Characters of a value that a message shows."""

TYPES = {
    "object": "a map",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
"""JSON Schema's types as a sentence calls them."""

PLACEHOLDER = re.compile(r"\$[A-Za-z_]\w*|\$\{[^{}]*\}|\$\([^()]*\)|\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


def path(pointer: Pointer) -> str:
    """Write a place as people do: ``spec.containers[0].name``; the root is ``the object``."""
    written = "".join(f"[{token}]" if isinstance(token, int) else f".{_quoted(str(token))}" for token in pointer)
    return written.removeprefix(".") or "the object"


def _quoted(token: str) -> str:
    return token if re.fullmatch(r"[\w-]+", token, re.ASCII) else f'"{token}"'


def shown(value: Any) -> str:
    """Write a value on one line, shortened; texts in quotes, maps and lists by their kind."""
    if isinstance(value, dict):
        return "a map" if value else "an empty map"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, str):
        return _shortened(str(value))
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in escaped)
    return f'"{_shortened(printable)}"'


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST - 1]}…"


def described(value: Any) -> str:
    """Write a value with its kind: ``the text "4"``, ``the number 4``, ``a list``."""
    if isinstance(value, str):
        return f"the text {shown(value)}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"the number {shown(value)}"
    return shown(value)


def is_templated(value: Any, *, wholly: bool = False) -> bool:
    """Say whether a value is text that envsubst, Helm, Jinja or the like fills in later.

    Args:
        value: anything.
        wholly: whether nothing but one placeholder may stand there; a shell command with ``$HOME``
            in the place of a list is a mistake, not a template.
    """
    if not isinstance(value, str):
        return False
    return (PLACEHOLDER.fullmatch(value.strip()) if wholly else PLACEHOLDER.search(value)) is not None
