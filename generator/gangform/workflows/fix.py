"""Write the safe mends of findings into the files that their authors own, until none is left."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gangform.compare import Change
from gangform.edges import disk, replacing
from gangform.model.edit import Edit
from gangform.model.errors import InputError
from gangform.model.finding import Finding, Location
from gangform.model.pointer import Pointer, get
from gangform.model.source import Document, Source
from gangform.model.workload import Ref, identify
from gangform.selection import EVERYTHING, Selection
from gangform.settings import Cluster, Settings
from gangform.text.locating import locate
from gangform.text.splicing import Spliced, assemble, splice
from gangform.workflows.judging import Control
from gangform.workflows.outcome import Outcome, Progress
from gangform.workflows.sources import Shelf
from gangform.workflows.validate import examine

MAX_ROUNDS = 10
"""One mend can uncover the next; mends that undo each other must not go on for ever."""


class Mend(NamedTuple):
    """A finding's edit, and the YAML document that it is for; ``edit`` begins at the document's root."""

    finding: Finding
    document: Document
    edit: Edit


class Left(NamedTuple):
    """A mend that was not made.

    Attributes:
        line: of what is in the way, from 1.
        edit: begins at the root of the YAML document.
    """

    finding: Finding
    reason: str
    line: int
    edit: Edit


class Fixed(NamedTuple):
    """The answer of ``fix``.

    Attributes:
        outcome: what is found after the mends.
        changes: the files that differ, by path.
        mended: the findings whose mends were made, in order.
        left: mends that would have changed more than they should.
        written: whether the files were written.
    """

    outcome: Outcome
    changes: tuple[Change, ...] = ()
    mended: tuple[Finding, ...] = ()
    left: tuple[Left, ...] = ()
    written: bool = False


def fix(
    paths: Sequence[str],
    settings: Settings,
    cluster: Cluster | None,
    *,
    write: bool,
    progress: Progress,
    selection: Selection = EVERYTHING,
) -> Fixed:
    """Mend what has exactly one safe mend.

    Args:
        paths: files and folders.
        settings: as for ``validate``.
        cluster: what the jobs are meant for, when it was given.
        write: whether files are written; else the answer tells what would be.
        progress: told how far it is.
        selection: ids that the command line names.

    Raises:
        InputError: a path does not exist, or a file cannot be read or written; other files may be mended then.
        ProgramError: a program that was found failed to run.
    """
    if "-" in paths:
        raise InputError("standard input cannot be mended in place", "name files or folders")
    mending = _Mending(paths, Control(settings, selection), cluster, progress)
    outcome = mending.look()
    for _ in range(MAX_ROUNDS):
        if not mending.mend(outcome.findings, write=write):
            break
        outcome = mending.look()
    if not write:
        # kustomize builds what is on the disk, where the faults still are.
        mended = frozenset(mending.mended)
        outcome = outcome._replace(findings=tuple(one for one in outcome.findings if one not in mended))
    changes = mending.changes
    return Fixed(outcome, changes, tuple(mending.mended), mending.left, write and bool(changes))


class _Mending:
    """The rounds of one run, and the texts that they have made so far."""

    def __init__(self, paths: Sequence[str], control: Control, cluster: Cluster | None, progress: Progress) -> None:
        self.mended: list[Finding] = []
        self.left: tuple[Left, ...] = ()
        self._paths, self._control, self._cluster, self._progress = paths, control, cluster, progress
        self._shelf = Shelf()
        self._before: dict[str, str] = {}
        self._after: dict[str, str] = {}

    @property
    def changes(self) -> tuple[Change, ...]:
        """The files that differ, by path."""
        changes = (Change(path, self._before[path], self._after[path]) for path in sorted(self._before))
        return tuple(change for change in changes if change.before != change.after)

    def look(self) -> Outcome:
        """Check everything as it is after the mends so far."""
        self._shelf = Shelf()
        for path, text in self._after.items():
            self._shelf.add(path, text.encode("utf-8", "surrogateescape"))
        return examine(
            self._shelf, self._paths, self._control, self._cluster, read_stdin=bytes, progress=self._progress)

    def mend(self, findings: Iterable[Finding], *, write: bool) -> bool:
        """Mend what can be mended at once; tell whether that was anything."""
        made = [_mend_source(source, mends) for source, mends in _by_source(findings, self._shelf)]
        self.left = tuple(one for result in made for one in result.left)
        changed = [result for result in made if result.mended]
        for result in changed:
            self._before.setdefault(result.path, result.before)
            self._after[result.path] = result.after
            self.mended += result.mended
            if write:
                replacing.write_file(result.path, result.after)
        return bool(changed)


class _Round(NamedTuple):
    """What one round does to one file."""

    path: str
    before: str
    after: str
    mended: tuple[Finding, ...]
    left: tuple[Left, ...]


def _by_source(findings: Iterable[Finding], shelf: Shelf) -> Iterator[tuple[Source, tuple[Mend, ...]]]:
    """Yield the files that have mends, with their mends in order; generated files have none."""
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.edit is not None and finding.location.line:
            by_path.setdefault(finding.location.path, []).append(finding)
    for path, found in by_path.items():
        if disk.exists(path) and not shelf.is_generated(path):
            reading = shelf.read(path)
            objects = _Objects(reading.documents)
            mends = tuple(mend for finding in found for mend in objects.find(finding))
            if mends:
                yield reading.source, mends


class _Objects:
    """The objects of one file, by where they are."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._at: dict[int, list[Document]] = {}
        self._named: dict[tuple[int, str], list[Document]] = {}
        for document in documents:
            self._at.setdefault(document.line, []).append(document)
            self._named.setdefault((document.line, identify(document.data).name), []).append(document)
        self._lines = sorted(self._at)

    def find(self, finding: Finding) -> Iterator[Mend]:
        """Find the object that a finding points into, if its edit holds for it."""
        edit, subject, where = finding.edit, finding.subject, finding.location
        number = bisect_right(self._lines, where.line)
        if edit is None or subject is None or not number:
            return
        line = self._lines[number - 1]
        for document in self._named.get((line, subject.name), self._at[line]):
            if _holds_for(document, subject, edit) and (not document.base or _covers(document, where)):
                origin = None if edit.origin is None else document.base + edit.origin
                whole = document._replace(base=())
                yield Mend(finding, whole, Edit(document.base + edit.pointer, edit.value, origin))
                return


