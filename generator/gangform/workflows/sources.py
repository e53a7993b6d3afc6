"""What is on disk: files, kustomizations and what they name; and what the kustomizations build to."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gangform import kustomization, layering
from gangform.edges import disk
from gangform.kustomization import PatchEntry
from gangform.model.edit import Patch
from gangform.model.errors import InputError, ProgramError
from gangform.model.finding import Location, Problem, Severity
from gangform.model.pointer import Pointer, render
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.provenance import AuthoredPatch, Chain, is_generated_text, locate_built, locate_written
from gangform.text import fragments, reading
from gangform.text.reading import Reading
from gangform.workflows import listing
from gangform.workflows.tracing import Traces

STDIN = "<stdin>"

_AMBIGUOUS = frozenset({"ambiguous-scalar", "ambiguous-merge"})
"""What the reader resolves as kubectl does, and kustomize otherwise."""


class Kustomization(NamedTuple):
    """A kustomization file that was read."""

    folder: str
    path: str
    document: Document

    @property
    def data(self) -> Mapping[str, Any]:
        """What the file says."""
        return self.document.data

    @property
    def is_component(self) -> bool:
        """Whether it only lives inside others."""
        return bool(self.data.get("kind") == "Component")


class Build(NamedTuple):
    """The objects of one kustomization, each with the way back to its author.

    Attributes:
        folder: as shown to users.
        documents: the built objects; the author's own documents when nothing had to be built.
        origins: for built documents: number to the file that the object came from.
        chain: what it was made from; None when the documents are the author's own.
        files: the files that were read for it, when nothing had to be built.
        kustomizations: what it was made by, the innermost first.
        templated: whether the origins are templates, so that none of their lines holds a built value.
        syncs: objects that apply this build to a cluster, and may change it.
    """

    folder: str
    documents: tuple[Document, ...]
    origins: Mapping[int, str]
    chain: Chain | None
    files: tuple[str, ...] = ()
    kustomizations: tuple[Kustomization, ...] = ()
    templated: bool = False
    syncs: tuple[Document, ...] = ()

    @property
    def scene(self) -> tuple[Document, ...]:
        """All that rules look at: the objects, and each kustomization as an object of its folder's name."""
        api = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
        return (*self.documents, *self.syncs, *(
            here.document._replace(data={**api, **here.data, "metadata": {"name": here.folder}})
            for here in self.kustomizations))

    def locate(self, document: Document, problem: Problem) -> Location:
        """Point at the author's line."""
        if self.templated:
            return Location(self.origins.get(document.number, document.source.name), pointer=render(problem.pointer))
        if self.chain is None or not document.source.built:
            return locate_written(document, problem)
        return locate_built(document, self.origins.get(document.number), problem, self.chain)


