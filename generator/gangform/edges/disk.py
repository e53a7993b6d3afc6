"""Names of files, what is there, and reading it; every failure is one clear message.

Paths come in as users type them; names go out with ``/``, relative to the working folder where
they are below it.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gangform.kustomization import FILE_NAMES
from gangform.model.errors import InputError, ProgramError

READ_LIMIT = 256 * 2**20
"""Bytes that one input may have."""

CHART_FILE = "Chart.yaml"
"""The file that makes a folder a Helm chart (helm, pkg/chartutil/chartfile.go, IsChartDir, 3.19)."""


def unusable(verb: str, path: str, error: OSError | ValueError, hint: str = "") -> InputError:
    """Say that a path cannot be read or written (``verb``), and why."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return InputError(f"cannot {verb} {quote(path)}: {reason[:1].lower()}{reason[1:]}", hint)


def show(path: str) -> str:
    """Return the path as messages call it: with ``/``, relative to the working folder if below it."""
    if os.path.isabs(path):
        here = os.path.join(os.getcwd(), "")
        path = path[len(here) :] or "." if path.startswith(here) else path
    return os.path.normpath(path).replace(os.sep, "/")


def quote(path: str) -> str:
    r"""Return the path as a sentence can hold it: as ``show``, with ``\n`` for a line's end; an empty one in quotes."""
    return show(path).replace("\n", "\\n").replace("\r", "\\r") if path else "''"


def spell(path: str) -> str:
    """Return a path as a text file can name it.

    Raises:
        InputError: its bytes are no UTF-8, which YAML needs.
    """
    try:
        return os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"the name {path} is not UTF-8, so no kustomization can list it", "rename it") from error


def shorten(path: str) -> str:
    """Return the same path without detours through folders above the working folder, as messages call it."""
    return show(os.path.abspath(path))


def read_bytes(path: str) -> bytes:
    """Read a whole file.

    Raises:
        InputError: it is missing, a folder, not readable, or larger than READ_LIMIT bytes.
    """
    try:
        with open(path, "rb") as stream:
            data = stream.read(READ_LIMIT + 1)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {quote(path)}") from error
    except IsADirectoryError as error:
        raise InputError(f"{quote(path)} is a folder, not a file") from error
    except (OSError, ValueError) as error:
        raise unusable("read", path, error) from error
    return _within_limit(data, show(path))


def read_stdin() -> bytes:
    """Read standard input to its end.

    Raises:
        InputError: it is closed, not readable, or larger than READ_LIMIT bytes.
    """
    if sys.stdin is None:
        raise InputError("standard input is closed")
    try:
        data = sys.stdin.buffer.read(READ_LIMIT + 1)
    except (OSError, ValueError) as error:
        raise unusable("read", "<stdin>", error) from error
    return _within_limit(data, "<stdin>")


def _within_limit(data: bytes, name: str) -> bytes:
    if len(data) > READ_LIMIT:
        raise InputError(f"{name} is larger than {READ_LIMIT // 2**20} MiB", "split it into several files")
    return data


def exists(path: str) -> bool:
    """Tell whether a file or folder is there."""
    return os.path.exists(path)


def is_file(path: str) -> bool:
    """Tell whether a regular file is there; a pipe or a device would never end."""
    return os.path.isfile(path)


def is_folder(path: str) -> bool:
    """Tell whether a folder is there."""
    return os.path.isdir(path)


def is_chart(folder: str) -> bool:
    """Tell whether a folder holds a Helm chart."""
    return os.path.isfile(os.path.join(folder, CHART_FILE))


def is_within(path: str, folder: str) -> bool:
    """Tell whether a path lies in a folder once every link on the way is followed."""
    real, root = os.path.realpath(path), os.path.realpath(folder)
    return real == root or real.startswith(os.path.join(root, ""))


def real(path: str) -> str:
    """Return the absolute path, with ``/``, once every link on the way is followed; it need not be there."""
    return os.path.realpath(path).replace(os.sep, "/")


def join(folder: str, entry: str) -> str:
    """Return the path that an entry of a file in a folder means, as messages call it.

    ``..`` leaves the folder that a link leads to, as for kustomize and the system.
    """
    meant = os.path.join(folder, entry)
    path = os.path.normpath(meant).replace(os.sep, "/")
    # Only behind a link do the two differ, and only where an entry goes up.
    return path if ".." not in entry or os.path.realpath(meant) == os.path.realpath(path) else show(real(meant))


def way(start: str, end: str) -> str:
    """Return the relative path from one folder to another, with ``/``; it holds although ``start`` is behind links."""
    here, there = os.path.realpath(start), os.path.abspath(end)
    if here != os.path.abspath(start):
        there = os.path.realpath(end)
    return os.path.relpath(there, here).replace(os.sep, "/")


def require_searchable(folder: str) -> None:
    """Refuse a folder in which nothing can be found because it may not be looked into.

    Raises:
        InputError: it is there and locked.
    """
    if os.path.isdir(folder) and not os.access(folder, os.X_OK):
        raise unusable("read", folder, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def find_kustomization(folder: str) -> str | None:
    """Return the path of the folder's kustomization file, or None."""
    paths = (os.path.join(folder, name) for name in FILE_NAMES)
    return next((show(path) for path in paths if os.path.isfile(path)), None)


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Give a new empty folder, by its real path, that vanishes afterwards.

    Raises:
        ProgramError: the system has no room for it.
    """
    import tempfile

    try:
        holder = tempfile.TemporaryDirectory(prefix="gangform-", ignore_cleanup_errors=True)
    except OSError as error:
        raise ProgramError(f"cannot make a temporary folder: {error.strerror}", "set TMPDIR") from error
    with holder as folder:
        yield os.path.realpath(folder)


def write_new(path: str, text: str) -> None:
    """Write a file that is not there yet, in a temporary folder.

    Raises:
        ProgramError: the system refuses.
    """
    try:
        with open(path, "xb") as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise ProgramError(f"cannot write a temporary file: {error.strerror}", "set TMPDIR") from error
