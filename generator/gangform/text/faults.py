"""What a composition answers: data, and what is wrong with the text."""

from typing import Any, NamedTuple

from gangform.model.pointer import Pointer


class Fault(NamedTuple):
    """One thing that is wrong with a document.

    Attributes:
        code: an id of ``reading.CODES``.
        pointer: the value, in the document's data.
        start, end: the span in the document's text, in characters.
        message, hint: as in Problem; ``{line}`` in the message stands for the line of ``other``.
        fatal: whether the data is unfit for use.
        other: offset of a second place, or None.
    """

    code: str
    pointer: Pointer
    start: int
    end: int
    message: str
    hint: str
    fatal: bool = True
    other: int | None = None


class Composition(NamedTuple):
    """What a document's text says; ``data`` is of no use after a fatal fault."""

    data: Any
    faults: tuple[Fault, ...]

    @property
    def usable(self) -> bool:
        """Whether the data can be trusted."""
        return not any(fault.fatal for fault in self.faults)
