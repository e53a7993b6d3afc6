"""Where the author of a built value is: the patch that set it, else the file that holds it.

A build's output has no lines that anyone wrote. A problem found on it must point at a line whose value is
the built one; where no such line is known it names the object and the pointer instead.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from gangform import embedding, layering
from gangform.contracts import Backend, Catalog, Circumstances
from gangform.grouping import is_generated
from gangform.model.edit import Patch
from gangform.model.finding import Location, Problem
from gangform.model.pointer import Pointer, get, parse, render
from gangform.model.source import Document
from gangform.model.tree import GENERATED_LINE
from gangform.model.workload import identify
from gangform.settings import Cluster, read_options
from gangform.text import reading

MISSING = object()

_IDENTITY = frozenset({("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")})
"""Where a merging patch says which object is meant, and sets nothing."""


class AuthoredPatch(NamedTuple):
    """A patch, and where its author wrote it.

    Attributes:
        holder: the document that an author would edit.
        at: pointer of the patch inside the holder, empty when the holder is the patch.
    """

    patch: Patch
    holder: Document
    at: Pointer = ()


class Chain(NamedTuple):
    """What one build was made from.

    Attributes:
        patches: in the order in which they are applied, so that the last one wins.
        by_target: the same by the name of their target.
        layers: what the kustomizations say, the outermost first.
        origins: path of a resource file to its documents.
    """

    patches: tuple[AuthoredPatch, ...] = ()
    by_target: layering.Index = {}
    layers: tuple[Mapping[str, Any], ...] = ()
    origins: Mapping[str, tuple[Document, ...]] = {}

    def names(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        """Return what a built object is called and was called before each layer, the last name first."""
        return tuple(layering.names_on_the_way(identify(data).name, self.layers))


def locate_written(document: Document, problem: Problem) -> Location:
    """Point at the author's own line of a document that was read, not built."""
    return reading.location(document, problem.pointer, problem.on)


def locate_built(document: Document, origin: str | None, problem: Problem, chain: Chain) -> Location:
    """Point a problem on a built object at the line whose value it is about.

    Args:
        document: the built object.
        origin: path of the file that the object came from, when the build told it.
        problem: its pointer is into the built object.
        chain: what the build was made from.
    """
    if document.holder is not None:
        return _locate_held(document, document.holder, origin, problem, chain)
    pointer = _existing(document.data, problem.pointer)
    value = get(document.data, pointer)
    kind = str(document.data.get("kind"))
    for number, patch in reversed(layering.choose(chain.by_target, kind, chain.names(document.data))):
        if (found := _set_by(patch, pointer, value)) is not None:
            authored = chain.patches[number]
            return reading.location(authored.holder, (*authored.at, *found), problem.on)
    for written in _candidates(document.data, origin, chain):
        if _holds(get(written.data, pointer, MISSING), value):
            return reading.location(written, pointer, problem.on)
    built = identify(document.data)
    return Location(f"{document.source.name}: {built.kind}/{built.name}", pointer=render(problem.pointer))


def computed_from(
    document: Document, jobs: Mapping[str, Document], catalog: Catalog, cluster: Cluster | None, pointer: Pointer
) -> tuple[Document, Pointer] | None:
    """Tell what a value of a generated group object was computed from.

    Args:
        document: the built group object.
        jobs: built jobs of its namespace by name.
        catalog: to plan the job again.
        cluster: what the job was planned for, where that is known; its options decide what is computed.
        pointer: into the group object.
    """
    job = jobs.get(identify(document.data).name)
    api = (document.data.get("apiVersion"), document.data.get("kind"))
    backend = next((b for b in catalog.backends.values() if api == b.GROUP_API), None)
    if job is None or backend is None or not is_generated(document.data):
        return None
    known = cluster is not None and catalog.backends.get(cluster.backend) is backend
    options = cluster.options if cluster is not None and known else read_options({}, backend)[0]
    origins = _plan_origins(job, backend, catalog, options)
    for length in range(len(pointer), 0, -1):
        origin = origins.get(pointer[:length])
        if origin is not None:
            return job, _deepest(job.data, origin, pointer[length:])
    return None


def _deepest(data: Any, at: Pointer, rest: Pointer) -> Pointer:
    """Follow the rest of a pointer where the origin has the same parts, as a copied map has."""
    return (*at, *rest) if get(data, (*at, *rest), MISSING) is not MISSING else at


def _plan_origins(
    job: Document, backend: Backend, catalog: Catalog, options: Mapping[str, Any]
) -> Mapping[Pointer, Pointer]:
    kind = catalog.kinds[(job.data["apiVersion"], job.data["kind"])]
    groups = backend.plan(kind.read(job.data), Circumstances(options)).groups
    return groups[0].origins if groups else {}


def _locate_held(document: Document, holder: Document, origin: str | None, problem: Problem, chain: Chain) -> Location:
    """Point into the author's holder where it holds the very same object, else at what the holder's place says."""
    api = identify(document.data)
    for written in _candidates(holder.data, origin, chain):
        for twin in embedding.find(written, {(api.group, api.kind)}):
            if twin.document.held_at == document.held_at and twin.document.data == document.data:
                return reading.location(twin.document, problem.pointer, problem.on)
    return locate_built(holder, origin, problem._replace(pointer=document.held_at + problem.pointer), chain)


def _existing(data: Any, pointer: Pointer) -> Pointer:
    while pointer and get(data, pointer, MISSING) is MISSING:
        pointer = pointer[:-1]
    return pointer


def _holds(written: Any, built: Any) -> bool:
    """Whether a line may be shown for a value: equal scalars, or containers of one type."""
    if isinstance(built, dict | list):
        return type(written) is type(built)
    return written is not MISSING and type(written) is type(built) and bool(written == built)


def _set_by(patch: Patch, pointer: Pointer, value: Any) -> Pointer | None:
    """Return where in the patch the value at a pointer of the object is set, or None."""
    if isinstance(patch.data, dict):
        if pointer in _IDENTITY:
            return None
        found = get(patch.data, pointer, MISSING)
        return pointer if not isinstance(value, dict | list) and _holds(found, value) else None
    for number, operation in enumerate(patch.data if isinstance(patch.data, list) else ()):
        if not isinstance(operation, dict) or not isinstance(operation.get("path"), str):
            continue
        at = parse(operation["path"]) if operation["path"].startswith("/") else ()
        rest = pointer[len(at):]
        if at and pointer[: len(at)] == at and _holds(get(operation.get("value"), rest, MISSING), value):
            return (number, "value", *rest)
    return None


def _candidates(data: Mapping[str, Any], origin: str | None, chain: Chain) -> list[Document]:
    """Return the documents of the origin file that may be this object before it was renamed, the likeliest first."""
    built, names = identify(data), chain.names(data)
    files = [chain.origins.get(origin, ())] if origin is not None else list(chain.origins.values())
    alike = [document for documents in files for document in documents if document.data.get("kind") == built.kind]
    if origin is not None and len(alike) == 1:
        # Whoever renamed it, for example a transformer that is no field of a kustomization.
        return alike
    refs = [(identify(document.data), document) for document in alike]
    found = sorted(((names.index(ref.name), ref.namespace != built.namespace, number)
                    for number, (ref, _) in enumerate(refs) if ref.name in names))
    return [refs[number][1] for _, apart, number in found if apart == found[0][1]]


def is_generated_text(text: str) -> bool:
    """Whether a file's first line says that gangform wrote it."""
    return text.startswith(GENERATED_LINE) and text[len(GENERATED_LINE): len(GENERATED_LINE) + 1] in {"", "\r", "\n"}
