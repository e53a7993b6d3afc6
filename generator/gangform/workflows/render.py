"""Write overlays: all of them checked first, then each whole or not at all."""

import posixpath
from collections.abc import Sequence

from gangform import kustomization
from gangform.edges import disk, folders, replacing
from gangform.settings import Settings, Target
from gangform.workflows.judging import Control, conclude
from gangform.workflows.outcome import Counts, OverlayChange, Progress, Rendered
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
    control = Control(settings)
    prepared = []
    for done, target in enumerate(targets):
        progress("reading sources", done, len(targets))
        prepared.append(prepare(shelf, target, control))
    outcome = conclude((), [judged for one in prepared for judged in one.judged], control, count(prepared))
    changes = tuple(OverlayChange(one.target, one.changes) for one in prepared)
    missing = tuple(unlisted for one in prepared for unlisted in to_enlist(shelf, one.target))
    if not write or any(one.refused for one in prepared):
        return Rendered(outcome, changes, written=False, to_enlist=missing)
    enlisted = _enlist(shelf, missing) if enlist else {}
    for one in prepared:
        folders.require_writable(one.target.path, one.tree)
    for done, one in enumerate(prepared):
        progress("writing overlays", done, len(prepared))
        folders.write(one.target.path, one.tree)
    for path, text in enlisted.items():
        replacing.write_file(path, text)
    return Rendered(outcome, changes, written=True, to_enlist=() if enlist else missing, enlisted=tuple(enlisted))


def count(prepared: Sequence[Prepared]) -> Counts:
    """Count what was read for several overlays; a job that several are made of counts once."""
    jobs = {(one.target.source, job.workload.ref) for one in prepared for job in one.jobs}
    return Counts(jobs=len(jobs), groups=sum(one.counts.groups for one in prepared), builds=len(prepared))


def to_enlist(shelf: Shelf, target: Target) -> list[tuple[str, str]]:
    """Return (overlay folder, entry) when a component is not listed where it belongs."""
    if target.layout != "component":
        return []
    here = shelf.kustomization(target.source)
    entry = disk.spell(disk.way(target.source, target.path))
    listed = kustomization.components(here.data) if here else ()
    return [] if entry in {posixpath.normpath(name) for name in listed} else [(target.source, entry)]


def _enlist(shelf: Shelf, missing: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the new texts of the kustomizations that shall list components, by path."""
    from gangform.text import editing

    texts: dict[str, str] = {}
    for folder, entry in missing:
        here = shelf.kustomization(folder)
        if here is not None:
            source = here.document.source
            text = texts.get(here.path, "\ufeff" * source.bom + source.text)
            texts[here.path] = editing.enlist(text, entry)
    return texts
