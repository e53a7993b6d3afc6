"""Overlays that gangform wrote for sources that are gone: they go on being synced, and nobody renders them."""

import posixpath
from collections.abc import Iterator, Sequence

from gangform.edges import disk, walking
from gangform.kustomization import FILE_NAMES
from gangform.model.finding import Finding, Location
from gangform.settings import Settings, Target, captures
from gangform.workflows import configuration
from gangform.workflows.codes import CODES
from gangform.workflows.sources import Shelf

CODE = "overlay-without-source"


def find(shelf: Shelf, settings: Settings, targets: Sequence[Target]) -> Iterator[Finding]:
    """Yield a finding for each generated folder that fits an overlay of the settings and has no source any more.

    Says nothing where ``targets`` are not all overlays of the settings: who asks for one is told of that one.
    """
    patterns = [overlay for overlay in settings.overlays if captures.names(overlay.path)]
    if not patterns:
        return
    wanted = {target.path for _, matched in configuration.expand(settings) for target in matched}
    if wanted != {target.path for target in targets}:
        return
    for folder in sorted(_fitting(settings, patterns) - wanted):
        path = posixpath.join(folder, FILE_NAMES[0])
        if disk.exists(path) and shelf.is_generated(path):
            yield Finding(Location(path, 1, 1, 1, 1), CODE, CODES[CODE].severity,
                          f"{folder} was written for a source that is gone",
                          f"delete the folder {folder}, and take it out of whatever applies it")


def _fitting(settings: Settings, patterns: Sequence[Target]) -> set[str]:
    folders = [posixpath.dirname(name) or "." for name in walking.walk(settings.folder).kustomizations]
    relative = sorted(posixpath.relpath(folder, settings.folder) for folder in folders)
    return {posixpath.normpath(posixpath.join(settings.folder, folder))
            for overlay in patterns for folder, _ in captures.match(overlay.path, relative)}
