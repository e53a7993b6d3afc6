"""All gangs in one line: how many are in which state, what waiting ones lack, and what is free."""

from collections import Counter
from collections.abc import Iterable, Sequence

from gangform.sizing import Requests
from gangform.status import wording
from gangform.status.nodes import total
from gangform.status.picture import GangStatus, Node, State

_WORDS = {
    State.RUNNING: "running", State.QUEUED: "queued", State.STARTING: "starting", State.SUCCEEDED: "succeeded",
    State.FAILED: "failed", State.SUSPENDED: "suspended", State.GATED: "gated",
    State.WAITING_FOR_PODS: "waiting for pods", State.WAITING_FOR_POD_GROUP: "waiting for a PodGroup",
}
_ALWAYS = ("cpu",)


def line(statuses: Iterable[GangStatus], nodes: Sequence[Node] | None) -> str:
    """Write the last line of a list: ``61 gangs: 44 running, 9 queued (96 nvidia.com/gpu short), 8 to look at.``

    Args:
        statuses: of every gang, shown or not.
        nodes: None where they are not known; then nothing is said of them.
    """
    listed = list(statuses)
    states = Counter(status.state for status in listed)
    parts = [f"{states[state]} {word}{_short(listed) if state is State.QUEUED else ''}"
             for state, word in _WORDS.items() if states[state]]
    alarming = sum(status.alarming for status in listed)
    if alarming:
        parts.append(f"{alarming} to look at")
    said = f"{wording.count(len(listed), 'gang')}{': ' if parts else ''}{', '.join(parts)}."
    return f"{said} {room(nodes)}" if nodes else said


def _short(statuses: Iterable[GangStatus]) -> str:
    lacking = total(status.short for status in statuses if status.state is State.QUEUED)
    return f" ({wording.amounts(lacking)} short)" if lacking else ""


def room(nodes: Sequence[Node]) -> str:
    """Say what is free of the cluster: ``Cluster: 31 of 960 nvidia.com/gpu and 12 of 640 CPU free.``"""
    open_to = [node for node in nodes if node.usable]
    offered = total(node.offers for node in open_to)
    free = total(node.free for node in open_to)
    names = [name for name in sorted(offered) if offered[name] and ("/" in name or name in _ALWAYS)]
    names.sort(key=lambda name: ("/" not in name, name))
    parts = [_of(name, free, offered) for name in names]
    return f"Cluster: {wording.join(parts)} free." if parts else "Cluster: no node is ready."


def _of(name: str, free: Requests, offered: Requests) -> str:
    return f"{wording.amount(name, free[name]).split(' ')[0]} of {wording.amount(name, offered[name])}"
