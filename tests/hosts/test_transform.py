"""transform: what is marked, what is left alone to the byte, and what stops it."""

import difflib
import json

import pytest
import yaml

from gangform.workflows import saying, standing
from streams import BODY, CONFIG, HEAD, JOB, aim, errors, mark, run, unmark

GROUP = b"""apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata:
  name: pi
  labels:
    app.kubernetes.io/managed-by: gangform
    gangform.dev/job: pi
spec:
  minMember: 3
  minResources:
    cpu: "5"
    memory: 5Gi
"""
CRLF = JOB.replace(b"\n", b"\r\n")
BOM = b"\xef\xbb\xbf"
LIST = b"apiVersion: v1\nkind: List\nitems:\n" + b"".join(
    b"%b%b" % (b"  " if number else b"- ", line) for number, line in enumerate(JOB.splitlines(keepends=True)))

STREAMS = {
    "first without marker": JOB,
    "after a marker": b"---\n" + JOB,
    "after a comment of its own": b"# head\n\n" + JOB,
    "a marker with a comment": b"--- # pi\n" + JOB,
    "helm": b"---\n# Source: c/templates/a.yaml\n" + CONFIG + b"---\n# Source: c/templates/pi.yaml\n" + JOB,
    "comment-only document": b"# nothing\n---\n# nothing either\n---\n" + JOB + b"---\n# end\n",
    "markers in a row": b"---\n---\n" + JOB + b"---\n---\n",
    "after an end": CONFIG + b"...\n" + JOB,
    "after an end and a marker": CONFIG + b"...\n---\n" + JOB,
    "ended": JOB + b"...\n---\n" + CONFIG,
    "without a final newline": CONFIG + b"---\n" + JOB.removesuffix(b"\n"),
    "CRLF": CRLF,
    "CRLF after a marker": b"---\r\n" + CRLF,
    "BOM": BOM + JOB,
    "BOM and marker": BOM + b"---\n" + JOB,
    "blank lines": b"\n\n" + JOB + b"\n\n",
    "two jobs": JOB + b"---\n" + JOB.replace(b"name: pi", b"name: tau"),
    "one line of JSON": json.dumps(yaml.safe_load(JOB)).encode(),
    "JSON": json.dumps(yaml.safe_load(JOB), indent=2).encode() + b"\n",
    "List": LIST,
    "List of a deeper column": LIST.replace(b"\n- ", b"\n  - ").replace(b"\n  ", b"\n    ").replace(b"\n    - api", b"\n  - api"),
    "List as JSON": json.dumps({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "ConfigMap"},
                                                                              yaml.safe_load(JOB)]}, indent=4).encode(),
    "List with comments before its items": LIST.replace(b"- api", b"- # mine\n  # and yours\n  api", 1),
    "List whose dashes stand alone": LIST.replace(b"- api", b"-\n  api", 1),
    "List of Lists": b"apiVersion: v1\nkind: List\nitems:\n- " + LIST.replace(b"\n", b"\n  ").removesuffix(b"  "),
    "List with a job before a List": LIST.replace(b"name: pi", b"name: tau") + b"- " + LIST.replace(b"\n", b"\n  ").removesuffix(b"  "),
    "List with two jobs": LIST + LIST.partition(b"items:\n")[2].replace(b"name: pi", b"name: tau"),
    "List after a document": CONFIG + b"---\n" + LIST,
}


def load(text: bytes) -> list[object]:
    return [document for document in yaml.safe_load_all(text.removeprefix(BOM).replace(b"...\n", b"---\n")) if document]


