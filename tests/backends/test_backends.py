from copy import deepcopy

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gangform.backends import coscheduling, volcano
from gangform.contracts import Circumstances
from gangform.kinds import mpijob
from gangform.model.finding import Severity
from gangform.model.pointer import get, parse
from gangform.model.workload import Policy, Ref

BOTH = pytest.mark.parametrize("backend", [coscheduling, volcano], ids=lambda backend: backend.NAME)
POLICY = "/spec/runPolicy/schedulingPolicy"
JOB = yaml.safe_load("""
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: pi
  namespace: lab
  labels: {team: hpc}
  annotations: {note: "x", argocd.argoproj.io/sync-wave: "3"}
spec:
  runPolicy: {schedulingPolicy: {}}
  mpiReplicaSpecs:
    Launcher:
      template:
        spec: {containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]}
    Worker:
      replicas: 4
      template:
        spec: {containers: [{name: main, image: mpi, resources: {requests: {cpu: 8, memory: 64Gi}}}]}
""")


def edited(changes):
    data = deepcopy(JOB)
    for text, value in changes.items():
        *parents, last = parse(text)
        get(data, tuple(parents))[last] = value
    return data


def plan(backend, changes=None, options=None, priorities=None):
    return backend.plan(mpijob.read(edited(changes or {})), Circumstances(options or {}, priorities or {}))


def group(backend, changes=None, options=None, priorities=None):
    only, = plan(backend, changes, options, priorities).groups
    return only


def test_coscheduling_writes_its_group_and_labels_both_templates():
    planned = plan(coscheduling)
    assert planned.groups[0].data == {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {
            "name": "pi", "namespace": "lab",
            "labels": {"app.kubernetes.io/managed-by": "gangform", "gangform.dev/job": "pi"},
        },
        "spec": {"minMember": 5, "minResources": {"cpu": "33", "memory": "258Gi"}},
    }
    mark = ({"scheduling.x-k8s.io/pod-group": "pi"}, {}, "scheduler-plugins-scheduler")
    assert planned.marks == {"Launcher": mark, "Worker": mark}
    assert planned.references == (("scheduling.x-k8s.io", "PodGroup", "labels", "scheduling.x-k8s.io/pod-group"),)
    assert (planned.backend, planned.workload, planned.notices) == ("coscheduling", Ref(*mpijob.API, "lab", "pi"), ())


def test_volcano_writes_its_group_and_annotates_both_templates():
    planned = plan(volcano)
    assert planned.groups[0].data == {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {
            "name": "pi", "namespace": "lab",
            "labels": {"app.kubernetes.io/managed-by": "gangform", "gangform.dev/job": "pi"},
        },
        "spec": {"minMember": 5},
    }
    mark = ({}, {"scheduling.k8s.io/group-name": "pi"}, "volcano")
    assert planned.marks == {"Launcher": mark, "Worker": mark}
    assert planned.references == (("scheduling.volcano.sh", "PodGroup", "annotations", "scheduling.k8s.io/group-name"),)
    assert (planned.backend, planned.notices) == ("volcano", ())


@BOTH
def test_fields_of_the_group_stand_in_the_usual_order(backend):
    data = group(backend, {POLICY: {"queue": "q", "priorityClass": "high", "scheduleTimeoutSeconds": 9}},
                 {"min-resources": "computed", "annotations": {"a": "b"}}).data
    assert list(data) == ["apiVersion", "kind", "metadata", "spec"]
    assert list(data["metadata"]) == ["name", "namespace", "labels", "annotations"]
    own = {"coscheduling": ["scheduleTimeoutSeconds"], "volcano": ["queue", "priorityClassName"]}[backend.NAME]
    assert list(data["spec"]) == ["minMember", "minResources", *own]


@BOTH
def test_a_job_without_namespace_has_a_group_without_namespace(backend):
    assert "namespace" not in group(backend, {"/metadata": {"name": "pi"}}).data["metadata"]


@BOTH
def test_both_templates_are_marked_even_when_the_launcher_is_no_part_of_the_gang(backend):
    planned = plan(backend, {"/spec/launcherCreationPolicy": "WaitForWorkersReady"})
    assert planned.groups[0].data["spec"]["minMember"] == 4
    assert set(planned.marks) == {"Launcher", "Worker"}


@BOTH
def test_a_launcher_alone_is_a_gang_of_one(backend):
    job = edited({})
    del job["spec"]["mpiReplicaSpecs"]["Worker"]
    planned = backend.plan(mpijob.read(job), Circumstances())
    assert planned.groups[0].data["spec"]["minMember"] == 1
    assert set(planned.marks) == {"Launcher"}


