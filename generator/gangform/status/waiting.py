"""Gangs that wait with all their pods and their group there: what of it no waiting mends, and what it waits for."""

from collections.abc import Iterable
from difflib import get_close_matches

from gangform.model.quantity import ZERO
from gangform.sizing import Requests, readable
from gangform.status import advice, capacity, wording
from gangform.status.messages import STALE, Said
from gangform.status.nodes import Nodes, total
from gangform.status.picture import GangStatus, Member, State
from gangform.status.stale import drift
from gangform.status.view import View

_DRIFT_RULES = frozenset({"replicas-vs-min-member-drift", "min-member-exceeds-pods", "min-member-below-total",
                          "min-resources-overstated"})
"""What these say of a group that is not as its job implies is said as Stale, with both numbers."""


def misconfigured(view: View) -> GangStatus | None:
    """Misconfigured: a rule's error on the objects as they are."""
    stale = bool(drift(view))
    faults = [(rule, message) for rule, message in view.sight.faults if not (stale and rule in _DRIFT_RULES)]
    if not faults:
        return None
    rule, message = faults[0]
    others = sorted({name for name, _ in faults[1:]} - {rule})
    more = f", and {wording.join(others)}" if others else ""
    reason = "".join(part.capitalize() for part in rule.split("-"))
    return view.status(State.MISCONFIGURED, reason, f"{message} [{rule}]{more}", view.newest or None,
                       advice=f"mend it in Git; gangform explain {rule} tells how")


def stale(view: View) -> GangStatus | None:
    """Stale: the group is not what the job implies now."""
    why = drift(view)
    if not why:
        return None
    return view.status(State.STALE, "PodGroupStale", f"PodGroup {view.group_name} is stale: {why}",
                       view.newest or None, advice=advice.render(view))


def unserved(view: View) -> GangStatus | None:
    """NoScheduler: nobody has dealt with its pods, and nobody of that name with any."""
    served = view.sight.served
    silent = not any(pod.verdict or pod.node for pod in view.live) and view.looked_at is None
    if served is None or not silent or not view.settled(view.newest):
        return None
    if view.service.writes and view.group is not None and (view.group.phase or view.group.message):
        return None
    names = sorted({pod.scheduler for pod in view.live} - served)
    if not names:
        return None
    near = get_close_matches(names[0], sorted(served), 1, 0.6)
    meant = f'; "{near[0]}" is' if near else ""
    message = f'schedulerName "{names[0]}" is served by nobody seen here{meant}'
    return view.status(State.NO_SCHEDULER, "SchedulerUnseen", message, view.newest or None,
                       advice=f"name a scheduler that is there in both pod templates{_offer(near)}")


def _offer(near: list[str]) -> str:
    return f": {near[0]}" if near else ""


def oversized(view: View) -> GangStatus | None:
    """NeverFits: a pod is larger than any node, or the gang than all of them."""
    if view.sight.nodes is None or not view.unbound:
        return None
    nodes = Nodes.of(view.sight.nodes)
    # A node that is cordoned takes no more pods, and still holds those that it has.
    counted = all(pod.node in nodes.names_open_to(pod) for pod in view.bound)
    too_many = _too_many(view, nodes) if counted else None
    why = _pod_too_large(view, nodes) or too_many or _resources_too_large(view, nodes)
    if why is None:
        return None
    reason, text, short = why
    return view.status(State.NEVER_FITS, reason, text, view.newest or None, short=short,
                       advice="ask for less, or add nodes that can hold it")


_Excess = tuple[str, str, Requests]


def _shapes(pods: Iterable[Member]) -> list[tuple[Member, int, str]]:
    """One pod of each sort, with how many alike there are, and what they are called: by their role if it is one."""
    sorts: dict[object, list[Member]] = {}
    for pod in pods:
        key = (tuple(sorted(pod.asked.items())), pod.selector, pod.tolerations)
        sorts.setdefault(key, []).append(pod)
    return [(min(pods, key=lambda pod: pod.name), len(pods),
             pods[0].role.lower() if len({pod.role for pod in pods}) == 1 else "pod") for pods in sorts.values()]


def _pod_too_large(view: View, nodes: Nodes) -> _Excess | None:
    for pod, _, who in _shapes(view.unbound):
        if not nodes.open_to(pod) or nodes.holds(pod, capacity.wants(pod)):
            continue
        largest = nodes.largest(pod)
        for name, amount in sorted(pod.asked.items(), key=lambda item: ("/" not in item[0], item[0])):
            if amount > largest.get(name, ZERO):
                text = f"a {who} wants {wording.amount(name, amount)}, largest node has {_bare(name, largest)}"
                return "PodTooLarge", text, capacity.lack({name: amount}, largest)
        return "PodTooLarge", f"a {who} wants {wording.amounts(pod.asked)}, no node has all of it", {}
    return None


def _too_many(view: View, nodes: Nodes) -> _Excess | None:
    shapes = [shape for shape in _shapes(view.live) if nodes.open_to(shape[0])]
    if view.min_member >= view.desired and len({(pod.selector, pod.tolerations) for pod, _, _ in shapes}) == 1:
        offered = nodes.offered(shapes[0][0])
        wanted = {name: amount for name, amount in total(pod.asked for pod in view.live).items() if amount}
        short = capacity.lack(wanted, offered)
        if short:
            name = min(short, key=lambda one: ("/" not in one, one))
            text = (f"the gang wants {wording.amount(name, wanted[name])}, "
                    f"all nodes together have {_bare(name, offered)}")
            return "GangTooLarge", text, short
    return next((excess for shape in shapes if (excess := _too_many_alike(view, nodes, *shape))), None)


