"""JSON Pointers (RFC 6901), the only coordinate that the core speaks."""

from typing import Any

Pointer = tuple[str | int, ...]


def parse(text: str) -> Pointer:
    """Read an RFC 6901 pointer; all-digit tokens become list indexes.

    Raises:
        ValueError: the text is neither empty nor begins with a slash.
    """
    if not text:
        return ()
    if not text.startswith("/"):
        raise ValueError(f"not a JSON Pointer: {text!r}")
    tokens = (token.replace("~1", "/").replace("~0", "~") for token in text[1:].split("/"))
    return tuple(int(t) if t.isascii() and t.isdigit() and (t == "0" or t[0] != "0") else t for t in tokens)


def render(pointer: Pointer) -> str:
    """Write a pointer as RFC 6901 text."""
    return "".join("/" + str(t).replace("~", "~0").replace("/", "~1") for t in pointer)


def get(data: Any, pointer: Pointer, default: Any = None) -> Any:
    """Return the value at a pointer, or ``default`` where a step is missing."""
    for token in pointer:
        if isinstance(data, dict):
            if token not in data:
                return default
            data = data[token]
        elif isinstance(data, list) and isinstance(token, int) and 0 <= token < len(data):
            data = data[token]
        else:
            return default
    return data
