"""Single values of raw objects. Whatever an object holds, an answer is given; nothing is raised."""

from calendar import timegm
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

_INSTANT = len("2026-12-01T09:30:00")


def mapping(data: Any, *path: str) -> Mapping[str, Any]:
    """Return the map at a path, or an empty one."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def text(data: Any, *path: str) -> str:
    """Return the text at a path, or an empty one."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data if isinstance(data, str) else ""


def number(value: Any) -> int:
    """Return a whole number, or 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def items(data: Any, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the maps in the list of this name."""
    listed = data.get(name) if isinstance(data, dict) else None
    if isinstance(listed, list):
        yield from (item for item in listed if isinstance(item, dict))


def texts(data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the entries of a map whose values are texts, sorted."""
    return tuple(sorted((key, value) for key, value in data.items() if isinstance(key, str) and isinstance(value, str)))


def instant(value: Any) -> int | None:
    """Read an RFC 3339 time as the API server writes it, in UTC; seconds since 1970, None where it is none."""
    return _instant(value) if isinstance(value, str) else None


@lru_cache(maxsize=4096)
def _instant(value: str) -> int | None:
    # Objects of one time are many: they share the number, too.
    if len(value) <= _INSTANT or value[-1] != "Z":
        return None
    try:
        parts = (value[0:4], value[5:7], value[8:10], value[11:13], value[14:16], value[17:19])
        year, month, day, hour, minute, second = map(int, parts)
        return timegm((year, month, day, hour, minute, second)) if 1 <= month <= 12 else None
    except ValueError:
        return None


def condition(status: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """Return the condition of a type, or an empty map."""
    return next((item for item in items(status, "conditions") if item.get("type") == kind), {})
