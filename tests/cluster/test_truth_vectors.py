"""What PodGroups mpi-operator itself makes under its flag, job by job: the data that gangform's sizes are held against.

``--bless`` writes the data anew. tests/backends/test_operator_vectors.py compares gangform with it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
import yaml
from kubernetes.utils.quantity import parse_quantity

from cluster.api import Document
from cluster.cluster import Cluster
from cluster.plane import COSCHEDULER, Plane

VECTORS = Path(__file__).resolve().parent / "vectors" / "pod-groups.yaml"
JOBS = 48
PRIORITIES = {"batch": 10, "late": -5, "urgent": 1000}
FLAGS = {  # the operator's flag, and the group that it makes then
    "coscheduling": (COSCHEDULER, "scheduling.x-k8s.io/v1alpha1"),
    "volcano": ("volcano", "scheduling.volcano.sh/v1beta1"),
}

AMOUNTS: Mapping[str, Sequence[Any]] = {
    "cpu": ("1", 2, "500m", "0.5", "2.5", ".25", "1e1", "1250m", "0"),
    "memory": ("2Gi", "512Mi", "1.5Gi", "2500Ki", "1k", "7681k", "128974848", "129e6", 1000, "129M"),
    "nvidia.com/gpu": (1, "4", "0"),
    "hugepages-2Mi": ("4Mi", "32Mi"),
    "ephemeral-storage": ("10G", "2Gi"),
    "rdma/hca": ("1", 2),
}
CLASSES = ("", "", "", *PRIORITIES, "system-node-critical", "nobody-made-this")

T = TypeVar("T")


class Dice:
    """Choices that are the same in every run and under every Python: of its random numbers only random() is promised."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def chance(self, of: float) -> bool:
        return self._random.random() < of

    def number(self, least: int, most: int) -> int:
        return least + int(self._random.random() * (most + 1 - least))

    def of(self, choices: Sequence[T]) -> T:
        return choices[self.number(0, len(choices) - 1)]


def generated(seed: int) -> Document:
    """A job, chosen by dice."""
    dice = Dice(seed)
    workers = 0 if dice.chance(0.1) else dice.number(1, 6)
    replicas = {"Launcher": {"template": {"spec": pod(dice)}}}
    if workers:
        replicas["Worker"] = {"replicas": workers, "template": {"spec": pod(dice)}}
    spec: Document = {"mpiReplicaSpecs": replicas}
    if dice.chance(0.25):
        spec["launcherCreationPolicy"] = "WaitForWorkersReady"
    if dice.chance(0.25):
        spec["runLauncherAsWorker"] = True
    if policy := dict(scheduling_policy(dice, workers + 1)):
        spec["runPolicy"] = {"schedulingPolicy": policy}
    metadata: Document = {"name": f"job-{seed:02}"}
    if dice.chance(0.15):
        metadata["annotations"] = {"scheduling.volcano.sh/queue-name": "noted"}
    return {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": metadata, "spec": spec}


def scheduling_policy(dice: Dice, pods: int) -> Iterator[tuple[str, Any]]:
    choices: dict[str, Callable[[], Any]] = {
        "minAvailable": lambda: dice.number(1, pods + 1),
        "queue": lambda: dice.of(("research", "")),
        "priorityClass": lambda: dice.of(("urgent", "batch", "")),
        "scheduleTimeoutSeconds": lambda: dice.of((0, 30, 600)),
        "minResources": lambda: amounts(dice),
    }
    for field, choice in choices.items():
        if dice.chance(0.5 if field == "minAvailable" else 0.25):
            yield field, choice()


def pod(dice: Dice) -> Document:
    count = 1 if dice.chance(0.7) else dice.number(2, 3)
    spec: Document = {"containers": [container(dice, f"main-{number}") for number in range(count)]}
    if name := dice.of(CLASSES):
        spec["priorityClassName"] = name
    if dice.chance(0.1):
        spec["initContainers"] = [container(dice, "before")]
        if dice.chance(0.5):
            spec["initContainers"][0]["restartPolicy"] = "Always"
    if dice.chance(0.08):
        spec["overhead"] = {"cpu": "250m", "memory": "120Mi"}
    return spec


def container(dice: Dice, name: str) -> Document:
    resources = {kind: amounts(dice) for kind in ("requests", "limits") if dice.chance(0.65)}
    return {"name": name, "image": "mpi", **({"resources": resources} if resources else {})}


def amounts(dice: Dice) -> Document:
    kinds = [kind for kind in AMOUNTS if dice.chance(0.6 if kind in ("cpu", "memory") else 0.15)]
    return {kind: dice.of(AMOUNTS[kind]) for kind in kinds}


def made_by_operator(plane: Plane, flag: str, version: str) -> dict[str, Document]:
    """The spec of the PodGroup that the operator makes of each job under its flag."""
    cluster = Cluster(plane, "default")
    plane.start_operator(flag)
    cluster.until(lambda: len(plane.api.list("PodGroup", "default", version)) == JOBS, "a group of every job")
    plane.stop("mpi-operator")
    return {group["metadata"]["name"]: plain(group["spec"]) for group in plane.api.list("PodGroup", "default", version)}


def plain(spec: Document) -> Document:
    """Amounts by value alone: how the operator spells a sum depends on the order in which Go walks a map."""
    if "minResources" not in spec:
        return spec
    return spec | {"minResources": {name: numeral(parse_quantity(text)) for name, text in spec["minResources"].items()}}


def numeral(amount: Decimal) -> str:
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def test_the_operator_makes_the_groups_that_the_vectors_hold(
    programs: None, shared: Path, request: pytest.FixtureRequest,
) -> None:
    jobs = [generated(seed) for seed in range(JOBS)]
    with Plane() as plane:
        plane.add_crds(shared / "crds" / "scheduling.volcano.sh_podgroups.yaml")
        for name, value in PRIORITIES.items():
            metadata = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
            plane.api.create({**metadata, "value": value})
        for job in jobs:
            plane.api.apply(job, namespace="default")
        made = {backend: made_by_operator(plane, *flag) for backend, flag in FLAGS.items()}

    vectors = [{"job": job} | {backend: made[backend][job["metadata"]["name"]] for backend in FLAGS} for job in jobs]
    text = yaml.safe_dump({"priorities": PRIORITIES, "vectors": vectors}, default_flow_style=None, width=120)
    if request.config.getoption("--bless"):
        VECTORS.write_text(text)
    assert text == VECTORS.read_text()
