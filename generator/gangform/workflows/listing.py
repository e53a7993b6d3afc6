"""What kustomize would refuse, or fetch from elsewhere, in kustomizations that are read without it.

A folder that only lists resources is read directly. That must not be more forgiving than kustomize: an overlay
on top of it could not be built.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from gangform import kustomization
from gangform.edges import disk
from gangform.model.errors import InputError
from gangform.model.finding import Location, Problem
from gangform.model.pointer import Pointer
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.provenance import locate_written
from gangform.text import reading


class Layer(Protocol):
    """A kustomization that was read."""

    @property
    def folder(self) -> str:
        """Where it stands."""

    @property
    def document(self) -> Document:
        """What the file says."""


class ListingError(InputError):
    """A kustomization that cannot be built as it stands.

    Attributes:
        where: the author's line.
        fault: what is wrong there.
    """

    def __init__(self, where: Location, fault: str, hint: str) -> None:
        super().__init__(f"{where.path}:{where.line}:{where.column}: {fault}", hint)
        self.where = where
        self.fault = fault


class Remote(NamedTuple):
    """An entry that kustomize would fetch, and where it is written."""

    entry: str
    where: Location


def find_remote(layers: Iterable[Layer]) -> Remote | None:
    """Return the first entry that kustomize would fetch from elsewhere, or None."""
    for here in layers:
        for pointer, entry in kustomization.paths(here.document.data):
            if kustomization.is_remote(entry) and not disk.exists(disk.join(here.folder, entry)):
                return Remote(entry, reading.location(here.document, pointer))
    return None


def refuse_remote(layers: Iterable[Layer]) -> None:
    """Refuse kustomizations that name something elsewhere.

    Raises:
        ListingError: one does; the build would depend on more than the repository.
    """
    remote = find_remote(layers)
    if remote is not None:
        raise ListingError(remote.where, f"{remote.entry} lies elsewhere, and gangform fetches nothing",
                           "put a copy into the repository and name that")


def refuse_broken(top: Layer, layer_of: Callable[[str], Layer | None]) -> None:
    """Refuse a kustomization whose ``resources`` kustomize would not accept.

    Mirrors accumulateResources (kustomize, api/internal/target/kusttarget.go, 5.8.1) and its loader's
    restrictions (api/internal/loader/loadrestrictions.go).

    Args:
        top: the outermost kustomization.
        layer_of: reads the kustomization of a folder; None where there is none.

    Raises:
        ListingError: an entry names nothing, a folder without a kustomization, a file outside of the folder,
            what is listed already, or leads back to a folder that is being built.
    """
    waiting: list[tuple[Layer, tuple[str, ...]]] = [(top, (disk.real(top.folder),))]
    seen: set[str] = set()
    while waiting:
        here, way = waiting.pop()
        for at, path in _entries(here):
            if disk.is_folder(path):
                below = layer_of(path)
                _refuse_folder(here, at, path, below, way)
                waiting += [(below, (*way, disk.real(path)))] if below is not None else []
            else:
                _refuse_file(here, at, path)
            if disk.real(path) in seen:
                raise _fault(here, at, f"{path} is listed already", "take one of the two entries out")
            seen.add(disk.real(path))


def _entries(here: Layer) -> Iterator[tuple[Pointer, str]]:
    """Yield the path of every entry, with its pointer."""
    listed = here.document.data.get("resources")
    for number, entry in enumerate(listed if isinstance(listed, list) else ()):
        at = ("resources", number)
        if not isinstance(entry, str) or not entry:
            raise _fault(here, at, "this entry names nothing", "name a file or folder, or take it out")
        yield at, disk.join(here.folder, entry)


def _refuse_folder(here: Layer, at: Pointer, path: str, below: Layer | None, way: tuple[str, ...]) -> None:
    if below is None:
        raise _fault(here, at, f"the folder {path} holds no kustomization.yaml", "write one that lists its files")
    root = f"{disk.real(path)}/"
    if any(f"{folder}/".startswith(root) for folder in way):
        raise _fault(here, at, f"{path} is made from {here.folder}: the kustomizations form a cycle",
                     "take the entry out")


def _refuse_file(here: Layer, at: Pointer, path: str) -> None:
    if not disk.exists(path):
        raise _fault(here, at, f"there is no file or folder {path}", "mend the name, or take the entry out")
    if not disk.is_file(path):
        raise _fault(here, at, f"{path} is no regular file", "name a file or folder, or take it out")
    if not disk.is_within(path, here.folder):
        raise _fault(here, at, f"{path} lies outside of {here.folder}, and kustomize loads no file from there",
                     "give the file's own folder a kustomization.yaml, and name that folder")


def _fault(here: Layer, at: Pointer, message: str, hint: str) -> ListingError:
    return ListingError(reading.location(here.document, at), message, hint)


def refuse_clashes(documents: Iterable[Document]) -> None:
    """Refuse objects that kustomize could not tell apart.

    Mirrors ResMap.Append (kustomize, api/resmap/reswrangler.go, 5.8.1): no namespace counts as ``default``.

    Raises:
        ListingError: two objects have one identity.
    """
    seen: dict[tuple[str, ...], Document] = {}
    for document in documents:
        ref = identify(document.data)
        key = (ref.api_version, ref.kind, ref.namespace or "default", ref.name)
        if ref.name and key in seen:
            name = Problem(("metadata", "name"), "")
            first = locate_written(seen[key], name)
            raise ListingError(locate_written(document, name),
                               f"{ref.kind} {ref.name} is at {first.path}:{first.line} already",
                               "leave one, or give the others names or namespaces of their own")
        seen[key] = document