def _covers(document: Document, where: Location) -> bool:
    """Whether a place is inside an item of a list object."""
    span = locate(document, ())
    return (span.line, span.column) <= (where.line, where.column) <= (span.end_line, span.end_column)


def _holds_for(document: Document, subject: Ref, edit: Edit) -> bool:
    """Whether an edit of the finding's object may be made in the text that it came from.

    A build may have given it its namespace. Where it was renamed, what an edit adds may be a name of the build.
    """
    found = identify(document.data)
    if found in (subject, subject._replace(namespace="")):
        return True
    renamed = (found.api_version, found.kind) == (subject.api_version, subject.kind) and found.name in subject.name
    return renamed and (edit.origin is not None or get(document.data, edit.pointer) is not None)


def _mend_source(source: Source, mends: Sequence[Mend]) -> _Round:
    by_number: dict[int, list[Mend]] = {}
    for mend in mends:
        by_number.setdefault(mend.document.number, []).append(mend)
    spliced: list[tuple[Document, Spliced]] = []
    made: list[Mend] = []
    left: list[Left] = []
    for ours in by_number.values():
        document = ours[0].document
        text, done, refused = _splice(document, ours)
        left += refused
        if text.text != source.text[document.start:document.end]:
            spliced.append((document, text))
            made += done
    whole = "\ufeff" * source.bom + source.text
    return _Round(source.name, whole, assemble(source, spliced), tuple(mend.finding for mend in made), tuple(left))


def _splice(document: Document, mends: Sequence[Mend]) -> tuple[Spliced, list[Mend], list[Left]]:
    """Make as many mends at once as go together; the others have their turn in the next round."""
    text = Spliced(document.source.text[document.start:document.end])
    made: list[Mend] = []
    left: list[Left] = []
    waiting = [list(_without_clashes(mends))]
    while waiting:
        batch = waiting.pop()
        result = splice(document, [mend.edit for mend in (*made, *batch)])
        if isinstance(result, Spliced):
            text = result
            made += batch
        elif len(batch) == 1:
            left.append(Left(batch[0].finding, result.reason, result.line, batch[0].edit))
        else:
            half = len(batch) // 2
            waiting += [batch[half:], batch[:half]]
    return text, made, left


def _without_clashes(mends: Iterable[Mend]) -> Iterator[Mend]:
    """Leave out each mend whose outcome would depend on an earlier one, of the same place or of one inside it."""
    taken: dict[Pointer, Edit] = {}
    above: set[Pointer] = set()
    for mend in mends:
        edit = mend.edit
        pointers = (edit.pointer,) if edit.origin is None else (edit.pointer, edit.origin)
        if all(taken.get(pointer) == edit for pointer in pointers) or not any(
                pointer in above or any(pointer[:length] in taken for length in range(len(pointer) + 1))
                for pointer in pointers):
            yield mend
            for pointer in pointers:
                taken[pointer] = edit
                above.update(pointer[:length] for length in range(len(pointer)))
