"""Lines and columns of a text; a line ends at LF, CRLF or a lone CR, as in editors."""

import re
from bisect import bisect_right

from gangform.model.source import Place

MAX_EXCERPT = 1000
"""Longest line that is shown, in characters; a caret under more helps nobody."""

_BREAK = re.compile(r"\r\n|\r|\n")


def count_breaks(text: str, start: int, end: int) -> int:
    """Return how many lines end between two offsets, in characters."""
    return text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end)


class Lines:
    """The lines of a stretch of a text.

    Args:
        text: the stretch; begins at the begin of a line.
        first: line number of its first line, from 1.
    """

    def __init__(self, text: str, first: int = 1) -> None:
        self._text = text
        self._first = first
        self._starts = [0, *(match.end() for match in _BREAK.finditer(text))]

    def place(self, start: int, end: int) -> Place:
        """Return the span between two offsets in characters."""
        line, column = self._find(start)
        end_line, end_column = self._find(max(start, end))
        return Place(line, column, end_line, end_column)

    def excerpt(self, offset: int) -> str:
        """Return the text of the line that holds an offset, without its end; empty when it is too long."""
        index = bisect_right(self._starts, offset) - 1
        stop = self._starts[index + 1] if index + 1 < len(self._starts) else len(self._text)
        start = self._starts[index]
        return "" if stop - start > MAX_EXCERPT else self._text[start:stop].rstrip("\r\n")

    def _find(self, offset: int) -> tuple[int, int]:
        index = bisect_right(self._starts, offset) - 1
        return self._first + index, offset - self._starts[index] + 1
