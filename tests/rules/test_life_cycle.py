"""Jobs that are held back, finished, retried, cleaned up; groups that outlive them; order and status."""

from typing import Any

import pytest

from gangform.model.edit import ABSENT
from gangs import QUEUED, at, edits, group, job, message, said

RESERVING = group("volcano", minResources={"cpu": "3"})
LAUNCHER_AT = "/spec/mpiReplicaSpecs/Launcher/restartPolicy"


def ended(condition: str, status: str = "True") -> dict[str, Any]:
    return {"status": {"conditions": [{"type": "Created", "status": "True"}, {"type": condition, "status": status}]}}


@pytest.mark.parametrize("held", [
    {"run": {"suspend": True}}, {"more": QUEUED}, {"run": {"managedBy": "kueue.x-k8s.io/multikueue"}},
])
def test_a_reservation_of_a_job_without_pods_is_told(held: dict[str, Any]) -> None:
    found = said(RESERVING, job("volcano", **held))
    assert ("suspend-leaks-reservation", "warning", "/spec/minResources") in found


def test_what_is_reserved_is_shown() -> None:
    told = message("suspend-leaks-reservation", RESERVING, job("volcano", run={"suspend": True}))
    assert told == "job pi is suspended and has no pods, but its group keeps 3 cpu from other gangs meanwhile"


def test_nothing_leaks_without_min_resources_or_under_a_scheduler_that_counts_pods() -> None:
    assert said(group("volcano"), job("volcano", run={"suspend": True})) == []
    frugal = group("coscheduling", minResources={"cpu": "3"})
    assert said(frugal, job("coscheduling", run={"suspend": True})) == []
    assert said(RESERVING, job("volcano", run={"managedBy": "kubeflow.org/mpi-operator"})) == []


@pytest.mark.parametrize("condition", ["Succeeded", "Failed"])
def test_a_reservation_of_a_finished_job_is_told_once(condition: str) -> None:
    finished = job("volcano", run={"suspend": True}, more=ended(condition))
    assert said(RESERVING, finished) == [("finished-leaks-reservation", "warning", "/spec/minResources")]


@pytest.mark.parametrize("more", [ended("Running"), ended("Succeeded", "False"), {"status": {}}, {}])
def test_a_job_that_is_not_finished_keeps_its_reservation_rightly(more: dict[str, Any]) -> None:
    assert said(RESERVING, job("volcano", more=more)) == []


def retried(backend: str, *, launcher: str = "Never", worker: str = "Never", **run: Any) -> dict[str, Any]:
    data = job(backend, run=run)
    data["spec"]["mpiReplicaSpecs"]["Launcher"]["restartPolicy"] = launcher
    data["spec"]["mpiReplicaSpecs"]["Worker"]["restartPolicy"] = worker
    return data


@pytest.mark.parametrize("backend", ["coscheduling", "volcano"])
def test_a_retry_that_can_only_wait_is_told(backend: str) -> None:
    assert said(group(backend), retried(backend, backoffLimit=2)) == [
        ("retry-after-worker-loss", "warning", LAUNCHER_AT)]
    assert said(group(backend), retried(backend)) == [("retry-after-worker-loss", "note", LAUNCHER_AT)]
    assert "each of the 6 retries" in message("retry-after-worker-loss", group(backend), retried(backend))


@pytest.mark.parametrize("sound", [
    retried("coscheduling", backoffLimit=0),
    retried("coscheduling", launcher="OnFailure", backoffLimit=2),
    retried("coscheduling", worker="OnFailure", backoffLimit=2),
])
def test_a_retry_that_does_not_come_or_does_not_wait_is_silent(sound: dict[str, Any]) -> None:
    assert said(group("coscheduling"), sound) == []


def test_a_retry_that_fits_into_a_smaller_gang_is_silent() -> None:
    found = said(group("coscheduling", 2), retried("coscheduling", backoffLimit=2))
    assert "retry-after-worker-loss" not in [rule for rule, _, _ in found]


@pytest.mark.parametrize(("policy", "told"), [
    ({"cleanPodPolicy": "None"}, True), ({"cleanPodPolicy": None}, True),
    ({"cleanPodPolicy": "Running"}, False), ({"cleanPodPolicy": "All"}, False),
])
def test_workers_that_outlive_their_job_are_noted(policy: dict[str, Any], told: bool) -> None:
    expected = [("clean-pod-policy-none", "note", "/spec/runPolicy/cleanPodPolicy")] if told else []
    assert said(job(run=policy)) == expected


