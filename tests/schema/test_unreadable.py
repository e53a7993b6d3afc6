"""Quantities that the CRDs let through and nobody can read, wherever an object may have one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gangform import schema
from gangform.model.pointer import get, parse
from repository import fill, job, look, told

JOB = "kubeflow.org/mpijob_v2beta1"
GROUP = "scheduling.x-k8s.io/podgroup_v1alpha1"
QUEUE = "scheduling.volcano.sh/queue_v1beta1"
POD = "/spec/mpiReplicaSpecs/Launcher/template/spec"


def unreadable(name: str, place: str, value: object) -> list[tuple[str, str]]:
    """What is told of an object that has one value at a place."""
    data: dict[str, object] = {}
    here = data
    *parents, last = parse(place)
    for step in parents:
        here[step] = here = {}
    here[last] = value
    return [(problem.code, str(get(data, problem.pointer))) for problem in schema.unreadable(data, name)]


@pytest.mark.parametrize(("name", "place"), [
    (JOB, f"{POD}/overhead/cpu"), (JOB, f"{POD}/resources/requests/cpu"),
    (JOB, "/spec/runPolicy/schedulingPolicy/minResources/cpu"), (JOB, "/spec/mpiReplicaSpecs/Other/template/spec/overhead/cpu"),
    (GROUP, "/spec/minResources/cpu"), (QUEUE, "/spec/capability/cpu"), (QUEUE, "/spec/guarantee/resource/cpu"),
])
@pytest.mark.parametrize("text", ["1e1.5", "1e.5", "-2E+.5", "1e999", "1" + "0" * 40])
def test_a_quantity_that_cannot_be_read_is_told_wherever_it_stands(name: str, place: str, text: str) -> None:
    assert unreadable(name, place, text) == [("quantity-unreadable", text)]


@pytest.mark.parametrize("holder", ["containers", "initContainers", "ephemeralContainers"])
def test_every_container_is_looked_at(holder: str) -> None:
    containers = [{"name": "a"}, {"name": "b", "resources": {"limits": {"cpu": "1", "memory": "1e.5"}}}]
    assert unreadable(JOB, f"{POD}/{holder}", containers) == [("quantity-unreadable", "1e.5")]


def test_the_size_of_a_volume_is_looked_at() -> None:
    volumes = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "1e1.5"}}]
    assert unreadable(JOB, f"{POD}/volumes", volumes) == [("quantity-unreadable", "1e1.5")]


@pytest.mark.parametrize("text", ["1", "500m", "1e3", "1.5E2", "-.5e-3", "5.", "64Gi", "1E", "0e99"])
def test_what_can_be_read_is_left_alone(text: str) -> None:
    assert unreadable(GROUP, "/spec/minResources/cpu", text) == []


def test_text_that_is_no_quantity_may_look_like_one() -> None:
    containers = [{"name": "a", "image": "1e1.5", "args": ["1e1.5"], "env": [{"name": "A", "value": "1e.5"}]}]
    assert unreadable(JOB, f"{POD}/containers", containers) == []


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], Path]:
    monkeypatch.chdir(tmp_path)
    return lambda files: fill(tmp_path, files)


def test_validate_tells_it_of_jobs_and_of_groups(repo: Callable[[dict[str, str]], Path]) -> None:
    group = ("apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: pi}\n"
             "spec:\n  minMember: 5\n  minResources:\n    cpu: 1e1.5\n")
    repo({"group.yaml": group, "pi.yaml": job().replace('cpu: "1"', "cpu: 1e1.5")})
    assert [one for one in told(look()) if one[0] == "quantity-unreadable"] == [
        ("quantity-unreadable", "group.yaml", 7), ("quantity-unreadable", "pi.yaml", 15)]
