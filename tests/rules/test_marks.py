"""What binds pods to a group: the right key in the right place, one scheduler's, and a name that fits."""

from typing import Any

import pytest

from gangform.settings import Cluster
from gangs import Data, at, edits, group, job, message, pod, said

LABEL, ANNOTATION = "scheduling.x-k8s.io/pod-group", "scheduling.k8s.io/group-name"
LAUNCHER = "/spec/mpiReplicaSpecs/Launcher/template"
SIGS = "pod-group.scheduling.sigs.k8s.io"


def escaped(key: str) -> str:
    return key.replace("/", "~1")


def bearing(holder: str, key: str, value: str = "pi", **spec: Any) -> Data:
    """A template with one key and nothing else."""
    return {**pod(**spec), "metadata": {holder: {key: value}}}


def both(template: Data, **more: Any) -> Data:
    return job(launcher=template, worker=template, **more)


@pytest.mark.parametrize(("backend", "scheduler", "holder", "key"), [
    ("volcano", "volcano", "annotations", "scheduling.volcano.sh/group-name"),
    ("volcano", "volcano", "labels", "scheduling.volcano.sh/group-name"),
    ("volcano", "volcano", "labels", ANNOTATION),
    ("coscheduling", "scheduler-plugins-scheduler", "annotations", LABEL),
    ("coscheduling", "scheduler-plugins-scheduler", "labels", SIGS),
    ("coscheduling", "scheduler-plugins-scheduler", "labels", f"{SIGS}/name"),
])
def test_each_false_spelling_is_told_once_with_the_right_one(backend: str, scheduler: str, holder: str, key: str) -> None:
    objects = group(backend), both(bearing(holder, key, schedulerName=scheduler))
    assert said(*objects) == [("wrong-key", "error", f"{LAUNCHER}/metadata/{holder}/{escaped(key)}")]
    right = ("labels", LABEL) if backend == "coscheduling" else ("annotations", ANNOTATION)
    assert edits("wrong-key", *objects) == [(f"{LAUNCHER}/metadata/{right[0]}/{escaped(right[1])}", "pi")]


def test_a_false_key_without_any_group_is_told_too() -> None:
    assert [rule for rule, _, _ in said(both(bearing("labels", SIGS)))] == ["wrong-key"]


@pytest.mark.parametrize(("key", "version", "told"), [
    (SIGS, "0.24.9", []), (SIGS, "0.25", ["wrong-key"]), (SIGS, "v0.34.7", ["wrong-key"]),
    (f"{SIGS}/name", "0.18.9", []), (f"{SIGS}/name", "0.19.8", ["wrong-key"]),
])
def test_an_old_label_counts_in_the_releases_that_read_it(key: str, version: str, told: list[str]) -> None:
    old = at({"scheduler-plugins": version}, "coscheduling")
    assert [rule for rule, _, _ in said(both(bearing("labels", key)), cluster=old)] == told


@pytest.mark.parametrize("scheduler", ["koord-scheduler", "fluence", "kube-batch"])
def test_keys_of_pods_that_go_to_another_scheduler_are_left_alone(scheduler: str) -> None:
    assert said(both(bearing("labels", SIGS, schedulerName=scheduler))) == []


def test_a_false_key_beside_the_true_one_does_no_harm() -> None:
    template = pod("volcano")
    template["metadata"]["labels"] = {"scheduling.volcano.sh/group-name": "pi"}
    assert said(group("volcano"), both(template)) == []


def test_the_key_to_write_is_that_of_the_scheduler_which_gets_the_pods() -> None:
    template = bearing("annotations", "scheduling.volcano.sh/group-name", schedulerName="scheduler-plugins-scheduler")
    assert "coscheduling does not read" in message("wrong-key", both(template))
    chosen = Cluster("dev", "coscheduling")
    assert "coscheduling does not read" in message(
        "wrong-key", both(bearing("labels", "scheduling.volcano.sh/group-name")), cluster=chosen)


