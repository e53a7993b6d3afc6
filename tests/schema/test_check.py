"""What is wrong with a job, told at its place, with a way to mend it."""

import copy
import re
from typing import Any

import pytest
import yaml

from gangform import schema
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import get, parse, render

JOB = "kubeflow.org/mpijob_v2beta1"
GROUP = "scheduling.volcano.sh/podgroup_v1beta1"

TEXT = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: pi, labels: {team: hpc}}
spec:
  slotsPerWorker: 1
  mpiImplementation: OpenMPI
  runPolicy: {cleanPodPolicy: Running, schedulingPolicy: {minAvailable: 3, minResources: {cpu: 3}}}
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers: [{name: main, image: mpi, command: [mpirun]}]
    Worker:
      replicas: 2
      template:
        metadata: {labels: {app: pi}}
        spec:
          containers:
          - name: main
            image: mpi
            env: [{name: A, value: b}]
            ports: [{containerPort: 80}]
            livenessProbe: {tcpSocket: {port: 80}}
            resources: {limits: {cpu: 1, memory: 1Gi}}
"""

WORKER = "/spec/mpiReplicaSpecs/Worker"
POD = f"{WORKER}/template/spec"
MAIN = f"{POD}/containers/0"
LIMITS = f"{MAIN}/resources/limits"


def job(place: str = "", value: Any = None) -> dict[str, Any]:
    """A good job in which one value is set."""
    data: dict[str, Any] = yaml.safe_load(TEXT)
    if place:
        *above, last = parse(place)
        get(data, tuple(above))[last] = value
    return data


def only(data: Any, name: str = JOB, **moves: Any) -> Problem:
    """The one problem of an object."""
    problems = schema.check(data, name, **moves)
    assert len(problems) == 1, problems
    return problems[0]


CASES = [
    # place, value, code, what the message says, what the hint says
    (f"{WORKER}/replica", 1, "unknown-field", 'Worker has no field "replica"', 'did you mean "replicas"?'),
    (f"{WORKER}/Replicas", None, "unknown-field", 'no field "Replicas"', 'did you mean "replicas"?'),
    ("/spce", {}, "unknown-field", 'the object has no field "spce"', 'did you mean "spec"?'),
    ("/spec/schedulingPolicy", {}, "unknown-field", "spec has no field", "belongs in spec.runPolicy"),
    ("/spec/schedulerName", "volcano", "unknown-field", "spec has no field",
     "schedulerName belongs in spec.mpiReplicaSpecs.*.template.spec"),
    (f"{WORKER}/containers", [], "unknown-field", "Worker has no field",
     "containers belongs in spec.mpiReplicaSpecs.Worker.template.spec"),
    (f"{WORKER}/slotsPerWorker", 1, "unknown-field", "Worker has no field", "slotsPerWorker belongs in spec"),
    (f"{WORKER}/backoffLimit", 1, "unknown-field", "Worker has no field", "backoffLimit belongs in spec.runPolicy"),
    (f"{WORKER}/minAvailable", 1, "unknown-field", "Worker has no field",
     "minAvailable belongs in spec.runPolicy.schedulingPolicy"),
    (f"{WORKER}/template/labels", {}, "unknown-field", 'template has no field "labels"',
     "labels belongs in spec.mpiReplicaSpecs.Worker.template.metadata"),
    (f"{WORKER}/template/annotations", {}, "unknown-field", "template has no field",
     "annotations belongs in spec.mpiReplicaSpecs.Worker.template.metadata"),
    (f"{WORKER}/template/metadata/app", "pi", "unknown-field", 'metadata has no field "app"',
     "write it below spec.mpiReplicaSpecs.Worker.template.metadata.labels"),
    (f"{WORKER}/template/metadata/lables", {}, "unknown-field", "metadata has no field", 'did you mean "labels"?'),
    (f"{WORKER}/template/metadata/creationTimestamp", None, "unknown-field", "metadata has no field",
     "keeps only annotations, finalizers, labels, name and namespace"),
    ("/metadata/nam", "pi", "unknown-field", "metadata has no field", 'did you mean "name"?'),
    ("/metadata/app", "pi", "unknown-field", "metadata has no field", "write it below metadata.labels"),
    (f"{MAIN}/limits", {}, "unknown-field", "containers[0] has no field",
     "limits belongs in spec.mpiReplicaSpecs.Worker.template.spec.containers[0].resources"),
    (f"{MAIN}/cpu", 1, "unknown-field", 'has no field "cpu"', "containers[0].resources.limits"),
    (f"{POD}/nvidia.com~1gpu", 1, "unknown-field", 'has no field "nvidia.com/gpu"', "containers[].resources.limits"),
    (f"{MAIN}/resource", {}, "unknown-field", 'has no field "resource"', 'did you mean "resources"?'),
    (f"{WORKER}/template/metadata/example.org~1team", "a", "unknown-field", "metadata has no field", "metadata.labels"),
    (f"{MAIN}/zz", 1, "unknown-field", "containers[0] has no field", "remove it"),
    ("/spec/runPolicy/zz", 1, "unknown-field", "runPolicy has no field", "the fields there are activeDeadlineSeconds, "),
    (f"{WORKER}/replicas", "4", "wrong-type", 'is the text "4", but must be a whole number', "write 4 without quotes"),
    (f"{WORKER}/replicas", "four", "wrong-type", 'the text "four"', "digits only"),
    (f"{WORKER}/replicas", 2.5, "wrong-type", "is the number 2.5, but must be a whole number", ""),
    (f"{WORKER}/replicas", True, "wrong-type", "is true, but must be a whole number", ""),
    (f"{WORKER}/replicas", 2**31, "invalid-value", "the number 2147483648, but must be at most 2147483647", ""),
    (f"{WORKER}/template/metadata/labels/app", 5, "wrong-type", "labels.app is the number 5, but must be text", "quotes"),
    ("/spec/runPolicy/suspend", "true", "wrong-type", "must be true or false", "write true without quotes"),
    ("/spec/runPolicy/suspend", "yes", "wrong-type", 'is the text "yes"', "write true or false"),
    (f"{MAIN}/command", "mpirun", "wrong-type", "must be a list", 'write a list: ["mpirun"]'),
    (f"{MAIN}/command", "echo $HOME", "wrong-type", 'the text "echo $HOME"', "write a list"),
    (f"{MAIN}/env", {"A": "b"}, "wrong-type", "env is a map, but must be a list", "- {name: …, value: …}"),
    (f"{POD}/volumes", {"a": {}}, "wrong-type", "must be a list", "begins with a dash"),
    (f"{MAIN}/image", ["mpi"], "wrong-type", "is a list, but must be text", "one text"),
    (f"{MAIN}/resources", [{"cpu": 1}], "wrong-type", "is a list, but must be a map", "without dashes"),
    (f"{MAIN}/resources", "small", "wrong-type", "must be a map", "key: value"),
    (f"{MAIN}/ports/0/containerPort", "http", "wrong-type", "must be a whole number", ""),
    ("/spec/runPolicy/schedulingPolicy/minResources/requests", {"cpu": 1}, "wrong-type", "must be a quantity",
     "write the resources directly below spec.runPolicy.schedulingPolicy.minResources"),
    (f"{LIMITS}/cpu", [1], "wrong-type", "must be a quantity", "one quantity"),
    (f"{LIMITS}/cpu", True, "wrong-type", "is true, but must be a whole number or text", "digits only"),
    (f"{MAIN}/livenessProbe/tcpSocket/port", 80.5, "wrong-type", "must be a whole number or text", ""),
    (f"{LIMITS}/cpu", 0.5, "quantity-needs-quotes", "is the number 0.5", 'put it in quotes: "0.5" or "500m"'),
    (f"{LIMITS}/memory", 1.5, "quantity-needs-quotes", "is the number 1.5", 'put it in quotes: "1.5"'),
    (f"{LIMITS}/cpu", 0.00015, "quantity-needs-quotes", "written as text", 'put it in quotes: "0.00015"'),
    (f"{LIMITS}/memory", "500mi", "invalid-quantity", "no quantity", "did you mean 500Mi or 500m?"),
    (f"{LIMITS}/memory", "1 Gi", "invalid-quantity", 'the text "1 Gi"', "did you mean 1Gi?"),
    (f"{LIMITS}/memory", "1GB", "invalid-quantity", "without a space", "did you mean 1G or 1Gi?"),
    (f"{LIMITS}/memory", "16gib", "invalid-quantity", "no quantity", "did you mean 16Gi?"),
    (f"{LIMITS}/memory", "1,5Gi", "invalid-quantity", "no quantity", "did you mean 1.5Gi?"),
    (f"{LIMITS}/cpu", "2 cores", "invalid-quantity", "no quantity", "did you mean 2?"),
    (f"{LIMITS}/cpu", "1,000", "invalid-quantity", "no quantity", "did you mean 1000 or 1.000?"),
    (f"{LIMITS}/cpu", "lots", "invalid-quantity", 'the text "lots"', 'write for example "2", 500m or 4Gi'),
    (f"{LIMITS}/memory", 2**63, "invalid-value", "must be at most 9223372036854775807", ""),
    (f"{LIMITS}/cpu", "1Gi\n", "invalid-quantity", r'the text "1Gi\n"', "did you mean 1Gi?"),
    ("/metadata/name", "Pi_1", "invalid-value", "must be a name of lower-case letters", ""),
    ("/metadata/name", "pi\n", "invalid-value", r'is the text "pi\n"', ""),
    ("/metadata/namespace", "a" * 64, "invalid-value", "must have at most 63 characters", ""),
    ("/metadata/namespace", "a.b", "invalid-value", "must be a name of lower-case letters", ""),
    ("/spec/mpiImplementation", "OpenMpi", "invalid-value", 'one of "OpenMPI", "Intel", "MPICH"', 'did you mean "OpenMPI"?'),
    ("/spec/mpiImplementation", "mvapich", "invalid-value", 'is the text "mvapich"', ""),
]


@pytest.mark.parametrize(("place", "value", "code", "message", "hint"), CASES)
def test_a_mistake_is_told_at_its_place(place, value, code, message, hint) -> None:
    problem = only(job(place, value))
    assert render(problem.pointer) == place
    assert problem.code == code
    assert message in problem.message
    assert hint in problem.hint
    assert problem.on == ("key" if code == "unknown-field" else "value")


@pytest.mark.parametrize("field", [
    "imagePullPolicy", "command", "args", "env", "volumeMounts", "ports", "image", "requests", "limits",
])
def test_a_field_of_containers_beside_them_belongs_in_them(field) -> None:
    hint = only(job(f"{POD}/{field}", "x")).hint
    assert hint.startswith(f"{field} belongs in spec.mpiReplicaSpecs.Worker.template.spec.containers[]")


@pytest.mark.parametrize("field", ["nodeSelector", "tolerations", "volumes", "hostNetwork", "schedulerName",
                                   "priorityClassName", "affinity", "initContainers"])
def test_a_field_of_pods_in_a_container_belongs_beside_it(field) -> None:
    hint = only(job(f"{MAIN}/{field}", "x")).hint
    assert hint == f"{field} belongs in spec.mpiReplicaSpecs.Worker.template.spec"


def test_the_moves_of_a_kind_come_first() -> None:
    moves = {"spec.cleanPodPolicy": "it moved below runPolicy", "spec.mpiReplicaSpecs.*.replica": "say replicas"}
    assert only(job("/spec/cleanPodPolicy", "None"), moves=moves).hint == "it moved below runPolicy"
    assert only(job(f"{WORKER}/replica", 1), moves=moves).hint == "say replicas"


def test_a_missing_field_points_where_it_would_be() -> None:
    data = job()
    del data["spec"]["mpiReplicaSpecs"]
    problem = only(data)
    assert (problem.pointer, problem.code) == (("spec", "mpiReplicaSpecs"), "missing-field")
    assert problem.message == 'spec lacks the field "mpiReplicaSpecs"; it is required'
    assert problem.hint == "add mpiReplicaSpecs"


def test_a_required_field_that_is_null_is_missing() -> None:
    problem = only(job("/spec/mpiReplicaSpecs", None))
    assert (problem.pointer, problem.code) == (("spec", "mpiReplicaSpecs"), "missing-field")
    assert "spec.mpiReplicaSpecs is null, which counts as missing" in problem.message


def test_every_missing_field_is_told_once() -> None:
    problems = schema.check({"apiVersion": "kubeflow.org/v2beta1"}, JOB)
    assert [p.message for p in problems] == ['the object lacks the field "kind"; it is required',
                                             'the object lacks the field "metadata"; it is required']


def test_an_object_needs_a_name_or_a_prefix_of_one() -> None:
    problem = only(job("/metadata", {"namespace": "a"}))
    assert (problem.pointer, problem.code) == (("metadata",), "missing-field")
    assert problem.message == "metadata has neither name nor generateName; one is required"
    assert schema.check(job("/metadata", {"generateName": "pi-"}), JOB) == ()


@pytest.mark.parametrize("place", [f"{MAIN}/env", f"{MAIN}/command", "/spec/runPolicy", f"{WORKER}/template/metadata",
                                   "/metadata/creationTimestamp", "/metadata/labels/team", "/status"])
def test_a_null_member_counts_as_absent(place) -> None:
    assert schema.check(job(place, None), JOB) == ()


def test_an_unknown_field_is_an_error_although_it_is_null() -> None:
    assert only(job("/spec/zz", None)).code == "unknown-field"


@pytest.mark.parametrize(("place", "items", "words"), [
    (f"{MAIN}/env", [{"name": "A"}, None], "env[1] is null, but must be a map"),
    (f"{MAIN}/command", ["sh", None], "command[1] is null, but must be text"),
    (f"{POD}/containers", [{"name": "a"}, None], "containers[1] is null, but must be a map"),
])
def test_a_null_item_of_a_list_is_an_error(place, items, words) -> None:
    problem = only(job(place, items))
    assert (problem.code, problem.pointer) == ("null-list-item", (*parse(place), 1))
    assert words in problem.message


@pytest.mark.parametrize(("place", "items", "words"), [
    (f"{POD}/containers", [{"name": "a"}, {"name": "b"}, {"name": "a"}], 'both have name "a"'),
    (f"{MAIN}/ports", [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80, "protocol": "UDP"},
                       {"containerPort": 80}], 'both have containerPort 80, protocol "TCP"'),
    (f"{MAIN}/env", [{"name": "A"}, {"name": "B"}, {"name": "A", "value": "x"}], 'both have name "A"'),
    (f"{POD}/volumes", [{"name": "v"}, {"name": "w"}, {"name": "v", "emptyDir": {}}], 'both have name "v"'),
    (f"{POD}/imagePullSecrets", [{}, {"name": "x"}, {"name": ""}], 'both have name ""'),
    (f"{MAIN}/volumeMounts", [{"name": "a", "mountPath": "/x"}, {"name": "a", "mountPath": "/y"},
                              {"name": "b", "mountPath": "/x"}], 'both have mountPath "/x"'),
    ("/metadata/finalizers", ["a", "b", "a"], 'both have "a"'),
    (f"{MAIN}/ports", [{"containerPort": 80}, {"containerPort": 81}, {"containerPort": 80.0, "protocol": None}],
     'both have containerPort 80.0, protocol "TCP"'),
])
def test_items_of_a_keyed_list_must_differ(place, items, words) -> None:
    problem = only(job(place, items))
    assert (problem.code, problem.pointer) == ("duplicate-list-item", (*parse(place), 2))
    assert problem.message.startswith("items 0 and 2 of ")
    assert words in problem.message


@pytest.mark.parametrize(("place", "items"), [
    (f"{MAIN}/ports", [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]),
    (f"{MAIN}/args", ["a", "a"]),
    (f"{POD}/tolerations", [{"key": "a"}, {"key": "a"}]),
])
def test_lists_without_keys_may_repeat_and_keys_may_differ_in_part(place, items) -> None:
    assert schema.check(job(place, items), JOB) == ()


@pytest.mark.parametrize(("place", "value"), [
    (f"{WORKER}/replicas", 5.0), (f"{LIMITS}/cpu", 1.0), (f"{LIMITS}/cpu", "1e3"), (f"{LIMITS}/cpu", "0.5"),
    (f"{LIMITS}/nvidia.com~1gpu", 8), (f"{MAIN}/livenessProbe", {"tcpSocket": {"port": "http"}}),
    (f"{MAIN}/args", ["$HOME", "{{ x }}", "$(N)"]), ("/metadata/labels/team", "$TEAM"),
    ("/metadata/namespace", ""), (f"{LIMITS}/memory", 2**63 - 1),
])
def test_what_the_server_takes_is_taken(place, value) -> None:
    assert schema.check(job(place, value), JOB) == ()


@pytest.mark.parametrize("text", ["$WORKERS", "${WORKERS}", "${WORKERS:-2}", "$(WORKERS)", "{{ .Values.n }}", "{% n %}",
                                  "1${N}"])
def test_a_template_gets_one_note_instead_of_its_problems(text) -> None:
    data = job(f"{WORKER}/replicas", text)
    data["spec"]["zz"] = 1
    get(data, parse(POD))["containers"] = [{"name": "a"}, {"name": "a"}]
    problem = only(data)
    assert (problem.code, render(problem.pointer)) == ("templated", f"{WORKER}/replicas")
    assert text in problem.message
    assert schema.CODES["templated"].severity is Severity.NOTE


def test_the_first_templated_place_is_named() -> None:
    data = job(f"{LIMITS}/memory", "${MEMORY}")
    data["metadata"]["name"] = "pi-$USER"
    assert only(data).pointer == ("metadata", "name")


@pytest.mark.parametrize("text", ["<WORKERS>", "%WORKERS%", "template-workers", "5$", "$5"])
def test_other_texts_are_no_templates(text) -> None:
    assert only(job(f"{WORKER}/replicas", text)).code == "wrong-type"


def test_a_whole_list_may_be_a_placeholder() -> None:
    assert only(job(f"{MAIN}/command", "${COMMAND}")).code == "templated"


def test_a_templated_key_makes_a_template() -> None:
    assert only(job("/spec/${EXTRA}", None)).code == "templated"


def test_all_problems_are_told_in_order_of_their_places() -> None:
    data = job(f"{LIMITS}/cpu", 0.5)
    data["zz"] = None
    data["spec"]["mpiImplementation"] = "x"
    data["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] = "2"
    get(data, parse(MAIN))["command"] = ["x", "x", None, *("x" for _ in range(7)), None]
    assert [(render(p.pointer), p.code) for p in schema.check(data, JOB)] == [
        ("/spec/mpiImplementation", "invalid-value"),
        (f"{WORKER}/replicas", "wrong-type"),
        (f"{MAIN}/command/2", "null-list-item"),
        (f"{MAIN}/command/10", "null-list-item"),
        (f"{LIMITS}/cpu", "quantity-needs-quotes"),
        ("/zz", "unknown-field"),
    ]


@pytest.mark.parametrize(("place", "value", "mended"), [
    (f"{LIMITS}/cpu", 0.5, "0.5"), (f"{LIMITS}/memory", "1 Gi", "1Gi"), (f"{WORKER}/replicas", "4", 4),
    ("/spec/runPolicy/suspend", "false", False),
])
def test_a_safe_mend_makes_the_object_good(place, value, mended) -> None:
    edit = only(job(place, value)).edit
    assert edit == Edit(parse(place), mended)
    assert type(edit.value) is type(mended)
    assert schema.check(job(place, edit.value), JOB) == ()


@pytest.mark.parametrize(("place", "value"), [(f"{LIMITS}/memory", "1GB"), (f"{WORKER}/replicas", "four"),
                                              (f"{WORKER}/template/metadata/labels/app", 1.10)])
def test_where_it_is_not_clear_what_was_meant_there_is_no_mend(place, value) -> None:
    assert only(job(place, value)).edit is None


def test_values_are_shown_shortened_on_one_line() -> None:
    message = only(job(f"{WORKER}/replicas", "line\n" * 100)).message
    assert "\n" not in message
    assert len(message) < 150
    assert "…" in message


def test_a_group_of_volcano_has_bounds_and_a_pattern() -> None:
    group = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "pi"}}
    assert schema.check(group | {"spec": {"minMember": 0, "queue": "a.b"}}, GROUP) == ()
    assert "must be at least 0" in only(group | {"spec": {"minMember": -1}}, GROUP).message
    assert "must be a name" in only(group | {"spec": {"queue": "A"}}, GROUP).message
    assert only(group | {"spec": {"scheduleTimeoutSeconds": 1}}, GROUP).code == "unknown-field"


def test_another_kind_of_object_is_told() -> None:
    assert only(job("/kind", "PyTorchJob")).message == 'kind is the text "PyTorchJob", but must be "MPIJob"'


@pytest.mark.parametrize("data", [None, [], "x", 5, [{"a": None}]])
def test_data_that_is_no_object_is_one_problem_at_the_root(data) -> None:
    problem = only(data)
    assert (problem.pointer, problem.code) == ((), "wrong-type")


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 10**40])
def test_numbers_that_are_no_json_are_refused_not_crashed_on(value) -> None:
    assert len(schema.check(job(f"{WORKER}/replicas", value), JOB)) == 1
    assert len(schema.check(job(f"{LIMITS}/cpu", value), JOB)) == 1


def test_a_key_that_is_no_text_is_an_unknown_field() -> None:
    assert only(job("/spec", job()["spec"] | {5: 1})).code == "unknown-field"


def test_checking_changes_nothing() -> None:
    data = job(f"{MAIN}/env", None)
    data["spec"]["zz"] = {"a": None}
    before = copy.deepcopy(data)
    schema.check(data, JOB)
    assert data == before


def test_pruning_drops_null_members_at_any_depth_and_keeps_null_items() -> None:
    data = {"a": None, "b": {"c": None, "d": [None, {"e": None}, 0, ""]}, "f": False}
    assert schema.prune(data) == {"b": {"d": [None, {}, 0, ""]}, "f": False}


def test_every_code_is_explained_and_nothing_else_is_said() -> None:
    told = {problem.code for place, value, *_ in CASES for problem in schema.check(job(place, value), JOB)}
    other = {"missing-field", "null-list-item", "duplicate-list-item", "templated", "quantity-unreadable"}
    assert told | other == set(schema.CODES)
    for code in schema.CODES.values():
        summary, blank, *rest = code.text.split("\n")
        assert re.fullmatch(r"[A-Z].*\.", summary)
        assert blank == ""
        assert rest
