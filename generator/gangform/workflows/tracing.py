"""Which file each built object came from, asked only when a finding needs it.

kustomize takes several times as long when it must tell the origins, and most builds are sound.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from gangform import kustomization
from gangform.model.errors import GangformError
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.text import reading


class Traces(Mapping[int, str]):
    """A built document's number to the file of its object; the build is run again at the first question."""

    def __init__(self, folder: str, documents: Sequence[Document], rebuild: Callable[[], str]) -> None:
        self._folder = folder
        self._documents = documents
        self._rebuild = rebuild
        self._found: dict[int, str] | None = None

    def __getitem__(self, number: int) -> str:
        return self._files()[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._files())

    def __len__(self) -> int:
        return len(self._files())

    def _files(self) -> dict[int, str]:
        if self._found is None:
            try:
                self._found = dict(self._trace())
            except GangformError:
                # The objects are at hand already; a finding without its line is better than none.
                self._found = {}
        return self._found

    def _trace(self) -> Iterator[tuple[int, str]]:
        numbers = {identify(document.data): document.number for document in self._documents}
        for document in reading.read(self._folder, self._rebuild(), built=True).documents:
            file, data = kustomization.take_origin(document.data, self._folder)
            number = numbers.get(identify(data))
            if file is not None and number is not None:
                yield number, file
