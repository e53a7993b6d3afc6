"""Reading from the disk, listing folders, replacing one file; every failure is one clear message.

Paths come in as users type them; names go out with ``/``, relative to the working folder where
they are below it.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from gangform.edges.locking import hold
from gangform.kustomization import FILE_NAMES
from gangform.model.errors import InputError, ProgramError

READ_LIMIT = 256 * 2**20
"""Bytes that one input may have."""

CHART_FILE = "Chart.yaml"
"""The file that makes a folder a Helm chart (helm, pkg/chartutil/chartfile.go, IsChartDir, 3.19)."""

_TEMPORARY = ".gangform-tmp-"
_NAME_TAIL = 50
_SUFFIXES = (".yaml", ".yml", ".json")


class Listing(NamedTuple):
    """What a folder holds, sorted; names as messages show them.

    Attributes:
        files: ``*.yaml``, ``*.yml`` and ``*.json``, without the kustomization files.
        kustomizations: the kustomization files, at most one of each folder.
        charts: folders that hold a Helm chart, those inside other charts among them.
    """

    files: tuple[str, ...]
    kustomizations: tuple[str, ...]
    charts: tuple[str, ...] = ()


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
    r"""Return the path as a sentence can hold it: as ``show``, with ``\n`` for a line's end."""
    return show(path).replace("\n", "\\n").replace("\r", "\\r")


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


def walk(path: str) -> Listing:
    """List the manifests and kustomizations at and below a path; a file lists itself.

    Hidden files and folders are left out. Links to folders are not followed, so that no loop can
    trap the walk; a link to a file counts unless the file is listed under its own name.

    Raises:
        InputError: the path is missing or a folder cannot be read.
    """
    if not os.path.lexists(path):
        raise InputError(f"there is no file or folder {quote(path)}")
    if not os.path.isdir(path):
        name = show(path)
        return Listing((), (name,)) if os.path.basename(path) in FILE_NAMES else Listing((name,), ())
    files: list[str] = []
    links: list[str] = []
    kustomizations: list[str] = []
    charts: list[str] = []
    for folder, names in _folders(path):
        charts += [show(folder)] if CHART_FILE in names else []
        present = [name for name in FILE_NAMES if name in names]
        kustomizations += [show(os.path.join(folder, name)) for name in present[:1]]
        for name in names:
            if name.endswith(_SUFFIXES) and name not in FILE_NAMES:
                whole = os.path.join(folder, name)
                (links if os.path.islink(whole) else files).append(whole)
    seen = {os.path.realpath(file) for file in files}
    for link in sorted(links):
        target = os.path.realpath(link)
        if target not in seen:
            seen.add(target)
            files.append(link)
    return Listing(tuple(sorted(map(show, files))), tuple(sorted(kustomizations)), tuple(sorted(charts)))


def kustomization_folders(path: str) -> list[str]:
    """Return the folders at and below a path that hold a kustomization file, sorted.

    Raises:
        InputError: as for ``walk``.
    """
    return sorted(os.path.dirname(file) or "." for file in walk(path).kustomizations)


def _folders(path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield every folder that is not hidden, with the names of its regular files and links to such."""
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        names = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.is_file():
                        names.append(entry.name)
        except (OSError, ValueError) as error:
            raise unusable("read", folder, error) from error
        yield folder, names


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


def write_file(path: str, text: str) -> None:
    """Replace the text of one existing file, whole or not at all; mode and owner stay.

    Raises:
        InputError: it is missing, a link, no file, or cannot be written; then it is as it was.
    """
    if os.path.islink(path):
        target = show(os.path.realpath(path))
        raise InputError(f"{show(path)} is a symbolic link and is not written", f"change {target} itself")
    if not os.path.isfile(path):
        raise InputError(f"there is no file {show(path)}")
    folder, name = os.path.split(os.path.abspath(path))
    try:
        with hold(folder):
            _sweep(folder, name)
            temporary = write_beside(path, text, durable=True)
            try:
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise
    except (OSError, ValueError) as error:
        raise unusable("write", path, error) from error


def _sweep(folder: str, name: str) -> None:
    """Remove what killed runs left when they wrote this file."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_temporary(entry.name) and entry.name.endswith(f"-{name[-_NAME_TAIL:]}"):
                os.unlink(entry.path)


def write_beside(path: str, text: str, *, like: str | None = None, durable: bool = False) -> str:
    """Write a text to a new hidden file in the path's folder and return that file's path.

    Args:
        path: the file that the new one is to replace.
        text: written as UTF-8.
        like: the file whose mode and owner the new one gets if it exists; else the path.
        durable: whether to wait until the device has it.

    Raises:
        OSError: as the system says; then nothing is left.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f"{_TEMPORARY}{os.urandom(6).hex()}-{name[-_NAME_TAIL:]}")
    # Made apart from being written: only a file that is ours may be removed.
    with open(temporary, "xb"):
        pass
    try:
        with open(temporary, "r+b") as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        with suppress(FileNotFoundError):
            before = os.stat(like or path, follow_symlinks=False)
            keep_owner(temporary, before)
            os.chmod(temporary, stat.S_IMODE(before.st_mode))
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def is_temporary(path: str) -> bool:
    """Tell whether a file is one that ``write_beside`` makes; a killed run may leave it behind."""
    return os.path.basename(path).startswith(_TEMPORARY)


def keep_owner(path: str, before: os.stat_result) -> None:
    """Give a new file or folder the owner of the one it replaces, as far as the system allows it."""
    if sys.platform == "win32":
        return
    now = os.stat(path)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with suppress(PermissionError):
            os.chown(path, before.st_uid, before.st_gid)
