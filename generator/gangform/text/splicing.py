"""Edits into the text of a document that a human owns: only the lines that change are touched.

The data before and after is walked side by side with the places of the text, and each difference becomes
a change of the text at its place. The result is read again: it holds exactly the edited data, or there is none.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gangform.model import edit as edits_of
from gangform.model.edit import Edit
from gangform.model.pointer import Pointer
from gangform.model.source import Document, Source
from gangform.text.changes import Obstacle
from gangform.text.composing import compose
from gangform.text.faults import Composition
from gangform.text.lines import count_breaks
from gangform.text.locating import Node, Positions
from gangform.text.weaving import weave

_DIRECTIVE = re.compile(r"^%", re.MULTILINE)
_TEMPLATE = re.compile(r"\{\{|\{%")


class Spliced(NamedTuple):
    """A document's text after its edits, from ``Document.start`` to ``Document.end``."""

    text: str


class Refusal(NamedTuple):
    """Why edits were not made: what is in the way, and on which line of the source (from 1)."""

    reason: str
    line: int


def splice(document: Document, edits: Sequence[Edit], *, pure: bool = False) -> Spliced | Refusal:
    """Make edits in a document's text, all of them or none.

    Args:
        document: as ``reading.read`` answered it; for an item of a list object the text of the whole
            YAML document is answered.
        edits: their pointers are into ``document.data``; an edit that changes nothing is none.
        pure: whether to do without libyaml.
    """
    text = document.source.text[document.start:document.end]
    before = compose(text, pure=pure)
    root = Positions(document, pure=pure).root
    obstacle = _find_obstacle(text, before, root)
    if obstacle is None:
        wanted = tuple(_lift(edit, document.base) for edit in edits)
        after = edits_of.apply(before.data, wanted)
        moves = {edit.pointer: edit.origin for edit in wanted if edit.origin is not None}
        try:
            woven = weave(text, root, before.data, after, moves)
        except Obstacle as error:
            obstacle = error
        else:
            if _reads_as(woven.text, after, pure=pure):
                return Spliced(woven.text)
            obstacle = woven.doubt
    return Refusal(obstacle.reason, document.line + count_breaks(text, 0, obstacle.offset))


def assemble(source: Source, spliced: Iterable[tuple[Document, Spliced]]) -> str:
    """Return the whole text of a source with new texts of some documents, its byte order mark included.

    Args:
        source: the text that the documents are of.
        spliced: at most one text for each YAML document.
    """
    parts: list[str] = ["\ufeff"] if source.bom else []
    done = 0
    for document, new in sorted(spliced, key=lambda item: item[0].start):
        parts += (source.text[done:document.start], new.text)
        done = document.end
    return "".join((*parts, source.text[done:]))


def _lift(edit: Edit, base: Pointer) -> Edit:
    return Edit(base + edit.pointer, edit.value, None if edit.origin is None else base + edit.origin)


def _find_obstacle(text: str, composition: Composition, root: Node) -> Obstacle | None:
    for fault in composition.faults:
        if fault.code == "yaml-duplicate-key":
            return Obstacle(fault.start, "a key stands twice in the same map")
    directive = _DIRECTIVE.search(text)
    if directive:
        return Obstacle(directive.start(), "the document begins with a % directive")
    if _TEMPLATE.search(text):
        template = _find_template(text, root)
        if template is not None:
            return Obstacle(template, "the text is a template")
    return None


def _find_template(text: str, root: Node) -> int | None:
    """Return the offset of a template expression in a scalar that is neither in quotes nor a block of lines."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.items is not None:
            waiting.extend(node.items.values())
            waiting.extend(node.merged)
        elif node.alias is None and text[node.start:node.start + 1] not in {'"', "'", "|", ">"}:
            found = _TEMPLATE.search(text, node.start, node.end)
            if found:
                return found.start()
    return None


def _reads_as(text: str, wanted: Any, *, pure: bool) -> bool:
    found = compose(text, pure=pure)
    return found.usable and not any(fault.code == "yaml-duplicate-key" for fault in found.faults) and \
        _same(found.data, wanted)


def _same(one: Any, other: Any) -> bool:
    """Compare data by value and type: 1, 1.0 and true differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
