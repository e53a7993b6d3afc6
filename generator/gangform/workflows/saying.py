"""What is said of a stream: every error, and of the rest no more than a person can read."""

from collections.abc import Iterable

from gangform.model.finding import Finding, Severity
from gangform.workflows.judging import Judged

KEPT = 1000
"""Judgements that are kept whole, so that a long stream needs no more memory than a short one."""


class Said:
    """Collects judgements.

    Attributes:
        judged: the first ones.
        errors: of all others.
        failed: whether errors stand in the way, whatever the settings say of them.
    """

    def __init__(self) -> None:
        self.judged: list[Judged] = []
        self.errors: list[Finding] = []
        self.failed = False
        self._left_out = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what is not shown."""
        return (f"{self._left_out} further warnings and notes are not shown",) if self._left_out else ()

    def tell(self, findings: Iterable[Finding]) -> None:
        """Take findings of no scene; an error among them stands in the way."""
        found = tuple(findings)
        self.judge((Judged(found),), refused=any(finding.severity is Severity.ERROR for finding in found))

    def judge(self, judged: Iterable[Judged], *, refused: bool = False) -> None:
        """Take what is said of one scene."""
        self.failed = self.failed or refused
        for one in filter(any, judged):
            if len(self.judged) < KEPT:
                self.judged.append(one)
                continue
            errors = [finding for finding in one.findings if finding.severity is Severity.ERROR]
            self.errors += errors
            self._left_out += len(one.findings) - len(errors)
