"""Patches, judged by the real kustomize."""

import pytest
import yaml

from gangform.model.edit import ABSENT, Edit
from gangform.model.plan import Mark, NameReference, Plan
from gangform.model.workload import Places, Policy, Role, Workload, identify
from gangform.overlay.layout import PlannedJob, lay_out
from gangform.overlay.marks import apply
from gangform.overlay.patches import patch, replacement

KEY = "x.io/group"


def cluster(name, namespace="", **metadata):
    """A job of an API whose templates stand in a list."""
    identity = {"name": name} | ({"namespace": namespace} if namespace else {})
    bare, full = {"spec": {"containers": [{"name": "c"}]}}, {"metadata": metadata, "spec": {"schedulerName": "old"}}
    return {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": identity, "spec": {
        "head": {"template": bare}, "groups": [{"name": "a", "template": full}, {"name": "b", "template": bare}]}}


def plan_cluster(data, marks):
    def role(name, *at):
        places = Places((*at, "metadata", "labels"), (*at, "metadata", "annotations"), (*at, "spec", "schedulerName"))
        return Role(name, 1, (), {}, at, places)

    roles = (role("head", "spec", "head", "template"), role("a", "spec", "groups", 0, "template"),
             role("b", "spec", "groups", 1, "template"))
    workload = Workload(identify(data), {}, {}, roles, Policy(), suspended=False, together=("head", "a", "b"))
    reference = NameReference("x.io", "Gang", "labels", KEY)
    return PlannedJob(data, workload, Plan("x", workload.ref, (), marks, (reference,)))


def test_a_patch_touches_maps_only(planned, job):
    tree = lay_out([planned(job("pi", namespace="hpc"))], "component")
    label = {"scheduling.x-k8s.io/pod-group": "pi"}
    role = {"template": {"metadata": {"labels": label}, "spec": {"schedulerName": "scheduler-plugins-scheduler"}}}
    assert yaml.safe_load(tree["pi.patch.yaml"]) == {
        "apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "pi", "namespace": "hpc"},
        "spec": {"mpiReplicaSpecs": {"Launcher": role, "Worker": role}}}


def test_what_is_to_go_is_null_in_a_merge_and_an_operation_in_a_list():
    data = cluster("r", labels={"k": "v"})
    merge = patch(data, identify(data), [Edit(("spec", "head", "x"), ABSENT)])
    assert merge.document["spec"] == {"head": {"x": None}}
    at = ("spec", "groups", 0, "template", "metadata", "labels")
    assert patch(data, identify(data), [Edit((*at, "k"), ABSENT)]).document == [
        {"op": "remove", "path": "/spec/groups/0/template/metadata/labels/k"}]
    assert patch(data, identify(data), [Edit((*at, "gone"), ABSENT)]) is None


def test_nothing_to_change_is_no_patch():
    data = cluster("r")
    assert patch(data, identify(data), []) is None


def test_a_group_is_replaced_but_for_its_metadata(planned, job):
    data = planned(job("pi")).plan.groups[0].data
    document = replacement(data, identify(data)).document
    assert document["spec"] == {"$patch": "replace", **data["spec"]}
    assert document["metadata"] == data["metadata"]


@pytest.mark.tools
def test_kustomize_patches_templates_in_lists(build, placed, base):
    data, stranger = cluster("r.x", labels={"team": "a"}), cluster("rax", labels={"team": "a"})
    twin = cluster("r.x", "other", labels={"team": "a"})
    mark = Mark({KEY: "r.x", "team": None}, {"y.io/z": "1"}, "gangs")
    job = plan_cluster(data, {"head": mark, "a": mark, "b": mark})
    tree = lay_out([job], "kustomization", source="../base")
    built = build(base(data, stranger, twin) | placed("over", tree), "over")
    assert sorted(built, key=str) == sorted([apply(data, job.workload, job.plan), stranger, twin], key=str)


@pytest.mark.tools
def test_names_in_templates_in_lists_follow_a_rename(build, placed, base):
    data = cluster("r")
    mark = Mark({KEY: "r"})
    tree = lay_out([plan_cluster(data, {"head": mark, "a": mark, "b": mark})], "kustomization", source="../base")
    top = {"top/kustomization.yaml": "namePrefix: dev-\nresources: [../over]\n"}
    (built,) = build(base(data) | placed("over", tree) | top, "top")
    templates = [built["spec"]["head"]["template"], *(group["template"] for group in built["spec"]["groups"])]
    assert [template["metadata"]["labels"][KEY] for template in templates] == ["dev-r"] * 3


@pytest.mark.tools
@pytest.mark.parametrize("metadata", [
    None, {}, {"labels": None}, {"labels": {}}, {"annotations": {"a": "b"}}, {"labels": {"scheduling.x-k8s.io/pod-group": "x"}},
])
def test_a_patched_job_is_the_marked_job_whatever_its_templates_hold(planned, job, build, placed, base, metadata):
    data = job("pi", namespace="hpc")
    worker = data["spec"]["mpiReplicaSpecs"]["Worker"]["template"]
    if metadata is None:
        data["spec"]["mpiReplicaSpecs"]["Launcher"].pop("template")
    else:
        worker["metadata"] = metadata
    each = planned(data, groups="operator")
    (built,) = build(base(data) | placed("over", lay_out([each], "kustomization", source="../base")), "over")
    assert built == apply(*each[:3])


@pytest.mark.tools
def test_kustomize_takes_the_other_backends_marks_out(planned, job, build, placed, base):
    old = apply(*planned(job("pi"), "volcano")[:3])
    each = planned(old, "coscheduling")
    built = build(base(old) | placed("over", lay_out([each], "kustomization", source="../base")), "over")
    (found,) = [data for data in built if data["kind"] == "MPIJob"]
    assert "group-name" not in str(found)
    assert found == apply(*each[:3])


@pytest.mark.tools
def test_two_jobs_of_one_name_are_patched_each_in_its_namespace(planned, job, build, placed, base):
    jobs = [planned(job("pi", workers=count, namespace=namespace)) for count, namespace in ((2, "a"), (5, "b"))]
    built = build(base(*(each.data for each in jobs))
                  | placed("over", lay_out(jobs, "kustomization", source="../base")), "over")
    assert [data for data in built if data["kind"] == "MPIJob"] == [apply(*each[:3]) for each in jobs]
    assert [data["spec"]["minMember"] for data in built if data["kind"] == "PodGroup"] == [3, 6]
