"""What a plan changes in its job."""

import copy

from gangform.catalog import BACKENDS, KINDS
from gangform.model import edit
from gangform.model.edit import ABSENT, Edit, put
from gangform.model.plan import Mark, Plan
from gangform.model.pointer import get
from gangform.overlay.marks import apply, disown, edits, withdrawals

GROUP = "scheduling.x-k8s.io/pod-group"
VOLCANO = "scheduling.k8s.io/group-name"
WORKER = ("spec", "mpiReplicaSpecs", "Worker", "template")


def read(data):
    return KINDS[data["apiVersion"], data["kind"]].read(data)


def test_marks_are_set_where_the_template_has_no_metadata(planned, job):
    data, workload, plan, _ = planned(job("pi"))
    marked = apply(data, workload, plan)
    for role in ("Launcher", "Worker"):
        template = marked["spec"]["mpiReplicaSpecs"][role]["template"]
        assert template["metadata"] == {"labels": {GROUP: "pi"}}
        assert template["spec"]["schedulerName"] == "scheduler-plugins-scheduler"


def test_a_role_without_a_template_is_marked(job):
    data = job("pi")
    del data["spec"]["mpiReplicaSpecs"]["Worker"]["template"]
    workload = read(data)
    plan = Plan("coscheduling", workload.ref, marks={"Worker": Mark({GROUP: "pi"}, {}, "s")})
    assert get(apply(data, workload, plan), WORKER) == {"metadata": {"labels": {GROUP: "pi"}}, "spec": {"schedulerName": "s"}}


def test_marking_leaves_the_job_it_was_given_as_it_was(planned, job):
    data = job("pi")
    before = copy.deepcopy(data)
    apply(*planned(data)[:3])
    assert data == before


def test_marking_twice_changes_nothing_more(planned, job):
    data, workload, plan, _ = planned(job("pi"))
    once = apply(data, workload, plan)
    assert apply(once, read(once), plan) == once


def test_marks_are_withdrawn_with_the_maps_that_were_made_for_them(planned, job):
    data, workload, plan, _ = planned(job("pi"))
    marked = apply(data, workload, plan)
    assert edit.apply(marked, withdrawals(marked, read(marked), plan)) == data


def test_only_marks_of_the_plan_are_withdrawn(planned, job):
    data, workload, plan, _ = planned(job("pi"))
    marked = apply(data, workload, plan)
    worker = marked["spec"]["mpiReplicaSpecs"]["Worker"]["template"]
    worker["metadata"]["labels"] |= {GROUP: "theirs"}
    worker["spec"]["schedulerName"] = "theirs"
    marked["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["metadata"]["labels"]["app"] = "theirs"
    left = edit.apply(marked, withdrawals(marked, read(marked), plan))["spec"]["mpiReplicaSpecs"]
    assert left["Worker"]["template"] == worker
    assert left["Launcher"]["template"]["metadata"] == {"labels": {"app": "theirs"}}
    assert "schedulerName" not in left["Launcher"]["template"]["spec"]


def test_everything_else_of_the_template_is_kept(planned, job):
    data = job("pi")
    data["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["metadata"] = {"labels": {"team": "hpc"}, "annotations": {"a": "b"}}
    marked = apply(*planned(data)[:3])
    assert get(marked, (*WORKER, "metadata")) == {"labels": {"team": "hpc", GROUP: "pi"}, "annotations": {"a": "b"}}
    assert get(marked, (*WORKER, "spec", "containers")) == get(data, (*WORKER, "spec", "containers"))


def test_edits_come_by_role_and_key(job):
    workload = read(job("pi"))
    plan = Plan("x", workload.ref, marks={
        "Worker": Mark({"b": "1", "a": None}, {}, None), "Launcher": Mark({}, {}, "s")})
    labels = (*WORKER, "metadata", "labels")
    assert edits(workload, plan) == (
        Edit(("spec", "mpiReplicaSpecs", "Launcher", "template", "spec", "schedulerName"), "s"),
        Edit((*labels, "a"), ABSENT), Edit((*labels, "b"), "1"))


def test_the_other_backends_mark_is_taken_out_where_it_stands(planned, job):
    data, workload, plan, _ = planned(job("pi"), "volcano")
    data = apply(data, workload, plan)
    del data["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["metadata"]["annotations"]
    data, workload, plan, _ = planned(data, "coscheduling")
    assert plan.marks["Worker"].annotations == {VOLCANO: None}
    assert plan.marks["Launcher"].annotations == {}
    metadata = get(apply(data, workload, plan), (*WORKER, "metadata"))
    assert metadata == {"annotations": {}, "labels": {GROUP: "pi"}}


def test_a_backend_does_not_disown_its_own_mark(planned, job):
    data = apply(*planned(job("pi"), "volcano")[:3])
    assert planned(data, "volcano").plan.marks["Worker"].annotations == {VOLCANO: "pi"}


def test_a_role_that_the_plan_does_not_mark_keeps_the_backends_own_mark(job):
    data = job("pi")
    data["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["metadata"] = {"labels": {GROUP: "pi"}}
    workload = read(data)
    assert disown(Plan("coscheduling", workload.ref), workload, BACKENDS).marks == {}


def test_a_role_that_the_plan_does_not_mark_loses_foreign_marks_too(job):
    data = job("pi")
    data["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["metadata"] = {"labels": {GROUP: "pi"}}
    workload = read(data)
    plan = disown(Plan("volcano", workload.ref), workload, BACKENDS)
    assert plan.marks == {"Worker": Mark(labels={GROUP: None})}


def test_taking_out_what_is_not_there_makes_no_maps():
    assert put({"a": 1}, ("b", "c"), ABSENT) == {"a": 1}
    assert put({"b": {}}, ("b", "c", "d"), ABSENT) == {"b": {}}


def test_a_value_is_put_into_an_item_of_a_list():
    assert put({"a": [{"n": 1}, {"n": 2}]}, ("a", 1, "m", "k"), "v") == {"a": [{"n": 1}, {"n": 2, "m": {"k": "v"}}]}
