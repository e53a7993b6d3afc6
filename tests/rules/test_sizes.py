"""How many pods start together, and what happens where that is not said or not all."""

import pytest

from gangform.settings import Cluster
from gangs import Data, edits, group, job, message, pod, said

AT = "/spec/minMember"
POLICY_AT = "/spec/runPolicy/schedulingPolicy/minAvailable"
BACKENDS = ["coscheduling", "volcano"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_group_without_a_number_forms_no_gang_and_the_number_is_known(backend: str) -> None:
    objects = group(backend, None), job(backend)
    assert [(rule, severity) for rule, severity, _ in said(*objects)] == [("min-member-missing-or-zero", "error")]
    assert edits("min-member-missing-or-zero", *objects) == [(AT, 3)]


def test_volcano_takes_a_zero_and_forms_no_gang() -> None:
    assert said(group("volcano", 0), job("volcano")) == [("min-member-missing-or-zero", "error", AT)]
    assert "has minMember 0" in message("min-member-missing-or-zero", group("volcano", 0), job("volcano"))


def test_a_launcher_that_waits_is_not_counted_in_the_mend() -> None:
    waiting = job("coscheduling", launcherCreationPolicy="WaitForWorkersReady")
    assert edits("min-member-missing-or-zero", group("coscheduling", None), waiting) == [(AT, 2)]


def test_without_one_job_no_number_is_offered() -> None:
    other = job("coscheduling")
    other["metadata"] = {"name": "other"}
    assert edits("min-member-missing-or-zero", group("coscheduling", None), job("coscheduling"), other) == []


def test_a_group_that_nobody_names_is_told_once() -> None:
    assert [rule for rule, _, _ in said(group("volcano", None))] == ["pod-group-orphan"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("members", [1, 2])
def test_fewer_members_than_pods_is_a_warning_at_the_group(backend: str, members: int) -> None:
    objects = group(backend, members), job(backend)
    assert said(*objects) == [("min-member-below-total", "warning", AT)]
    assert f"minMember {members}, pods that exist together 3 = 1 Launcher + 2 Worker" in message(
        "min-member-below-total", *objects)


def test_a_policy_is_judged_where_no_group_is_at_hand() -> None:
    assert said(job(run={"schedulingPolicy": {"minAvailable": 2}})) == [("min-member-below-total", "warning", POLICY_AT)]
    assert said(job(run={"schedulingPolicy": {"minAvailable": 3}})) == []


def test_a_launcher_left_out_on_purpose_is_fine() -> None:
    assert said(group("coscheduling", 2), job("coscheduling", launcher=pod())) == []


def test_workers_that_start_before_their_launcher_are_the_whole_gang() -> None:
    waiting = job("coscheduling", launcherCreationPolicy="WaitForWorkersReady")
    assert said(group("coscheduling", 2), waiting) == []
    assert [rule for rule, _, _ in said(group("coscheduling", 1), waiting)] == ["min-member-below-total"]


def elastic(option: str) -> Data:
    launcher = pod("coscheduling")
    launcher["spec"]["containers"][0]["command"] = ["horovodrun", "-np", "2", option, "1", "python", "train.py"]
    return launcher


@pytest.mark.parametrize("option", ["--min-np", "--min-num-proc"])
def test_an_elastic_job_may_start_with_fewer(option: str) -> None:
    assert said(group("coscheduling", 2), job("coscheduling", launcher=elastic(option))) == []


def test_a_group_with_a_number_per_role_knows_its_launcher() -> None:
    templates = []
    for role in ("launcher", "worker"):
        template = pod("volcano")
        template["metadata"]["annotations"]["volcano.sh/task-spec"] = role
        templates.append(template)
    grouped = group("volcano", 2, minTaskMember={"launcher": 1, "worker": 1})
    assert said(grouped, job("volcano", launcher=templates[0], worker=templates[1])) == []


def asking(backend: str, policy: Data, **spec: object) -> list[tuple[str, str, str]]:
    return [(rule, severity, at.removeprefix("/spec/runPolicy/schedulingPolicy"))
            for rule, severity, at in said(group(backend, **spec), job(backend, run={"schedulingPolicy": policy}))
            if rule == "scheduling-policy-inert"]


@pytest.mark.parametrize(("policy", "spec", "field"), [
    ({"queue": "research"}, {}, "/queue"),
    ({"queue": "research"}, {"queue": "default"}, "/queue"),
    ({"priorityClass": "high"}, {"priorityClassName": "low"}, "/priorityClass"),
    ({"minResources": {"cpu": 3}}, {"minResources": {"cpu": 2}}, "/minResources"),
])
def test_a_policy_that_the_group_does_not_follow_is_a_warning(policy: Data, spec: Data, field: str) -> None:
    assert asking("volcano", policy, **spec) == [("scheduling-policy-inert", "warning", field)]


@pytest.mark.parametrize(("policy", "spec"), [
    ({"queue": "research"}, {"queue": "research"}),
    ({"minAvailable": 3}, {}),
    ({"minResources": {"cpu": "3"}}, {"minResources": {"cpu": "3000m"}}),
    ({}, {"queue": "default"}),
])
def test_a_policy_that_the_group_follows_is_silent(policy: Data, spec: Data) -> None:
    assert asking("volcano", policy, **spec) == []


def test_what_the_scheduler_cannot_express_is_no_disagreement() -> None:
    assert asking("coscheduling", {"queue": "research"}) == []


def test_a_timeout_that_the_group_does_not_have_is_told() -> None:
    assert asking("coscheduling", {"scheduleTimeoutSeconds": 300}) == [
        ("scheduling-policy-inert", "warning", "/scheduleTimeoutSeconds")]


def lonely() -> Data:
    data = job(run={"schedulingPolicy": {"queue": "research"}})
    data["metadata"] = {"name": "lonely"}
    return data


def test_a_policy_beside_groups_from_git_is_read_by_nobody() -> None:
    found = said(group("volcano"), job("volcano"), lonely())
    assert found == [("scheduling-policy-inert", "warning", "/spec/runPolicy/schedulingPolicy/queue")]


def test_a_policy_that_has_yet_to_be_rendered_is_fine() -> None:
    assert said(lonely()) == []


def test_the_operator_reads_the_policy() -> None:
    operator = Cluster("prod", "volcano", groups="operator")
    objects = group("volcano", queue="default"), job("volcano", run={"schedulingPolicy": {"queue": "research"}})
    assert "scheduling-policy-inert" not in {rule for rule, _, _ in said(*objects, cluster=operator)}


def of_class(backend: str, launcher: str, worker: str) -> Data:
    templates = [pod(backend, **({"priorityClassName": name} if name else {})) for name in (launcher, worker)]
    return job(backend, launcher=templates[0], worker=templates[1])


PRIORITY_AT = "/spec/mpiReplicaSpecs/{}/template/spec/priorityClassName"


@pytest.mark.parametrize(("launcher", "worker", "role"), [
    ("high", "", "Launcher"), ("", "high", "Worker"), ("high", "low", "Launcher"),
])
def test_members_of_different_priority_are_told_under_coscheduling(launcher: str, worker: str, role: str) -> None:
    found = said(group("coscheduling"), of_class("coscheduling", launcher, worker))
    assert found == [("mixed-priority", "warning", PRIORITY_AT.format(role))]


def test_equal_priorities_are_silent() -> None:
    assert said(group("coscheduling"), of_class("coscheduling", "high", "high")) == []


def test_classes_of_equal_value_are_silent() -> None:
    classes = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
               for name, value in (("high", 100), ("tall", 100), ("low", 1))]
    assert said(group("coscheduling"), of_class("coscheduling", "high", "tall"), *classes) == []
    assert len(said(group("coscheduling"), of_class("coscheduling", "high", "low"), *classes)) == 1


def test_a_class_that_is_the_clusters_default_equals_none() -> None:
    default = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "usual"},
               "value": 10, "globalDefault": True}
    assert said(group("coscheduling"), of_class("coscheduling", "usual", ""), default) == []


@pytest.mark.parametrize(("group_class", "launcher", "worker", "told"), [
    (None, "high", "high", True), ("low", "high", "high", True), ("high", "high", "high", False),
    ("high", "high", "low", False), ("low", "high", "low", False), (None, "", "", False), ("high", "", "", False),
])
def test_volcano_wants_the_class_in_the_group(group_class: str | None, launcher: str, worker: str, told: bool) -> None:
    spec = {"priorityClassName": group_class} if group_class else {}
    found = said(group("volcano", **spec), of_class("volcano", launcher, worker))
    assert [(rule, severity) for rule, severity, _ in found] == [("pod-group-priority-unset", "warning")] * told


def test_the_class_is_offered_where_there_is_one() -> None:
    one = group("volcano"), of_class("volcano", "high", "high")
    two = group("volcano"), of_class("volcano", "high", "low")
    assert edits("pod-group-priority-unset", *one) == [("/spec/priorityClassName", "high")]
    assert edits("pod-group-priority-unset", *two) == []


def test_coscheduling_has_no_class_in_its_group() -> None:
    assert said(group("coscheduling"), of_class("coscheduling", "high", "high")) == []
