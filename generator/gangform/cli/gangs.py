"""Gangs on a terminal: the table, and all there is to say of one."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gangform.cli.output import Painted, Screen, table, wants_colour
from gangform.report.terminal import visible
from gangform.report.text import Style
from gangform.status import showing
from gangform.status.pages import slug

if TYPE_CHECKING:
    from gangform.status.picture import GangStatus, Sight
    from gangform.workflows.live import Live
    from gangform.workflows.status import Request, Standing


def write_table(
    standing: "Standing", screen: Screen, *, wide: bool = False, namespaced: bool = False, headed: bool = True,
) -> str:
    """Lay the gangs out as rows.

    Args:
        standing: the showing.
        screen: tells whether there is colour.
        wide: whether every column is shown.
        namespaced: whether all are of one namespace, which then needs no column.
        headed: whether headings are shown.
    """
    headings = showing.headings(wide=wide, namespaced=namespaced)
    rows = [_paint(headings, status, showing.row(status, standing.now, wide=wide, namespaced=namespaced))
            for status in standing.shown]
    return table(headings, rows, headed=headed, colour=wants_colour(screen.no_color, err=False)) if rows else ""


def _paint(headings: Sequence[str], status: "GangStatus", cells: Sequence[str]) -> list[str | int | Painted]:
    return [Painted(visible(cell), showing.look(status)) if heading == "STATE" else visible(cell)
            for heading, cell in zip(headings, cells, strict=True)]


def explain(status: "GangStatus", sight: "Sight", now: int, screen: Screen) -> str:
    """Write all there is to say of one gang, ending with where to read on."""
    return "".join((*_about(status, sight, now, screen.style()), *_listed(sight, now),
                    f"Explain: gangform explain {slug(status.state)}\n"))


def _about(status: "GangStatus", sight: "Sight", now: int, style: Style) -> Iterator[str]:
    from gangform.workflows.status import spell

    head, _, rest = visible(showing.opening(status)).partition(f": {status.state.value}.")
    yield f"{style(head, 'place')}: {style(status.state.value, showing.look(status))}.{rest}\n"
    for line in (status.message, showing.strays(sight), showing.since(status, now, spell)):
        if line:
            yield f"  {visible(line)}\n"
    word = "Do:" if status.alarming else "Next:"
    for line in filter(None, status.advice.splitlines()):
        yield f"{word:<6}{visible(line)}\n"
        word = ""
    logs = showing.logs(sight)
    if logs and "kubectl logs" not in status.advice:
        yield f"{'Logs:':<6}{visible(logs)}\n"


def _listed(sight: "Sight", now: int) -> Iterator[str]:
    from gangform.workflows.status import spell

    pods = [tuple(map(visible, row)) for row in showing.members(sight, spell)]
    if pods:
        yield "\n" + table(("POD", "STATUS", "NODE", "RESTARTS", "WHY"), pods)
    events = [tuple(map(visible, row)) for row in showing.notes(sight, now)]
    if events:
        yield "\n" + table(("AGO", "EVENT OF", "SAYS"), events)
    yield "\n"


def sweep(standing: "Standing") -> str:
    """The commands that take away what is left over, when that is all that is shown."""
    return "".join(f"Do:   {visible(line)}\n" for line in showing.sweep(standing.shown))


def closing(live: "Live", standing: "Standing", request: "Request") -> str:
    """The last line: gangs by state, and what is free."""
    from gangform.status import totals

    if not standing.every:
        labelled = " with these labels" if request.labels else ""
        return f"No gangs{labelled} in {f'namespace {request.namespace}' if request.namespace else 'any namespace'}."
    return visible(totals.line(standing.every, live.board.nodes()))


def encode(live: "Live", standing: "Standing", form: str, *, whole: bool) -> str:
    """Write the gangs for programs: as ``json``, as ``yaml``, or as one ``line`` of JSON.

    Args:
        live: tells what could not be seen.
        standing: the gangs.
        form: of the three.
        whole: whether each comes with its pods and events.
    """
    import json

    from gangform.text import writing
    from gangform.workflows.status import spell

    data = {
        "version": showing.ENVELOPE, "at": spell(standing.now),
        "totals": dict(sorted(Counter(one.state.value for one in standing.every).items())),
        "capacity": showing.capacity(live.board.nodes()),
        "gangs": [showing.describe(one, spell, standing.sights[one.key] if whole else None) for one in standing.shown],
        "unseen": [unseen._asdict() for unseen in live.unseen],
        "absent": [place.name for place in live.absent],
    }
    if form == "yaml":
        return writing.write([data])
    return json.dumps(data, indent=None if form == "line" else 2, ensure_ascii=False) + "\n"


def names(standing: "Standing") -> Iterator[str]:
    """Yield what is shown as kubectl names it: its job, or the group where there is no job."""
    from gangform.catalog import CATALOG

    for one in standing.shown:
        job = standing.sights[one.key].job
        if job is not None:
            yield visible(f"{job.kind.lower()}.{job.api_version.partition('/')[0]}/{one.key.name}")
        elif one.backend in CATALOG.backends:
            yield visible(f"{CATALOG.backends[one.backend].RESOURCE}/{one.group or one.key.name}")
