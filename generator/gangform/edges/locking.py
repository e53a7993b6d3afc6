"""One writer at a time: an advisory lock on a folder that leaves no file and dies with its process."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gangform.model.errors import InputError

PATIENCE = 60.0
"""Seconds that a run waits for another one."""

_PAUSE = 0.05


@contextmanager
def hold(folder: str) -> Iterator[None]:
    """Keep other runs of gangform from writing in a folder.

    Where the system has no such lock (Windows, some network file systems, a folder that may not
    be listed), the block runs without it.

    Raises:
        InputError: another run held it for longer than PATIENCE.
    """
    handle = _open(folder)
    try:
        if handle is not None:
            _lock(handle, folder)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _open(folder: str) -> int | None:
    if sys.platform == "win32":
        return None
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None


def _lock(handle: int, folder: str) -> None:
    if sys.platform == "win32":
        return
    import fcntl
    import time

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise InputError(f"another gangform is writing in {folder}", "try again when it has ended") from None
            time.sleep(_PAUSE)
        except OSError:
            return
        else:
            return
