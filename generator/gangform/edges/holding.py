"""Which files of an overlay folder are gangform's and which are a human's."""

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from gangform.edges import disk, replacing
from gangform.kustomization import FILE_NAMES
from gangform.model.tree import GENERATED_LINE

_BOM = b"\xef\xbb\xbf"
_LINE = GENERATED_LINE.encode()


class Holding(NamedTuple):
    """The files of a folder; names with ``/``, relative to it.

    Attributes:
        texts: of the files that bear the generated line, as on disk.
        foreign: names of all others, links included.
        leftovers: names of unfinished files of runs that were killed.
    """

    texts: dict[str, str]
    foreign: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()


def read_owned(folder: str) -> Holding:
    """Read the files of an overlay folder; a missing folder holds nothing.

    Hidden folders and folders with a kustomization of their own are another's business and are
    left out altogether.

    Raises:
        InputError: the folder or one of the owned files cannot be read.
    """
    texts: dict[str, str] = {}
    foreign: list[str] = []
    leftovers: list[str] = []
    for name in _names(folder, ""):
        path = os.path.join(folder, name)
        try:
            if replacing.is_temporary(name):
                leftovers.append(name)
            elif is_owned(path):
                texts[name] = disk.read_bytes(path).decode("utf-8", "surrogateescape")
            else:
                foreign.append(name)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise disk.unusable("read", path, error) from error
    return Holding(dict(sorted(texts.items())), tuple(sorted(foreign)), tuple(leftovers))


def is_owned(path: str) -> bool:
    """Tell whether a regular file's first line is the generated line; CRLF and a byte order mark are tolerated.

    Raises:
        OSError: the file cannot be read.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return False
    with open(path, "rb") as stream:
        head = stream.read(len(_BOM) + len(_LINE) + 2)
    first, newline, _ = head.removeprefix(_BOM).partition(b"\n")
    return first.removesuffix(b"\r" if newline else b"") == _LINE


def plain(text: str) -> str:
    """Return a text as gangform would have written it: without a byte order mark, lines ended by LF."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _names(folder: str, below: str) -> Iterator[str]:
    path = os.path.join(folder, below) if below else folder
    try:
        with os.scandir(path) as entries:
            found = list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        raise disk.unusable("read", path, error) from error
    if below and any(entry.name in FILE_NAMES for entry in found):
        return
    for entry in found:
        name = f"{below}/{entry.name}" if below else entry.name
        if not entry.is_dir(follow_symlinks=False):
            yield name
        elif not entry.name.startswith("."):
            yield from _names(folder, name)
