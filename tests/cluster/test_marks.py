"""mpi-operator carries the overlay's marks to every pod, and nothing else of a pod changes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.api import Document
from cluster.cluster import Cluster
from cluster.plane import COSCHEDULER
from cluster.repositories import built, job, rendered

Pointer = tuple[str | int, ...]
Differences = dict[Pointer, tuple[Any, Any]]

# What two runs of one and the same job differ by.
OF_THE_RUN = {
    ("status",), ("spec", "nodeName"),
    *(("metadata", key) for key in ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation")),
    ("metadata", "ownerReferences", 0, "uid"),
    ("metadata", "labels", "controller-uid"), ("metadata", "labels", "batch.kubernetes.io/controller-uid"),
}
OF_THE_RUN_OF_A_LAUNCHER = {("metadata", "name")}  # its Job gives it a random end

# What the overlay adds, and all that it may add: what was there without it, and what is there with it.
ADDED: dict[str, Differences] = {
    "coscheduling": {
        ("metadata", "labels", "scheduling.x-k8s.io/pod-group"): (None, "pi"),
        ("spec", "schedulerName"): ("default-scheduler", COSCHEDULER),
    },
    "volcano": {
        ("metadata", "annotations", "scheduling.k8s.io/group-name"): (None, "pi"),
        ("spec", "schedulerName"): ("default-scheduler", "volcano"),
    },
}


@pytest.mark.parametrize("backend", ADDED)
def test_pods_of_both_roles_differ_from_those_of_the_unmarked_job_by_mark_and_scheduler_alone(
    cluster: Cluster, tmp_path: Path, kustomize: str, shared: Path, backend: str,
) -> None:
    if backend == "volcano":
        cluster.plane.add_crds(shared / "crds" / "scheduling.volcano.sh_podgroups.yaml")
    urgent = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 1000}
    cluster.apply(urgent)
    cluster.nodes(2, labels={"pool": "mpi"})

    unmarked = pods_of(cluster, rich_job())
    marked = pods_of(cluster, *built(kustomize, rendered(tmp_path, [rich_job()], backend)))

    assert list(marked) == ["pi-launcher", "pi-worker-0", "pi-worker-1"]
    for name, pod in marked.items():
        assert dict(differences(unmarked[name], pod)) == ADDED[backend], name
        assert (pod["spec"]["priorityClassName"], pod["spec"]["priority"]) == ("urgent", 1000)


def rich_job() -> Document:
    """A job whose templates say what templates say in real life: an overlay that lost any of it would change its pods."""
    made = job("pi", workers=2, cpu="500m", slotsPerWorker=2)
    for replica in made["spec"]["mpiReplicaSpecs"].values():
        template = replica["template"]
        template["metadata"] = {"labels": {"team": "vision"}, "annotations": {"example.com/cost-centre": "7"}}
        (container,) = template["spec"]["containers"]
        container |= {
            "command": ["sh", "-c"], "args": ["sleep 1"], "env": [{"name": "OMP_NUM_THREADS", "value": "4"}],
            "securityContext": {"runAsUser": 1000}, "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],
        }
        template["spec"] |= {
            "priorityClassName": "urgent", "nodeSelector": {"pool": "mpi"},
            "tolerations": [{"key": "gpu", "operator": "Exists"}],
            "initContainers": [{"name": "fetch", "image": "fetch", "resources": {"requests": {"memory": "1Gi"}}}],
            "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}],
        }
    return made


def pods_of(cluster: Cluster, *documents: Document) -> dict[str, Document]:
    """The pods that the operator makes of a job, without what differs from run to run; then the job goes."""
    cluster.apply(*documents)
    cluster.until(lambda: len(cluster.pods("pi")) == 3, "the operator has made all pods")
    pods = {}
    for role, of_the_run in (("launcher", OF_THE_RUN | OF_THE_RUN_OF_A_LAUNCHER), ("worker", OF_THE_RUN)):
        for pod in cluster.pods("pi", role):
            name = "pi-launcher" if role == "launcher" else pod["metadata"]["name"]
            for pointer in of_the_run:
                drop(pod, pointer)
            pods[name] = pod
    cluster.api.delete("MPIJob", "pi", cluster.namespace)
    cluster.until(lambda: not cluster.pods("pi"), "its pods are gone")
    return pods


def drop(document: Any, pointer: Pointer) -> None:
    *way, last = pointer
    for step in way:
        document = document[step] if isinstance(step, int) else document.get(step, {})
    document.pop(last, None)


def differences(before: Any, after: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, tuple[Any, Any]]]:
    """Where two documents say something else, and what each of them says."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            yield from differences(before.get(key), after.get(key), (*pointer, key))
    elif before != after:
        yield pointer, (before, after)
