"""Where the YAML documents of a text begin and end, before anything is parsed.

A line that begins with ``---`` or ``...`` can stand inside no YAML value, so a text can be cut there
and a broken document does not hide the others.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gangform.text.lines import count_breaks

_BREAKS = "\r\n\x85\u2028\u2029"
_MARKER = re.compile(rf"(?:---|\.\.\.)(?=[ \t{_BREAKS}]|\Z)")
_REST_OF_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
_HEAD = re.compile(r"(?:[ \t]*+(?:[#%][^\r\n]*+)?+(?>\r\n|\r|\n))*+\Z")
_BLANK = r"[ \t]*+(?:#[^\r\n]*+)?+"
_EMPTY = re.compile(rf"(?:---|\.\.\.)?{_BLANK}(?:(?>\r\n|\r|\n)(?:\.\.\.)?+{_BLANK})*+\Z")
_DIRECTIVE = re.compile(r"(?:\A|(?<=[\r\n]))%")


class Slice(NamedTuple):
    """One YAML document's span.

    Attributes:
        start, end: offsets in characters.
        line: line number of ``start``, from 1.
    """

    start: int
    end: int
    line: int


def cut(text: str) -> Iterator[Slice]:
    """Yield the spans of the YAML documents, those without any content left out."""
    line, counted = 1, 0
    for start, end in _join_directives(text, _cut_at_markers(text)):
        if _EMPTY.match(text, start, end):
            continue
        line += count_breaks(text, counted, start)
        counted = start
        yield Slice(start, end, line)


def _cut_at_markers(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _MARKER.finditer(text):
        if match.start() and text[match.start() - 1] not in _BREAKS:
            continue
        if match[0] == "---":
            yield start, match.start()
            start = match.start()
        else:
            end = _end_of_marker(text, match.end())
            yield start, end
            start = end
    yield start, len(text)


def _end_of_marker(text: str, offset: int) -> int:
    rest = _REST_OF_LINE.match(text, offset)
    return rest.end() if rest else offset


def _join_directives(text: str, spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Give directives, which stand before their document's ``---``, to that document."""
    head: int | None = None
    for start, end in spans:
        if end > start and head is None and _HEAD.match(text, start, end) and _DIRECTIVE.search(text, start, end):
            head = start
            continue
        yield (start if head is None else head), end
        head = None
    if head is not None:
        yield head, len(text)
