"""Files that a user asks for: reports and baselines."""

import os
from contextlib import suppress

from gangform.edges import replacing
from gangform.edges.disk import quote
from gangform.model.errors import InputError


def write_file(path: str, text: str) -> None:
    """Write a file, whole or not at all, or a device or pipe as it comes.

    Raises:
        InputError: its folder is missing, it cannot be written, or it holds manifests, which no report may replace.
    """
    if _holds_manifests(path):
        raise InputError(f"{quote(path)} holds manifests and is not overwritten", "name another file")
    replacing.write_stream(path, [text.encode("utf-8", "backslashreplace")])


def _holds_manifests(path: str) -> bool:
    """Whether a file that is there is one that gangform reads and does not write: a slip of a hand named it."""
    if not os.path.isfile(path):
        return False
    if path.endswith((".yaml", ".yml")):
        return True
    import json

    found = None
    with suppress(OSError, ValueError, RecursionError), open(path, "rb") as stream:
        found = json.loads(stream.read())
    return isinstance(found, dict) and {"apiVersion", "kind"} <= found.keys()
