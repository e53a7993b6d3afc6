"""What a folder and those below it hold: manifests, kustomizations and charts."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from gangform.edges import disk
from gangform.kustomization import FILE_NAMES
from gangform.model.errors import InputError

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


def walk(path: str) -> Listing:
    """List the manifests and kustomizations at and below a path; a file lists itself.

    Hidden files and folders are left out. Links to folders are not followed, so that no loop can
    trap the walk; a link to a file counts unless the file is listed under its own name.

    Raises:
        InputError: the path is missing or a folder cannot be read.
    """
    if not os.path.lexists(path):
        raise InputError(f"there is no file or folder {disk.quote(path)}")
    if not os.path.isdir(path):
        name = disk.show(path)
        return Listing((), (name,)) if os.path.basename(path) in FILE_NAMES else Listing((name,), ())
    files: list[str] = []
    links: list[str] = []
    kustomizations: list[str] = []
    charts: list[str] = []
    for folder, names in _folders(path):
        charts += [disk.show(folder)] if disk.CHART_FILE in names else []
        present = [name for name in FILE_NAMES if name in names]
        kustomizations += [disk.show(os.path.join(folder, name)) for name in present[:1]]
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
    return Listing(tuple(sorted(map(disk.show, files))), tuple(sorted(kustomizations)), tuple(sorted(charts)))


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
            raise disk.unusable("read", folder, error) from error
        yield folder, names
