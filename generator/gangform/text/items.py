"""Items put into the lists of a document and taken out of them, with lines of their own; the rest stays as it is."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gangform.model.edit import put
from gangform.model.pointer import Pointer, get
from gangform.model.source import Document
from gangform.text import writing
from gangform.text.changes import Changes, Obstacle
from gangform.text.composing import compose
from gangform.text.lines import count_breaks
from gangform.text.locating import Node, Positions
from gangform.text.splicing import Refusal, Spliced

_DASH = re.compile(r"(?:\A|(?<=[\r\n]))[ ]*-(?=[ \t\r\n])")
_GAP = re.compile(r"[ \t\r\n]*\Z")


def rearrange(
    document: Document, at: Pointer, added: Mapping[int, Sequence[Any]], gone: Collection[int]
) -> Spliced | Refusal:
    """Put items into a list and take others out, all of them or none.

    Args:
        document: a whole YAML document.
        at: pointer of the list.
        added: index of an item that is there to what comes before it.
        gone: indexes of items that go.
    """
    text = document.source.text[document.start:document.end]
    data = compose(text).data
    before = get(data, at)
    target = Positions(document._replace(base=())).node(at)
    items = [] if target is None else [node for _, node in sorted((target.target.items or {}).items())]
    if target is None or len(items) != len(before):
        return Refusal("the list is not written out here", document.line)
    changes = Changes(text)
    try:
        for index, new_items in added.items():
            _insert(changes, target.target, items, index, new_items)
        for index in gone:
            _remove(changes, target.target, items, index)
        new = changes.apply()
    except Obstacle as error:
        return Refusal(error.reason, document.line + count_breaks(text, 0, error.offset))
    found = compose(new)
    if not found.usable or found.data != put(data, at, _expect(before, added, gone)):
        return Refusal("the list is written in a way that cannot be changed safely",
                       document.line + count_breaks(text, 0, target.start))
    return Spliced(new)


def _expect(items: Sequence[Any], added: Mapping[int, Sequence[Any]], gone: Collection[int]) -> list[Any]:
    expected: list[Any] = []
    for index, item in enumerate(items):
        expected += added.get(index, ())
        expected += [] if index in gone else [item]
    return expected


def _insert(changes: Changes, target: Node, items: Sequence[Node], index: int, added: Sequence[Any]) -> None:
    item = items[index]
    if target.flow:
        gap = _GAP.search(changes.text, items[index - 1].end if index else target.start, item.start)
        after = f",{gap[0] if gap else ''}"
        changes.replace(item.start, item.start, "".join(json.dumps(data, ensure_ascii=False) + after for data in added))
        return
    start = _line_of_dash(changes, target, items, index)
    dash = " " * (changes.text.index("-", start) - start)
    lines: list[str] = []
    for data in added:
        first, *rest = writing.write([data]).removesuffix("\n").split("\n")
        lines += [f"{dash}- {first}", *(f"{dash}  {line}" if line else line for line in rest)]
    eol = changes.text[slice(*changes.line_end(item.start))] or changes.eol
    changes.replace(start, start, "".join(line + eol for line in lines))


def _remove(changes: Changes, target: Node, items: Sequence[Node], index: int) -> None:
    item = items[index]
    if len(items) == 1:
        raise Obstacle(item.start, "nothing would be left of the list")
    if not target.flow:
        start = _line_of_dash(changes, target, items, index)
        stop, end = changes.line_end(item.end)
        if stop == end:
            # The last line has no end: the one above it loses its own.
            changes.replace(len(changes.text[:start].rstrip("\r\n")), end, "")
        else:
            changes.replace(start, end, "")
    elif index + 1 < len(items):
        changes.expect_blank(item.end, items[index + 1].start)
        changes.replace(item.start, items[index + 1].start, "")
    else:
        changes.expect_blank(items[index - 1].end, item.start)
        changes.replace(items[index - 1].end, item.end, "")


def _line_of_dash(changes: Changes, target: Node, items: Sequence[Node], index: int) -> int:
    """Return where the line of an item's dash begins; comments may stand between the dash and the item."""
    begin = changes.line_end(items[index - 1].end)[1] if index else changes.line_start(target.start)
    dash = _DASH.search(changes.text, begin, items[index].start)
    if dash is None:
        raise Obstacle(items[index].start, "an item of the list has no line with a dash of its own")
    return dash.start()
