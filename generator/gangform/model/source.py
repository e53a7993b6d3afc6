"""Where data came from: texts, documents and places in them."""

from typing import Any, NamedTuple

from gangform.model.pointer import Pointer


class Source(NamedTuple):
    """One text that was read.

    Attributes:
        name: how messages call it: a path with ``/`` relative to the working folder,
            ``<stdin>``, or ``<folder> (built)`` for the output of a kustomize build.
        text: the decoded text, without a byte order mark.
        bom: whether a byte order mark stood before the text.
        built: whether a program produced the text, so that no author wrote its lines.
    """

    name: str
    text: str
    bom: bool = False
    built: bool = False


class Place(NamedTuple):
    """A span of a text; lines and columns count from 1, columns in characters, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Document(NamedTuple):
    """One object of a source: a YAML document, or one item of a ``kind: List``.

    Attributes:
        source: the text that holds it.
        number: of the YAML document in the source, from 0.
        start, end: the document's span in ``source.text``, in characters.
        line: line number of ``start``, from 1.
        data: dict, list, str, int, float, bool or None; what kubectl would read.
        base: pointer of this object inside its YAML document (a List's item), else empty.
        holder: the document whose text or fields hold this one, when it is made at run time.
        held_at: where in the holder's data.
    """

    source: Source
    number: int
    start: int
    end: int
    line: int
    data: dict[str, Any]
    base: Pointer = ()
    holder: "Document | None" = None
    held_at: Pointer = ()
