"""One control plane for every test of a process, one namespace for every test.

``GANGFORM_REQUIRE_CLUSTER=1`` fails what would be skipped because the programs are not built.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.cluster import Cluster
from cluster.controlling import Controller, Start
from cluster.plane import Plane
from cluster.programs import PROGRAMS, NotBuiltError, built, published_crds

KEPT = Path(__file__).resolve().parent.parent.parent / ".cluster-logs"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a control plane; the marker also tells it from the other tests."""
    here = Path(__file__).resolve().parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("cluster")
    items.sort(key=lambda item: item.path.name != "test_waking.py")  # it waits longest, so it begins first


@pytest.fixture(scope="session")
def programs() -> None:
    """The programs of a control plane, which ``make cluster-tools`` builds, and the CRDs that are published with them."""
    try:
        for module, program in PROGRAMS:
            built(module, program)
        published_crds()
    except NotBuiltError as error:
        if os.environ.get("GANGFORM_REQUIRE_CLUSTER") == "1":
            pytest.fail(f"{error} (GANGFORM_REQUIRE_CLUSTER=1)", pytrace=False)
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def empty_plane(programs: None) -> Iterator[Plane]:
    """An API server with the published CRDs, and nothing that works on it."""
    with Plane() as plane:
        yield plane


@pytest.fixture(scope="session")
def plane(programs: None) -> Iterator[Plane]:
    """A control plane with both schedulers, the operator without its flag, and pretended nodes."""
    with Plane() as plane:
        plane.start_everything()
        yield plane


@pytest.fixture
def cluster(plane: Plane, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """The control plane, empty: no nodes, no objects, a namespace of this test's own."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:50].strip("-")
    assert plane.ended() == {}, plane.tails()
    cluster = Cluster(plane, name)
    cluster.clear(wait=False)  # what others left that failed before they could
    plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield cluster
    cluster.clear()
    assert plane.ended() == {}, plane.tails()


@pytest.fixture
def start(cluster: Cluster) -> Iterator[Start]:
    """Start controllers that end before the namespace goes."""
    running: list[Controller] = []

    def begin(*flags: str, **more: object) -> Controller:
        running.append(Controller.start(cluster, *flags, **more))  # type: ignore[arg-type]
        return running[-1]

    yield begin
    for controller in running:
        if controller.name in cluster.plane.programs:
            controller.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Function) -> Iterator[None]:
    """Keep what the programs wrote when a test fails, and show the end of it."""
    report = yield
    for plane in planes(item) if report.failed else ():
        folder = KEPT / re.sub(r"[^A-Za-z0-9_.-]+", "-", item.name) / plane.folder.name
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in plane.logs().items():
            (folder / f"{name}.log").write_text(text)
        report.sections.append((f"the programs' logs, whole in {folder.relative_to(KEPT.parent)}", plane.tails()))
    return report


def planes(item: pytest.Function) -> list[Plane]:
    """The control planes that a test works with, its own and those that it shares."""
    values = [*item.funcargs.values()]
    found = [value.plane if isinstance(value, Cluster) else value for value in values]
    return list({id(value): value for value in found if isinstance(value, Plane)}.values())
