"""gangform's groups beside those that mpi-operator made of the same jobs on a real API server, and why some differ.

tests/cluster/test_truth_vectors.py makes the data.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from gangform.backends import coscheduling, volcano
from gangform.contracts import Circumstances
from gangform.kinds import mpijob
from gangform.model.pointer import get
from gangform.model.quantity import Quantity
from gangform.model.workload import Workload

DATA = yaml.safe_load((Path(__file__).parents[1] / "cluster" / "vectors" / "pod-groups.yaml").read_text())
PRIORITIES = DATA["priorities"] | {"system-node-critical": 2_000_001_000}
BACKENDS = {"coscheduling": coscheduling, "volcano": volcano}
CASES = [(backend, vector) for vector in DATA["vectors"] for backend in BACKENDS]
EACH = pytest.mark.parametrize(
    ("backend", "vector"), CASES, ids=[f"{vector['job']['metadata']['name']}-{backend}" for backend, vector in CASES],
)
FIELDS = ("minMember", "minResources", "scheduleTimeoutSeconds", "queue", "priorityClassName")


class Difference(NamedTuple):
    """Why a field of the operator's group is not that of ours.

    Attributes:
        applies: whether it can be so for a backend and a job.
        theirs: what the operator's field is then, from ours and the job; None where the jobs decide.
    """

    why: str
    field: str
    applies: Callable[[str, Workload], bool]
    theirs: Callable[[Any], Any] | None = None


def waits(workload: Workload) -> bool:
    return workload.pods_together < workload.pods


def computed(workload: Workload) -> bool:
    return workload.policy.min_resources is None


def workers_first(workload: Workload) -> bool:
    launcher, *workers = (PRIORITIES.get(role.spec.get("priorityClassName"), 0) for role in workload.roles)
    least = workload.policy.min_available
    return bool(workers) and workers[0] > launcher and least is not None and least < workload.pods


def more_than_containers(workload: Workload) -> bool:
    return any(key in role.spec for role in workload.roles for key in ("initContainers", "overhead"))


DIFFERENCES = (
    Difference(
        "The operator writes 0 where the job says nothing. Both mean the scheduler's own time.",
        "scheduleTimeoutSeconds",
        lambda backend, job: backend == "coscheduling" and job.policy.timeout_seconds is None, lambda _: 0),
    Difference(
        "The CRD fills in the queue that a group does not name, in the operator's group as it will in ours.",
        "queue", lambda backend, job: backend == "volcano" and job.policy.queue is None, lambda _: "default"),
    Difference(
        "The operator counts a launcher that waits for its workers, and so both wait for ever.",
        "minMember", lambda _, job: waits(job) and job.policy.min_available is None, lambda ours: ours + 1),
    Difference(
        "The operator counts the resources of a launcher that does not exist yet.",
        "minResources", lambda _, job: waits(job) and computed(job)),
    Difference(
        "Where workers have the higher priority and not all pods are needed, the operator counts every worker, "
        "and as many launchers as there are further members.",
        "minResources", lambda _, job: workers_first(job) and computed(job)),
    Difference(
        "The operator counts containers alone: neither init containers nor sidecars nor overhead.",
        "minResources", lambda _, job: more_than_containers(job) and computed(job)),
)


def values(spec: dict[str, Any]) -> dict[str, Any]:
    """The fields of a group's spec; amounts by value, without those that are zero."""
    amounts = {name: Quantity.parse(text) for name, text in (spec.get("minResources") or {}).items()}
    return {field: spec.get(field) for field in FIELDS} | {"minResources": {n: a for n, a in amounts.items() if a}}


def ours(backend: str, workload: Workload) -> dict[str, Any]:
    circumstances = Circumstances({"min-resources": "computed"}, DATA["priorities"])
    (group,) = BACKENDS[backend].plan(workload, circumstances).groups
    return values(group.data["spec"])


def unequal(backend: str, vector: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The fields that differ: our value and the operator's."""
    mine, theirs = ours(backend, mpijob.read(vector["job"])), values(vector[backend])
    return {field: (mine[field], theirs[field]) for field in FIELDS if mine[field] != theirs[field]}


def explanations(backend: str, vector: dict[str, Any], field: str) -> list[Difference]:
    workload = mpijob.read(vector["job"])
    return [known for known in DIFFERENCES if known.field == field and known.applies(backend, workload)]


@EACH
def test_a_group_equals_the_operators_but_for_known_differences(backend: str, vector: dict[str, Any]) -> None:
    for field, (mine, theirs) in unequal(backend, vector).items():
        known = explanations(backend, vector, field)
        assert known, f"{field}: {mine} here, {theirs} in the operator's group, and nothing explains it"
        for difference in known:
            assert difference.theirs is None or difference.theirs(mine) == theirs


@EACH
def test_the_api_server_took_the_job_that_gangform_finds_no_fault_with(backend: str, vector: dict[str, Any]) -> None:
    assert list(mpijob.check(vector["job"])) == []


@pytest.mark.parametrize("difference", DIFFERENCES, ids=[f"{known.field}-{number}" for number, known in enumerate(DIFFERENCES)])
def test_every_known_difference_is_seen_where_nothing_else_explains_it(difference: Difference) -> None:
    assert any(
        difference.field in unequal(backend, vector) and explanations(backend, vector, difference.field) == [difference]
        for backend, vector in CASES
    ), difference.why


POLICY = ("spec", "runPolicy", "schedulingPolicy")
WORKER = ("spec", "mpiReplicaSpecs", "Worker")


@pytest.mark.parametrize("seen", [
    *(lambda job, field=field: get(job, (*POLICY, field)) for field in (
        "minAvailable", "queue", "priorityClass", "minResources", "scheduleTimeoutSeconds")),
    lambda job: get(job, WORKER) is None,
    lambda job: get(job, ("spec", "runLauncherAsWorker")),
    lambda job: get(job, ("metadata", "annotations", "scheduling.volcano.sh/queue-name")),
    lambda job: len(get(job, (*WORKER, "template", "spec", "containers")) or ()) > 1,
    lambda job: any(
        container.get("resources", {}).get("limits") and not container["resources"].get("requests")
        for container in get(job, (*WORKER, "template", "spec", "containers")) or ()),
    lambda job: mpijob.read(job).policy.min_available == mpijob.read(job).pods + 1,
    lambda job: mpijob.read(job).policy.min_available == 1 < mpijob.read(job).pods,
    lambda job: not waits(mpijob.read(job)) and not more_than_containers(mpijob.read(job))
    and not workers_first(mpijob.read(job)) and (mpijob.read(job).policy.min_available or 99) < mpijob.read(job).pods,
])
def test_the_vectors_have_jobs_of_every_sort(seen: Callable[[Any], Any]) -> None:
    assert len([vector for vector in DATA["vectors"] if seen(vector["job"])]) >= 2


def test_the_vectors_hold_a_job_whose_roles_have_no_requests_at_all() -> None:
    assert any(not values(vector["volcano"])["minResources"] for vector in DATA["vectors"])
