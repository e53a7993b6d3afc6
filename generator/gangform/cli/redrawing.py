"""``status --watch``: a table that is drawn anew on a terminal, else a line for each change."""

import sys
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gangform.cli import gangs
from gangform.cli.output import Screen
from gangform.report.terminal import visible
from gangform.status import showing

if TYPE_CHECKING:
    from gangform.status.picture import GangStatus, Key
    from gangform.workflows.following import Follower
    from gangform.workflows.status import Request, Standing

SECONDS = 1.0
"""Between two looks."""


def run(follower: "Follower", request: "Request", screen: Screen, output: str) -> int:
    """Show what changes until the user ends it, or the API server goes away; the exit code is for the latter."""
    if output in {"table", "wide"} and sys.stdout is not None and sys.stdout.isatty():
        _redraw(follower, request, screen, wide=output == "wide")
    for standing, before in _looks(follower, request):
        screen.write("".join(_changes(follower, standing, before, output)))
    return 0


def _looks(follower: "Follower", request: "Request") -> "Iterator[tuple[Standing, Mapping[Key, GangStatus]]]":
    """Yield how the gangs stand, again and again, and how they stood before."""
    from gangform.workflows import status

    before: Mapping[Key, GangStatus] = {}
    while True:
        standing = status.look(follower.live, request, int(time.time()), before)
        yield standing, before
        before = {one.key: one for one in standing.every}
        follower.wait(SECONDS)


def _redraw(follower: "Follower", request: "Request", screen: Screen, *, wide: bool) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(), auto_refresh=False, vertical_overflow="ellipsis") as drawing:
        for standing, _ in _looks(follower, request):
            text = gangs.write_table(standing, screen, wide=wide, namespaced=bool(request.namespace))
            text += gangs.closing(follower.live, standing, request)
            drawing.update(Text.from_ansi(text), refresh=True)


def _changes(
    follower: "Follower", standing: "Standing", before: "Mapping[Key, GangStatus]", output: str,
) -> Iterator[str]:
    """Yield a line for each gang that is not as it was, in the wanted form."""
    from gangform.workflows.status import spell

    for new in standing.shown:
        old = before.get(new.key)
        if old == new:
            continue
        alone = standing._replace(shown=(new,))
        if output == "json":
            yield gangs.encode(follower.live, alone, "line", whole=False)
        elif output == "name":
            yield "".join(f"{name}\n" for name in gangs.names(alone))
        else:
            yield f"{spell(standing.now)}  {_told(old, new)}\n"
    if output not in {"json", "name"}:
        for key in sorted(before.keys() - {one.key for one in standing.every}):
            yield f"{spell(standing.now)}  {visible(showing.named(before[key]))}  gone\n"


def _told(old: "GangStatus | None", new: "GangStatus") -> str:
    counts = new.counts
    state = new.state.value if old is None or old.state is new.state else f"{old.state.value} -> {new.state.value}"
    return visible("  ".join((
        showing.named(new), state, f"{counts.existing}/{counts.desired}",
        f"{counts.bound}/{counts.min_member or counts.desired}", new.message)).rstrip())
