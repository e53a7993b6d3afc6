"""Write overlays: all of them checked first, then each whole or not at all."""

import posixpath
from collections.abc import Sequence

from gangform import kustomization, pipeline
from gangform.edges import disk, folders
from gangform.settings import Settings, Target
from gangform.workflows.judging import settled
from gangform.workflows.outcome import Counts, Outcome, OverlayChange, Progress, Rendered
from gangform.workflows.overlays import Prepared, prepare
from gangform.workflows.sources import Shelf


def render(
    targets: Sequence[Target], settings: Settings, *, write: bool, enlist: bool, progress: Progress
) -> Rendered:
    """Bring overlays up to date.

    Args:
        targets: what to render.
        settings: severities.
        write: False shows what would change and touches nothing.
        enlist: add components to the overlays that shall list them.
        progress: told how far it is.

    Raises:
        InputError: wrong source or output, a file in the way, a folder that cannot be written.
        ProgramError: kustomize is needed and missing, or failed.
    """
    shelf = Shelf()
    prepared = []
    for done, target in enumerate(targets):
        progress("reading sources", done, len(targets))
        prepared.append(prepare(shelf, target))
    findings = settled(pipeline.merge([f for one in prepared for f in one.findings]), settings)
    outcome = Outcome(findings, count(prepared))
    changes = tuple(OverlayChange(one.target, one.changes) for one in prepared)
    missing = tuple(unlisted for one in prepared for unlisted in to_enlist(shelf, one.target))
    if not write or any(one.refused for one in prepared):
        return Rendered(outcome, changes, written=False, to_enlist=missing)
    for one in prepared:
        folders.require_writable(one.target.path, one.tree)
    for done, one in enumerate(prepared):
        progress("writing overlays", done, len(prepared))
        folders.write(one.target.path, one.tree)
    if enlist:
        missing = tuple(_enlist(shelf, missing))
    return Rendered(outcome, changes, written=True, to_enlist=missing)


def count(prepared: Sequence[Prepared]) -> Counts:
    """Count what was read for several overlays; a job that several are made of counts once."""
    jobs = {(one.target.source, job.workload.ref) for one in prepared for job in one.jobs}
    return Counts(jobs=len(jobs), groups=sum(one.counts.groups for one in prepared), builds=len(prepared))


def to_enlist(shelf: Shelf, target: Target) -> list[tuple[str, str]]:
    """Return (overlay folder, entry) when a component is not listed where it belongs."""
    if target.layout != "component":
        return []
    here = shelf.kustomization(target.source)
    entry = posixpath.relpath(target.path, target.source)
    listed = kustomization.components(here.data) if here else ()
    return [] if entry in {posixpath.normpath(name) for name in listed} else [(target.source, entry)]


def _enlist(shelf: Shelf, missing: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    from gangform.text import editing

    for folder, entry in missing:
        here = shelf.kustomization(folder)
        if here is not None:
            disk.write_file(here.path, editing.enlist(here.document.source.text, entry))
    return []


