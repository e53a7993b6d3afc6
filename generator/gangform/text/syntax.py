"""What the YAML parser complains about, in plain words and pointing at what has to be mended."""

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from gangform.text.lines import count_breaks

_TAB_INDENT = re.compile(r"[ ]*\t")


class SyntaxFault(NamedTuple):
    """An error of the text.

    Attributes:
        offset: where it is, in characters from the begin of the text.
        message, hint: what is there, and how to mend it.
    """

    offset: int
    message: str
    hint: str


class _Reading(NamedTuple):
    """One entry of the table below.

    Attributes:
        needles: any of these in the parser's words selects the entry.
        at: whether the fault is where the parser gave up, where it began to read, or at the last backslash.
    """

    needles: tuple[str, ...]
    message: str
    hint: str
    at: Literal["end", "begin", "backslash"] = "end"


_READINGS = (
    _Reading(("mapping values are not allowed",),
             "a `:` stands where no key can be",
             "indent the line like its neighbours, or quote the value if the `:` belongs to it"),
    _Reading(("could not find expected ':'",),
             "this line is neither a `key: value` nor a part of what stands above it",
             "add the missing `:` with a space after it, or mend the indentation", at="begin"),
    _Reading(("found unexpected end of stream", "document indicator", "document separator"),
             "the quote that opens here is never closed",
             "close it, or leave both quotes out", at="begin"),
    _Reading(("unknown escape character",),
             "a backslash in double quotes begins an escape that YAML does not know",
             "double the backslash, or use single quotes", at="backslash"),
    _Reading(("invalid unicode character", "hexadecimal numbers", "hexdecimal number"),
             "a `\\x`, `\\u` or `\\U` escape in double quotes names no character",
             "write the character itself, or \\U with eight hexadecimal digits", at="backslash"),
    _Reading(("entries are not allowed",),
             "a list item (`- `) cannot begin here",
             "begin the list on a line of its own, or quote the value if the `-` belongs to it"),
    _Reading(("mapping keys are not allowed",),
             "a `? ` cannot begin here", "quote the value if the `?` belongs to it"),
    _Reading(("scanning an alias", "scanning an anchor"),
             "`*` and `&` at the begin of a value are YAML's references, and no name follows",
             "put the value in quotes", at="begin"),
    _Reading(("cannot start any token",),
             "a value cannot begin with this character", "put the value in quotes"),
    _Reading(("',' or ']'",),
             "a list in square brackets is not closed, or a comma is missing",
             "add the `]` or the `,`"),
    _Reading(("',' or '}'",),
             "a map in braces is not closed, or a comma is missing",
             "add the `}` or the `,`, and quote values that begin with a brace"),
    _Reading(("expected key", "expected '-' indicator", "expected <block end>"),
             "this line does not fit the block that begins on line {line}",
             "indent it like the other lines of that block, and look for a quote too many above it"),
    _Reading(("<document start>",),
             "something follows after the end of the document",
             "separate documents by a line `---`, or mend the indentation"),
    _Reading(("node content",),
             "a value is missing here", "write a value, or quote it if it is punctuation"),
    _Reading(("undefined tag handle", "scanning a tag", "parsing a tag"),
             "`!` at the begin of a value is a YAML tag, and this one is not valid",
             "put the value in quotes, or leave the tag out", at="begin"),
    _Reading(("scanning a block scalar",),
             "the line with `|` or `>` holds something else",
             "leave only `|`, `>`, `+`, `-` and a digit there, and begin the text on the next line"),
    _Reading(("directive", "incompatible yaml document"),
             "a line that begins with `%` is a YAML directive, and this one is not valid",
             "delete the line; `%YAML 1.1` is what Kubernetes tools read"),
)

_TABS = ("the line is indented with a tab", "YAML is indented with spaces only: replace the tab by spaces")
_DEFAULT = ("this is not valid YAML", "mend the line or the one above it")


def explain(error: Exception, text: str, first_line: int, opened: int | None) -> SyntaxFault:
    """Put a parser's error into plain words.

    Args:
        error: what PyYAML raised on the text.
        text: the text of the document.
        first_line: line number of its first line, from 1.
        opened: offset of the innermost bracket that was open, or None.
    """
    problem, context = _offset(error, "problem_mark"), _offset(error, "context_mark")
    tab = _find_tab(text, problem)
    if tab is not None:
        return SyntaxFault(tab, *_TABS)
    if opened is not None and not text[problem:].strip():
        return SyntaxFault(opened, f"the `{text[opened]}` that opens here is never closed",
                           f"add the `{']' if text[opened] == '[' else '}'}`")
    words = " ".join(str(part) for part in _words(error)).lower()
    for reading in _READINGS:
        if any(needle in words for needle in reading.needles):
            begun = first_line + count_breaks(text, 0, context)
            offset = {"end": problem, "begin": context, "backslash": text.rfind("\\", 0, problem + 1)}[reading.at]
            return SyntaxFault(offset, reading.message.replace("{line}", str(begun)), reading.hint)
    return SyntaxFault(problem, *_DEFAULT)


def _offset(error: Exception, which: str) -> int:
    mark: Any = getattr(error, which, None) or getattr(error, "problem_mark", None)
    return mark.index if mark else 0


def _words(error: Exception) -> Iterator[Any]:
    yield getattr(error, "context", "")
    yield getattr(error, "problem", "")


def _find_tab(text: str, offset: int) -> int | None:
    start = 1 + max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset))
    tab = _TAB_INDENT.match(text, start)
    return tab.end() - 1 if tab else None
