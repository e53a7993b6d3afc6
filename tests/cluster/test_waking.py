"""How long gangs wait under coscheduling although there is room for them, with minResources and without.

Four control planes measure at the same time; most of it is waiting for the scheduler's five minutes. Gangs on one
control plane wake each other, so that those that wait for a job's end are measured alone as well: once here, and
ten times by bench/waking.py.
"""

import sys
import threading
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from cluster.plane import Plane
from cluster.waking import Scene, Variant, Wait, start, table

AWAKE_SECONDS = 30.0
FLUSH_SECONDS = 400.0  # five minutes, the half minute between two looks of the scheduler, and a busy machine


class Case(NamedTuple):
    """So many gangs of a variant on one control plane."""

    variant: Variant
    gangs: int = 10

    def __str__(self) -> str:
        return f"{self.variant}, {self.gangs} gangs"


TOUCHED = [
    Case(Variant("computed", "slow job", "touched")), Case(Variant("omitted", "slow job", "touched")),
    Case(Variant("computed", "node", "touched")),
]
COMPUTED_NODE, OMITTED_NODE = Case(Variant("computed", "node")), Case(Variant("omitted", "node"))
COMPUTED_ALONE, OMITTED_ALONE = Case(Variant("computed", "slow job"), 1), Case(Variant("omitted", "slow job"), 1)
TOGETHER = [Case(Variant("computed", "slow job")), Case(Variant("omitted", "slow job"))]
PLANES = ([COMPUTED_NODE], [COMPUTED_ALONE], [OMITTED_ALONE], [*TOUCHED, OMITTED_NODE, *TOGETHER])
UNTOUCHED = [COMPUTED_NODE, OMITTED_NODE, COMPUTED_ALONE, OMITTED_ALONE, *TOGETHER]


class Measuring(threading.Thread):
    """Cases on one control plane, one after the other; ends with the test process, however that ends."""

    def __init__(self, cases: Sequence[Case]) -> None:
        super().__init__(daemon=True)
        self.cases = cases
        self.waits: dict[Case, list[Wait]] = {}
        self.fault: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            with Plane() as plane:
                start(plane)
                for case in self.cases:
                    self.waits[case] = Scene(plane, case.variant, case.gangs, int(FLUSH_SECONDS)).measure()
                assert plane.ended() == {}, plane.tails()
        except BaseException as fault:  # noqa: BLE001 -- raised again by who asks for the waits
            self.fault = fault


class Measured:
    """The waits of every case; whoever asks waits until they are there."""

    def __init__(self) -> None:
        self._threads = [Measuring(cases) for cases in PLANES]

    def __getitem__(self, case: Case) -> list[float]:
        """How long each gang waited."""
        waits = self.waits(case)
        sys.stdout.write("\n".join(table({case.variant: waits})) + "\n")  # pytest -rP shows it
        return [wait.seconds for wait in waits]

    def waits(self, case: Case) -> list[Wait]:
        (thread,) = (thread for thread in self._threads if case in thread.cases)
        thread.join()
        if thread.fault:
            raise thread.fault
        return thread.waits[case]


@pytest.fixture(scope="module")
def measured(programs: None) -> Measured:
    return Measured()


@pytest.mark.parametrize("case", TOUCHED, ids=str)
def test_a_gang_starts_within_seconds_of_a_write_on_its_group(measured: Measured, case: Case) -> None:
    assert max(measured[case]) < AWAKE_SECONDS


def test_without_min_resources_a_new_node_wakes_the_gangs(measured: Measured) -> None:
    assert max(measured[OMITTED_NODE]) < AWAKE_SECONDS


def test_with_min_resources_gangs_sleep_through_a_new_node(measured: Measured) -> None:
    assert min(measured[COMPUTED_NODE]) > 2 * AWAKE_SECONDS


def test_with_min_resources_a_gang_sleeps_when_the_pods_of_another_go_one_by_one(measured: Measured) -> None:
    assert min(measured[COMPUTED_ALONE]) > 2 * AWAKE_SECONDS


@pytest.mark.parametrize("case", UNTOUCHED, ids=str)
def test_a_gang_that_nobody_wakes_starts_in_the_end(measured: Measured, case: Case) -> None:
    assert max(measured[case]) < FLUSH_SECONDS


@pytest.mark.parametrize("case", [*TOUCHED, *UNTOUCHED], ids=str)
def test_no_gang_starts_in_part(measured: Measured, case: Case) -> None:
    assert max(wait.parted for wait in measured.waits(case)) < AWAKE_SECONDS