@BOTH
def test_the_option_scheduler_name_decides_who_schedules(backend):
    marks = plan(backend, options={"schedulerName": "mine"}).marks
    assert {mark.scheduler_name for mark in marks.values()} == {"mine"}


# Numbers, and what they were computed from


@BOTH
@pytest.mark.parametrize(("changes", "value", "origin"), [
    ({}, 5, "/spec/mpiReplicaSpecs/Worker/replicas"),
    ({POLICY: {"minAvailable": 3}}, 3, f"{POLICY}/minAvailable"),
    ({"/spec/launcherCreationPolicy": "WaitForWorkersReady"}, 4, "/spec/mpiReplicaSpecs/Worker/replicas"),
])
def test_min_member_points_at_the_value_that_decides_it(backend, changes, value, origin):
    found = group(backend, changes)
    assert found.data["spec"]["minMember"] == value
    assert found.origins["spec", "minMember"] == parse(origin)


@BOTH
@pytest.mark.parametrize("choice", [None, "computed", "omitted"])
def test_the_authors_least_resources_always_win(backend, choice):
    options = {"min-resources": choice} if choice else {}
    found = group(backend, {POLICY: {"minResources": {"memory": "1024Mi", "cpu": 2}}}, options)
    assert found.data["spec"]["minResources"] == {"cpu": "2", "memory": "1Gi"}
    assert found.origins["spec", "minResources"] == parse(f"{POLICY}/minResources")


@BOTH
def test_an_author_who_writes_empty_least_resources_gets_none(backend):
    spec = group(backend, {POLICY: {"minResources": {}}}, {"min-resources": "computed"}).data["spec"]
    assert "minResources" not in spec


@BOTH
def test_least_resources_are_computed_when_asked(backend):
    found = group(backend, {POLICY: {"minAvailable": 2}}, {"min-resources": "computed"})
    assert found.data["spec"]["minResources"] == {"cpu": "9", "memory": "66Gi"}
    assert found.origins["spec", "minResources"] == parse("/spec/mpiReplicaSpecs/Worker/template")


@BOTH
def test_least_resources_are_left_out_when_asked(backend):
    assert "minResources" not in group(backend, options={"min-resources": "omitted"}).data["spec"]


@BOTH
def test_a_gang_that_asks_nothing_has_no_least_resources(backend):
    bare = {"spec": {"containers": [{"name": "main"}]}}
    spec = group(backend, {"/spec/mpiReplicaSpecs/Launcher/template": bare, "/spec/mpiReplicaSpecs/Worker/template": bare},
                 {"min-resources": "computed"}).data["spec"]
    assert spec == {"minMember": 5}


@pytest.mark.parametrize(("policy", "options", "timeout", "origin"), [
    ({}, {}, None, None),
    ({}, {"timeout": 300}, 300, None),
    ({"scheduleTimeoutSeconds": 60}, {"timeout": 300}, 60, f"{POLICY}/scheduleTimeoutSeconds"),
    ({"scheduleTimeoutSeconds": 0}, {"timeout": 300}, 0, f"{POLICY}/scheduleTimeoutSeconds"),
])
def test_coschedulings_timeout_is_the_authors_then_the_options(policy, options, timeout, origin):
    found = group(coscheduling, {POLICY: policy}, options)
    assert found.data["spec"].get("scheduleTimeoutSeconds") == timeout
    assert found.origins.get(("spec", "scheduleTimeoutSeconds"), "none") == (parse(origin) if origin else "none")


@pytest.mark.parametrize(("changes", "options", "queue", "origin"), [
    ({}, {}, None, None),
    ({}, {"queue": "lab"}, "lab", None),
    ({POLICY: {"queue": "research"}}, {"queue": "lab"}, "research", f"{POLICY}/queue"),
    ({"/metadata/annotations": {"scheduling.volcano.sh/queue-name": "noted"}}, {"queue": "lab"}, "noted",
     "/metadata/annotations/scheduling.volcano.sh~1queue-name"),
])
def test_volcanos_queue_is_the_authors_then_the_options_and_never_a_guess(changes, options, queue, origin):
    found = group(volcano, changes, options)
    assert found.data["spec"].get("queue") == queue
    assert found.origins.get(("spec", "queue"), "none") == (parse(origin) if origin else "none")


LAUNCHER_CLASS = "/spec/mpiReplicaSpecs/Launcher/template/spec/priorityClassName"
WORKER_CLASS = "/spec/mpiReplicaSpecs/Worker/template/spec/priorityClassName"


