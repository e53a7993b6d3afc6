"""How long gangs wait under coscheduling although there is room for them, with minResources and without.

Four control planes measure at the same time; most of it is waiting for the scheduler's five minutes. All gangs on a
control plane get their room at the same moment: a gang that starts would wake another one whose room is there.
bench/waking.py measures gangs that are alone.
"""

import sys
import threading
from collections.abc import Sequence

import pytest

from cluster.plane import Plane
from cluster.waking import Scene, Variant, Wait, start, table

GANGS = 10
AWAKE_SECONDS = 30.0
FLUSH_SECONDS = 400.0  # five minutes, the half minute between two looks of the scheduler, and a busy machine

TOUCHED = [
    Variant("computed", "slow job", "touched"), Variant("omitted", "slow job", "touched"),
    Variant("computed", "node", "touched"),
]
COMPUTED_NODE, OMITTED_NODE = Variant("computed", "node"), Variant("omitted", "node")
COMPUTED_JOB, OMITTED_JOB = Variant("computed", "late job"), Variant("omitted", "slow job")
CONTROLLED = [Variant("computed", "slow job", "controller"), Variant("computed", "node", "controller")]
PLANES = ([COMPUTED_NODE], [COMPUTED_JOB], [OMITTED_JOB], [*TOUCHED, OMITTED_NODE, *CONTROLLED])
UNTOUCHED = [COMPUTED_NODE, OMITTED_NODE, COMPUTED_JOB, OMITTED_JOB]


class Measuring(threading.Thread):
    """Variants on one control plane, one after the other; ends with the test process, however that ends."""

    def __init__(self, variants: Sequence[Variant]) -> None:
        super().__init__(daemon=True)
        self.variants = variants
        self.waits: dict[Variant, list[Wait]] = {}
        self.fault: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            with Plane() as plane:
                start(plane)
                for variant in self.variants:
                    self.waits[variant] = Scene(plane, variant, GANGS, int(FLUSH_SECONDS)).measure()
                assert plane.ended() == {}, plane.tails()
        except BaseException as fault:  # noqa: BLE001 -- raised again by who asks for the waits
            self.fault = fault


class Measured:
    """The waits of every variant; whoever asks waits until they are there."""

    def __init__(self) -> None:
        self._threads = [Measuring(variants) for variants in PLANES]

    def seconds(self, variant: Variant) -> list[float]:
        """How long each gang waited."""
        waits = self.waits(variant)
        sys.stdout.write("\n".join(table({variant: waits})) + "\n")  # pytest -rP shows it
        return [wait.seconds for wait in waits]

    def waits(self, variant: Variant) -> list[Wait]:
        (thread,) = (thread for thread in self._threads if variant in thread.variants)
        thread.join()
        if thread.fault:
            raise thread.fault
        return thread.waits[variant]


@pytest.fixture(scope="module")
def measured(programs: None) -> Measured:
    return Measured()


@pytest.mark.parametrize("variant", TOUCHED, ids=str)
def test_a_gang_starts_within_seconds_of_a_write_on_its_group(measured: Measured, variant: Variant) -> None:
    assert max(measured.seconds(variant)) < AWAKE_SECONDS


@pytest.mark.parametrize("variant", CONTROLLED, ids=str)
def test_where_the_controller_wakes_gangs_one_starts_within_seconds_of_its_room(measured: Measured, variant: Variant) -> None:
    assert max(measured.seconds(variant)) < AWAKE_SECONDS


def test_without_min_resources_a_new_node_wakes_the_gangs(measured: Measured) -> None:
    assert max(measured.seconds(OMITTED_NODE)) < AWAKE_SECONDS


def test_with_min_resources_gangs_sleep_through_a_new_node(measured: Measured) -> None:
    assert min(measured.seconds(COMPUTED_NODE)) > 2 * AWAKE_SECONDS


def test_with_min_resources_gangs_sleep_when_the_pods_of_others_go_one_by_one(measured: Measured) -> None:
    assert min(measured.seconds(COMPUTED_JOB)) > 2 * AWAKE_SECONDS


@pytest.mark.parametrize("variant", UNTOUCHED, ids=str)
def test_a_gang_that_nobody_wakes_starts_in_the_end(measured: Measured, variant: Variant) -> None:
    assert max(measured.seconds(variant)) < FLUSH_SECONDS


@pytest.mark.parametrize("variant", [*TOUCHED, *CONTROLLED, *UNTOUCHED], ids=str)
def test_no_gang_starts_in_part(measured: Measured, variant: Variant) -> None:
    assert max(wait.parted for wait in measured.waits(variant)) < AWAKE_SECONDS
