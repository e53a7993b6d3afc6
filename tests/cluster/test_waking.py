"""How long gangs wait under coscheduling although there is room for them, and what minResources has to do with it.

Four control planes measure while the first tests run; most of it is waiting for the scheduler's five minutes.
"""

import sys
import threading
from collections.abc import Sequence

import pytest

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.plane import Plane
from cluster.repositories import job
from cluster.waking import MEMBERS, Scene, Variant, Wait, marked, start, table, unrest

WHOLE, NOTHING = Bound(1, 4), Bound(0, 0)
RUNS = 10
AWAKE_SECONDS = 30.0
FLUSH_SECONDS = 400.0  # five minutes, the half minute between two looks of the scheduler, and a busy machine

TOUCHED = [
    Variant("computed", "slow job", "touched"), Variant("omitted", "slow job", "touched"),
    Variant("computed", "node", "touched"),
]
NEW_NODE = {choice: Variant(choice, "node") for choice in ("computed", "omitted")}
SLOW_JOB = {choice: Variant(choice, "slow job") for choice in ("computed", "omitted")}
PLANES = (
    [NEW_NODE["computed"]], [SLOW_JOB["computed"]], [SLOW_JOB["omitted"]], [*TOUCHED, NEW_NODE["omitted"]],
)
UNTOUCHED = [*NEW_NODE.values(), *SLOW_JOB.values()]


class Measuring(threading.Thread):
    """Variants on one control plane, one after the other; ends with the test process, however that ends."""

    def __init__(self, variants: Sequence[Variant]) -> None:
        super().__init__(daemon=True)
        self.variants = variants
        self.waits: dict[Variant, list[Wait]] = {}
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            with Plane() as plane:
                start(plane)
                for variant in self.variants:
                    self.waits[variant] = Scene(plane, variant, RUNS, int(FLUSH_SECONDS)).measure()
                assert plane.ended() == {}, plane.tails()
        except BaseException as fault:  # noqa: BLE001 -- raised again by who asks for the waits
            self.fault = fault


class Measured:
    """The waits of every variant; asking waits until they are there."""

    def __init__(self) -> None:
        self._threads = [Measuring(variants) for variants in PLANES]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def __getitem__(self, variant: Variant) -> list[Wait]:
        (thread,) = (thread for thread in self._threads if variant in thread.variants)
        thread.join()
        if thread.fault:
            raise thread.fault
        sys.stdout.write("\n".join(table({variant: thread.waits[variant]})) + "\n")  # pytest -rP shows it
        return thread.waits[variant]


@pytest.fixture(scope="module", autouse=True)
def measured(programs: None) -> Measured:
    measured = Measured()
    measured.start()
    return measured


def test_gangs_that_lack_a_little_room_are_tried_again_without_end_only_without_min_resources(plane: Plane) -> None:
    assert unrest(plane, "computed").changes < 1 < unrest(plane, "omitted").changes


def urgent(name: str) -> Document:
    document = job(name, MEMBERS - 1, cpu="1")
    for replica in document["spec"]["mpiReplicaSpecs"].values():
        replica["template"]["spec"]["priorityClassName"] = "urgent"
    return document


def let_an_urgent_gang_come(cluster: Cluster, min_resources: str) -> None:
    """A gang holds all there is, and one of higher priority comes."""
    cluster.api.create({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 1000,
    })
    cluster.nodes(MEMBERS, cpu="1")
    cluster.apply(*marked([job("usual", MEMBERS - 1, cpu="1")], min_resources))
    cluster.until(lambda: cluster.running("usual") == WHOLE, "the usual gang runs")
    cluster.apply(*marked([urgent("urgent")], min_resources))


def test_with_min_resources_a_gang_of_higher_priority_displaces_nobody(cluster: Cluster) -> None:
    let_an_urgent_gang_come(cluster, "computed")
    cluster.until(lambda: len(cluster.reasons("urgent")) == MEMBERS, "the urgent gang is refused")
    assert all("resource gap" in why and "Preemption is not helpful" in why for why in cluster.reasons("urgent").values())
    cluster.stays(lambda: (cluster.running("usual"), cluster.bound("urgent")) == (WHOLE, NOTHING), "it waits", 10)


def test_without_min_resources_a_gang_of_higher_priority_takes_the_place_of_another(cluster: Cluster) -> None:
    let_an_urgent_gang_come(cluster, "omitted")
    cluster.until(lambda: cluster.running("urgent") == WHOLE, "the urgent gang runs")
    assert cluster.bound("usual") == NOTHING


@pytest.mark.parametrize("variant", TOUCHED, ids=str)
def test_a_gang_starts_within_seconds_of_a_write_on_its_group(measured: Measured, variant: Variant) -> None:
    assert max(wait.seconds for wait in measured[variant]) < AWAKE_SECONDS


def test_without_min_resources_a_new_node_wakes_the_gangs(measured: Measured) -> None:
    assert max(wait.seconds for wait in measured[NEW_NODE["omitted"]]) < AWAKE_SECONDS


def test_with_min_resources_gangs_sleep_through_a_new_node(measured: Measured) -> None:
    assert min(wait.seconds for wait in measured[NEW_NODE["computed"]]) > 2 * AWAKE_SECONDS


@pytest.mark.parametrize("variant", UNTOUCHED, ids=str)
def test_a_gang_that_nobody_wakes_starts_in_the_end(measured: Measured, variant: Variant) -> None:
    assert max(wait.seconds for wait in measured[variant]) < FLUSH_SECONDS


@pytest.mark.parametrize("variant", [*TOUCHED, *UNTOUCHED], ids=str)
def test_no_gang_starts_in_part(measured: Measured, variant: Variant) -> None:
    assert max(wait.parted for wait in measured[variant]) < AWAKE_SECONDS
