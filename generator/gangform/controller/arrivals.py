"""Kinds that are installed meanwhile: kopf looks for one when its CRD comes, and that may be too early."""

from collections.abc import Iterable

from gangform.controller.watching import Watched

LOOK_SECONDS = 10
"""A kind that is not there is looked for so often, and its watch may take so long to bring the first object."""

AGAIN_SECONDS = 300


class Arrivals:
    """Kinds that are not there, and those of which there are objects and none was brought."""

    def __init__(self) -> None:
        self._absent: set[Watched] = set()
        self._since: dict[Watched, float] = {}

    def awaited(self, kinds: Iterable[Watched]) -> list[Watched]:
        """Return those of these kinds of which nothing was brought so far."""
        return [kind for kind in kinds if kind in self._absent or kind in self._since]

    def note(self, kind: Watched, there: int | None, known: int, now: float) -> None:
        """Take note of how many objects a kind has, None where there is no such kind, and how many were brought."""
        if there is None:
            self._absent.add(kind)
        elif known:
            self._absent.discard(kind)
        if there and not known:
            self._since.setdefault(kind, now)
        else:
            self._since.pop(kind, None)

    def overlooked(self, now: float) -> list[str]:
        """Return the plural names of kinds that came without their watch's notice; each is named now and then."""
        late = [kind for kind, since in self._since.items() if now - since > LOOK_SECONDS]
        self._since.update(dict.fromkeys(late, now + AGAIN_SECONDS))
        return [kind.plural for kind in late]
