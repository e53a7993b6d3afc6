"""Fields that only Volcano's group has: tasks, sub-groups, network topology."""

from typing import Any

import pytest

from gangs import at, group, job, message, pod, said

TASK = "volcano.sh/task-spec"
TOPOLOGY_AT = "/spec/networkTopology"


def tasked(launcher: str = "launcher", worker: str = "worker", holder: str = "annotations", **more: Any) -> dict[str, Any]:
    templates = []
    for task in (launcher, worker):
        template = pod("volcano")
        template["metadata"].setdefault(holder, {})
        if task:
            template["metadata"][holder][TASK] = task
        templates.append(template)
    return job("volcano", launcher=templates[0], worker=templates[1], **more)


def test_tasks_that_the_pods_have_are_silent() -> None:
    assert said(group("volcano", minTaskMember={"launcher": 1, "worker": 2}), tasked()) == []
    assert said(group("volcano", minTaskMember={"worker": 2, "spare": 0}), tasked()) == []


@pytest.mark.parametrize(("tasks", "data", "task"), [
    ({"worker": 2}, job("volcano"), "worker"),
    ({"Worker": 2}, tasked(), "Worker"),
    ({"worker": 3}, tasked(), "worker"),
    ({"launcher": 1, "worker": 2}, tasked(launcher=""), "launcher"),
])
def test_a_task_that_too_few_pods_have_is_an_error(tasks: dict[str, int], data: dict[str, Any], task: str) -> None:
    assert said(group("volcano", minTaskMember=tasks), data) == [
        ("task-spec-missing", "error", f"/spec/minTaskMember/{task}")]


def test_a_task_finding_shows_what_the_pods_have() -> None:
    told = message("task-spec-missing", group("volcano", minTaskMember={"worker": 3}), tasked())
    assert told == ("minTaskMember asks for 3 pods of task worker; job pi has 2 "
                    "(by task-spec: 1 of launcher, 2 of worker)")


def test_the_pod_of_a_launcher_that_waits_does_not_count() -> None:
    waits = tasked(launcherCreationPolicy="WaitForWorkersReady")
    found = said(group("volcano", 2, minTaskMember={"launcher": 1}), waits)
    assert ("task-spec-missing", "error", "/spec/minTaskMember/launcher") in found


def test_a_label_is_read_from_volcano_1_10_on() -> None:
    objects = group("volcano", minTaskMember={"worker": 2}), tasked(holder="labels")
    assert said(*objects) == []
    assert said(*objects, cluster=at({"volcano": "1.10"})) == []
    found = said(*objects, cluster=at({"volcano": "1.9.0"}))
    assert found == [("task-spec-missing", "error", "/spec/minTaskMember/worker")]


def test_tasks_that_add_up_to_more_than_min_member_are_ignored_and_nothing_else_is_said() -> None:
    found = said(group("volcano", minTaskMember={"launcher": 1, "worker": 3}), job("volcano"))
    assert found == [("min-task-member-ignored", "warning", "/spec/minTaskMember")]


def test_one_task_for_two_roles_is_told_at_the_second() -> None:
    assert said(group("volcano"), tasked("pi", "pi")) == [
        ("task-spec-shared", "warning",
         "/spec/mpiReplicaSpecs/Worker/template/metadata/annotations/volcano.sh~1task-spec")]
    assert said(group("volcano"), tasked()) == []


def test_a_task_means_nothing_to_another_scheduler() -> None:
    template = pod("coscheduling")
    template["metadata"]["annotations"] = {TASK: "pi"}
    assert said(group("coscheduling"), job("coscheduling", launcher=template, worker=template)) == []


def policy(**fields: Any) -> dict[str, Any]:
    return {"subGroupPolicy": [{"name": "workers", "subGroupSize": 2, **fields}]}


