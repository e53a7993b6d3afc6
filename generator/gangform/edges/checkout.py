"""Where the working folder stands in its repository."""

import os

_DEPTH = 64
"""Folders above the working folder that are looked at."""


def below_root() -> str:
    """Return the working folder as seen from the top of its Git checkout, with ``/``; empty at the top or outside."""
    folder = os.getcwd()
    parts: list[str] = []
    for _ in range(_DEPTH):
        if os.path.exists(os.path.join(folder, ".git")):
            return "/".join(reversed(parts))
        folder, name = os.path.split(folder)
        if not name:
            break
        parts.append(name)
    return ""
