"""The state of gangs as a person reads it, and as a program does."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from gangform.sizing import spell
from gangform.status.forming import PODS_HIDDEN
from gangform.status.nodes import total
from gangform.status.picture import GangStatus, Member, Node, Note, Sight, State

ENVELOPE = 1
"""Version of the JSON; a field may be added without a new one."""

_ROWS = 3
"""Pods without a node that are alike are one row each up to this number, else one row together."""

_NOTES = 6
_LONGEST = 200
"""Characters of an event that are shown; all are in the JSON."""

_HOUR, _DAY, _YEAR = 3600, 86400, 365 * 86400
_AGES: tuple[tuple[int | None, int, str, int, str], ...] = (
    (120, 1, "s", 0, ""), (600, 60, "m", 1, "s"), (3 * _HOUR, 60, "m", 0, ""), (8 * _HOUR, _HOUR, "h", 60, "m"),
    (48 * _HOUR, _HOUR, "h", 0, ""), (8 * _DAY, _DAY, "d", _HOUR, "h"), (2 * _YEAR, _DAY, "d", 0, ""),
    (8 * _YEAR, _YEAR, "y", _DAY, "d"), (None, _YEAR, "y", 0, ""),
)
"""Seconds below which an age is spelt so, its unit, and the smaller unit beside it, if any."""

Moment = Callable[[int | None], str]
"""Spells a moment as Kubernetes does, RFC 3339 in UTC; empty where it is not known."""


class Column(NamedTuple):
    """A column of the table: its heading, and whether it is shown only when more is asked for."""

    heading: str
    wide: bool = False


COLUMNS = (
    Column("NAMESPACE"), Column("JOB"), Column("STATE"), Column("SINCE"), Column("PODS"), Column("BOUND"),
    Column("READY", wide=True), Column("BACKEND", wide=True), Column("PODGROUP", wide=True),
    Column("QUEUE", wide=True), Column("REASON", wide=True), Column("WHY"),
)


def headings(*, wide: bool, namespaced: bool) -> tuple[str, ...]:
    """Name the columns; ``namespaced`` leaves out the namespace, which is the same for all."""
    return tuple(column.heading for column in _columns(wide=wide, namespaced=namespaced))


def row(status: GangStatus, now: int, *, wide: bool, namespaced: bool) -> tuple[str, ...]:
    """Lay a gang out under the headings."""
    counts = status.counts
    cells = {
        "NAMESPACE": status.key.namespace, "JOB": status.key.name, "STATE": status.state.value,
        "SINCE": age(status.since, now), "PODS": _share(status, counts.existing, counts.desired),
        "BOUND": _share(status, counts.bound, counts.min_member or counts.desired),
        "READY": _share(status, counts.ready, counts.desired),
        "BACKEND": status.backend or "-", "PODGROUP": status.group or "-", "QUEUE": status.queue or "-",
        "REASON": status.reason or "-", "WHY": status.message,
    }
    return tuple(cells[column.heading] for column in _columns(wide=wide, namespaced=namespaced))


def _share(status: GangStatus, number: int, of: int) -> str:
    return f"{'?' if status.reason == PODS_HIDDEN else number}/{of}"


def _columns(*, wide: bool, namespaced: bool) -> Iterator[Column]:
    for column in COLUMNS:
        if (wide or not column.wide) and not (namespaced and column.heading == "NAMESPACE"):
            yield column


def look(status: GangStatus) -> str:
    """The role of a state's colour."""
    if status.alarming:
        return "error"
    if status.state in {State.RUNNING, State.SUCCEEDED}:
        return "added"
    return "faint" if status.state is State.SUSPENDED else "error" if status.state is State.FAILED else "warning"


def age(since: int | None, now: int) -> str:
    """Spell how long ago a moment was.

    Mirrors kubernetes apimachinery pkg/util/duration/duration.go HumanDuration (v0.34).
    """
    if since is None:
        return "-"
    seconds = max(0, now - since)
    _, large, word, small, rest = next(step for step in _AGES if step[0] is None or seconds < step[0])
    more = seconds % large // small if small else 0
    return f"{seconds // large}{word}" + (f"{more}{rest}" if more else "")


def named(status: GangStatus) -> str:
    """How a sentence calls a gang."""
    return f"{status.key.namespace}/{status.key.name}" if status.key.namespace else status.key.name


def opening(status: GangStatus) -> str:
    """The first line about one gang: its state, and its pods."""
    counts = status.counts
    if status.state is State.LEFT_OVER:
        return f"{named(status)}: {status.state.value}."
    whole = "" if counts.existing == counts.desired else f" of {counts.desired}"
    pods = f"{counts.existing}{whole} {'pod exists' if counts.existing == 1 and not whole else 'pods exist'}"
    pods += f", {counts.bound} bound, {counts.ready} ready"
    if status.reason == PODS_HIDDEN:
        pods = f"{counts.desired} {'pod' if counts.desired == 1 else 'pods'} wanted"
    together = f", {counts.min_member} must start together" if counts.min_member else ""
    by = f" ({status.backend})" if status.backend else ""
    return f"{named(status)}: {status.state.value}. {pods}{together}{by}."


def since(status: GangStatus, now: int, moment: Moment) -> str:
    """Say since when, and for how long by now."""
    if status.since is None:
        return ""
    return f"{'whole ' * (status.state is State.RUNNING)}since {moment(status.since)} ({age(status.since, now)})"


