"""Paths with ``{captures}``: one line of settings that stands for many folders."""

import re
from collections.abc import Iterable, Iterator, Mapping

_CAPTURE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def names(pattern: str) -> tuple[str, ...]:
    """The captures of a pattern, each once, in order."""
    return tuple(dict.fromkeys(_CAPTURE.findall(pattern)))


def fault(pattern: str) -> str:
    """What is wrong with a pattern's own form, as a clause; empty when nothing is."""
    rest = _CAPTURE.sub("", pattern)
    if "{" in rest or "}" in rest:
        return "has a brace that is no {capture}: a capture is letters, digits and _ between braces"
    if "}{" in pattern:
        return "has two captures side by side, so nothing says where the first one ends"
    if "*" in rest or "?" in rest:
        return "has a wildcard, which is not known here: name the part instead, as in teams/{team}/base"
    return ""


def match(pattern: str, folders: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the folders that a pattern stands for, each with its captures.

    A capture is one path segment or a part of one, never empty, never with a slash. A capture
    that stands twice must be equal in both places.
    """
    wanted = re.compile(_expression(pattern), re.DOTALL)
    for folder in folders:
        found = wanted.fullmatch(folder)
        if found:
            yield folder, found.groupdict()


def fill(pattern: str, captures: Mapping[str, str]) -> str:
    """Put captured texts into a pattern.

    Raises:
        KeyError: the pattern holds a capture that is not given.
    """
    return _CAPTURE.sub(lambda found: captures[found[1]], pattern)


def outline(pattern: str) -> str:
    """The pattern with its captures numbered, so that equal shapes are equal texts."""
    numbers = {name: f"{{_{number}}}" for number, name in enumerate(names(pattern))}
    return fill(pattern, numbers)


def _expression(pattern: str) -> str:
    parts = _CAPTURE.split(pattern)
    seen: set[str] = set()
    written = [re.escape(parts[0])]
    for name, literal in zip(parts[1::2], parts[2::2], strict=True):
        written.append(f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+)")
        written.append(re.escape(literal))
        seen.add(name)
    return "".join(written)
