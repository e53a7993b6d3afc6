"""A stream of manifests in, the same stream with its jobs as gangs out; everything else byte for byte.

The input is read twice: what a job must know of the others may follow it. The output is held back until the
last job has been judged, so that a failure leaves none.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from gangform.catalog import CATALOG
from gangform.edges.spooling import Opener, Result, Spool
from gangform.hosts import cutting, framing
from gangform.hosts.cutting import Piece
from gangform.model.edit import Edit, difference
from gangform.model.errors import InputError
from gangform.model.finding import Finding, Location, Problem, Severity
from gangform.model.pointer import Pointer
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.provenance import locate_written
from gangform.settings import Settings
from gangform.text.reading import Reading
from gangform.text.splicing import Refusal, Spliced
from gangform.workflows import rewriting
from gangform.workflows.codes import CODES
from gangform.workflows.judging import Control, conclude
from gangform.workflows.marking import Aim, Place, Revision, made_for, refuse_template, revise
from gangform.workflows.outcome import Counts, Outcome
from gangform.workflows.rewriting import Changes, lift
from gangform.workflows.saying import Said
from gangform.workflows.standing import GROUP_APIS, JOB_KINDS, LONGEST, Intake, Section, place

_BOM = b"\xef\xbb\xbf"
_MARKER = b"---"
_JOB_WORDS = cutting.spell(sorted(JOB_KINDS))


class Transformed(NamedTuple):
    """The answer of ``transform``; ``result`` is None when errors stand in the way."""

    outcome: Outcome
    result: Result | None = None


def transform(inputs: Sequence[str], settings: Settings, aim: Aim, open_input: Opener) -> Transformed:
    """Mark the jobs of a stream and put their groups before them, or take both out.

    Args:
        inputs: files, ``-`` for standard input; their documents follow each other in the output.
        settings: severities and switches.
        aim: what is to become of the jobs.
        open_input: reads an input into a spool.

    Raises:
        InputError: an input cannot be read.
        ProgramError: the system has no room for temporary files.
    """
    if len([path for path in inputs if path == "-"]) > 1:
        raise InputError("standard input is named twice", "write - once")
    spool, sections = Spool(), []
    for path in inputs:
        start = spool.size
        name = open_input(path, spool)
        # A byte order mark is one only at the begin of the whole output.
        marked = start > 0 and spool.read(start, start + len(_BOM)) == _BOM
        sections.append(Section(name, start + len(_BOM) * marked, spool.size))
    return run(Intake(spool, sections), settings, aim)


def run(intake: Intake, settings: Settings, aim: Aim) -> Transformed:
    """Do the same with what has come in already."""
    return _Run(intake, aim, Control(settings)).run()


class _Run:
    """One stream on its way through."""

    def __init__(self, intake: Intake, aim: Aim, control: Control) -> None:
        self._intake = intake
        self._aim = aim
        self._control = control
        self._out = Spool()
        self._spans: dict[Place, tuple[int, int, bool]] = {}
        self._fates: dict[Place, bytes] = {}
        self._jobs: dict[tuple[str, str], str] = {}
        self._groups = 0
        self._said = Said()

    def run(self) -> Transformed:
        """Read, write and conclude."""
        if not self._aim.remove and self._aim.cluster is not None:
            self._intake.index()
            known = {**self._intake.priorities, **self._aim.cluster.priorities}
            self._aim = self._aim._replace(cluster=self._aim.cluster._replace(priorities=known))
        for section in self._intake.sections:
            self._join(section)
            passed = section.start
            for piece in self._intake.pieces(section):
                if piece.telling:
                    self._out.copy(self._intake.spool, passed, piece.start)
                    self._take(section, piece)
                    passed = piece.end
            self._out.copy(self._intake.spool, passed, section.end)
        counts = Counts(files=len(self._intake.sections), jobs=len(self._jobs), groups=self._groups)
        outcome = conclude(self._said.errors, self._said.judged, self._control, counts, self._said.notes)
        if self._said.failed or any(finding.severity is Severity.ERROR for finding in outcome.findings):
            return Transformed(outcome)
        return Transformed(outcome, Result(self._out, dict(self._revise())))

    def _revise(self) -> Iterator[tuple[int, tuple[int, bytes]]]:
        """Yield what becomes of groups that stood in the stream already."""
        for at, new in self._fates.items():
            start, end, first = self._spans[at]
            if not new and first:
                end += framing.leading_marker(self._out.read(end, end + len(_MARKER) + 2))
            yield start, (end, new)

    def _join(self, section: Section) -> None:
        """Set an input apart from the one before it."""
        if not self._out.size or section.start == section.end:
            return
        if self._out.read(self._out.size - 1, self._out.size) not in {b"\n", b"\r"}:
            self._out.append(b"\n")
        begin = self._intake.spool.read(section.start, section.start + len(_MARKER) + 1)
        if begin not in {_MARKER + end for end in (b"\n", b"\r", b" ", b"\t")}:
            self._out.append(b"---\n")

    def _take(self, section: Section, piece: Piece) -> None:
        """Pass on a piece that may hold a job or a group."""
        found = self._intake.read(section, piece)
        text = found.source.text
        if found.findings:
            raw = self._intake.spool.read(piece.start, min(piece.end, piece.start + LONGEST))
            self._said.tell(finding for finding in map(refuse_template, found.findings) if _concerns(finding, raw))
        if not any(_is_ours(document) for document in found.documents):
            self._pass_foreign(found)
            self._out.copy(self._intake.spool, piece.start, piece.end)
            return
        if found.source.bom:
            self._out.append(_BOM)
        done = 0
        for _, items in groupby(found.documents, key=lambda document: document.number):
            documents = tuple(items)
            self._write(text[done:documents[0].start])
            done = documents[0].end
            if documents[0].base:
                self._take_list(piece, documents)
            else:
                self._take_object(piece, documents[0], first=piece.start == section.start and not documents[0].start)
        self._write(text[done:])

    def _write(self, text: str) -> None:
        self._out.append(text.encode())

    def _pass_foreign(self, found: Reading) -> None:
        for document in found.documents:
            if document.data.get("kind") in JOB_KINDS:
                self._said.tell([_pass(document)])

    def _take_object(self, piece: Piece, document: Document, *, first: bool) -> None:
        text = document.source.text[document.start:document.end]
        if _is_job(document):
            revision = self._revision(document)
            self._settle(revision, document)
            self._write(framing.before(text, revision.groups, first=first))
            self._write(self._text(document, rewriting.rewrite(document, Changes(revision.rounds))))
            return
        if document.data.get("kind") in JOB_KINDS:
            self._said.tell([_pass(document)])
        start = self._out.size
        self._write(text)
        if _is_group(document):
            self._groups += 1
            at = place(piece, document)
            if made_for(document.data):
                self._spans[at] = (start, self._out.size, framing.opens_next(text, first=first))
            if self._is_leaving(document):
                self._fates[at] = b""

    def _take_list(self, piece: Piece, documents: Sequence[Document]) -> None:
        """Pass on an object that is a list of others; groups become items of it."""
        rounds: list[list[Edit]] = [[], []]
        added: dict[Pointer, Sequence[Any]] = {}
        gone = {document.base for document in documents if _is_group(document) and self._is_leaving(document)}
        inside = {place(piece, document): document for document in documents}
        self._groups += sum(map(_is_group, documents))
        for document in documents:
            if not _is_job(document):
                self._said.tell([_pass(document)] if document.data.get("kind") in JOB_KINDS else [])
                continue
            revision = self._revision(document)
            # A text has as many rounds as the job that needs most of them; the last is where marks are set.
            for number, edits in enumerate(reversed(revision.rounds), 1):
                rounds[-number] += lift(edits, document.base)
            if revision.groups:
                added[document.base] = revision.groups
            for at, new in revision.fates.items():
                if at not in inside:
                    continue
                if new is None:
                    gone.add(inside[at].base)
                else:
                    rounds[0] += lift(tuple(difference(inside[at].data, new)), inside[at].base)
            self._settle(revision._replace(fates={
                at: new for at, new in revision.fates.items() if at not in inside}), document)
        whole = documents[0]._replace(base=(), data={})
        self._write(self._text(whole, rewriting.rewrite(whole, Changes(rounds, added, frozenset(gone)))))

    def _revision(self, document: Document) -> Revision:
        ref = identify(document.data)
        name = (ref.namespace or "default", ref.name)
        where = f"{document.source.name}:{document.line}"
        if name in self._jobs and ref.name:
            self._said.tell([_find(document, "job-repeated", Problem(
                ("metadata", "name"), f"the {ref.kind} {ref.name} is in the stream already, in the document at "
                f"{self._jobs[name]}", "leave one, or give the other a name of its own"))])
        self._jobs[name] = where
        standing = () if self._aim.remove else self._intake.standing(ref)
        return revise(document, standing, self._aim, self._control)

    def _settle(self, revision: Revision, job: Document) -> None:
        """Note what is said of a job, and what becomes of the groups that it has elsewhere."""
        self._said.judge(revision.judged, refused=revision.refused)
        held = {one.place: one.document for one in (
            self._intake.standing(identify(job.data)) if revision.fates else ())}
        for at, new in revision.fates.items():
            if held[at].base:
                self._said.tell([_find(job, "edit-refused", Problem(
                    (), "the job's PodGroup stands in a list that does not hold the job",
                    "take the PodGroup out of the list", on="key"))])
            elif new is None:
                self._fates[at] = b""
            else:
                self._fates[at] = self._text(held[at], rewriting.update(held[at], new)).encode()

    def _text(self, document: Document, result: Spliced | Refusal) -> str:
        if isinstance(result, Spliced):
            return result.text
        where = Location(document.source.name, result.line, 1, result.line, 1)
        subject = identify(document.data) if document.data else None
        self._said.tell([Finding(where, "edit-refused", Severity.ERROR, result.reason,
                                 "write the value out at this place", subject)])
        return document.source.text[document.start:document.end]

    def _is_leaving(self, document: Document) -> bool:
        """Whether a group is ours and all of ours is taken out."""
        apis = {backend.GROUP_API for backend in self._aim.backends.values()}
        return self._aim.remove and bool(made_for(document.data)) and identify(document.data)[:2] in apis


def _is_job(document: Document) -> bool:
    return identify(document.data)[:2] in CATALOG.kinds


def _is_group(document: Document) -> bool:
    return identify(document.data)[:2] in GROUP_APIS


def _is_ours(document: Document) -> bool:
    return _is_job(document) or _is_group(document)


def _concerns(finding: Finding, raw: bytes) -> bool:
    """Whether a finding of the reader tells of a job or group, or of a text that may be a job."""
    subject = finding.subject
    if subject is None:
        told = any(word in raw for word in _JOB_WORDS)
        return finding.rule == "yaml-limit" or (told and finding.rule != "document-not-object")
    return subject[:2] in CATALOG.kinds or subject[:2] in GROUP_APIS


def _pass(document: Document) -> Finding:
    ref = identify(document.data)
    return _find(document, "job-passed", Problem(
        ("apiVersion",), f"{ref.kind} {ref.name} of {ref.api_version} was passed on unchanged",
        f"only {', '.join(sorted(api for api, kind in CATALOG.kinds if kind == ref.kind))} can be marked"))


def _find(document: Document, rule: str, problem: Problem) -> Finding:
    return Finding(locate_written(document, problem), rule, CODES[rule].severity, problem.message, problem.hint,
                   identify(document.data))
