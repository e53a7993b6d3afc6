"""Documents put before another one of a stream, and taken out again without a trace.

How a document is set apart depends on what it is put before, so that its own text tells what must go with it.
"""

import re
from collections.abc import Sequence

from gangform.text import writing

_BREAK = re.compile(r"\r\n|\r|\n")
_MARKER = re.compile(r"---(?=[ \t\r\n]|\Z)")


def write(data: object, eol: str = "\n") -> str:
    """Write one document without a marker."""
    return writing.write([data]).replace("\n", eol)


def before(text: str, documents: Sequence[object], *, first: bool) -> str:
    """Return what to put directly before a document's text so that other documents precede it.

    Args:
        text: of the document, with the marker that it may begin with.
        documents: in their order.
        first: whether nothing but comments precedes it in its stream.
    """
    found = _BREAK.search(text)
    eol = found[0] if found else "\n"
    bodies = [write(data, eol) for data in documents]
    if _MARKER.match(text):
        return "".join(f"---{eol}{body}" for body in bodies)
    # After the end of another document (``...``) one without a marker stays as it is when it is ended likewise.
    end = f"---{eol}" if first else f"...{eol}"
    return "".join(body + end for body in bodies)


def opens_next(text: str, *, first: bool) -> bool:
    """Whether the marker after a document of ours is ours too and goes with it."""
    return first and not _MARKER.match(text)


def leading_marker(data: bytes) -> int:
    """Return the length of a bare marker line that a stretch of a stream begins with, in bytes; 0 without one."""
    found = re.match(rb"---(?:\r\n|\r|\n)", data)
    return found.end() if found else 0
