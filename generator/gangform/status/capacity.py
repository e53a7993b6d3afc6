"""Whether pods fit on nodes: now, on what is free, or ever, on what there is."""

from collections.abc import Sequence

from gangform.model.quantity import ZERO, Quantity
from gangform.sizing import Requests
from gangform.status.nodes import Nodes
from gangform.status.picture import Member, Node, Sight

_ONE_POD = {"pods": Quantity(10**9)}


def wants(pod: Member) -> Requests:
    """Return what a pod takes of a node, its place among the pods included."""
    return {**{name: amount for name, amount in pod.asked.items() if amount}, **_ONE_POD}


def has(offered: Requests, wanted: Requests) -> bool:
    """Whether all that is wanted is there."""
    return all(offered.get(name, ZERO) >= amount for name, amount in wanted.items())


def lack(wanted: Requests, offered: Requests) -> Requests:
    """Return how much is missing of what is wanted."""
    return {name: amount + offered.get(name, ZERO) * -1 for name, amount in wanted.items()
            if amount > offered.get(name, ZERO)}


def placement(pods: Sequence[Member], nodes: Sequence[Node]) -> dict[str, str] | None:
    """Place all pods on what is free, the largest first, each on the first node that has room; None if some find none.

    Returns:
        Pod name to node name.
    """
    known = Nodes.of(nodes)
    if not all(has(known.roomiest(pod), wants(pod)) for pod in pods):
        return None
    free = {node.name: node.free for node in nodes}
    placed: dict[str, str] = {}
    for pod in sorted(pods, key=_size, reverse=True):
        wanted = wants(pod)
        node = next((node for node in known.open_to(pod) if has(free[node.name], wanted)), None)
        if node is None:
            return None
        left = free[node.name]
        free[node.name] = {name: amount + wanted[name] * -1 if name in wanted else amount
                           for name, amount in left.items()}
        placed[pod.name] = node.name
    return placed


def _size(pod: Member) -> tuple[Quantity, Quantity, Quantity, str]:
    devices = sum((amount for name, amount in pod.asked.items() if "/" in name), ZERO)
    return devices, pod.asked.get("cpu", ZERO), pod.asked.get("memory", ZERO), pod.name


def needed(pods: Sequence[Member], least: int) -> tuple[Member, ...]:
    """Return those pods without a node that must find one so that the gang is whole: the smallest, if not all."""
    bound = sum(pod.bound for pod in pods)
    unbound = sorted((pod for pod in pods if not pod.node and not pod.over and not pod.terminating), key=_size)
    return tuple(unbound[:max(0, least - bound)])


def fits(sight: Sight) -> bool:
    """Whether there is room now for what a gang needs to be whole; False where nodes are not known."""
    job, nodes = sight.job, sight.nodes
    if job is None or nodes is None:
        return False
    pods = [pod for pod in sight.members if pod.role in job.together]
    wanted = (sight.group.gang.min_member if sight.group else None) or sum(job.desired.get(r, 0) for r in job.together)
    waiting = needed(pods, wanted)
    bound = sum(pod.bound for pod in pods)
    return bound + len(waiting) >= wanted > bound and placement(waiting, nodes) is not None
