"""The stream as it came in: its pieces read on demand, and an index of what jobs must know of it."""

from collections.abc import Iterator
from typing import NamedTuple

from gangform.catalog import CATALOG
from gangform.edges.spooling import Spool
from gangform.hosts import cutting
from gangform.hosts.cutting import Piece
from gangform.model.finding import Finding, Location, Severity
from gangform.model.pointer import Pointer
from gangform.model.source import Document, Source
from gangform.model.workload import Ref, identify
from gangform.text import reading
from gangform.text.reading import Reading
from gangform.workflows.marking import Place, Standing, made_for

JOB_KINDS = frozenset(kind for _, kind in CATALOG.kinds)
GROUP_APIS = frozenset(backend.GROUP_API for backend in CATALOG.backends.values())

LONGEST = 4 * reading.MAX_CHARACTERS
"""Bytes of a piece that is read: no document of more is, however few bytes its characters take."""

_PRIORITY_CLASS = ("scheduling.k8s.io", "PriorityClass")
_GROUP_KINDS = sorted({kind for _, kind in GROUP_APIS})
_KEPT = 2
"""Pieces that stay read: those of a job and of its group."""


class Section(NamedTuple):
    """One input: its name in messages, and its bytes in the spool."""

    name: str
    start: int
    end: int


class _Spot(NamedTuple):
    section: Section
    piece: Piece
    at: Pointer
    job: str


class Intake:
    """What came in.

    Args:
        spool: every input, one after the other.
        sections: the inputs.
    """

    def __init__(self, spool: Spool, sections: list[Section]) -> None:
        self.spool = spool
        self.sections = sections
        self.priorities: dict[str, int] = {}
        self._groups: dict[tuple[str, str], list[_Spot]] = {}
        self._read: dict[int, Reading] = {}

    def pieces(self, section: Section) -> Iterator[Piece]:
        """Yield the pieces of an input; those that hold a job or a group of any kind are telling."""
        return self._cut(section, [*sorted(JOB_KINDS), *_GROUP_KINDS])

    def _cut(self, section: Section, words: list[str]) -> Iterator[Piece]:
        blocks = self.spool.blocks(section.start, section.end)
        for piece in cutting.cut(blocks, cutting.spell(words)):
            yield piece._replace(start=section.start + piece.start, end=section.start + piece.end)

    def read(self, section: Section, piece: Piece) -> Reading:
        """Read a piece; what is found bears the lines of its input."""
        if piece.end - piece.start > LONGEST:
            return _refuse(section, piece)
        if piece.start not in self._read:
            while len(self._read) >= _KEPT:
                del self._read[next(iter(self._read))]
            found = reading.read(section.name, self.spool.read(piece.start, piece.end))
            self._read[piece.start] = found._replace(
                documents=tuple(document._replace(line=document.line + piece.line - 1) for document in found.documents),
                findings=tuple(_shift(finding, piece.line - 1) for finding in found.findings))
        return self._read[piece.start]

    def index(self) -> None:
        """Look through everything for group objects and priority classes."""
        for section in self.sections:
            for piece in self._cut(section, [*_GROUP_KINDS, _PRIORITY_CLASS[1]]):
                if piece.telling:
                    for document in self.read(section, piece).documents:
                        self._note(section, piece, document)

    def _note(self, section: Section, piece: Piece, document: Document) -> None:
        ref = identify(document.data)
        value = document.data.get("value")
        if (ref.group, ref.kind) == _PRIORITY_CLASS and isinstance(value, int):
            self.priorities[ref.name] = value
        if (ref.api_version, ref.kind) in GROUP_APIS:
            job = made_for(document.data)
            spot = _Spot(section, piece, (document.number, *document.base), job)
            for name in {ref.name, job} - {""}:
                self._groups.setdefault((ref.namespace or "default", name), []).append(spot)

    def standing(self, job: Ref) -> tuple[Standing, ...]:
        """Return the groups that bear a job's name or its label, in its namespace."""
        return tuple(
            Standing((spot.piece.start, spot.at), document, spot.job)
            for spot in self._groups.get((job.namespace or "default", job.name), ())
            for document in self.read(spot.section, spot.piece).documents
            if (document.number, *document.base) == spot.at)


def place(piece: Piece, document: Document) -> Place:
    """Return where an object of a piece stands."""
    return piece.start, (document.number, *document.base)


def _refuse(section: Section, piece: Piece) -> Reading:
    finding = Finding(
        Location(section.name, piece.line, 1, piece.line, 1), "yaml-limit", Severity.ERROR,
        f"the document is longer than {reading.MAX_CHARACTERS:,} characters", "split it into several documents")
    return Reading(Source(section.name, ""), (), (finding,), 0)


def _shift(finding: Finding, lines: int) -> Finding:
    where = finding.location
    if not (lines and where.line):
        return finding
    return finding._replace(location=where._replace(line=where.line + lines, end_line=where.end_line + lines))