class Shelf:
    """Files of this run, each read at most once."""

    def __init__(self) -> None:
        self._readings: dict[str, Reading] = {}
        self._kustomizations: dict[str, Kustomization | None] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were read so far."""
        return tuple(self._readings)

    def read(self, path: str) -> Reading:
        """Read a file.

        Raises:
            InputError: it cannot be read.
        """
        if path not in self._readings:
            self._readings[path] = reading.read(path, disk.read_bytes(path))
        return self._readings[path]

    def add(self, name: str, data: bytes) -> None:
        """Keep a text that is no file."""
        self._readings[name] = reading.read(name, data)

    def kustomization(self, folder: str) -> Kustomization | None:
        """Read a folder's kustomization; None where there is none.

        Raises:
            InputError: the file cannot be read, or is not one object.
        """
        if folder not in self._kustomizations:
            path = disk.find_kustomization(folder)
            if path is None:
                disk.require_searchable(folder)
            self._kustomizations[folder] = self._read_kustomization(folder, path) if path else None
        return self._kustomizations[folder]

    def _read_kustomization(self, folder: str, path: str) -> Kustomization:
        found = self.read(path)
        faults = [finding for finding in found.findings
                  if finding.severity is Severity.ERROR or finding.rule == "templated"]
        if faults or len(found.documents) != 1:
            what = faults[0].message if faults else "it does not hold exactly one object"
            line = f":{faults[0].location.line}" if faults else ""
            raise InputError(f"{path}{line}: not a kustomization: {what}", "see `kustomize build`")
        return Kustomization(folder, path, found.documents[0])

    def walk(self, folder: str, without: frozenset[str] = frozenset()) -> Iterator[Kustomization]:
        """Yield a folder's kustomization and all it is made from, the innermost first, each once.

        ``without`` are component folders that are left out.
        """
        # A chain of kustomizations may be longer than Python's stack.
        seen = {folder}
        top = self.kustomization(folder)
        stack = [(top, self._bases(top, without))] if top is not None else []
        while stack:
            here, entries = stack[-1]
            below = next((found for found in entries if found not in seen), None)
            if below is None:
                stack.pop()
                yield here
                continue
            seen.add(below)
            layer = self.kustomization(below)
            if layer is not None:
                stack.append((layer, self._bases(layer, without)))

    @staticmethod
    def _bases(here: Kustomization, without: frozenset[str]) -> Iterator[str]:
        """Yield the folders that one kustomization is made from."""
        for entry in kustomization.bases(here.data):
            below = disk.join(here.folder, entry)
            if below not in without and disk.is_folder(below):
                yield below

    def find_remote(self, folder: str) -> listing.Remote | None:
        """Return the first thing that kustomize would fetch from elsewhere, or None."""
        return listing.find_remote(self.walk(folder))

    def resource_files(self, folder: str, without: frozenset[str] = frozenset()) -> Iterator[str]:
        """Yield the resource files that a folder's kustomization reaches, each once."""
        seen = set()
        for here in self.walk(folder, without):
            for entry in kustomization.resources(here.data):
                path = disk.join(here.folder, entry)
                if path not in seen and disk.is_file(path):
                    seen.add(path)
                    yield path

    def needs_program(self, folder: str, without: frozenset[str] = frozenset()) -> str:
        """Say why a folder's kustomization cannot be read without kustomize; empty where it can."""
        if not all(kustomization.resources_only(here.data) for here in self.walk(folder, without)):
            return f"{folder} does more than list resources"
        ambiguous = (finding.location for path in self.resource_files(folder, without)
                     for finding in self.read(path).findings if finding.rule in _AMBIGUOUS)
        where = next(ambiguous, None)
        return f"kustomize and kubectl read {where.path}:{where.line} differently" if where else ""

    def patch_files(self, folder: str) -> Iterator[str]:
        """Yield the files that one kustomization names as patches."""
        here = self.kustomization(folder)
        if here is not None:
            yield from (disk.join(folder, name) for name in kustomization.patch_files(here.data))

    def is_generated(self, path: str) -> bool:
        """Whether a file bears our line."""
        return is_generated_text(self.read(path).source.text)

    def chain(self, folder: str, without: frozenset[str] = frozenset()) -> Chain:
        """Gather what a build was made from, for the way back to its authors."""
        layers = tuple(self.walk(folder, without))
        patches = tuple(one for here in layers for entry in kustomization.patches(here.data)
                        for one in self._patch(here, entry))
        origins = {path: self.read(path).documents for path in self.resource_files(folder, without)
                   if not self.is_generated(path)}
        by_target = layering.index(one.patch for one in patches)
        return Chain(patches, by_target, tuple(here.data for here in reversed(layers)), origins)

    def _patch(self, here: Kustomization, entry: PatchEntry) -> Iterator[AuthoredPatch]:
        found: Iterable[tuple[Document, Pointer, Any]]
        path = disk.join(here.folder, entry.path)
        if entry.text is not None:
            found = ((here.document, entry.at, fragment.data) for fragment in fragments.read(here.path, entry.text))
        elif disk.exists(path):
            found = ((fragment.document, (), fragment.data) for fragment in fragments.read(path, disk.read_bytes(path)))
        else:
            return
        for holder, at, data in found:
            yield AuthoredPatch(Patch(entry.kind or kind_of(data), entry.name or name_of(data), data), holder, at)


def kind_of(data: Any) -> str:
    """Return an object's kind, or nothing."""
    return str(data.get("kind") or "") if isinstance(data, dict) else ""


def name_of(data: Any) -> str:
    """Return an object's name, or nothing."""
    return identify(data).name if isinstance(data, dict) else ""


def build(
    shelf: Shelf, folder: str, *, without: frozenset[str] = frozenset(), renames: bool = True, always: bool = False
) -> Build:
    """Build a folder's kustomization, without a program where it only lists resources.

    Args:
        shelf: files of this run.
        folder: holds a kustomization.
        without: component folders that are left out, as if not listed.
        renames: whether the folder's own prefix, suffix and namespace hold; components come before them.
        always: run the program even where it could be done without.

    Raises:
        ProgramError: a program is needed and missing, or failed to run.
        InputError: kustomize refuses the kustomization.
    """
    layers = tuple(shelf.walk(folder, without))
    listing.refuse_remote(layers)
    reason = shelf.needs_program(folder, without)
    if not always and not reason:
        return _read_listed(shelf, folder, layers, without)
    from gangform.edges import kustomize

    entries = tuple(disk.way(folder, path) for path in sorted(without))
    program = kustomize.require(reason or f"{folder} is built as it stands")

    def run(*, origins: bool) -> str:
        return kustomize.build(folder, program=program, without_components=entries, renames=renames, origins=origins)

    documents = _read_built(folder, run(origins=False), program.title)
    traces = Traces(folder, documents, lambda: run(origins=True))
    return Build(folder, documents, traces, shelf.chain(folder, without), (), layers)


def _read_listed(
    shelf: Shelf, folder: str, layers: tuple[Kustomization, ...], without: frozenset[str]
) -> Build:
    """Read a kustomization that only lists resources, as strictly as kustomize would."""
    listing.refuse_broken(layers[-1], shelf.kustomization)
    files = tuple(shelf.resource_files(folder, without))
    written = tuple(document for path in files for document in shelf.read(path).documents)
    listing.refuse_clashes(written)
    return Build(folder, written, {}, None, files, layers)


def _read_built(folder: str, text: str, title: str) -> tuple[Document, ...]:
    """Read what a program printed."""
    built = reading.read(f"{folder} (built)", text, built=True)
    fault = next((finding for finding in built.findings if finding.severity is Severity.ERROR), None)
    if fault is not None:
        raise ProgramError(f"{title} of {folder} printed what is no stream of objects: {fault.message}",
                           "check which program that is, or name another one in GANGFORM_KUSTOMIZE")
    return built.documents
