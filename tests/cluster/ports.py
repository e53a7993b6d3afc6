"""Ports on 127.0.0.1 that no two control planes are given, whichever of the processes that test at one time has them."""

import random
import socket
from collections.abc import Iterator
from functools import cache
from itertools import cycle, islice

# Below the range that systems take for outgoing connections, so that a free port stays free.
PORTS = range(18000, 30000)
BLOCK = 100


@cache
def _own() -> Iterator[int]:
    """A block of ports for this process alone, round and round. It is taken by listening on the first, until the process ends."""
    for first in random.sample(PORTS[::BLOCK], len(PORTS[::BLOCK])):
        with socket.socket() as guard:
            try:
                guard.bind(("127.0.0.1", first))
                guard.listen()
            except OSError:
                continue
            guard.detach()  # stays open
            return cycle(range(first + 1, first + BLOCK))
    raise OSError("no free block of ports from 18000 to 30000 on 127.0.0.1")


def free_port() -> int:
    """A TCP port that nothing listens on, and that is not given again before many others were."""
    for port in islice(_own(), BLOCK):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise OSError("no free port on 127.0.0.1 among those of this process")
