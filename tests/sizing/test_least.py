"""The least that a part of a gang takes, and what pods may use at most."""

from gangform import sizing
from gangform.catalog import KINDS
from gangform.model.workload import Workload
from gangform.text import reading
from repository import job


def workload(text: str) -> Workload:
    (kind,) = KINDS.values()
    return kind.read(reading.read("x.yaml", text).documents[0].data)


def least(members: int) -> dict[str, str]:
    return sizing.spell(sizing.least(workload(job()), members, sizing.pod_requests))


def test_the_cheapest_pods_count_first() -> None:
    # 1 cpu and 2Gi of the Launcher, 8 and 64Gi of each of 4 Workers
    assert least(1) == {"cpu": "1", "memory": "2Gi"}
    assert least(2) == {"cpu": "9", "memory": "66Gi"}
    assert least(5) == sizing.spell(sizing.gang_requests(workload(job())))
    assert least(9) == least(5)
    assert least(0) == {}


def test_each_resource_has_its_own_cheapest_pods() -> None:
    text = job().replace('cpu: "1", memory: 2Gi', 'cpu: "16", memory: 2Gi')
    found = sizing.least(workload(text), 1, sizing.pod_requests)
    assert sizing.spell(found) == {"cpu": "8", "memory": "2Gi"}


def test_a_pod_without_a_resource_takes_none_of_it() -> None:
    text = job().replace('cpu: "1", memory: 2Gi', "memory: 2Gi")
    assert sizing.spell(sizing.least(workload(text), 2, sizing.pod_requests)) == {"cpu": "8", "memory": "66Gi"}


def test_limits_of_a_pod_are_those_of_its_containers_beside_its_sidecars() -> None:
    spec = {
        "containers": [{"resources": {"limits": {"cpu": "2"}}}, {"resources": {"requests": {"cpu": "9"}}}],
        "initContainers": [
            {"restartPolicy": "Always", "resources": {"limits": {"cpu": "500m"}}},
            {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}},
        ],
        "overhead": {"cpu": "100m", "ephemeral-storage": "1Gi"},
    }
    assert sizing.spell(sizing.pod_limits(spec)) == {"cpu": "2600m", "memory": "1Gi"}


def test_limits_of_the_whole_pod_stand_for_those_of_its_containers() -> None:
    spec = {"containers": [{"resources": {"limits": {"cpu": "2"}}}], "resources": {"limits": {"cpu": "3"}}}
    assert sizing.spell(sizing.pod_limits(spec)) == {"cpu": "3"}
