"""What jobs and groups were at an earlier revision, read and built from the same paths."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gangform import schema
from gangform.edges import disk
from gangform.model.errors import GangformError
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.settings import Settings
from gangform.workflows.sources import STDIN, Shelf, build

if TYPE_CHECKING:
    from gangform.edges.git import Checkout
    from gangform.workflows.affected import Changes
    from gangform.workflows.gathering import Gathered

Before = Mapping[tuple[str, str, str, str], Mapping[str, Any]]
"""(API group, kind, namespace, name) to the object."""


class Earlier:
    """A revision to compare with."""

    def __init__(self, checkout: "Checkout") -> None:
        self._checkout = checkout
        self._shelf = Shelf()

    @property
    def revision(self) -> str:
        """The revision, as the user names it."""
        return self._checkout.revision

    def changes(self, settings: Settings) -> "Changes":
        """Tell what differs from the revision, and whether that affects everything.

        Raises:
            ProgramError: git failed.
        """
        from gangform.edges import git
        from gangform.workflows import affected

        return affected.since(self.revision, git.changed(self._checkout), settings, self._checkout.place)

    def narrow(self, shelf: Shelf, gathered: "Gathered", settings: Settings) -> "Gathered":
        """Leave out what is the same as at the revision; see ``affected``.

        Raises:
            ProgramError: git failed.
        """
        from gangform.workflows import affected

        return affected.choose_gathered(self.changes(settings), shelf, gathered)

    def of_files(self, paths: Iterable[str]) -> Before:
        """Return the objects that files held; a file that is new or was unreadable held none."""
        documents: list[Document] = []
        for path in paths:
            place = None if path == STDIN else self._checkout.place(path)
            if place is not None and disk.exists(place) and not disk.is_folder(place):
                documents += self._shelf.read(place).documents
        return index(documents)

    def of_build(self, folder: str) -> Before:
        """Return the objects that a folder's kustomization gave; none where it was not there or did not build."""
        place = self._checkout.place(folder)
        try:
            if place is None or not disk.is_folder(place) or self._shelf.kustomization(place) is None:
                return {}
            return index(build(self._shelf, place).documents)
        except GangformError:
            # What could not be built was not running.
            return {}


@contextmanager
def earlier(revision: str | None) -> Iterator[Earlier | None]:
    """Give access to a revision as long as the context lasts; None when there is nothing to compare with.

    Raises:
        InputError: the working folder is in no repository, or the revision is unknown.
        ProgramError: git is missing or failed.
    """
    if revision is None:
        yield None
        return
    from gangform.edges import git

    with git.checkout(revision) as found:
        yield Earlier(found)


def index(documents: Iterable[Document]) -> Before:
    """Return the objects by their identity, without null members."""
    found: dict[tuple[str, str, str, str], Mapping[str, Any]] = {}
    for document in documents:
        ref = identify(document.data)
        found[(ref.group, ref.kind, ref.namespace, ref.name)] = schema.prune(document.data)
    return found
