"""A finding's mend as a change of its own line, where it is one."""

from typing import NamedTuple

from gangform.model.edit import Absent
from gangform.model.finding import Finding
from gangform.model.pointer import render
from gangform.text import writing


class Suggestion(NamedTuple):
    """What to put in the place of a finding's span.

    Attributes:
        text: the new value, as YAML spells it.
        line: the whole line with it.
    """

    text: str
    line: str


def suggest(finding: Finding) -> Suggestion | None:
    """Return the suggestion of a finding; None where its mend is not one value on the line that is shown."""
    edit, where = finding.edit, finding.location
    if edit is None or isinstance(edit.value, Absent | dict | list) or where.line != where.end_line:
        return None
    if not where.line or render(edit.pointer) != where.pointer:
        return None
    before, after = where.excerpt[:where.column - 1], where.excerpt[where.end_column - 1:]
    text = writing.write([edit.value]).removesuffix("\n")
    if after.lstrip().startswith(":") or not before.rstrip().endswith((":", "-", ",", "[")) or "\n" in text:
        return None
    return Suggestion(text, before + text + after)