def _too_many_alike(view: View, nodes: Nodes, pod: Member, number: int, who: str) -> _Excess | None:
    """Compare how many pods of one sort must start at least with how many nodes can hold."""
    room, least = nodes.holds(pod, capacity.wants(pod)), number - max(0, len(view.live) - view.min_member)
    if room >= least:
        return None
    many = wording.count(number, who) if least == number else f"the {wording.count(least, who)} that must start and"
    each = "that want" if least == number else "want"
    return "GangTooLarge", f"all nodes together can hold {room} of {many} {each} {wording.amounts(pod.asked)} each", {}


def _bare(name: str, offered: Requests) -> str:
    """Name an amount without its resource."""
    return wording.amount(name, offered[name]).split(" ")[0] if offered.get(name) else "none"


def _resources_too_large(view: View, nodes: Nodes) -> _Excess | None:
    wanted = readable(view.group.gang.min_resources) if view.group else {}
    short = capacity.lack(wanted, nodes.all_offered()) if wanted else {}
    if not short:
        return None
    name = min(short)
    text = (f"its PodGroup's minResources are {wording.amount(name, wanted[name])}, "
            f"all nodes together have {_bare(name, nodes.all_offered())}")
    return "MinResourcesTooLarge", text, short


def partial(view: View) -> GangStatus | None:
    """Partial: some pods hold nodes and the rest cannot follow; within the time of grace it is a start."""
    if not view.bound:
        return None
    message = f"{len(view.bound)} of {view.min_member} pods that must start together are bound{view.why}"
    if not view.settled(view.bound_at):
        return view.status(State.STARTING, "PodsBinding", message, view.bound_at)
    pod = view.pod_of(view.unbound) if view.unbound else None
    return view.status(State.PARTIAL, "BoundInPart", message, view.bound_at, advice=advice.describe(view, pod))


def asleep(view: View) -> GangStatus | None:
    """Asleep: there is room, and a scheduler that sleeps until something of the gang changes has not looked since."""
    since = max(view.newest, view.looked_at or 0)
    if not view.service.sleeps or not view.settled(since) or not _has_room(view):
        return None
    return view.status(State.ASLEEP, "NotLookedAgain", "it fits now, and its scheduler has not looked again", since,
                       advice=advice.wake(view))


def _has_room(view: View) -> bool:
    """Whether there is room now for all that must start, and nothing that was said of it stands beside that."""
    if any(pod.choosy for pod in view.unbound) or (view.said is not None and view.said.lasting):
        return False
    return capacity.fits(view.sight) and _allowed(view)


def _allowed(view: View) -> bool:
    """Whether minResources are free, which coscheduling counts over all nodes."""
    wanted = readable(view.group.gang.min_resources) if view.group else {}
    return not wanted or capacity.has(Nodes.of(view.sight.nodes or ()).all_free(), wanted)


def queued(view: View) -> GangStatus:
    """Queued: it waits for capacity, or for its scheduler."""
    said = view.said
    since = view.newest or None
    if _has_room(view):
        return view.status(State.QUEUED, "NotLookedAt", "it fits now; its scheduler has yet to look again", since)
    if said is None or said.rank >= STALE:
        shortage = _shortage(view, ())
        if shortage:
            return _short(view, shortage, since)
        who = view.service.title if view.backend else "its scheduler"
        return view.status(State.QUEUED, "NotLookedAt", f"{who} has not said yet why it waits", since)
    short = said.short or (_shortage(view, said.lacking) if said.lacking else {})
    if said.reason in _REFUSED:
        return view.status(State.QUEUED, said.reason, _refused(view, said), since, short=short,
                           advice=advice.describe(view))
    if short:
        return _short(view, short, since)
    return view.status(State.QUEUED, said.reason, _waits(view, said), since,
                       advice=advice.describe(view, view.pod_of(view.unbound)) if view.unbound else "")


_REFUSED = frozenset({"QueueFull", "CapacityPromised"})
"""The scheduler does not even try nodes."""


def _refused(view: View, said: Said) -> str:
    lacking = f": not enough {wording.join(said.lacking)}" if said.lacking else ""
    if said.reason != "QueueFull":
        return f"waiting for capacity: {said.text}{lacking}"
    queue = f" {view.group.gang.queue}" if view.group and view.group.gang.queue else ""
    return f"queue{queue} is full{lacking}"


def _short(view: View, short: Requests, since: int | None) -> GangStatus:
    return view.status(State.QUEUED, "InsufficientResources", f"waiting for capacity: {wording.amounts(short)} short",
                       since, short=short)


def _waits(view: View, said: Said) -> str:
    if not said.lacking:
        return f"no node takes its pods: {said.text}" if said.text else "no node takes its pods"
    nodes = view.sight.nodes
    names = wording.join("CPU" if name == "cpu" else name for name in said.lacking)
    if nodes is None:
        return f"waiting for capacity: not enough {names}"
    return f"waiting for capacity: enough {names} is free in all, but not where one pod needs it"


def _shortage(view: View, names: tuple[str, ...]) -> Requests:
    """Return how much more must come free, as far as nodes tell: what the gang wants, less what is free for it."""
    nodes = view.sight.nodes
    waiting = capacity.needed(view.pods, view.min_member)
    if nodes is None or not waiting:
        return {}
    known, wanted = Nodes.of(nodes), total(pod.asked for pod in waiting)
    sorts = {(pod.selector, pod.tolerations): pod for pod in waiting}
    free = known.free(waiting[0]) if len(sorts) == 1 else total(
        node.free for node in {node.name: node for pod in sorts.values() for node in known.open_to(pod)}.values())
    short = capacity.lack({name: amount for name, amount in wanted.items() if amount}, free)
    return {name: amount for name, amount in short.items() if not names or name in names}
