"""Path patterns of the settings: ``*`` stands for anything in one segment, ``**`` for any segments."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from posixpath import normpath


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern stands for a path; both relative to one folder, with ``/``."""
    return _matches(normpath(pattern).split("/"), normpath(path).split("/"))


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] != "**":
        return bool(path) and fnmatchcase(path[0], pattern[0]) and _matches(pattern[1:], path[1:])
    rest = pattern[1:]
    return not rest or any(_matches(rest, path[start:]) for start in range(len(path) + 1))