@pytest.mark.parametrize(("fields", "severity"), [
    ({"minSubGroups": 1}, "error"), ({}, "warning"), ({"labelSelector": {"matchLabels": {"a": "b"}}}, "warning"),
    ({"minSubGroups": 1, "matchLabelKeys": []}, "error"),
    ({"minSubGroups": 1, "matchLabelKeys": ["rack"]}, "error"), ({"matchLabelKeys": ["rack"]}, "warning"),
])
def test_a_sub_group_that_no_pod_falls_under_is_told(fields: dict[str, Any], severity: str) -> None:
    assert said(group("volcano", **policy(**fields)), job("volcano")) == [
        ("subgroup-inert", severity, "/spec/subGroupPolicy/0")]


@pytest.mark.parametrize("key", ["training.kubeflow.org/job-role", "training.kubeflow.org/replica-index", "rack"])
def test_a_sub_group_by_labels_that_pods_get_is_silent(key: str) -> None:
    template = pod("volcano")
    template["metadata"]["labels"] = {"rack": "a"}
    found = said(group("volcano", **policy(minSubGroups=1, matchLabelKeys=[key])), job("volcano", worker=template))
    assert found == []


def test_labels_of_pods_that_are_not_at_hand_are_not_guessed() -> None:
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pi"}, "spec": {
        "template": {"metadata": {"annotations": {"scheduling.k8s.io/group-name": "pi"}}}}}
    keyed = group("volcano", **policy(matchLabelKeys=["rack"]))
    assert "subgroup-inert" in [rule for rule, _, _ in said(keyed, job("volcano"))]
    for others in ([deployment], [job("volcano"), deployment]):
        assert "subgroup-inert" not in [rule for rule, _, _ in said(keyed, *others)]


def test_a_volcano_that_does_not_know_sub_groups_drops_them() -> None:
    sound = group("volcano", **policy(matchLabelKeys=["training.kubeflow.org/job-role"]))
    assert said(sound, job("volcano"), cluster=at({"volcano": "1.13.0"})) == [
        ("subgroup-inert", "warning", "/spec/subGroupPolicy")]
    assert said(sound, job("volcano"), cluster=at({"volcano": "1.14.0"})) == []


@pytest.mark.parametrize(("topology", "told"), [
    ({}, True), ({"mode": "hard"}, True), ({"mode": "hard", "highestTierName": ""}, True),
    ({"mode": "soft"}, False), ({"highestTierAllowed": 0}, False), ({"highestTierName": "rack"}, False),
])
def test_a_hard_topology_needs_a_tier(topology: dict[str, Any], told: bool) -> None:
    expected = [("topology-inert", "warning", TOPOLOGY_AT)] if told else []
    assert said(group("volcano", networkTopology=topology), job("volcano")) == expected


def test_what_a_topology_means_depends_on_the_version() -> None:
    tiered = group("volcano", networkTopology={"highestTierAllowed": 1})
    assert said(tiered, job("volcano"), cluster=at({"volcano": "1.11"})) == [("topology-inert", "warning", TOPOLOGY_AT)]
    assert said(tiered, job("volcano"), cluster=at({"volcano": "1.12"})) == []
    assert said(group("volcano", networkTopology={}), job("volcano"), cluster=at({"volcano": "1.13"})) == []


def test_a_tier_that_is_named_twice_is_refused_from_1_14_on() -> None:
    both = {"highestTierAllowed": 1, "highestTierName": "rack"}
    found = said(group("volcano", networkTopology=both), job("volcano"))
    assert found == [("topology-conflict", "error", "/spec/networkTopology/highestTierName")]
    assert said(group("volcano", networkTopology=both), job("volcano"), cluster=at({"volcano": "1.13"})) == []


def test_the_topology_of_a_sub_group_is_judged_too() -> None:
    keyed = {"matchLabelKeys": ["training.kubeflow.org/job-role"]}
    twice = policy(**keyed, networkTopology={"highestTierAllowed": 1, "highestTierName": "rack"})
    empty = policy(**keyed, networkTopology={"mode": "hard"})
    place = "/spec/subGroupPolicy/0/networkTopology"
    assert said(group("volcano", **twice), job("volcano")) == [("topology-conflict", "error", f"{place}/highestTierName")]
    assert said(group("volcano", **empty), job("volcano")) == [("topology-inert", "warning", place)]
