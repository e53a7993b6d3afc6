"""What is known of an id besides its findings, and where its page stands on the web."""

import re
from textwrap import dedent
from typing import NamedTuple

from gangform.model.finding import Severity

REPOSITORY = "https://github.com/gangform/gangform"
"""The project's address."""

_CODE = re.compile(r"^(?P<title>\S.*)::\n\n(?P<body>(?:    .*\n|\n)+)", re.MULTILINE)


class Page(NamedTuple):
    """The documentation of one id.

    Attributes:
        text: as ``gangform explain`` prints it: a summary, then why, examples and how to mend.
    """

    rule: str
    severity: Severity
    text: str

    @property
    def summary(self) -> str:
        """The first line."""
        return self.text.strip().splitlines()[0]


def help_uri(rule: str) -> str:
    """Return the address of an id's page."""
    return f"{REPOSITORY}/blob/main/docs/rules/{rule}.md"


def to_markdown(text: str) -> str:
    """Turn a docstring's literal blocks and double backticks into Markdown."""
    fenced = _CODE.sub(_fence, text.strip() + "\n")
    return re.sub(r"(?<!`)``(?!`)", "`", fenced)


def _fence(match: re.Match[str]) -> str:
    return f"{match['title']}:\n\n```yaml\n{dedent(match['body']).strip(chr(10))}\n```\n\n"
