"""The new text of one YAML document of a stream, whether it is one object or a list of them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gangform.model.edit import Edit, difference
from gangform.model.pointer import Pointer
from gangform.model.source import Document
from gangform.text import reading
from gangform.text.items import rearrange
from gangform.text.splicing import Refusal, Spliced, splice


class Changes(NamedTuple):
    """What changes in one YAML document; pointers begin at its root.

    Attributes:
        rounds: edits, each round in the text that the one before has left.
        added: pointer of an item of a list to what comes before it.
        gone: pointers of items that go.
    """

    rounds: Sequence[Sequence[Edit]]
    added: Mapping[Pointer, Sequence[Any]] = {}
    gone: frozenset[Pointer] = frozenset()


def lift(edits: Sequence[Edit], base: Pointer) -> tuple[Edit, ...]:
    """Let edits of an item begin at the root of the document that holds it."""
    return tuple(Edit(base + one.pointer, one.value, None if one.origin is None else base + one.origin)
                 for one in edits)


def rewrite(document: Document, changes: Changes) -> Spliced | Refusal:
    """Return the text of a whole YAML document with its changes, all of them or none."""
    result: Spliced | Refusal = Spliced(document.source.text[document.start:document.end])
    for edits in changes.rounds:
        if isinstance(result, Spliced) and edits:
            result = splice(_follow(document, result), edits)
    # Inner lists first, so that the pointers of the outer ones still hold.
    lists = sorted({pointer[:-1] for pointer in (*changes.added, *changes.gone)}, key=len, reverse=True)
    for at in lists:
        added = {int(pointer[-1]): data for pointer, data in changes.added.items() if pointer[:-1] == at}
        gone = {int(pointer[-1]) for pointer in changes.gone if pointer[:-1] == at}
        if isinstance(result, Spliced):
            result = rearrange(_follow(document, result), at, added, gone)
    return result


def update(document: Document, wanted: Mapping[str, Any]) -> Spliced | Refusal:
    """Return the text of a document with the content of ``wanted``, and its comments where they can stay."""
    return splice(document, tuple(difference(document.data, wanted)))


def _follow(document: Document, result: Spliced) -> Document:
    """Return the document as its new text has it."""
    if result.text == document.source.text[document.start:document.end]:
        return document
    (found,) = reading.read(document.source.name, result.text, flatten=False).documents
    return found._replace(line=document.line)