@pytest.mark.parametrize(("holder", "key"), [("labels", LABEL), ("annotations", ANNOTATION)])
def test_a_mark_on_the_job_itself_is_told_where_it_stands(holder: str, key: str) -> None:
    found = said(both(pod(), more={"metadata": {holder: {key: "pi"}}}))
    assert found == [("wrong-key", "error", f"/metadata/{holder}/{escaped(key)}")]


def test_a_copy_of_the_mark_on_the_job_does_no_harm() -> None:
    assert said(group("coscheduling"), job("coscheduling", more={"metadata": {"labels": {LABEL: "pi"}}})) == []


def test_a_mark_on_the_job_does_no_harm_where_the_operator_marks_the_pods() -> None:
    marked = job(more={"metadata": {"labels": {LABEL: "pi"}}})
    assert said(marked, cluster=Cluster("dev", "coscheduling", groups="operator")) == []


def test_a_leftover_mark_is_told_once_and_can_be_taken_out() -> None:
    template = pod("coscheduling")
    template["metadata"]["annotations"] = {ANNOTATION: "pi"}
    objects = group("coscheduling"), both(template)
    assert said(*objects) == [("multi-key", "warning", f"{LAUNCHER}/metadata/annotations/{escaped(ANNOTATION)}")]
    ((pointer, _),) = edits("multi-key", *objects)
    assert pointer.endswith(escaped(ANNOTATION))


def test_two_marks_that_no_scheduler_reads_are_the_schedulers_fault() -> None:
    template = pod("coscheduling", schedulerName="default-scheduler")
    template["metadata"]["annotations"] = {ANNOTATION: "pi"}
    template["spec"]["schedulerName"] = "default-scheduler"
    assert "multi-key" not in {rule for rule, _, _ in said(group("coscheduling"), both(template))}


def test_a_missing_group_is_told_although_another_mark_is_a_leftover() -> None:
    template = pod("coscheduling")
    template["metadata"]["annotations"] = {ANNOTATION: "other"}
    found = {(rule, pointer.rpartition("/")[2]) for rule, _, pointer in said(both(template))}
    assert found == {("pod-group-missing", escaped(LABEL)), ("multi-key", escaped(ANNOTATION))}


def named(name: str) -> tuple[Data, Data]:
    owner = group("coscheduling")
    owner["metadata"]["name"] = name
    template = pod("coscheduling")
    template["metadata"]["labels"][LABEL] = name
    return owner, both(template)


@pytest.mark.parametrize(("name", "told"), [
    ("a" * 63, []), ("a" * 64, ["label-value-invalid"]), ("team.pi-1", []),
])
def test_a_group_name_must_fit_into_a_label(name: str, told: list[str]) -> None:
    assert [rule for rule, _, _ in said(*named(name))] == told


@pytest.mark.parametrize("name", ["pi-", "-pi", "team/pi", ""])
def test_a_mark_that_is_no_label_value_is_not_also_a_missing_group(name: str) -> None:
    assert [rule for rule, _, _ in said(named(name)[1])] == ["label-value-invalid"]


def test_the_message_counts_the_characters() -> None:
    assert "64 characters of at most 63" in message("label-value-invalid", *named("a" * 64))


def test_a_long_name_that_no_pod_can_ever_carry_is_told_at_the_group() -> None:
    owner = group("coscheduling")
    owner["metadata"]["name"] = "a" * 64
    assert said(owner) == [("label-value-invalid", "error", "/metadata/name")]


def test_volcano_takes_long_names_since_its_mark_is_an_annotation() -> None:
    owner = group("volcano")
    owner["metadata"]["name"] = "a" * 64
    template = pod("volcano")
    template["metadata"]["annotations"][ANNOTATION] = "a" * 64
    assert said(owner, both(template)) == []


def test_runs_of_a_generated_name_share_the_group_that_they_name() -> None:
    data = job("coscheduling")
    data["metadata"] = {"generateName": "pi-"}
    assert said(group("coscheduling"), data) == [("label-value-invalid", "warning", "/metadata/generateName")]
    unmarked = job()
    unmarked["metadata"] = {"generateName": "pi-"}
    assert said(unmarked) == []


