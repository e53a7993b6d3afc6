"""Keeps one comment of a pull request up to date with gangform's report.

Usage: ``comment.py FILE``, with GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN and PULL_REQUEST as the
action sets them. The report's first line is the marker by which its comment is found again. A pull request
that never had findings gets no comment. What cannot be done is a warning: the check itself has its exit code.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple

TIMEOUT = 30.0
"""Seconds for one request."""

PAGE = 100
"""Comments that GitHub gives at once."""

INSIDERS = frozenset({"COLLABORATOR", "MEMBER", "OWNER"})
"""What GitHub says of authors who may write to the repository."""

CLEAN = ": no findings\n"
"""How the report's heading ends when there is nothing to tell."""


class Api(NamedTuple):
    """The issue of the pull request, as GitHub's REST interface has it.

    Attributes:
        repository: address of the repository.
        number: of the pull request.
    """

    repository: str
    number: int
    token: str

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Send one request and return what it answers.

        Raises:
            OSError: GitHub refuses it or cannot be reached.
        """
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/vnd.github+json", "Authorization": f"Bearer {self.token}",
                   "Content-Type": "application/json", "X-GitHub-Api-Version": "2022-11-28"}
        request = urllib.request.Request(f"{self.repository}/issues/{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return json.load(answer)

    def comments(self) -> Iterator[Any]:
        """Yield every comment, the oldest first."""
        page = 1
        while found := self.ask("GET", f"{self.number}/comments?per_page={PAGE}&page={page}"):
            yield from found
            page += 1


def is_ours(comment: Mapping[str, Any], marker: str) -> bool:
    """Whether a comment is a report by a bot or by somebody of the repository, whose token may write it.

    The marker alone proves nothing: whoever may comment can write it, and would own the report.
    """
    # The author of a comment may be gone.
    bot = (comment.get("user") or {}).get("type") == "Bot"
    return (bot or comment.get("author_association") in INSIDERS) and str(comment["body"]).startswith(marker)


def update(api: Api, report: str) -> str:
    """Write the report into its comment and say in one word what was done.

    Raises:
        OSError: GitHub refuses it or cannot be reached.
    """
    marker = report.partition("\n")[0]
    ours = next((comment for comment in api.comments() if is_ours(comment, marker)), None)
    if ours is None:
        if CLEAN in report:
            return "left out"
        api.ask("POST", f"{api.number}/comments", {"body": report})
        return "written"
    # GitHub gives line ends back as it got them from whoever edited last.
    if ours["body"].replace("\r\n", "\n").rstrip() == report.rstrip():
        return "unchanged"
    api.ask("PATCH", f"comments/{ours['id']}", {"body": report})
    return "updated"


def main(path: str) -> None:
    """Update the comment; without a report there is nothing to say."""
    if not Path(path).exists():
        return
    address = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}"
    api = Api(address, int(os.environ["PULL_REQUEST"]), os.environ["GITHUB_TOKEN"])
    try:
        print(f"comment: {update(api, Path(path).read_text(encoding='utf-8'))}")
    except urllib.error.HTTPError as error:
        hint = " The job needs the permission pull-requests: write, which forks do not get." * (error.code == 403)
        print(f"::warning title=gangform::The comment was not written: {error.code} {error.reason}.{hint}")
    except (OSError, HTTPException) as error:
        print(f"::warning title=gangform::The comment was not written: {error}")
    except (ValueError, LookupError, TypeError, AttributeError):
        # Such as the page of a proxy.
        print("::warning title=gangform::The comment was not written: what answers is not GitHub's interface.")


if __name__ == "__main__":
    main(sys.argv[1])