def members(sight: Sight, moment: Moment) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield (name, phase, node, restarts, remark) of pods; many that wait alike are one row."""
    ordered = sorted(sight.members, key=_order)
    for _, alike in groupby(ordered, key=_alikeness):
        group = list(alike)
        if len(group) > _ROWS and not group[0].node:
            name = f"{group[0].name} … {group[-1].name} ({len(group)})"
            yield name, _phase(group[0]), "-", "-", _remark(group[0], moment)
        else:
            for one in group:
                yield one.name, _phase(one), one.node or "-", str(one.restarts), _remark(one, moment)


def strays(sight: Sight) -> str:
    """Say of Workers that restarted what mpirun does not do; empty where there are none."""
    workers = (one for one in sorted(sight.members, key=_order) if one.role == "Worker")
    names = [one.name for one in workers if one.restarts and one.bound]
    if not names:
        return ""
    shown = ", ".join(names[:_ROWS]) + (f" and {len(names) - _ROWS} more" if len(names) > _ROWS else "")
    return f"not in the running mpirun any more, since restarted: {shown}"


def sweep(statuses: Sequence[GangStatus]) -> Iterator[str]:
    """Yield the fewest commands that take away what is left over, when nothing else is shown."""
    if not statuses or any(status.state is not State.LEFT_OVER for status in statuses):
        return
    names: dict[str, list[str]] = {}
    for status in statuses:
        command, _, name = status.advice.rpartition(" ")
        if command.startswith("kubectl delete "):
            names.setdefault(command, []).append(name)
    for command, listed in sorted(names.items()):
        yield f"{command} {' '.join(listed)}"


def notes(sight: Sight, now: int) -> Iterator[tuple[str, str, str]]:
    """Yield (age, object, what it says) of the last events, newest last; those that say the same of pods are one."""
    alike: dict[tuple[str, str, str], list[Note]] = {}
    for note in sight.notes:
        said = f"{note.reason}: {' '.join(note.message.split())}"
        about = (note.kind, said.replace(note.name, "…"), "") if note.kind == "Pod" else (note.kind, said, note.name)
        alike.setdefault(about, []).append(note)
    last = sorted(alike.items(), key=lambda item: max(note.at or 0 for note in item[1]))[-_NOTES:]
    for (kind, said, _), group in last:
        newest = max(group, key=lambda note: note.at or 0)
        what = f"{kind}/{newest.name}" if len(group) == 1 else f"{len(group)} pods"
        text = said.replace("…", newest.name) if len(group) == 1 else said
        yield age(newest.at, now), what, text if len(text) <= _LONGEST else f"{text[:_LONGEST - 1]}…"


def logs(sight: Sight) -> str:
    """The command that shows what the job says; empty while nothing of it runs."""
    running = [one for one in sorted(sight.members, key=_order) if one.phase == "Running"]
    chosen = next((one for one in running if one.role == "Launcher"), running[0] if running else None)
    return f"kubectl logs -n {chosen.key.namespace} {chosen.name} --tail 50" if chosen else ""


def describe(status: GangStatus, moment: Moment, sight: Sight | None = None) -> dict[str, Any]:
    """Lay a gang out for programs; with ``sight``, its pods and events, too."""
    counts = status.counts
    described: dict[str, Any] = {
        "namespace": status.key.namespace, "name": status.key.name, "state": status.state.value,
        "alarming": status.alarming, "reason": status.reason, "message": status.message,
        "since": moment(status.since) or None,
        "pods": {"desired": counts.desired, "existing": counts.existing, "bound": counts.bound,
                 "ready": counts.ready, "minMember": counts.min_member},
        "backend": status.backend, "podGroup": status.group, "queue": status.queue,
        "short": spell(status.short), "advice": status.advice, "uid": status.related,
    }
    if sight is not None:
        described["members"] = [_describe_member(one, moment) for one in sorted(sight.members, key=_order)]
        described["events"] = [_describe_note(note, moment) for note in sight.notes]
    return described


def capacity(nodes: Iterable[Node] | None) -> dict[str, dict[str, str]] | None:
    """Lay out for programs what usable nodes offer, and what of it is free; None where nobody can know."""
    if nodes is None:
        return None
    usable = [node for node in nodes if node.usable]
    return {"offers": spell(total(node.offers for node in usable)), "free": spell(total(node.free for node in usable))}


def _describe_member(one: Member, moment: Moment) -> dict[str, Any]:
    return {"name": one.name, "role": one.role, "phase": one.phase, "node": one.node, "ready": one.ready_at is not None,
            "boundAt": moment(one.bound_at) or None, "restarts": one.restarts, "schedulerName": one.scheduler,
            "gates": list(one.gates), "ended": _ending(one), "says": one.verdict.message if one.verdict else ""}


def _describe_note(note: Note, moment: Moment) -> dict[str, Any]:
    return {"kind": note.kind, "name": note.name, "reason": note.reason, "message": note.message,
            "at": moment(note.at) or None}


def _phase(one: Member) -> str:
    if one.terminating:
        return "Terminating"
    return "Ready" if one.phase == "Running" and one.ready_at is not None else one.phase or "-"


def _remark(one: Member, moment: Moment) -> str:
    if one.gates:
        return f"gated by {', '.join(one.gates)}"
    return f"{_ending(one)} at {moment(one.ended.at)}" if one.ended and one.ended.at is not None else _ending(one)


def _ending(one: Member) -> str:
    if one.ended is None:
        return ""
    code = "" if one.ended.code is None else f"exit code {one.ended.code}"
    return ", ".join(filter(None, (one.ended.reason, code)))


def _order(one: Member) -> tuple[bool, str, int, str]:
    """Launcher first, worker-2 before worker-10."""
    stem, _, number = one.name.rpartition("-")
    return (one.role != "Launcher", one.role, int(number), stem) if number.isdecimal() and len(number) < 9 else (
        one.role != "Launcher", one.role, -1, one.name)


def _alikeness(one: Member) -> Sequence[Any]:
    return one.role, _phase(one), one.node, one.restarts, one.gates, one.ended