def old_group(api: str) -> Data:
    return {**group("coscheduling"), "apiVersion": api}


def test_a_group_of_the_old_api_and_the_old_label_are_one_error_with_a_mend() -> None:
    objects = old_group("scheduling.sigs.k8s.io/v1alpha1"), both(bearing("labels", SIGS))
    assert said(*objects) == [("pod-group-api-deprecated", "error", "/apiVersion")]
    assert edits("pod-group-api-deprecated", *objects) == [("/apiVersion", "scheduling.x-k8s.io/v1alpha1")]


def test_a_group_of_the_old_api_with_the_new_label_is_one_error() -> None:
    found = said(old_group("scheduling.sigs.k8s.io/v1alpha1"), job("coscheduling"))
    assert found == [("pod-group-api-deprecated", "error", "/apiVersion")]


@pytest.mark.parametrize("scheduler", ["koord-scheduler", "fluence"])
def test_the_old_api_may_be_read_by_another_scheduler(scheduler: str) -> None:
    found = said(old_group("scheduling.sigs.k8s.io/v1alpha1"), both(bearing("labels", SIGS, schedulerName=scheduler)))
    assert found == [("pod-group-api-deprecated", "note", "/apiVersion")]


@pytest.mark.parametrize(("api", "backend", "severity"), [
    ("scheduling.sigs.k8s.io/v1alpha1", "", "note"),
    ("scheduling.sigs.k8s.io/v1alpha1", "coscheduling", "error"),
    ("scheduling.incubator.k8s.io/v1alpha1", "", "note"),
    ("scheduling.incubator.k8s.io/v1alpha1", "volcano", "error"),
])
def test_an_old_group_alone_is_an_error_for_the_chosen_scheduler_only(api: str, backend: str, severity: str) -> None:
    cluster = Cluster("dev", backend) if backend else None
    assert said(old_group(api), cluster=cluster) == [("pod-group-api-deprecated", severity, "/apiVersion")]


def test_releases_that_read_the_old_api_are_not_told() -> None:
    old = at({"scheduler-plugins": "0.24"}, "coscheduling")
    assert said(old_group("scheduling.sigs.k8s.io/v1alpha1"), cluster=old) == []


def test_groups_of_other_owners_are_left_alone() -> None:
    assert said(old_group("scheduling.run.ai/v2alpha2")) == []


def unmarked(**more: Any) -> Data:
    return both(pod(schedulerName="volcano"), **more)


def test_a_gang_scheduler_without_a_mark_is_told_for_every_cluster_whose_groups_stand_in_git() -> None:
    found = [("gang-scheduler-unmarked", "warning", f"{LAUNCHER}/spec/schedulerName")]
    assert said(unmarked()) == found
    assert said(unmarked(), cluster=Cluster("prod", "volcano")) == found
    assert said(unmarked(), cluster=Cluster("prod", "volcano", "operator")) == []


@pytest.mark.parametrize("name", ["", "default-scheduler", "of-another-name"])
def test_a_scheduler_that_nobody_chose_or_knows_asks_for_no_gang(name: str) -> None:
    dev = Cluster("dev", "coscheduling", options={"schedulerName": "default-scheduler"})
    assert said(both(pod(schedulerName=name)), cluster=dev) == []


def test_a_name_of_the_settings_is_a_gang_scheduler_too() -> None:
    dev = Cluster("dev", "coscheduling", options={"schedulerName": "gangs"})
    assert "coscheduling" in message("gang-scheduler-unmarked", both(pod(schedulerName="gangs")), cluster=dev)


def test_pods_of_another_scheduler_s_mark_are_not_counted_for_a_group() -> None:
    mixed = job(launcher=bearing("annotations", ANNOTATION), worker=pod("coscheduling"))
    assert "min-member-below-total" not in {rule for rule, _, _ in said(group("coscheduling", 2), mixed)}
    assert edits("min-member-missing-or-zero", group("coscheduling", None), mixed) == [("/spec/minMember", 2)]