@pytest.mark.parametrize("text", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("backend", ["coscheduling", "volcano"])
def test_what_is_put_in_comes_out_to_the_byte_and_twice_is_as_once(text: bytes, backend: str) -> None:
    marked = mark(text, to=aim(backend))
    assert marked != text
    assert mark(marked, to=aim(backend)) == marked
    assert unmark(marked) == text
    assert unmark(marked, backend) == text


@pytest.mark.parametrize("text", STREAMS.values(), ids=STREAMS)
def test_a_move_to_another_scheduler_and_back_leaves_no_trace(text: bytes) -> None:
    marked = mark(text)
    moved = mark(marked, to=aim("volcano"))
    assert moved == mark(text, to=aim("volcano"))
    assert mark(moved) == marked


@pytest.mark.parametrize("text", STREAMS.values(), ids=STREAMS)
def test_only_lines_are_added_and_line_ends_stay(text: bytes) -> None:
    marked = mark(text)
    if b"\r\n" in text:
        assert marked.count(b"\n") == marked.count(b"\r\n")
    if b"{\n" not in text and b"\n" in text.rstrip(b"\n"):
        lines = difflib.ndiff(text.decode("utf-8-sig").splitlines(), marked.decode("utf-8-sig").splitlines())
        assert not [line for line in lines if line.startswith("- ")]
    kinds = [document.get("kind") for document in load(marked) if isinstance(document, dict)]
    assert kinds != ["MPIJob"]


def test_the_group_stands_before_its_job_in_its_namespace() -> None:
    text = CONFIG + b"---\n" + HEAD + b"  namespace: team\n" + BODY
    config, group, job = load(mark(text))
    assert (group["metadata"]["name"], group["metadata"]["namespace"]) == ("pi", "team")
    assert job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["metadata"]["labels"] == {
        "app": "pi", "scheduling.x-k8s.io/pod-group": "pi"}
    assert config["kind"] == "ConfigMap"


def test_the_first_document_gets_its_group_in_full() -> None:
    assert mark(JOB).startswith(GROUP + b"---\n" + HEAD)


@pytest.mark.parametrize("text", [
    b"", b"\n", b"# comment\n", CONFIG, b"---\n" + CONFIG + b"---\n", b"a: [\n", b"\t: x\n---\n" + CONFIG, b"\xff\xfe---\n",
    b"%YAML 1.1\n---\na: 1\n", b"kind: PodGroup\nmetadata: {name: {{ .Values.name }}}\n", b"kind: {{ .Values.kind }}\n", b"a: 1\na: 2\n",
])
def test_a_stream_without_jobs_passes_to_the_byte(text: bytes) -> None:
    done = run(text)
    assert done.outcome.findings == ()
    assert mark(text) == text == unmark(text)


def test_a_broken_document_beside_a_job_passes_to_the_byte() -> None:
    broken = b"# \xe9 is no UTF-8\nkey: {{ value }}\n\ta: [\n---\n"
    assert mark(broken + JOB).startswith(broken + GROUP + b"---\n" + HEAD)
    assert unmark(mark(broken + JOB)) == broken + JOB


def test_a_group_that_is_out_of_date_is_brought_up_to_date_where_it_stands() -> None:
    marked = mark(CONFIG + b"---\n" + JOB)
    grown = marked.replace(b"replicas: 2", b"replicas: 4").replace(b"  name: pi\n  labels:\n", b"  name: pi # ours\n  labels:\n    mine: kept\n")
    again = mark(grown)
    assert b"minMember: 5\n" in again
    assert b"  name: pi # ours\n  labels:\n    mine: kept\n" in again
    assert again.count(b"kind: PodGroup") == 1
    assert mark(again) == again


@pytest.mark.parametrize("order", [0, 1])
def test_a_group_before_or_after_its_job_is_found(order: int) -> None:
    stale = GROUP.replace(b"minMember: 3", b"minMember: 7")
    text = (b"---\n" + CONFIG + b"---\n").join([stale, JOB][::1 if order else -1])
    again = mark(text)
    assert again.count(b"kind: PodGroup") == 1
    assert b"minMember: 3\n" in again
    assert again.index(b"kind: PodGroup") < again.index(b"kind: MPIJob") or not order


def test_a_hand_written_group_that_agrees_is_used() -> None:
    text = GROUP.replace(b"    gangform.dev/job: pi\n", b"") + b"---\n" + JOB
    marked = mark(text)
    assert marked.count(b"kind: PodGroup") == 1
    assert marked.startswith(GROUP.replace(b"    gangform.dev/job: pi\n", b""))
    assert unmark(marked) == text


def test_a_hand_written_group_that_differs_is_a_conflict() -> None:
    text = JOB + b"---\n" + GROUP.replace(b"    gangform.dev/job: pi\n", b"").replace(b"minMember: 3", b"minMember: 2")
    assert errors(text) == [("pod-group-differs", text[:text.index(b"minMember")].count(b"\n") + 1)]


def test_a_group_in_a_list_without_its_job_is_refused_when_it_must_change() -> None:
    items = b"apiVersion: v1\nkind: List\nitems:\n- " + GROUP.replace(b"minMember: 3", b"minMember: 7").replace(b"\n", b"\n  ")
    assert [rule for rule, _ in errors(items.rstrip(b" ") + b"---\n" + JOB)] == ["edit-refused"]


def test_operator_mode_marks_alone_and_takes_groups_of_ours_out() -> None:
    marked = mark(JOB, to=aim(groups="operator"))
    assert b"PodGroup" not in marked
    assert mark(mark(JOB), to=aim(groups="operator")) == marked
    assert unmark(marked) == JOB


def test_options_reach_group_and_marks() -> None:
    marked = mark(JOB, to=aim("volcano", queue="research", schedulerName="volcano-2", labels={"team": "hpc"}))
    group, job = load(marked)
    assert (group["spec"]["queue"], group["metadata"]["labels"]["team"]) == ("research", "hpc")
    assert job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["schedulerName"] == "volcano-2"
    assert mark(marked, to=aim("volcano", remove=True, schedulerName="volcano-2")) == JOB


def test_remove_leaves_what_gangform_did_not_write() -> None:
    own = JOB.replace(b"            app: pi\n", b"            scheduling.x-k8s.io/pod-group: mine\n").replace(
        b"        spec:\n", b"        spec:\n          schedulerName: scheduler-plugins-scheduler\n")
    foreign = GROUP.replace(b"    gangform.dev/job: pi\n", b"").replace(b"name: pi", b"name: mine")
    text = foreign + b"---\n" + own
    assert unmark(text) == text


def test_a_marker_behind_a_group_that_follows_an_end_is_not_ours() -> None:
    assert unmark(CONFIG + b"...\n" + GROUP + b"---\n" + CONFIG) == CONFIG + b"...\n---\n" + CONFIG


def test_a_group_of_ours_under_another_name_goes() -> None:
    marked = mark(b"---\n" + GROUP.replace(b"  name: pi\n", b"  name: old\n") + b"---\n" + JOB)
    assert marked == mark(b"---\n" + JOB)


def test_remove_for_one_scheduler_leaves_the_other() -> None:
    marked = mark(JOB)
    assert unmark(marked, "volcano") == marked


def test_priority_classes_behind_the_job_count() -> None:
    job = JOB.replace(b"cleanPodPolicy: Running}", b"cleanPodPolicy: Running, schedulingPolicy: {minAvailable: 2}}").replace(
        b"      replicas: 2\n      template:\n        spec:\n", b"      replicas: 2\n      template:\n        spec:\n          priorityClassName: high\n")
    high = b"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n"
    group = load(mark(job + high))[0]
    assert group["spec"]["minResources"] == {"cpu": "4", "memory": "4Gi"}
    assert load(mark(job))[0]["spec"]["minResources"] == {"cpu": "3", "memory": "3Gi"}


@pytest.mark.parametrize(("text", "found"), [
    (JOB.replace(b"replicas: 2", b"replicas: two"), "wrong-type"),
    (JOB.replace(b"cleanPodPolicy: Running}", b"cleanPodPolicy: Running, schedulingPolicy: {minAvailable: 9}}"), "min-member-exceeds-pods"),
    (JOB.replace(b"replicas: 2", b"replicas: {{ .Values.n }}"), "templated"),
    (JOB.replace(b"replicas: 2", b"replicas: ${N}"), "templated"),
    (JOB.replace(b"  name: pi", b"  generateName: pi-"), "name-generated"),
    (JOB.replace(b"        spec:\n", b"        spec:\n          schedulerName: mine\n", 1), "scheduler-name-foreign"),
    (JOB + b"---\n" + JOB, "job-repeated"),
    (b"...\n%YAML 1.1\n---\n" + JOB, "edit-refused"),
    (JOB.decode().encode("utf-16"), "yaml-encoding"),
    (JOB.decode().encode("utf-16-be"), "yaml-encoding"),
    (JOB + b"spec: {}\n", "yaml-duplicate-key"),
    (JOB.replace(b"    Worker:", b"   Worker:"), "yaml-syntax"),
])
def test_a_job_that_cannot_be_marked_stops_everything(text: bytes, found: str) -> None:
    assert found in {rule for rule, _ in errors(CONFIG + b"---\n" + text if not text.startswith((b"\xff", b"\0")) else text)}


def test_lines_are_those_of_the_input() -> None:
    text = CONFIG + b"---\n" + CONFIG + b"---\n" + JOB.replace(b"replicas: 2", b"replicas: two")
    assert errors(text) == [("wrong-type", text[:text.index(b"two")].count(b"\n") + 1)]
    assert errors(CONFIG, text) == errors(text)


def test_force_replaces_a_foreign_scheduler() -> None:
    marked = mark(JOB.replace(b"        spec:\n", b"        spec:\n          schedulerName: mine\n", 1), to=aim(force=True))
    assert b"mine" not in marked


@pytest.mark.parametrize("api", [b"kubeflow.org/v1", b"kubeflow.org/v1alpha2", b"training.kubedl.io/v1alpha1"])
@pytest.mark.parametrize("beside", [b"", b"...\n" + JOB])
def test_jobs_of_other_apis_pass_with_a_notice(api: bytes, beside: bytes) -> None:
    foreign = JOB.replace(b"kubeflow.org/v2beta1", api).replace(b"name: pi", b"name: other")
    done = run(foreign + beside)
    assert [(finding.rule, finding.location.line) for finding in done.outcome.findings] == [("job-passed", 1)]
    assert mark(foreign + beside).startswith(foreign)


def test_files_follow_each_other_with_markers_between() -> None:
    one, two = CONFIG.removesuffix(b"\n"), BOM + CONFIG
    assert mark(one, b"", two, b"---\n" + CONFIG) == one + b"\n---\n" + CONFIG + b"---\n" + CONFIG


def test_a_group_in_another_file_counts() -> None:
    assert mark(GROUP, JOB).count(b"kind: PodGroup") == 1
    assert mark(JOB, GROUP).count(b"kind: PodGroup") == 1


def test_objects_that_only_mention_jobs_pass() -> None:
    text = b"kind: ConfigMap\napiVersion: v1\ndata:\n  a: |\n    kind: MPIJob\n  a: 2\n---\n- kind: MPIJob\n---\n# MPIJob\n---\n"
    assert mark(text) == text


def test_warnings_beyond_what_a_person_reads_are_counted_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saying, "KEPT", 3)
    noisy = JOB.replace(b"cleanPodPolicy: Running}", b"cleanPodPolicy: Running, schedulingPolicy: {queue: q}}")
    jobs = [noisy.replace(b"name: pi", b"name: pi-%d" % number) for number in range(8)]
    done = run(b"---\n".join(jobs))
    assert done.result is not None
    assert done.outcome.notes == ("5 further warnings and notes are not shown",)
    assert errors(b"---\n".join([*jobs, JOB.replace(b"replicas: 2", b"replicas: two")]))[-1][0] == "wrong-type"


def test_a_document_that_is_too_long_is_refused_when_it_may_hold_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "LONGEST", 1000)
    long = CONFIG.replace(b"MPIJob", b"nothing") + b"# filler\n" * 200
    assert mark(long) == long
    assert errors(long + b"---\n" + JOB + b"# filler\n" * 200) == [("yaml-limit", 207)]
