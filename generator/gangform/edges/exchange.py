"""Putting a complete folder in the place of another one, in one step where the system has such a step."""

import errno
import os
import sys
from collections.abc import Callable

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2


def exchange(one: str, other: str) -> None:
    """Let two folders change their places in one step.

    Mirrors renameat2(2) of Linux and renamex_np(2) of macOS.

    Raises:
        OSError: ENOSYS where the system has no such call; else as the call says (EXDEV, EBUSY,
            EINVAL … on mount points and some file systems); then nothing was changed.
    """
    import ctypes

    swap = _find_call()
    if swap is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), one)
    if swap(os.fsencode(one), os.fsencode(other)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), one)


def is_known() -> bool:
    """Tell whether this system has a call that exchanges two folders."""
    return _find_call() is not None


def _find_call() -> Callable[[bytes, bytes], int] | None:
    import ctypes

    if sys.platform not in {"linux", "darwin"}:
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        swap = library.renamex_np
        return lambda one, other: int(swap(one, other, ctypes.c_uint(_RENAME_SWAP)))
    rename = getattr(library, "renameat2", None)
    if rename is None:
        return None
    return lambda one, other: int(
        rename(_AT_FDCWD, one, _AT_FDCWD, other, ctypes.c_uint(_RENAME_EXCHANGE))
    )
