"""What an overlay is made of: a kustomization, a Helm chart, or plain files."""

import posixpath
from collections.abc import Callable, Iterable

from gangform.edges import disk, walking
from gangform.model.errors import InputError
from gangform.model.finding import Problem
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.provenance import locate_written
from gangform.settings import Target
from gangform.workflows.configuration import NAME
from gangform.workflows.sources import Build, Shelf, build


def obtain(shelf: Shelf, target: Target) -> Build:
    """Build, render or read an overlay's source.

    Raises:
        InputError: it does not fit the layout, or cannot be built or read.
        ProgramError: it needs kustomize or helm, which is missing or failed.
    """
    here = shelf.kustomization(target.source) if disk.is_folder(target.source) else None
    if here is None and disk.is_chart(target.source):
        from gangform.workflows import charts

        return charts.build_target(shelf, target)
    if target.values or target.release or target.namespace:
        raise InputError(f"{target.source} is no Helm chart, so it takes no values, release or namespace",
                         "name the folder that holds Chart.yaml, or leave them out")
    if target.layout == "component":
        if here is None:
            raise InputError(f"{target.source} holds no kustomization that could list a component",
                             "name the folder of the overlay that will list it in its components")
        return build(shelf, target.source, without=frozenset({target.path}), renames=False)
    if target.layout == "rendered":
        return build(shelf, target.source) if here else _loose(shelf, target)
    if here is None:
        if not disk.exists(target.source):
            raise InputError(f"{target.source} does not exist, so an overlay cannot build on it",
                             "name the folder of the jobs, from the working folder on")
        raise InputError(f"{target.source} is not a folder with a kustomization, so an overlay cannot build on it",
                         "add a kustomization.yaml that lists its manifests, or use --rendered")
    if disk.is_within(target.path, target.source):
        raise InputError(f"the output {target.path} lies below its source {target.source}, "
                         "which kustomize cannot build", "write it beside the source, or use --component")
    return build(shelf, target.source)


def _loose(shelf: Shelf, target: Target) -> Build:
    return read_loose(shelf, target.source, lambda path: disk.is_within(path, target.path) or shelf.is_generated(path))


def read_loose(shelf: Shelf, source: str, leave_out: Callable[[str], bool]) -> Build:
    """Read plain files as they are; only final manifests can be made of them.

    Args:
        shelf: files of this run.
        source: a file, or a folder with all below it, the settings left out.
        leave_out: which other files of a folder do not count.

    Raises:
        InputError: a file cannot be read, or holds something that is no Kubernetes object.
    """
    paths = [source]
    if disk.is_folder(source):
        paths = [path for path in walking.walk(source).files
                 if posixpath.basename(path) != NAME and not leave_out(path)]
    documents = tuple(document for path in paths for document in shelf.read(path).documents)
    require_objects(documents)
    return Build(source, documents, {}, None, tuple(paths))


def require_objects(documents: Iterable[Document]) -> None:
    """Refuse documents that cannot be handed on as final manifests.

    Raises:
        InputError: one lacks its apiVersion or kind.
    """
    for document in documents:
        ref = identify(document.data)
        if not (ref.api_version and ref.kind):
            where = locate_written(document, Problem((), ""))
            raise InputError(f"{where.path}:{where.line}: no Kubernetes object: it has no apiVersion or no kind",
                             "move it out of the folder, or list the manifests in a kustomization.yaml")