@pytest.mark.parametrize(("changes", "options", "name", "origin"), [
    ({}, {}, None, None),
    ({WORKER_CLASS: "w"}, {}, "w", WORKER_CLASS),
    ({WORKER_CLASS: "w", LAUNCHER_CLASS: "l"}, {}, "l", LAUNCHER_CLASS),
    ({WORKER_CLASS: "w", LAUNCHER_CLASS: "l"}, {"priority-class": "o"}, "o", None),
    ({WORKER_CLASS: "w", POLICY: {"priorityClass": "p"}}, {"priority-class": "o"}, "p", f"{POLICY}/priorityClass"),
])
def test_volcanos_priority_class_is_the_authors_then_the_options_then_the_pods(changes, options, name, origin):
    found = group(volcano, changes, options)
    assert found.data["spec"].get("priorityClassName") == name
    assert found.origins.get(("spec", "priorityClassName"), "none") == (parse(origin) if origin else "none")


# Metadata


@BOTH
def test_options_add_labels_and_annotations_but_never_change_whose_group_it_is(backend):
    metadata = group(backend, options={
        "labels": {"z": "1", "gangform.dev/job": "other", "app.kubernetes.io/managed-by": "me"},
        "annotations": {"b": "2", "a": "1"}}).data["metadata"]
    assert list(metadata["labels"].items()) == [
        ("app.kubernetes.io/managed-by", "me"), ("gangform.dev/job", "pi"), ("z", "1")]
    assert list(metadata["annotations"].items()) == [("a", "1"), ("b", "2")]


HELM, ARGO, WAVE = "helm.sh/hook", "argocd.argoproj.io/hook", "argocd.argoproj.io/sync-wave"


@BOTH
@pytest.mark.parametrize(("annotations", "copied"), [
    ({WAVE: "3", "note": "x", "helm.sh/hook-weight": "5"}, {}),
    ({HELM: "pre-install", "note": "x"}, {HELM: "pre-install", "helm.sh/hook-weight": "-1"}),
    ({HELM: "pre-install", "helm.sh/hook-weight": "5", "helm.sh/hook-delete-policy": "hook-succeeded"},
     {HELM: "pre-install", "helm.sh/hook-weight": "4", "helm.sh/hook-delete-policy": "hook-succeeded"}),
    ({ARGO: "Sync"}, {ARGO: "Sync", WAVE: "-1"}),
    ({ARGO: "Sync", WAVE: "-2", "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation"},
     {ARGO: "Sync", WAVE: "-3", "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation"}),
    ({HELM: "pre-install", WAVE: "-7"}, {HELM: "pre-install", "helm.sh/hook-weight": "-1", WAVE: "-8"}),
    ({ARGO: "Sync", WAVE: "soon"}, {ARGO: "Sync", WAVE: "-1"}),
])
def test_the_group_of_a_hook_is_a_hook_that_comes_before_its_job(backend, annotations, copied):
    metadata = group(backend, {"/metadata/annotations": annotations}).data["metadata"]
    assert metadata.get("annotations", {}) == copied


@BOTH
def test_an_option_may_move_the_wave_of_a_hook(backend):
    metadata = group(backend, {"/metadata/annotations": {ARGO: "Sync"}}, {"annotations": {WAVE: "-9"}}).data["metadata"]
    assert metadata["annotations"] == {ARGO: "Sync", WAVE: "-9"}


# What a scheduler cannot do


@pytest.mark.parametrize(("backend", "policy", "field", "words"), [
    (coscheduling, {"queue": "research"}, "queue", "coscheduling has no place for queue: research"),
    (coscheduling, {"priorityClass": "high"}, "priorityClass", "coscheduling has no place for priorityClass: high"),
    (volcano, {"scheduleTimeoutSeconds": 60}, "scheduleTimeoutSeconds", "Volcano has no place for scheduleTimeoutSeconds: 60"),
])
def test_a_field_that_the_scheduler_ignores_is_told(backend, policy, field, words):
    notice, = plan(backend, {POLICY: policy}).notices
    assert (notice.code, notice.severity) == ("policy-field-ignored", Severity.NOTE)
    assert notice.pointer == parse(f"{POLICY}/{field}")
    assert words in notice.message
    assert notice.hint


def test_the_queue_annotation_is_told_where_no_queue_exists():
    notice, = plan(coscheduling, {"/metadata/annotations": {"scheduling.volcano.sh/queue-name": "q"}}).notices
    assert notice.pointer == ("metadata", "annotations", "scheduling.volcano.sh/queue-name")


@BOTH
def test_a_scheduler_honours_fields_that_a_policy_has(backend):
    assert set(Policy._fields) > backend.HONOURS


