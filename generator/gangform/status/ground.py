"""The nodes, and what bound pods of any kind leave of them; kept up pod by pod."""

from collections.abc import Mapping
from typing import Any

from gangform.model.quantity import ZERO, Quantity
from gangform.sizing import Requests
from gangform.status import reading
from gangform.status.nodes import Memory, Nodes
from gangform.status.picture import Node
from gangform.status.sharing import shared_amounts

ONE = Quantity(10**9)


class Ground:
    """Every node and what is taken of it."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._taken: dict[str, dict[str, Quantity]] = {}
        self._changed: set[str] = set()
        self._names: list[str] | None = None
        self._view: Nodes | None = None
        self._standing: Memory = {}

    def put(self, name: str, data: Mapping[str, Any]) -> None:
        """Take in a node as it is now."""
        if name not in self._nodes:
            self._names = None
        amounts = shared_amounts(reading.offers(data))
        node = Node(name, reading.usable(data), amounts, amounts, reading.labels(data), reading.taints(data),
                    reading.is_ready(data))
        before = self._nodes.get(name)
        if before is not None and before._replace(free=amounts) == node:
            return
        self._nodes[name] = node
        self._changed.add(name)
        self._standing = {}
        self._view = None

    def drop(self, name: str) -> None:
        """Forget a node; what is taken of it is remembered until its pods go."""
        if self._nodes.pop(name, None) is not None:
            self._view = self._names = None
            self._standing = {}

    def take(self, name: str, amounts: Requests, sign: int) -> None:
        """Count a pod that came to a node (1) or left it (-1)."""
        taken = self._taken.setdefault(name, {})
        for resource, amount in (*amounts.items(), ("pods", ONE)):
            left = taken.get(resource, ZERO) + amount * sign
            if left:
                taken[resource] = left
            else:
                taken.pop(resource, None)
        if not taken:
            del self._taken[name]
        self._changed.add(name)
        self._view = None

    def nodes(self) -> Nodes:
        """Every node with what is free of it; the same object as long as nothing changed."""
        if self._view is None:
            for name in self._changed:
                node = self._nodes.get(name)
                if node is not None:
                    self._nodes[name] = node._replace(free=self._free(node))
            self._changed.clear()
            if self._names is None:
                self._names = sorted(self._nodes)
            self._view = Nodes((self._nodes[name] for name in self._names), self._standing)
        return self._view

    def _free(self, node: Node) -> Requests:
        taken = self._taken.get(node.name)
        if not taken:
            return node.offers
        return {name: amount + taken[name] * -1 if name in taken else amount for name, amount in node.offers.items()}
