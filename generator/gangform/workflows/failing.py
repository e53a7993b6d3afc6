"""Why a kustomization does not build, as a finding where its author can mend it."""

import posixpath
import re
from collections.abc import Iterator

from gangform.catalog import CATALOG
from gangform.kustomization import FILE_NAMES
from gangform.model.errors import GangformError, InputError
from gangform.model.finding import Finding, Location, Severity
from gangform.model.workload import identify
from gangform.text import reading
from gangform.workflows.listing import ListingError
from gangform.workflows.sources import Shelf

_NOT_SCALABLE = re.compile(r"resource with name (?P<name>\S+) does not match a config with the following GVK")
"""What kustomize says of such an entry (api/internal/builtins/ReplicaCountTransformer.go, 5.8.1)."""


def report(shelf: Shelf, folder: str, error: GangformError) -> Finding:
    """Tell why a folder's kustomization does not build."""
    if isinstance(error, ListingError):
        return Finding(error.where, "kustomize-build-failed", Severity.ERROR, error.fault, error.hint)
    match = _NOT_SCALABLE.search(error.message)
    named = next(_replicas(shelf, folder, match["name"]), None) if match else None
    if named is not None:
        return named
    here = shelf.kustomization(folder)
    path = here.path if here else posixpath.join(folder, FILE_NAMES[0])
    mend = f"run kustomize build {folder}"
    if here is not None and shelf.is_generated(here.path):
        mend = "render it anew, or delete the folder when its jobs are gone"
    return Finding(Location(path, 1, 1, 1, 1), "kustomize-build-failed", Severity.ERROR, error.message,
                   error.hint or mend)


def report_unreadable(shelf: Shelf, path: str, error: InputError) -> tuple[Finding, ...]:
    """Tell why a kustomization file is none: what the reader says of its text, else the error itself."""
    told = tuple(finding for finding in shelf.read(path).findings if finding.severity is Severity.ERROR)
    return told or (Finding(Location(path, 1, 1, 1, 1), "kustomize-build-failed", Severity.ERROR, error.message,
                            error.hint),)


def _replicas(shelf: Shelf, folder: str, name: str) -> Iterator[Finding]:
    """Find the entries of ``replicas`` that name a job."""
    refs = [identify(document.data) for path in shelf.resource_files(folder)
            for document in shelf.read(path).documents]
    job = next((ref for ref in refs if ref.name in name and (ref.api_version, ref.kind) in CATALOG.kinds), None)
    if job is None:
        return
    for layer in shelf.walk(folder):
        listed = layer.data.get("replicas")
        for number, entry in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(entry, dict) and entry.get("name") == name:
                yield Finding(
                    reading.location(layer.document, ("replicas", number, "name")), "replicas-names-job",
                    Severity.ERROR,
                    f"replicas names the {job.kind} {name}: kustomize cannot scale it, and builds nothing",
                    "patch spec.mpiReplicaSpecs.Worker.replicas instead, and minMember of its group with it",
                    job, (folder,))
