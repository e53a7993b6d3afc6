"""A stream of YAML documents cut into pieces, of which each can be read alone; the stream is never held whole.

A line that begins with ``---`` can stand inside no YAML value, so it is safe to cut there.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"
_BREAKS = (b"\n", b"\r")
_MARKER = b"---"
_AFTER = frozenset(b" \t\r\n")
_DIRECTIVE = b"%"

_AHEAD = 8
"""Bytes at the end of what has come that may be the begin of a marker."""

_OVERLAP = 64
"""Bytes that are looked at again with the next block: longer than any word."""


class Piece(NamedTuple):
    """A stretch of the stream: one document, or several that do not begin with ``---``.

    Attributes:
        start, end: offsets in bytes.
        line: line number of ``start``, from 1.
        telling: whether one of the words stands in it.
    """

    start: int
    end: int
    line: int
    telling: bool


def spell(words: Iterable[str]) -> tuple[bytes, ...]:
    """Return the words in UTF-8 and, so that no file passes unread, in UTF-16."""
    found = [word.encode() for word in words]
    return (*found, *(b"\0".join(bytes([byte]) for byte in word) for word in found))


def cut(blocks: Iterable[bytes], words: Sequence[bytes]) -> Iterator[Piece]:
    """Yield the pieces of a stream, which follow each other without a gap.

    Args:
        blocks: the stream, in parts of any size.
        words: as ``spell`` answers; a piece without one tells nothing of what is looked for.
    """
    cutter = _Cutter(words)
    for block in blocks:
        yield from cutter.take(block)
    yield from cutter.finish()


class _Cutter:
    """Where the cutting is; offsets into the buffer unless said.

    Attributes:
        _gone: bytes of the stream that are no longer in the buffer.
        _done: up to where the buffer was looked at.
        _start: of the piece, in the stream.
        _line: of ``_done``.
    """

    def __init__(self, words: Sequence[bytes]) -> None:
        self._words = words
        self._buffer = b""
        self._gone = 0
        self._done = 0
        self._start = 0
        self._first = self._line = 1
        self._telling = False
        self._joined = False

    def take(self, block: bytes) -> Iterator[Piece]:
        """Take the next part of the stream."""
        self._buffer += block
        limit = len(self._buffer) - _AHEAD
        # A CRLF must be counted in one go.
        limit -= limit > 0 and self._buffer[limit - 1] == ord("\r")
        if limit > self._done:
            yield from self._look(limit)
            spare = max(0, self._done - _OVERLAP)
            self._buffer = self._buffer[spare:]
            self._gone += spare
            self._done -= spare

    def finish(self) -> Iterator[Piece]:
        """Yield what is left when the stream has ended."""
        yield from self._look(len(self._buffer))
        end = self._gone + len(self._buffer)
        if end > self._start:
            yield Piece(self._start, end, self._first, self._telling)

    def _look(self, limit: int) -> Iterator[Piece]:
        for start in self._find_markers(limit):
            self._pass(start)
            place = self._gone + start
            if place > self._start and not self._joined:
                yield Piece(self._start, place, self._first, self._telling)
                self._start, self._first, self._telling = place, self._line, False
            # Directives belong to the document after the marker.
            self._joined = False
        self._pass(limit)

    def _find_markers(self, limit: int) -> list[int]:
        """Return where lines begin with a marker, from where the looking has got to."""
        found = [start for start in (0, len(_BOM)) if self._gone == self._done == 0
                 and self._buffer.startswith(_MARKER, start) and self._buffer[:start] in _BOM]
        for line_end in _BREAKS:
            at = self._buffer.find(line_end + _MARKER, max(0, self._done - 1), limit + len(_MARKER))
            while at >= 0:
                found.append(at + 1)
                at = self._buffer.find(line_end + _MARKER, at + 1, limit + len(_MARKER))
        ends = ((start, start + len(_MARKER)) for start in sorted(found) if self._done <= start < limit)
        return [start for start, end in ends if end == len(self._buffer) or self._buffer[end] in _AFTER]

    def _pass(self, end: int) -> None:
        """Move on to an offset of the same piece."""
        text, done = self._buffer, self._done
        begin = max(done - _OVERLAP, self._start - self._gone, 0)
        self._telling = self._telling or any(text.find(word, begin, end) >= 0 for word in self._words)
        self._joined = self._joined or self._has_directive(end)
        self._line += text.count(b"\n", done, end) + text.count(b"\r", done, end) - text.count(b"\r\n", done, end)
        self._done = end

    def _has_directive(self, end: int) -> bool:
        if self._gone == self._done == 0 and self._buffer.startswith(_DIRECTIVE):
            return True
        return any(self._buffer.find(line_end + _DIRECTIVE, max(0, self._done - 1), end) >= 0 for line_end in _BREAKS)
