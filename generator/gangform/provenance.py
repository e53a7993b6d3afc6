"""Where the author of a built value is: the patch that set it, else the file that holds it.

A build's output has no lines that anyone wrote. A problem found on it must point at a line whose value is
the built one; where no such line is known it names the object and the pointer instead.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from gangform import embedding
from gangform.contracts import Backend, Catalog, Circumstances
from gangform.grouping import is_generated
from gangform.model.finding import Location, Problem
from gangform.model.pointer import Pointer, get, parse, render
from gangform.model.source import Document
from gangform.model.tree import GENERATED_LINE
from gangform.model.workload import identify
from gangform.settings import Cluster, read_options
from gangform.text import reading

MISSING = object()


class Patch(NamedTuple):
    """One thing in the chain of kustomizations that sets values.

    Attributes:
        holder: the document that an author would edit.
        at: pointer of the patch inside the holder, empty when the holder is the patch.
        data: a partial object, or a list of JSON6902 operations.
        kind, name: what it is for, empty where the patch does not say.
    """

    holder: Document
    at: Pointer
    data: Any
    kind: str = ""
    name: str = ""


class Chain(NamedTuple):
    """What one build was made from.

    Attributes:
        patches: in the order in which they are applied, so that the last one wins.
        origins: path of a resource file to its documents.
    """

    patches: tuple[Patch, ...] = ()
    origins: Mapping[str, tuple[Document, ...]] = {}


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
    for patch in reversed(chain.patches):
        if _applies(patch, document.data) and (found := _set_by(patch, pointer, value)) is not None:
            return reading.location(patch.holder, (*patch.at, *found), problem.on)
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


def _applies(patch: Patch, data: Mapping[str, Any]) -> bool:
    name = identify(data).name
    return patch.kind in {"", data.get("kind")} and patch.name in name


def _set_by(patch: Patch, pointer: Pointer, value: Any) -> Pointer | None:
    """Return where in the patch the value at a pointer of the object is set, or None."""
    if isinstance(patch.data, dict):
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
    """Return the documents of the origin file that may be this object before it was renamed."""
    name = identify(data).name
    files = [chain.origins.get(origin, ())] if origin is not None else list(chain.origins.values())
    found = []
    for document in (document for documents in files for document in documents):
        written = identify(document.data).name
        if document.data.get("kind") == data.get("kind") and written and written in name:
            found.append((written != name, -len(written), document))
    return [document for _, _, document in sorted(found, key=lambda item: item[:2])]


def is_generated_text(text: str) -> bool:
    """Whether a file's first line says that gangform wrote it."""
    return text.startswith(GENERATED_LINE) and text[len(GENERATED_LINE): len(GENERATED_LINE) + 1] in {"", "\r", "\n"}
