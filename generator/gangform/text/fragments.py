"""Texts that hold parts of objects or lists of operations, such as kustomize patches."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from gangform.model.source import Document, Source
from gangform.text.composing import compose
from gangform.text.decoding import decode
from gangform.text.slicing import cut


class Fragment(NamedTuple):
    """One YAML document of any shape; ``document`` serves to locate what is in ``data``."""

    document: Document
    data: Any


def read(name: str, text: bytes | str) -> Iterator[Fragment]:
    """Yield the documents that can be read; says nothing of the others, whose judge is the build."""
    decoded = decode(text)
    if decoded.misfit:
        return
    source = Source(name, decoded.text, decoded.bom)
    for number, part in enumerate(cut(decoded.text)):
        composition = compose(decoded.text[part.start:part.end], part.line)
        if composition.usable and composition.data is not None:
            data = composition.data if isinstance(composition.data, dict) else {}
            yield Fragment(Document(source, number, part.start, part.end, part.line, data), composition.data)