@BOTH
def test_an_unknown_priority_class_is_told_once_when_it_decides_what_is_computed(backend):
    changes = {POLICY: {"minAvailable": 2}, WORKER_CLASS: "gold"}
    notice, = plan(backend, changes, {"min-resources": "computed"}).notices
    assert (notice.code, notice.severity, notice.pointer) == ("priority-unknown", Severity.NOTE, parse(WORKER_CLASS))
    assert "gold" in notice.message
    assert plan(backend, changes, {"min-resources": "computed"}, {"gold": 5}).notices == ()
    assert plan(backend, changes, {"min-resources": "omitted"}).notices == ()
    assert plan(backend, {**changes, POLICY: {"minAvailable": 2, "minResources": {"cpu": 1}}}).notices == ()


@BOTH
def test_priorities_decide_whose_resources_count(backend):
    spec = group(backend, {POLICY: {"minAvailable": 2}, WORKER_CLASS: "gold"}, {"min-resources": "computed"},
                 {"gold": 5}).data["spec"]
    assert spec["minResources"] == {"cpu": "16", "memory": "128Gi"}


# Reading, and the whole


def test_reads_a_group_of_coscheduling():
    gang = coscheduling.read_group({
        "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "pi", "namespace": "lab"},
        "spec": {"minMember": 5, "minResources": {"cpu": "1"}, "scheduleTimeoutSeconds": 0}})
    assert gang == ("coscheduling", Ref("scheduling.x-k8s.io/v1alpha1", "PodGroup", "lab", "pi"), 5, {"cpu": "1"}, None, None, 0)


def test_reads_a_group_of_volcano():
    gang = volcano.read_group({
        "apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "pi"},
        "spec": {"minMember": 5, "queue": "q", "priorityClassName": "high"}})
    assert gang == ("volcano", Ref("scheduling.volcano.sh/v1beta1", "PodGroup", "", "pi"), 5, None, "q", "high", None)


@BOTH
def test_reads_a_group_that_says_nothing(backend):
    gang = backend.read_group(dict(zip(("apiVersion", "kind"), backend.GROUP_API, strict=True)))
    assert gang == (backend.NAME, Ref(*backend.GROUP_API, "", ""), None, None, None, None, None)


policies = st.fixed_dictionaries({}, optional={
    "minAvailable": st.integers(1, 9), "queue": st.sampled_from(["", "research"]),
    "priorityClass": st.sampled_from(["", "high"]), "scheduleTimeoutSeconds": st.integers(0, 900),
    "minResources": st.dictionaries(st.sampled_from(["cpu", "memory"]), st.sampled_from(["1", 2, "0.5Gi"])),
})


@pytest.fixture(scope="module")
def published(shared):
    """Validators of the spec of each published PodGroup, by API group, closed to unknown fields."""
    found = {}
    for group_name in ("scheduling.x-k8s.io", "scheduling.volcano.sh"):
        crd = yaml.safe_load((shared / f"crds/{group_name}_podgroups.yaml").read_text())
        version, = crd["spec"]["versions"]
        schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        found[group_name] = Draft202012Validator({**schema, "additionalProperties": False})
    return found


@BOTH
@given(policy=policies, computed=st.sampled_from(["computed", "omitted"]))
def test_groups_fit_the_published_crd_and_read_back(published, backend, policy, computed):
    found = group(backend, {POLICY: policy}, {"min-resources": computed})
    crd = published[backend.MARK.group]
    assert [error.message for error in crd.iter_errors(found.data["spec"])] == []
    gang = backend.read_group(found.data)
    assert (gang.ref, gang.min_member) == (Ref(*backend.GROUP_API, "lab", "pi"), found.data["spec"]["minMember"])
    for pointer, origin in found.origins.items():
        assert get(found.data, pointer) is not None
        assert get(edited({POLICY: policy}), origin) is not None


@BOTH
def test_planning_changes_neither_the_job_nor_the_options(backend):
    job, options = edited({"/metadata/annotations": {HELM: "pre-install"}}), {"labels": {"a": "1"}, "annotations": {}}
    before = deepcopy((job, options))
    first, second = (backend.plan(mpijob.read(job), Circumstances(options)) for _ in range(2))
    assert repr(first) == repr(second)
    assert (job, options) == before


@BOTH
def test_the_resource_is_the_group_s_kind_in_its_api_group(backend):
    api_version, kind = backend.GROUP_API
    assert f"{kind.lower()}s.{api_version.partition('/')[0]}" == backend.RESOURCE


def test_only_volcano_makes_groups_by_itself_and_only_coscheduling_sleeps():
    assert (coscheduling.AUTOMATIC, volcano.AUTOMATIC) == ("", "podgroup-")
    assert ["sleeps-until-event" in backend.TRAITS for backend in (coscheduling, volcano)] == [True, False]
