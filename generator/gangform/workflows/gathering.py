"""Which files and kustomizations a list of paths means, and which files are seen only through builds."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from gangform import kustomization
from gangform.edges import disk
from gangform.model.errors import InputError
from gangform.workflows.sources import STDIN, Kustomization, Shelf

ANCESTORS = 8
"""How many folders above a single file are searched for kustomizations that name it as a patch."""


class Gathered(NamedTuple):
    """What the paths mean.

    Attributes:
        files: resource files to look at alone, in order.
        named: those of them that the user named, rather than a folder that holds them.
        hidden: files that are seen only through builds.
        kustomizations: the folders to build, without those that others in the list are made from.
    """

    files: tuple[str, ...]
    named: frozenset[str]
    hidden: frozenset[str]
    kustomizations: tuple[Kustomization, ...]


def gather(shelf: Shelf, paths: Sequence[str], read_stdin: Callable[[], bytes]) -> Gathered:
    """Walk the paths.

    Raises:
        InputError: a path does not exist or cannot be read.
    """
    files: dict[str, None] = {}
    folders: dict[str, None] = {}
    named = set()
    for path in paths:
        if path == "-":
            shelf.add(STDIN, read_stdin())
            files[STDIN] = None
            named.add(STDIN)
        elif disk.is_folder(path):
            found = disk.walk(path)
            files.update(dict.fromkeys(found.files))
            folders.update(dict.fromkeys(posixpath.dirname(name) or "." for name in found.kustomizations))
        elif posixpath.basename(shown := disk.show(path)) in kustomization.FILE_NAMES:
            folders[posixpath.dirname(shown) or "."] = None
        else:
            files[shown] = None
            named.add(shown)
    kustomizations = list(_read_all(shelf, folders))
    hidden = set(_hidden(shelf, files, [here.folder for here in kustomizations], named))
    settled = tuple(path for path in files if path not in hidden)
    return Gathered(settled, frozenset(named), frozenset(hidden), tuple(_outermost(shelf, kustomizations)))


def _read_all(shelf: Shelf, folders: Iterable[str]) -> Iterator[Kustomization]:
    for folder in folders:
        here = shelf.kustomization(folder)
        if here is not None:
            yield here


def _hidden(shelf: Shelf, files: Iterable[str], folders: Sequence[str], named: set[str]) -> Iterator[str]:
    patches = {path for folder in folders for path in shelf.patch_files(folder)}
    for path in files:
        if path == STDIN:
            continue
        if path in patches or shelf.is_generated(path) or (path in named and _is_patch(shelf, path)):
            yield path


def _is_patch(shelf: Shelf, path: str) -> bool:
    """Whether a kustomization in a folder above names a single file as a patch."""
    folder, name = posixpath.split(path)
    for _ in range(ANCESTORS):
        above = disk.find_kustomization(folder or ".")
        if above and name.encode() in disk.read_bytes(above):
            try:
                if path in set(shelf.patch_files(folder or ".")):
                    return True
            except InputError:
                return False
        if disk.exists(posixpath.join(folder, ".git")):
            return False
        folder = posixpath.normpath(posixpath.join(folder, ".."))
    return False


def _outermost(shelf: Shelf, kustomizations: Sequence[Kustomization]) -> Iterator[Kustomization]:
    inner = {below.folder for here in kustomizations for below in shelf.walk(here.folder)
             if below.folder != here.folder}
    for here in kustomizations:
        if not here.is_component and here.folder not in inner:
            yield here
