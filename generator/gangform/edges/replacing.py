"""Replacing one file, whole or not at all: the new text is complete beside it before it takes its place."""

import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress

from gangform.edges import disk
from gangform.edges.locking import hold
from gangform.model.errors import InputError

_TEMPORARY = ".gangform-tmp-"
_NAME_TAIL = 50


def write_file(path: str, text: str) -> None:
    """Replace the text of one existing file, whole or not at all; mode and owner stay.

    Raises:
        InputError: it is missing, a link, no file, or cannot be written; then it is as it was.
    """
    if os.path.islink(path):
        target = disk.show(os.path.realpath(path))
        raise InputError(f"{disk.show(path)} is a symbolic link and is not written", f"change {target} itself")
    if not os.path.isfile(path):
        raise InputError(f"there is no file {disk.show(path)}")
    folder, name = os.path.split(os.path.abspath(path))
    try:
        with hold(folder):
            _sweep(folder, name)
            _replace(path, [encode(text)], durable=True)
    except (OSError, ValueError) as error:
        raise disk.unusable("write", path, error) from error


def _sweep(folder: str, name: str) -> None:
    """Remove what killed runs left when they wrote this file."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_temporary(entry.name) and entry.name.endswith(f"-{name[-_NAME_TAIL:]}"):
                os.unlink(entry.path)


def write_stream(path: str, blocks: Iterable[bytes]) -> None:
    """Write a file that may be missing or a link, whole or not at all; a device or pipe gets the blocks as they come.

    Raises:
        InputError: its folder is missing, or it cannot be written.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as stream:
                stream.writelines(blocks)
            return
        _replace(os.path.realpath(path), blocks)
    except (OSError, ValueError) as error:
        hint = "name a file in a folder that exists and may be written"
        raise disk.unusable("write", path, error, hint) from error


def _replace(path: str, blocks: Iterable[bytes], *, durable: bool = False) -> None:
    temporary = write_beside(path, blocks, durable=durable)
    try:
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def encode(text: str) -> bytes:
    """Return a manifest's text as a file holds it; bytes of names that are no UTF-8 stay as they are."""
    return text.encode("utf-8", "surrogateescape")


def write_beside(path: str, blocks: Iterable[bytes], *, like: str | None = None, durable: bool = False) -> str:
    """Write a new hidden file in the path's folder and return that file's path.

    Args:
        path: the file that the new one is to replace.
        blocks: what it is to hold.
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
            stream.writelines(blocks)
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