def test_a_job_without_workers_leaves_none_behind() -> None:
    alone = job(run={"cleanPodPolicy": "None"})
    del alone["spec"]["mpiReplicaSpecs"]["Worker"]
    assert said(alone) == []


def test_a_time_to_live_is_noted_with_what_stays() -> None:
    short = {"ttlSecondsAfterFinished": 60}
    assert said(job(run=short)) == [("ttl-under-gitops", "note", "/spec/runPolicy/ttlSecondsAfterFinished")]
    assert message("ttl-under-gitops", job(run=short)).endswith("the MPIJob stays")
    assert message("ttl-under-gitops", group("volcano"), job("volcano", run=short)).endswith(
        "the MPIJob and its PodGroup stay")


@pytest.mark.parametrize("policy", ["argocd.argoproj.io/hook-delete-policy", "helm.sh/hook-delete-policy"])
def test_a_hook_with_a_delete_policy_may_have_a_time_to_live(policy: str) -> None:
    hook = {"metadata": {"annotations": {policy: "HookSucceeded"}}}
    assert said(job(run={"ttlSecondsAfterFinished": 60}, more=hook)) == []


def test_a_status_in_the_manifest_of_a_group_is_told_where_it_is_applied() -> None:
    status = {"status": {"phase": "Running"}}
    assert said({**group("volcano"), **status}, job("volcano")) == [("status-in-manifest", "warning", "/status")]
    assert edits("status-in-manifest", {**group("volcano"), **status}, job("volcano")) == [("/status", ABSENT)]
    assert said({**group("volcano"), "status": {}}, job("volcano")) == []
    assert said({**group("coscheduling"), "status": {"phase": "Running"}}, job("coscheduling")) == []


def test_a_status_that_was_read_from_a_cluster_is_silent() -> None:
    live = {**group("volcano"), "status": {"phase": "Running"}}
    live["metadata"]["uid"] = "0f3c"
    assert said(live, job("volcano")) == []


@pytest.mark.parametrize(("options", "told"), [
    ("Replace=true", True), ("Prune=false, replace=True", True), ("Replace=false", False), ("Force=true", False),
])
def test_a_group_that_is_replaced_as_a_whole_is_told(options: str, told: bool) -> None:
    replaced = group("volcano")
    replaced["metadata"]["annotations"] = {"argocd.argoproj.io/sync-options": options}
    found = [rule for rule, _, _ in said(replaced, job("volcano"))]
    assert found == (["status-in-manifest"] if told else [])


def ordered(data: dict[str, Any], **annotations: str) -> dict[str, Any]:
    keys = {"wave": "argocd.argoproj.io/sync-wave", "hook": "argocd.argoproj.io/hook",
            "helm": "helm.sh/hook", "weight": "helm.sh/hook-weight"}
    named = {keys[name]: value for name, value in annotations.items()}
    return {**data, "metadata": {**data["metadata"], "annotations": named}}


@pytest.mark.parametrize(("mine", "others"), [
    ({"wave": "1"}, {}), ({}, {"wave": "-1"}), ({"hook": "PostSync"}, {}), ({}, {"hook": "PreSync"}),
    ({"helm": "pre-install", "weight": "1"}, {"helm": "pre-install"}),
])
def test_a_group_after_its_job_is_an_error_for_a_volcano_that_refuses_the_pods(
    mine: dict[str, str], others: dict[str, str]
) -> None:
    objects = ordered(group("volcano"), **mine), ordered(job("volcano"), **others)
    found = said(*objects, cluster=at({"volcano": "1.11.2"}))
    assert [(rule, severity) for rule, severity, _ in found] == [("sync-order", "error")]
    assert said(*objects, cluster=at({"volcano": "1.12"})) == []
    assert said(*objects) == []


@pytest.mark.parametrize(("mine", "others"), [
    ({}, {}), ({"wave": "-1"}, {}), ({"hook": "PreSync"}, {}), ({"hook": "Sync"}, {"wave": "0"}),
    ({"hook": "Skip"}, {"wave": "-5"}), ({"wave": "soon"}, {"wave": "-5"}),
])
def test_an_order_that_does_no_harm_is_silent(mine: dict[str, str], others: dict[str, str]) -> None:
    objects = ordered(group("volcano"), **mine), ordered(job("volcano"), **others)
    assert said(*objects, cluster=at({"volcano": "1.11.2"})) == []


def test_coscheduling_lets_pods_wait_for_their_group() -> None:
    late = ordered(group("coscheduling"), wave="1")
    assert said(late, job("coscheduling"), cluster=at({"volcano": "1.11"}, "coscheduling")) == []
