"""The tree of an earlier revision, laid out in a temporary folder by git; the repository is only read."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from gangform.edges import disk, programs
from gangform.model.errors import InputError, ProgramError

TIMEOUT = 120.0
"""Seconds that one run of git may take."""


class Checkout(NamedTuple):
    """A revision's files.

    Attributes:
        revision: as the user named it.
        top: the repository's topmost folder.
        tree: the folder that stands for it.
    """

    revision: str
    top: str
    tree: str

    def place(self, path: str) -> str | None:
        """Return where a path of the working folder lies in the revision; None for one outside the repository.

        Whether the revision holds it is not asked.
        """
        inside = os.path.relpath(os.path.join(os.path.realpath(os.getcwd()), path), self.top)
        if inside == os.pardir or inside.startswith(os.pardir + os.sep):
            return None
        return os.path.normpath(os.path.join(self.tree, inside)).replace(os.sep, "/")


@contextmanager
def checkout(revision: str) -> Iterator[Checkout]:
    """Lay the files of a revision of the working folder's repository out, and remove them afterwards.

    Files of Git LFS come as pointers, submodules as empty folders.

    Raises:
        InputError: the working folder is in no repository, or the revision is unknown.
        ProgramError: git is missing, failed or timed out.
    """
    if programs.find("git") is None:
        raise ProgramError("--changed-since needs git, which is not on PATH", "install git")
    top = _top()
    commit = _commit(revision, top)
    with disk.temporary_folder() as temporary:
        tree = os.path.join(temporary, "tree")
        os.mkdir(tree)
        # An index of its own, so that the user's is not touched.
        env = {"GIT_INDEX_FILE": os.path.join(temporary, "index"), "GIT_LFS_SKIP_SMUDGE": "1"}
        _must(("read-tree", commit), top, f"git read-tree {revision}", env)
        _must(("checkout-index", "--all", f"--prefix={os.path.join(tree, '')}"), top,
              f"git checkout-index of {revision}", env)
        yield Checkout(revision, top, tree)


def changed(found: Checkout) -> frozenset[str]:
    """Return the real paths, with ``/``, of the files that differ from a revision.

    Those that are new and not ignored count, those that are gone too, and submodules as a whole.

    Raises:
        ProgramError: git failed.
    """
    diff = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "--end-of-options",
            f"{found.revision}^{{commit}}", "--")
    new = ("ls-files", "--others", "--exclude-standard", "-z")
    names = [name for argv in (diff, new) for name in _must(argv, found.top, f"git {argv[0]}", {}).split(b"\0") if name]
    paths = (os.path.realpath(os.path.join(found.top, os.fsdecode(name))) for name in names)
    return frozenset(path.replace(os.sep, "/") for path in paths)


def _top() -> str:
    done = _run(("rev-parse", "--show-toplevel"), ".", "git rev-parse", {})
    if done.code != 0:
        reason = _say(done)
        if "not a git repository" in reason:
            raise InputError("--changed-since compares with git, but the working folder is in no git repository",
                             "run gangform inside the repository")
        raise InputError(f"git cannot read the repository of the working folder: {reason}", "see `git status`")
    return os.path.normpath(os.fsdecode(done.stdout).rstrip("\r\n"))


def _commit(revision: str, top: str) -> str:
    argv = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    done = _run(argv, top, "git rev-parse", {})
    if done.code == 0:
        return done.stdout.decode("ascii", "replace").strip()
    shallow = _run(("rev-parse", "--is-shallow-repository"), top, "git rev-parse", {})
    if shallow.stdout.strip() == b"true":
        raise InputError(f"git knows no revision {revision} here: the clone is shallow and may lack it",
                         "fetch it first, for example with `git fetch --unshallow`, or let CI check out "
                         "the whole history")
    raise InputError(f"git knows no revision {revision} in this repository",
                     "give a branch, a tag or a commit, such as origin/main")


def _must(argv: tuple[str, ...], top: str, what: str, env: Mapping[str, str]) -> bytes:
    done = _run(argv, top, what, env)
    if done.code != 0:
        raise ProgramError(f"{what} failed: {_say(done)}")
    return done.stdout


def _run(argv: tuple[str, ...], cwd: str, what: str, env: Mapping[str, str]) -> programs.Completed:
    # LC_ALL so that git's words can be recognised; a prompt would wait for ever.
    whole = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", **env}
    return programs.run(("git", *argv), cwd=cwd, timeout=TIMEOUT, what=what, env=whole)


def _say(done: programs.Completed) -> str:
    text = " ".join(done.stderr.decode("utf-8", "replace").split()).removeprefix("fatal: ")
    return text or f"exit code {done.code}"
