"""What gangform has to say: problems of one object, findings at one place."""

from enum import IntEnum
from typing import Any, Literal, NamedTuple

from gangform.model.edit import Edit
from gangform.model.pointer import Pointer
from gangform.model.workload import Ref


class Severity(IntEnum):
    """How bad it is. ERROR: can never start, or a gang was asked for and silently none is formed."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The lower-case word used in reports and settings."""
        return self.name.lower()


class Code(NamedTuple):
    """An id that is not a rule module of its own: the reader's, the schema's, a kind's.

    ``text`` is shown by ``gangform explain``: first line a summary, then why and how to mend.
    """

    severity: Severity
    text: str


class Problem(NamedTuple):
    """All that a schema, a kind or a rule says about its own subject.

    Attributes:
        pointer: where in the subject's data.
        message: what is there and what would be right.
        hint: how to mend it.
        on: whether the key or the value at the pointer is meant.
        edit: a safe mend, when there is exactly one.
        code: the id, when it is not the id of the rule that yields the problem.
        severity: set only where one rule speaks at two levels.
    """

    pointer: Pointer
    message: str
    hint: str = ""
    on: Literal["key", "value"] = "value"
    edit: Edit | None = None
    code: str = ""
    severity: Severity | None = None


class Location(NamedTuple):
    """Where a finding points.

    Attributes:
        path: as in Source.name.
        line, column, end_line, end_column: from 1; 0 when the value has no author's line.
        pointer: RFC 6901 text inside the object, for outputs that carry no lines.
        excerpt: the text of the line, without its end; empty when there is none.
    """

    path: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    pointer: str = ""
    excerpt: str = ""

    @property
    def file(self) -> str:
        """The file to open: for a built value that no author's line holds, the kustomization of the build."""
        folder, built, _ = self.path.partition(" (built)")
        return f"{folder}/kustomization.yaml" if built else self.path


class Finding(NamedTuple):
    """A problem with rule, severity and place stamped on; sorts by place, then rule.

    Attributes:
        subject: the object it speaks about, or None for a whole file.
        builds: names of the builds that show it, when it was found on built values.
        edit: as in Problem.
    """

    location: Location
    rule: str
    severity: Severity
    message: str
    hint: str = ""
    subject: Ref | None = None
    builds: tuple[str, ...] = ()
    edit: Edit | None = None


class Suppressed(NamedTuple):
    """A finding that does not count.

    Attributes:
        origin: an annotation on the object, or the baseline of known findings.
        reason: what the author gave as reason, or empty.
    """

    finding: Finding
    origin: Literal["annotation", "baseline"]
    reason: str = ""


def order(finding: Finding) -> tuple[Any, ...]:
    """Sort key that is total over findings: path, line, column, rule, message, subject."""
    where = finding.location
    return (where.path, where.line, where.column, finding.rule, finding.message,
            tuple(part or "" for part in finding.subject or ()), finding.builds)
