"""PyYAML's event stream, the same with and without libyaml.

The pure scanner refuses tabs that libyaml, and so kubectl, takes as white space, and lets pass
halves of surrogate pairs; a subclass levels both.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from yaml import __with_libyaml__
from yaml.events import ScalarEvent
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

NextEvent = Callable[[], Any]

_BREAKS = "\r\n\x85\u2028\u2029"
_SURROGATES = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.DOTALL)


class _PureParser(Reader, Scanner, Parser):
    """PyYAML's own scanner, with libyaml's idea of tabs (scanner.c of libyaml 0.2.5)."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def scan_to_next_token(self) -> None:
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
            self.forward()
            super().scan_to_next_token()

    def scan_plain_spaces(self, indent: int, start_mark: Any) -> list[Any] | None:
        blanks: list[str] = []
        breaks: list[str] = []
        while (char := self.peek()) in " \t" or char in _BREAKS:
            if char in _BREAKS:
                breaks.append(self.scan_line_break())  # type: ignore[no-untyped-call]
                self.allow_simple_key = True
            elif char == "\t" and breaks and self.column < indent:
                raise ScannerError("while scanning a plain scalar", start_mark,
                                   "found a tab character that violates indentation", self.get_mark())
            else:
                blanks.append(char)
                self.forward()
        if not breaks:
            return blanks
        return (breaks[1:] or [" "]) if breaks[0] == "\n" else breaks

    def scan_flow_scalar_non_spaces(self, double: bool, start_mark: Any) -> list[Any]:  # noqa: FBT001
        try:
            chunks = super().scan_flow_scalar_non_spaces(double, start_mark)
        except (ValueError, OverflowError):
            chunks = ["\ud800"]
        if any(map(_SURROGATES.search, chunks)):
            raise ScannerError("while parsing a quoted scalar", start_mark,
                               "found invalid Unicode character escape code", self.get_mark())
        return chunks


def open_events(text: str, *, pure: bool = False) -> NextEvent:
    """Return a function that answers the next event of a text, the last being StreamEndEvent.

    Args:
        text: without a byte order mark and without characters that YAML forbids.
        pure: whether to do without libyaml where it is there.

    Raises:
        yaml.YAMLError: (the returned function) the text is not valid YAML.
    """
    if pure or not __with_libyaml__:
        return _PureParser(text).get_event
    from yaml._yaml import CParser

    return CParser(text).get_event


class JsonText:
    """A text that is JSON and holds escaped surrogate pairs, which YAML has no word for.

    Attributes:
        shadow: the text with every such escape replaced by another of the same length.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.shadow = _ESCAPE.sub(lambda m: "\\u0020" if len(m[0]) == 6 else m[0], text)

    def read(self, event: ScalarEvent) -> str:
        """Return the string of a quoted scalar event of the shadow; lone halves become U+FFFD as in Go."""
        marks: Any = event.start_mark, event.end_mark
        literal = self._text[marks[0].index:marks[1].index]
        return _SURROGATES.sub("\ufffd", json.loads(literal))


def find_json(text: str) -> JsonText | None:
    """Return the text as JSON when it is JSON and YAML would not read it as JSON does, else None."""
    if text.lstrip()[:1] not in ("{", "[") or "\\u" not in text:
        return None
    if not any(len(match[0]) == 6 for match in _ESCAPE.finditer(text)):
        return None
    try:
        json.loads(text)
    except ValueError:
        return None
    except RecursionError:  # deeper than any composition goes, which will say so
        return JsonText(text)
    return JsonText(text)
