"""Files that a commit hook hands over: which are ours, what they belong to, and which findings are about them.

A hook names the files of a commit, whatever programs they are for, and not the files beside them. So a file
without a job or group is passed over, and one that a kustomization lists is judged in its build.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gangform import kustomization
from gangform.catalog import BACKENDS
from gangform.edges import disk
from gangform.inspection import walk
from gangform.model.errors import InputError
from gangform.model.finding import Finding, order
from gangform.selection import EVERYTHING, Selection
from gangform.settings import Cluster, Settings
from gangform.workflows.gathering import ANCESTORS
from gangform.workflows.judging import Control
from gangform.workflows.outcome import Outcome, Progress
from gangform.workflows.sources import Kustomization, Shelf, name_of
from gangform.workflows.validate import OURS, examine

_OF_TEXTS = frozenset({"yaml-syntax", "yaml-limit", "yaml-encoding", "templated"})
"""What may be said of a text in which no object could be told."""

_OBJECT_IN_LIST = re.compile(r"\s*(---\s+)?-\s+[\"']?(apiVersion|kind|metadata)[\"']?\s*:")


class Staged(NamedTuple):
    """What the files of a commit mean.

    Attributes:
        files: those that hold jobs or groups, or change such as patches.
        kustomizations: the kustomization files whose builds are to be looked at.
        whole: folders whose kustomization is part of the commit, so that all of its build counts.
        names: what the objects of the files, and those bound to them, are called in the builds.
    """

    files: tuple[str, ...] = ()
    kustomizations: tuple[str, ...] = ()
    whole: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    def concerns(self, finding: Finding) -> bool:
        """Whether a finding is about the commit."""
        path = finding.location.path
        if path in self.files:
            return _is_about_objects(finding)
        if path in self.kustomizations and (posixpath.dirname(path) or ".") in self.whole:
            return True
        if self.whole.intersection(finding.builds):
            return True
        subject = finding.subject
        return subject is not None and (subject.name in self.names or subject.kind in kustomization.KINDS)

    def narrow(self, outcome: Outcome) -> Outcome:
        """Leave of an outcome what is about the commit."""
        findings = tuple(filter(self.concerns, outcome.findings))
        unbuilt = {finding for finding in outcome.findings if finding.rule == "kustomize-build-failed"}
        notes = (f"{finding.location.path} does not build, so its files were checked one by one: {finding.message}"
                 for finding in sorted(unbuilt.difference(findings), key=order))
        suppressed = tuple(one for one in outcome.suppressed if self.concerns(one.finding))
        return outcome._replace(findings=findings, notes=(*outcome.notes, *notes), suppressed=suppressed)


def validate(
    paths: Sequence[str], settings: Settings, cluster: Cluster | None, *, progress: Progress,
    changed_since: str | None = None, selection: Selection = EVERYTHING,
) -> Outcome:
    """Check the jobs and groups of a commit, each in the kustomization that lists it.

    Args:
        paths: files, as the hook names them.
        settings: severities, and which overlay belongs to which cluster.
        cluster: what the jobs are meant for, when it was given.
        progress: told how far it is.
        changed_since: the git revision to compare with, if any.
        selection: ids that the command line names.

    Raises:
        InputError: a file cannot be read, or a kustomization of the commit is none.
        ProgramError: a program that was found failed to run.
    """
    shelf = Shelf()
    staged = find(shelf, paths)
    if not staged.files and not staged.kustomizations:
        return Outcome()
    outcome = examine(
        shelf, (*staged.files, *staged.kustomizations), Control(settings, selection), cluster, read_stdin=bytes,
        progress=progress, changed_since=changed_since)
    return staged.narrow(outcome)


def find(shelf: Shelf, paths: Sequence[str]) -> Staged:
    """Tell what the files of a commit mean; those of other programs mean nothing.

    Raises:
        InputError: a file cannot be read, or a kustomization of the commit is none.
    """
    files: dict[str, None] = {}
    builds: dict[str, Kustomization] = {}
    whole = set()
    names: set[str] = set()
    for path in map(disk.show, paths):
        if posixpath.basename(path) in kustomization.FILE_NAMES:
            here = _read_own(shelf, path)
            if here is not None:
                builds[here.folder] = here
                whole.add(here.folder)
            continue
        holder = _find_holder(shelf, path)
        if not _mentions(shelf, path) and not (holder and _is_patched(holder, path)):
            continue
        files[path] = None
        if holder is not None and not holder.is_component:
            builds.setdefault(holder.folder, holder)
            names |= _names(shelf, holder, path)
    return Staged(tuple(files), tuple(here.path for here in builds.values()), frozenset(whole), frozenset(names))


def _mentions(shelf: Shelf, path: str) -> bool:
    text = shelf.read(path).source.text
    return any(word in text for word in OURS)


def _read_own(shelf: Shelf, path: str) -> Kustomization | None:
    """Read a kustomization of the commit; None for one that has nothing to do with jobs, or is no kustomization."""
    folder = posixpath.dirname(path) or "."
    if shelf.read(path).templated or disk.find_kustomization(folder) != path:
        return None
    here = shelf.kustomization(folder)
    if here is None or kustomization.is_foreign(here.data):
        return None
    reached = [path, *shelf.resource_files(folder)]
    reached += [patch for layer in shelf.walk(folder) for patch in shelf.patch_files(layer.folder)
                if disk.exists(patch)]
    return here if any(_mentions(shelf, one) for one in reached) else None


def _find_holder(shelf: Shelf, path: str) -> Kustomization | None:
    """Return the nearest kustomization at or above a file that lists it as a resource or a patch."""
    folder, name = posixpath.split(path)
    for _ in range(ANCESTORS):
        above = disk.find_kustomization(folder or ".")
        if above and name.encode() in disk.read_bytes(above):
            try:
                here = shelf.kustomization(folder or ".")
            except InputError:
                return None
            if here is not None and path in _listed(here):
                return here
        if disk.exists(posixpath.join(folder, ".git")):
            return None
        folder = posixpath.normpath(posixpath.join(folder, ".."))
    return None


def _listed(here: Kustomization) -> Iterator[str]:
    names = (*kustomization.resources(here.data), *kustomization.patch_files(here.data))
    return (disk.join(here.folder, name) for name in names)


def _is_patched(here: Kustomization, path: str) -> bool:
    """Whether a file is a patch whose target, as the kustomization names it, is a job or a group."""
    return any(patch.kind in OURS and patch.path and disk.join(here.folder, patch.path) == path
               for patch in kustomization.patches(here.data))


def _names(shelf: Shelf, holder: Kustomization, path: str) -> set[str]:
    """Name the objects of a file and those that marks bind to them, as the holder's build calls them."""
    targets = {patch.name for patch in kustomization.patches(holder.data)
               if patch.name and patch.path and disk.join(holder.folder, patch.path) == path}
    own = targets.union(*(_gang(document.data) for document in shelf.read(path).documents))
    beside = [one for one in shelf.resource_files(holder.folder) if _mentions(shelf, one)]
    for gang in (_gang(document.data) for one in beside for document in shelf.read(one).documents):
        if not gang.isdisjoint(own):
            own = own | gang
    prefix, suffix = (str(holder.data.get(field) or "") for field in ("namePrefix", "nameSuffix"))
    return {f"{prefix}{name}{suffix}" for name in own if name}


def _gang(data: Any) -> set[str]:
    """Name a job and the groups that its templates are marked for, or a group."""
    marks = {backend.MARK.key for backend in BACKENDS.values()}
    return {name_of(data), *(value for key, value in walk(data) if key in marks and isinstance(value, str))}


def _is_about_objects(finding: Finding) -> bool:
    """Whether a finding in a file of the commit is about an object, or may be: other programs' YAML has none."""
    if finding.rule == "document-not-object":
        return bool(_OBJECT_IN_LIST.match(finding.location.excerpt))
    return finding.subject is not None or finding.rule in _OF_TEXTS
