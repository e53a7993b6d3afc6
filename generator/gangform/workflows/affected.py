"""Which kustomizations and overlays may have become something else since a revision.

Whatever is not known to be unaffected counts as affected: what is skipped here is not checked at all.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gangform.edges import disk
from gangform.model.errors import InputError
from gangform.report.text import count
from gangform.settings import Settings, Target
from gangform.workflows import configuration
from gangform.workflows.gathering import Gathered
from gangform.workflows.sources import STDIN, Kustomization, Shelf

_PROGRAMS = frozenset({"generators", "transformers", "validators", "helmCharts", "helmChartInflationGenerator"})
"""Fields by which other programs read what they like below the folder."""

_PIN = re.compile(rb"(?<!managed-by: )gangform(?!\.dev|\.yaml|\. Do not edit)")
"""A file that says this is a baseline, or may say which version of gangform runs and how."""

_PROSE = (".md", ".rst")


class Changes(NamedTuple):
    """What differs from a revision.

    Attributes:
        revision: as the user names it.
        files: real paths of files and submodules.
        folders: real paths of all folders above them.
        reason: why everything counts as affected, or empty.
    """

    revision: str
    files: frozenset[str]
    folders: frozenset[str]
    reason: str = ""

    def affect(self, shelf: Shelf, folders: Iterable[str], *, further: Iterable[str] = ()) -> bool:
        """Whether what the kustomizations of folders build to may have changed.

        Args:
            shelf: files of this run.
            folders: with or without a kustomization; without one, all that lies below counts.
            further: other files that count.
        """
        if self.reason:
            return True
        inputs = set(further)
        holders = {posixpath.dirname(file) for file in self.files}
        for folder in folders:
            try:
                layers = _layers(shelf, folder)
            except InputError:
                return True
            if not layers:
                inputs.add(folder)
            for layer in layers:
                inputs.update(_named(layer))
                if disk.real(layer.folder) in holders:
                    return True
                if not _PROGRAMS.isdisjoint(layer.data):
                    inputs.add(layer.folder)
        return any(map(self.meet, inputs))

    def affect_overlay(self, shelf: Shelf, target: Target) -> bool:
        """Whether an overlay, its source, or what it is made from may have changed."""
        return self.meet(target.path) or self.affect(shelf, (target.source, target.path), further=target.values)

    def touch(self, path: str) -> bool:
        """Whether a file has changed, or anything does that affects all."""
        return bool(self.reason) or disk.real(path) in self.files

    def meet(self, path: str) -> bool:
        """Whether a path is a changed file or submodule, lies below one, or holds one."""
        real = disk.real(path)
        return real in self.folders or not self.files.isdisjoint((real, *_above(real)))


def since(
    revision: str, files: frozenset[str], settings: Settings, place: Callable[[str], str | None]
) -> Changes:
    """Tell what a set of changed files means.

    Args:
        revision: as the user names it.
        files: real paths of files that differ from it.
        settings: of this run; when they, the baseline, further schemas or a pinned version of gangform changed,
            everything is affected.
        place: tells where a file's earlier text lies.
    """
    changes = Changes(revision, files, frozenset(folder for file in files for folder in _above(file)))
    return changes._replace(reason=_reason(changes, settings, place))


def choose(changes: Changes, targets: Sequence[Target]) -> tuple[tuple[Target, ...], tuple[str, ...]]:
    """Choose the overlays that may have changed, and say which were left out, or why none was."""
    shelf = Shelf()
    chosen = tuple(target for target in targets if changes.reason or changes.affect_overlay(shelf, target))
    if changes.reason:
        return chosen, (f"every overlay is checked, since {changes.reason}",)
    left = len(targets) - len(chosen)
    overlays = count(len(targets), "overlay")
    note = f"{left} of {overlays} left out: they are made from nothing that changed since {changes.revision}"
    return chosen, (note,) if left else ()


def choose_gathered(changes: Changes, shelf: Shelf, gathered: Gathered) -> Gathered:
    """Leave out kustomizations that are made from the same, and files that are the same with all beside them."""
    if changes.reason:
        return gathered
    built = tuple(here for here in gathered.kustomizations if changes.affect(shelf, (here.folder,)))
    reached = {path for here in built for path in shelf.resource_files(here.folder)}
    touched = {posixpath.dirname(path) for path in gathered.files if path != STDIN and changes.touch(path)}
    files = tuple(path for path in gathered.files
                  if path == STDIN or path in reached or posixpath.dirname(path) in touched)
    return gathered._replace(files=files, kustomizations=built)


def _reason(changes: Changes, settings: Settings, place: Callable[[str], str | None]) -> str:
    own = disk.real(settings.path or configuration.NAME)
    if own in changes.files:
        return f"{disk.show(own)} changed"
    schemas = [location.partition("{{")[0] for location in settings.schema_locations if "://" not in location]
    for location in filter(None, schemas):
        if changes.meet(location):
            return f"schemas below {location} changed"
    for file in sorted(changes.files):
        if not file.endswith(_PROSE) and _is_pin(file if disk.exists(file) else place(file)):
            return f"{disk.show(file)} changed, which names gangform"
    return ""


def _is_pin(file: str | None) -> bool:
    """Whether a file decides what every check says; one that cannot be read may."""
    if file is None or not disk.exists(file) or disk.is_folder(file):
        return False
    try:
        return _PIN.search(disk.read_bytes(file)) is not None
    except InputError:
        return True


def _layers(shelf: Shelf, folder: str) -> tuple[Kustomization, ...]:
    return tuple(shelf.walk(folder)) if disk.is_folder(folder) else ()


def _named(layer: Kustomization) -> Iterator[str]:
    """Yield every path that a kustomization may name, wherever it stands in it."""
    yield layer.path
    for text in _texts(layer.data):
        # A generator's file may be written as key=path.
        for name in {text, text.partition("=")[2]}:
            if name and "\n" not in name and "\0" not in name:
                yield disk.join(layer.folder, name)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for member in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _texts(member)


def _above(path: str) -> Iterator[str]:
    """Yield every folder above a path, the nearest first."""
    while (folder := posixpath.dirname(path)) != path:
        yield folder
        path = folder
