"""What takes the place of which span of a text, and where the lines around a span begin and end."""

import re
from collections.abc import Sequence

BREAK = re.compile(r"\r\n|\r|\n")
_END = re.compile(rf"{BREAK.pattern}|\Z")


class Obstacle(Exception):  # noqa: N818
    """What is in the way of an edit.

    Attributes:
        offset: where it stands in the text, in characters.
        reason: a sentence without a full stop.
    """

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


class Changes:
    """The changes of one text; offsets are in characters of the text as it was.

    Attributes:
        text: as it was.
        clash: what is said when two changes contradict each other, where more is known than the place.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.clash: Obstacle | None = None
        self._spans: dict[tuple[int, int], str] = {}
        first = BREAK.search(text)
        self._eol = first[0] if first else "\n"

    @property
    def eol(self) -> str:
        """How the first line of the text ends."""
        return self._eol

    @property
    def first(self) -> int:
        """Where the text begins to differ."""
        return min(self._spans, default=(0, 0))[0]

    def replace(self, start: int, end: int, new: str) -> None:
        """Put ``new`` in the place of a span; the same change may be asked for again.

        Raises:
            Obstacle: something else was asked for at this place.
        """
        if self._spans.setdefault((start, end), new) != new:
            raise self.clash or Obstacle(start, "two edits meet here")

    def insert(self, offset: int, lines: Sequence[str]) -> None:
        """Put lines after the line that holds an offset; they end as that line does."""
        stop, after = self.line_end(offset)
        eol = self.text[stop:after]
        new = "".join(line + eol for line in lines) if eol else "".join(self._eol + line for line in lines)
        self.replace(after, after, new)

    def apply(self) -> str:
        """Return the changed text.

        Raises:
            Obstacle: two changes overlap.
        """
        parts: list[str] = []
        done = 0
        for start, end in sorted(self._spans):
            if start < done:
                raise Obstacle(start, "two edits meet here")
            parts += (self.text[done:start], self._spans[start, end])
            done = end
        return "".join((*parts, self.text[done:]))

    def column(self, offset: int) -> int:
        """Return the number of characters before an offset on its line."""
        return offset - self.line_start(offset)

    def line_start(self, offset: int) -> int:
        """Return where the line that holds an offset begins."""
        line_feed = self.text.rfind("\n", 0, offset)
        return 1 + max(line_feed, self.text.rfind("\r", line_feed + 1, offset))

    def line_end(self, offset: int) -> tuple[int, int]:
        """Return where the line that holds an offset ends, and where the next one begins."""
        match = _END.search(self.text, offset)
        return match.span() if match else (offset, offset)

    def expect_blank(self, start: int, end: int) -> None:
        """Make sure that nothing but white space and commas is lost with a span.

        Raises:
            Obstacle: something else stands there, which can only be a comment.
        """
        if self.text[start:end].strip(" \t\r\n,"):
            raise Obstacle(start, "a comment would be lost")
