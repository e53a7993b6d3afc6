"""The examples that the documentation of every rule holds, as text."""

import re
import textwrap

from gangform.contracts import Rule


def example(rule: Rule, name: str) -> str:
    """The Bad or the Good example of a rule."""
    match = re.search(rf"^{name}::\n\n((?:    .*\n|\n)+)", rule.__doc__ or "", re.MULTILINE)
    assert match, f"{rule.ID} has no {name}:: example"
    return textwrap.dedent(match[1])
