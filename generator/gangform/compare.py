"""Tree against tree: what would change, as a unified diff."""

from typing import NamedTuple

from gangform.model.tree import Tree

UNENDED = "\n\\ No newline at end of file\n"
"""How a diff says that the last line of a file has no end."""


class Change(NamedTuple):
    """One file that differs.

    Attributes:
        path: relative to the overlay's folder, with ``/``.
        before, after: the texts; None where there is no file.
    """

    path: str
    before: str | None
    after: str | None

    @property
    def kind(self) -> str:
        """``new``, ``changed`` or ``deleted``."""
        if self.before is None:
            return "new"
        return "deleted" if self.after is None else "changed"


def compare(before: Tree, after: Tree) -> tuple[Change, ...]:
    """List the files that differ, by path.

    Ends of lines and a byte order mark do not count: a checkout on Windows rewrites them (Git's
    ``core.autocrlf``) and the next commit writes them back.
    """
    changes = (Change(path, before.get(path), after.get(path)) for path in sorted({*before, *after}))
    return tuple(change for change in changes if _plain(change.before) != _plain(change.after))


def unified(change: Change, folder: str) -> str:
    """Write a change as ``git apply`` and ``patch -p1`` read it; ``folder`` is the overlay's.

    The lines are compared as in ``compare``; paths have ``/`` and no drive or root.
    """
    from difflib import unified_diff

    parts = folder.replace("\\", "/").split("/")
    path = "/".join([*(part for part in parts if part not in ("", ".")), change.path])
    before, after = _plain(change.before), _plain(change.after)
    lines = unified_diff(
        _lines(before), _lines(after),
        "/dev/null" if before is None else _title(f"a/{path}"),
        "/dev/null" if after is None else _title(f"b/{path}"))
    return "".join(line if line.endswith("\n") else line + UNENDED for line in lines)


def _plain(text: str | None) -> str | None:
    return None if text is None else text.removeprefix("\ufeff").replace("\r\n", "\n")


def _lines(text: str | None) -> list[str]:
    # Not str.splitlines, which also splits at form feeds and other characters that end no line of a file.
    lines = [f"{line}\n" for line in (text or "").split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def _title(path: str) -> str:
    # A tab ends a name with blanks in it, else the rest would be read as a time.
    return f"{path}\t" if " " in path else path
