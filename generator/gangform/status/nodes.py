"""All nodes, with what follows from them for pods of one sort worked out once and kept as long as the nodes stay."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from gangform.model.quantity import ZERO, Quantity
from gangform.sizing import Requests
from gangform.status.picture import Member, Node, Taint

_KEEPS_OUT = frozenset({"NoSchedule", "NoExecute"})

Sort = tuple[tuple[tuple[str, str], ...], tuple[Taint, ...]]
"""What of a pod decides which nodes it may go to."""

Memory = dict[tuple[object, ...], object]


def admits(node: Node, pod: Member) -> bool:
    """Whether a node takes pods such as this one; what is free does not matter."""
    return node.usable and all(node.labels.get(key) == value for key, value in pod.selector) and all(
        taint.effect not in _KEEPS_OUT or any(_tolerates(one, taint) for one in pod.tolerations)
        for taint in node.taints)


def _tolerates(toleration: Taint, taint: Taint) -> bool:
    return all(mine in ("", its) for mine, its in zip(toleration, taint, strict=True))


def total(amounts: Iterable[Requests]) -> Requests:
    """Add amounts up."""
    summed: dict[str, int] = {}
    for one in amounts:
        for name, amount in one.items():
            summed[name] = summed.get(name, 0) + amount.nanos
    return {name: Quantity(nanos) for name, nanos in summed.items()}


def most(amounts: Iterable[Requests]) -> Requests:
    """Return the largest amount of each resource."""
    highest: Requests = {}
    for one in amounts:
        for name, amount in one.items():
            if name not in highest or amount.nanos > highest[name].nanos:
                highest[name] = amount
    return highest


class Nodes(tuple[Node, ...]):  # noqa: SLOT001  a tuple has no slots to keep a memory in
    """Every node.

    Attributes:
        standing: what follows from what nodes offer; it may outlive this view, as that seldom changes.
    """

    standing: Memory
    passing: Memory

    def __new__(cls, nodes: Iterable[Node], standing: Memory | None = None) -> Self:
        """Take all nodes in one order."""
        made = super().__new__(cls, nodes)
        made.standing = {} if standing is None else standing
        made.passing = {}
        return made

    @classmethod
    def of(cls, nodes: Sequence[Node]) -> "Nodes":
        """Return the nodes with a memory."""
        return nodes if isinstance(nodes, cls) else cls(nodes)

    def open_to(self, pod: Member) -> tuple[Node, ...]:
        """Return the nodes that take pods such as this one."""
        found: tuple[Node, ...] = self._keep(self.passing, ("open", *_sort(pod)), lambda: tuple(
            node for node in self if admits(node, pod)))
        return found

    def names_open_to(self, pod: Member) -> frozenset[str]:
        """Return the names of the nodes that take pods such as this one."""
        found: frozenset[str] = self._keep(self.standing, ("names", *_sort(pod)), lambda: frozenset(
            node.name for node in self.open_to(pod)))
        return found

    def silent(self) -> frozenset[str]:
        """Return the names of the nodes that are not ready."""
        found: frozenset[str] = self._keep(self.standing, ("silent",), lambda: frozenset(
            node.name for node in self if not node.ready))
        return found

    def offered(self, pod: Member) -> Requests:
        """Return what these nodes offer together."""
        found: Requests = self._keep(self.standing, ("offered", *_sort(pod)), lambda: total(
            node.offers for node in self.open_to(pod)))
        return found

    def largest(self, pod: Member) -> Requests:
        """Return the most of each resource that one of these nodes offers."""
        found: Requests = self._keep(self.standing, ("largest", *_sort(pod)), lambda: most(
            node.offers for node in self.open_to(pod)))
        return found

    def free(self, pod: Member) -> Requests:
        """Return what is free of these nodes together."""
        found: Requests = self._keep(self.passing, ("free", *_sort(pod)), lambda: total(
            node.free for node in self.open_to(pod)))
        return found

    def roomiest(self, pod: Member) -> Requests:
        """Return the most of each resource that is free on one of these nodes."""
        found: Requests = self._keep(self.passing, ("roomiest", *_sort(pod)), lambda: most(
            node.free for node in self.open_to(pod)))
        return found

    def holds(self, pod: Member, wanted: Requests) -> int:
        """Return how many pods such as this one all nodes together could hold if they were empty."""
        key = ("holds", *_sort(pod), tuple(sorted(wanted.items())))
        found: int = self._keep(self.standing, key, lambda: sum(
            min(node.offers.get(name, ZERO).nanos // amount.nanos for name, amount in wanted.items())
            for node in self.open_to(pod)))
        return found

    def all_offered(self) -> Requests:
        """Return what all nodes offer together, usable or not."""
        found: Requests = self._keep(self.standing, ("all",), lambda: total(node.offers for node in self))
        return found

    def all_free(self) -> Requests:
        """Return what is free of all nodes together, usable or not."""
        found: Requests = self._keep(self.passing, ("all",), lambda: total(node.free for node in self))
        return found

    @staticmethod
    def _keep(memory: Memory, key: tuple[object, ...], work: Callable[[], Any]) -> Any:
        if key not in memory:
            memory[key] = work()
        return memory[key]


def _sort(pod: Member) -> Sort:
    return pod.selector, pod.tolerations
