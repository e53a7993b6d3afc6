"""What the controller may do with its own service account: enough, and nothing else."""

import copy
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.api import Api, ApiException
from cluster.cluster import Cluster
from cluster.controlling import Start, condition, deployed_account, gangs, told
from cluster.repositories import job


@pytest.fixture
def account(cluster: Cluster, kustomize: str) -> Path:
    """A kubeconfig of the controller's own service account, with the rights of deploy/controller."""
    return deployed_account(cluster, kustomize)


def test_its_own_account_is_enough_to_watch_to_lead_and_to_write(
    cluster: Cluster, tmp_path: Path, kustomize: str, start: Start, account: Path,
) -> None:
    controller = start("--lease-namespace", "gangform-system", kubeconfig=account)
    cluster.nodes(4, cpu="4")
    gangs(cluster, tmp_path, kustomize, job("one"))

    cluster.until(lambda: cluster.conditions("one").get("GangScheduled") == "True", "the condition is written")
    cluster.until(lambda: ("one", "GangRunning") in told(cluster), "the event is written")
    assert controller.metric("gangform_writes_total", outcome="refused") == 0
    assert cluster.api.get("Lease", "gangform-controller", "gangform-system") is not None


def test_one_namespace_alone_is_watched_without_the_right_to_list_namespaces(
    cluster: Cluster, start: Start, account: Path,
) -> None:
    controller = start("--no-leader-election", "-n", cluster.namespace, kubeconfig=account)
    cluster.apply(job("one"))
    cluster.apply(job("elsewhere"), namespace="default")

    cluster.until(lambda: condition(cluster, "one"), "the condition is written")

    assert controller.metric("gangform_gangs", namespace=cluster.namespace) == 1
    assert controller.metric("gangform_gangs") == 1
    cluster.api.delete("MPIJob", "elsewhere", "default")


def test_every_write_outside_its_rights_is_refused(cluster: Cluster, account: Path) -> None:
    cluster.nodes(1, cpu="4")
    cluster.apply(job("one"))
    cluster.until(lambda: len(cluster.pods("one")) == 5, "the pods are there")
    pod = cluster.pods("one")[0]["metadata"]["name"]
    api, here = Api(account), cluster.namespace
    touched = {"metadata": {"annotations": {"touched": "yes"}}}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mine"}}
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "mine"}}
    group = {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "mine"}, "spec": {"minMember": 1}}
    forbidden: list[Callable[[], object]] = [
        lambda: api.patch("MPIJob", "one", {"spec": {"runPolicy": {"suspend": True}}}, here),
        lambda: api.delete("MPIJob", "one", here),
        lambda: api.create(copy.deepcopy(job("two")), namespace=here),
        lambda: api.patch("Pod", pod, touched, here),
        lambda: api.patch("Pod", pod, {"status": {"phase": "Failed"}}, here, status=True),
        lambda: api.delete("Pod", pod, here),
        lambda: api.create(group, namespace=here),
        lambda: api.patch("PodGroup", "any", touched, here),
        lambda: api.patch("Node", "node-0", touched),
        lambda: api.patch("Node", "node-0", {"status": {"phase": "Gone"}}, status=True),
        lambda: api.create(secret, namespace=here),
        lambda: api.list("Secret", here),
        lambda: api.list("ConfigMap", here),
        lambda: api.create(lease, namespace=here),
    ]
    for attempt in forbidden:
        with pytest.raises(ApiException) as refused:
            attempt()
        assert refused.value.status == 403, refused.value
