"""How long does a gang wait under coscheduling although there is room for it?

Runs on the control plane of the cluster tests (``make cluster-tools`` builds it). Every run is a pair of gangs by
itself: one holds all the room, or there is none, and the other waits. The time is counted from the moment the last
piece of room is there to the moment the last pod has its node, by the API server's watch; where the gang is woken,
from the waking. Each wait that nobody ends takes the scheduler's five minutes, so several planes work side by side.
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from cluster.plane import Plane  # type: ignore[import-not-found]
from cluster.waking import (  # type: ignore[import-not-found]
    Scene,
    Variant,
    Wait,
    start,
    table,
    unrest,
)

CHOICES = ("computed", "omitted")
ROOMS = ("slow job", "job", "node")
WAKERS = (("slow job", "touched"), ("slow job", "other job"), ("slow job", "controller"), ("node", "controller"))
WOKEN = [Variant(choice, room, woken) for room, woken in WAKERS for choice in CHOICES]
FLUSH = "--pod-max-in-unschedulable-pods-duration={}s"

Waits = dict[Variant, list[Wait]]


def measure(variants: list[Variant], runs: int, planes: int, options: list[str]) -> Waits:
    """So many runs of every variant, on so many control planes at a time."""
    todo: SimpleQueue[Variant] = SimpleQueue()
    for _ in range(runs):
        for variant in variants:
            todo.put(variant)
    waits: Waits = defaultdict(list)
    with ThreadPoolExecutor(planes) as pool:
        for done in pool.map(lambda _: list(work(todo, options)), range(planes)):
            for variant, wait in done:
                waits[variant].append(wait)
    return {variant: waits[variant] for variant in variants}


def work(todo: "SimpleQueue[Variant]", options: list[str]) -> Iterator[tuple[Variant, Wait]]:
    """Runs on one control plane, one after the other, until none is left."""
    with Plane() as plane:
        start(plane, *options)
        while True:
            try:
                variant = todo.get_nowait()
            except Empty:
                return
            wait = once(plane, variant)
            print(f"{time.strftime('%H:%M:%S')} {variant}: {wait.seconds:.1f} s", file=sys.stderr, flush=True)
            yield variant, wait


def once(plane: Plane, variant: Variant) -> Wait:
    """One run; a gang that never starts has waited without end."""
    scene = Scene(plane, variant, pairs=1)
    try:
        scene.measure()
    except AssertionError as error:
        print(error, file=sys.stderr)
    return scene.waits[0]


def weigh(gangs: int, options: list[str]) -> None:
    """What gangs that lack a little room do to the API server and to a small gang that comes."""
    print(f"\n{gangs} gangs of 8 pods wait where 5 more pods fit; then a gang of 3 comes:")
    for choice in CHOICES:
        with Plane() as plane:
            start(plane, *options)
            seen = unrest(plane, choice, gangs=gangs, seconds=60)
        print(f"minResources {choice:8} {seen.changes:6.1f} changes of pods per second, "
              f"the small gang after {seen.small:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a gang waits although there is room for it.")
    parser.add_argument("--runs", type=int, default=10, help="runs of each variant (default: %(default)s)")
    parser.add_argument("--planes", type=int, default=4, help="control planes at a time (default: %(default)s)")
    parser.add_argument("--flush", type=int, metavar="SECONDS", help="when the scheduler tries again; its own: 300")
    parser.add_argument("--rooms", nargs="*", choices=ROOMS, default=ROOMS, help="what makes the room (default: all)")
    parser.add_argument("--gangs", type=int, default=4, help="gangs that lack a little room (default: %(default)s)")
    arguments = parser.parse_args()

    untouched = [Variant(choice, room) for room in arguments.rooms for choice in CHOICES]
    options = [FLUSH.format(arguments.flush)] if arguments.flush else []
    print(f"coscheduling, {' '.join(options) or 'as it comes'}")
    for line in table(measure([*WOKEN, *untouched], arguments.runs, arguments.planes, options)):
        print(line)
    weigh(arguments.gangs, options)


if __name__ == "__main__":
    main()
