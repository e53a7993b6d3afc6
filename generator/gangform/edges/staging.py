"""The next state of a folder, complete, beside it; and the clearing away of the last one.

A staging folder is a hidden sibling. Files that stay are hard links, so that nothing is copied
and nothing can be lost: an old folder is cleared only of gangform's own files and of files that
have another name elsewhere; anything else goes back to where it belongs.
"""

import errno
import os
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Literal

from gangform.edges import replacing
from gangform.edges.holding import is_owned

CARRY_LIMIT = 2000
"""Files and folders of others that are carried over at most; a folder with more is written in place."""


def find_leftovers(place: str) -> list[str]:
    """Return the hidden siblings that killed runs on this folder have left behind, sorted."""
    import re

    parent, name = os.path.split(place)
    ours = re.compile(rf"\.{re.escape(name)}\.gangform-(new|old)-[0-9a-f]{{12}}")
    with suppress(OSError), os.scandir(parent) as entries:
        return sorted(entry.path for entry in entries if ours.fullmatch(entry.name))
    return []


def make_name(place: str, state: Literal["new", "old"]) -> str:
    """Return the path of a hidden sibling that does not exist yet."""
    parent, name = os.path.split(place)
    return os.path.join(parent, f".{name}.gangform-{state}-{os.urandom(6).hex()}")


def is_old(sibling: str) -> bool:
    """Tell whether a hidden sibling was named as the folder's last state."""
    return os.path.basename(sibling)[:-13].endswith(".gangform-old")


def fill(staging: str, place: str, texts: Mapping[str, str], dropped: Collection[str]) -> None:
    """Make the staging folder: all of the place but for the dropped files, and the texts.

    Raises:
        OSError: it cannot be; what was made so far is still there.
    """
    os.mkdir(staging)
    if os.path.isdir(place):
        _match_folder(place, staging)
        _carry(place, staging, {os.path.normpath(name) for name in (*dropped, *texts)})
    for name, text in texts.items():
        path = os.path.join(staging, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        before = os.path.join(place, name)
        os.replace(replacing.write_beside(path, [replacing.encode(text)], like=before), path)


def _carry(place: str, staging: str, left_out: Collection[str]) -> None:
    device = os.stat(place).st_dev
    count = 0
    waiting = [""]
    while waiting:
        below = waiting.pop()
        with os.scandir(os.path.join(place, below)) as entries:
            for entry in entries:
                name = os.path.join(below, entry.name)
                target = os.path.join(staging, name)
                count += name not in left_out
                if count > CARRY_LIMIT or entry.stat(follow_symlinks=False).st_dev != device:
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), entry.path)
                if entry.is_dir(follow_symlinks=False):
                    os.mkdir(target)
                    _match_folder(entry.path, target)
                    waiting.append(name)
                elif name not in left_out and not replacing.is_temporary(name):
                    os.link(entry.path, target, follow_symlinks=False)


def _match_folder(real: str, copy: str) -> None:
    """Give a new folder the owner, mode and attributes of the one that it stands for."""
    before = os.stat(real)
    replacing.keep_owner(copy, before)
    now = os.stat(copy)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), copy)
    shutil.copystat(real, copy)


def retire(leftover: str, place: str) -> None:
    """Clear away a staging or an old folder, giving back to the place what exists nowhere else.

    What cannot be cleared stays for the next run.
    """
    for path, folders, names in os.walk(leftover, topdown=False):
        below = os.path.relpath(path, leftover)
        for name in (*names, *(folder for folder in folders if os.path.islink(os.path.join(path, folder)))):
            with suppress(OSError):
                _retire_file(os.path.join(path, name), os.path.join(place, below, name))
        with suppress(OSError):
            os.rmdir(path)


def _retire_file(file: str, home: str) -> None:
    status = os.lstat(file)
    spare = replacing.is_temporary(file) or status.st_nlink > 1 or is_owned(file)
    if not spare:
        try:
            spare = os.lstat(home).st_mtime_ns >= status.st_mtime_ns
        except FileNotFoundError:
            os.makedirs(os.path.dirname(home), exist_ok=True)
    if spare:
        os.unlink(file)
    else:
        os.replace(file, home)
