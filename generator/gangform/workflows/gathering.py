"""Which files and kustomizations a list of paths means, and which files are seen only through builds."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gangform import kustomization
from gangform.edges import disk, walking
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
        charts: folder of each Helm chart to those of its templates that cannot be looked at as they stand.
        unreadable: kustomization files that are none, each with what is wrong.
    """

    files: tuple[str, ...]
    named: frozenset[str]
    hidden: frozenset[str]
    kustomizations: tuple[Kustomization, ...]
    charts: Mapping[str, tuple[str, ...]] = {}
    unreadable: tuple[tuple[str, InputError], ...] = ()


def gather(shelf: Shelf, paths: Sequence[str], read_stdin: Callable[[], bytes]) -> Gathered:
    """Walk the paths.

    Raises:
        InputError: a path does not exist or cannot be read.
    """
    files: dict[str, None] = {}
    folders: dict[str, None] = {}
    charts: dict[str, None] = {}
    named = set()
    for path in paths:
        if not path:
            raise InputError("a path is empty", "write . for the working folder")
        if path == "-":
            shelf.add(STDIN, read_stdin())
            files[STDIN] = None
            named.add(STDIN)
        elif disk.is_folder(path):
            found = walking.walk(path)
            files.update(dict.fromkeys(found.files))
            charts.update(dict.fromkeys(found.charts))
            folders.update(dict.fromkeys(posixpath.dirname(name) or "." for name in found.kustomizations))
        elif posixpath.basename(shown := disk.show(path)) in kustomization.FILE_NAMES:
            folders[posixpath.dirname(shown) or "."] = None
        else:
            files[shown] = None
            named.add(shown)
    kustomizations, unreadable = _read_all(shelf, folders)
    hidden = set(_hidden(shelf, files, [here.folder for here in kustomizations], named))
    templates = _templates(shelf, charts, [path for path in files if path not in hidden and path not in named])
    hidden_or_templates = hidden.union(*templates.values())
    settled = tuple(path for path in files if path not in hidden_or_templates)
    return Gathered(settled, frozenset(named), frozenset(hidden), tuple(_outermost(shelf, kustomizations)), templates,
                    tuple(unreadable))


def _templates(shelf: Shelf, charts: Iterable[str], paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Find the templates of each chart, those of the charts inside it among them."""
    outer = [chart for chart in charts if not any(_is_inside(chart, other) for other in charts)]
    return {chart: tuple(path for path in paths if _is_inside(path, chart)
                         and "templates" in path.split("/")[:-1] and shelf.read(path).templated)
            for chart in outer}


def _is_inside(path: str, folder: str) -> bool:
    return path != folder and (folder == "." or path.startswith(folder + "/"))


def _read_all(
    shelf: Shelf, folders: Iterable[str]
) -> tuple[list[Kustomization], list[tuple[str, InputError]]]:
    """Read the kustomizations of folders; one that cannot be read must not hide what is wrong with the others."""
    found: list[Kustomization] = []
    unreadable: list[tuple[str, InputError]] = []
    for folder in folders:
        path = disk.find_kustomization(folder)
        if path is None or shelf.read(path).templated:
            continue
        try:
            here = shelf.kustomization(folder)
        except InputError as error:
            unreadable.append((path, error))
            continue
        if here is not None and not kustomization.is_foreign(here.data):
            found.append(here)
    return found, unreadable


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
        if above and name.encode("utf-8", "surrogateescape") in disk.read_bytes(above):
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
    parts = {here.folder: frozenset(_made_from(shelf, here.folder)) for here in kustomizations}
    # Of kustomizations that form a cycle none is the outermost; building any of them tells of it.
    inner = {below for folder, found in parts.items() for below in found if folder not in parts.get(below, {folder})}
    for here in kustomizations:
        if not here.is_component and here.folder not in inner:
            yield here


def _made_from(shelf: Shelf, folder: str) -> tuple[str, ...]:
    """Return the folders that a kustomization is made from; none where one of them cannot be read."""
    try:
        return tuple(below.folder for below in shelf.walk(folder))
    except InputError:
        return ()
