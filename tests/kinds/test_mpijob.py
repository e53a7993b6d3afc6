import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from faulty_jobs import FAULTS, REPLICAS, SOUND, edited
from gangform.kinds import mpijob
from gangform.model.finding import Severity
from gangform.model.pointer import get, parse
from gangform.model.workload import Ref

# Reading


def test_reads_identity_labels_and_roles_with_the_launcher_first():
    workload = mpijob.read(SOUND)
    assert workload.ref == Ref("kubeflow.org/v2beta1", "MPIJob", "lab", "pi")
    assert (workload.labels, workload.annotations) == ({"team": "hpc"}, {"note": "x"})
    assert [(role.name, role.replicas) for role in workload.roles] == [("Launcher", 1), ("Worker", 4)]
    assert (workload.pods, workload.together, workload.suspended) == (5, ("Launcher", "Worker"), False)
    assert workload.roles[0].labels == {"app": "pi"}
    assert workload.roles[1].spec["containers"][0]["image"] == "mpi"


def test_the_launcher_comes_first_whatever_the_order_in_the_file():
    data = edited()
    specs = data["spec"]["mpiReplicaSpecs"]
    data["spec"]["mpiReplicaSpecs"] = dict(reversed(specs.items()))
    assert mpijob.read(data) == mpijob.read(SOUND)


@pytest.mark.parametrize("name", ["Launcher", "Worker"])
def test_places_of_marks_lie_in_the_roles_template(name):
    role = next(role for role in mpijob.read(SOUND).roles if role.name == name)
    template = parse(f"{REPLICAS}/{name}/template")
    assert role.template_at == template
    assert role.replicas_at == parse(f"{REPLICAS}/{name}/replicas")
    assert role.places == ((*template, "metadata", "labels"), (*template, "metadata", "annotations"),
                           (*template, "spec", "schedulerName"))


@pytest.mark.parametrize(("changes", "replicas"), [
    ({f"{REPLICAS}/Launcher/replicas": 1}, [1, 4]),
    ({f"{REPLICAS}/Worker/replicas": None}, [1, 0]),
    ({f"{REPLICAS}/Worker/replicas": 3.0}, [1, 3]),
    ({f"{REPLICAS}/Worker": None}, [1]),
    ({f"{REPLICAS}/Launcher": None}, [4]),
    ({f"{REPLICAS}/Helper": {"replicas": 9}}, [1, 4]),
    ({f"{REPLICAS}/Launcher": {}, f"{REPLICAS}/Worker": {}}, [1, 0]),
])
def test_replicas_default_as_in_the_operator(changes, replicas):
    found = [role.replicas for role in mpijob.read(edited(**changes)).roles]
    assert found == replicas
    assert all(isinstance(number, int) for number in found)


@pytest.mark.parametrize(("changes", "together"), [
    ({}, ("Launcher", "Worker")),
    ({"/spec/launcherCreationPolicy": "AtStartup"}, ("Launcher", "Worker")),
    ({"/spec/launcherCreationPolicy": "waitForWorkersReady"}, ("Launcher", "Worker")),
    ({"/spec/launcherCreationPolicy": "WaitForWorkersReady"}, ("Worker",)),
    ({"/spec/launcherCreationPolicy": "WaitForWorkersReady", f"{REPLICAS}/Worker": None}, ("Launcher",)),
    ({"/spec/launcherCreationPolicy": "WaitForWorkersReady", f"{REPLICAS}/Worker/replicas": 0},
     ("Launcher", "Worker")),
])
def test_a_launcher_that_waits_for_ready_workers_is_not_together_with_them(changes, together):
    assert mpijob.read(edited(**changes)).together == together


@pytest.mark.parametrize(("suspend", "suspended"), [(True, True), (False, False)])
def test_reads_whether_the_job_is_suspended(suspend, suspended):
    assert mpijob.read(edited(**{"/spec/runPolicy/suspend": suspend})).suspended is suspended


def test_reads_the_policy_and_where_each_value_stands():
    policy = mpijob.read(edited(**{"/spec/runPolicy/schedulingPolicy": {
        "minAvailable": 3, "queue": "research", "priorityClass": "high", "scheduleTimeoutSeconds": 60,
        "minResources": {"cpu": 4}}})).policy
    assert policy[:5] == (3, "research", "high", {"cpu": 4}, 60)
    at = "/spec/runPolicy/schedulingPolicy"
    assert policy.places == {
        "min_available": parse(f"{at}/minAvailable"), "queue": parse(f"{at}/queue"),
        "priority_class": parse(f"{at}/priorityClass"), "min_resources": parse(f"{at}/minResources"),
        "timeout_seconds": parse(f"{at}/scheduleTimeoutSeconds")}


def test_zero_and_an_empty_map_are_said_but_an_empty_text_is_not():
    policy = mpijob.read(edited(**{"/spec/runPolicy/schedulingPolicy": {
        "minAvailable": 0, "queue": "", "priorityClass": "", "minResources": {}}})).policy
    assert policy[:5] == (0, None, None, {}, None)
    assert set(policy.places) == {"min_available", "min_resources"}


QUEUE = "scheduling.volcano.sh/queue-name"


@pytest.mark.parametrize(("policy", "queue", "place"), [
    ({"queue": "research"}, "research", ("spec", "runPolicy", "schedulingPolicy", "queue")),
    ({}, "lab", ("metadata", "annotations", QUEUE)),
    ({"queue": ""}, "lab", ("metadata", "annotations", QUEUE)),
])
def test_the_queue_annotation_counts_where_the_policy_names_none(policy, queue, place):
    data = edited(**{"/spec/runPolicy/schedulingPolicy": policy})
    data["metadata"]["annotations"][QUEUE] = "lab"
    found = mpijob.read(data).policy
    assert (found.queue, found.places["queue"]) == (queue, place)


replica_specs = st.fixed_dictionaries({}, optional={
    "replicas": st.integers(-2, 9), "restartPolicy": st.sampled_from(["Never", "", "Always"]),
    "template": st.fixed_dictionaries({}, optional={
        "metadata": st.fixed_dictionaries({}, optional={"labels": st.just({}), "annotations": st.just({"a": "b"})}),
        "spec": st.fixed_dictionaries({"containers": st.lists(st.just({"name": "main"}), max_size=2)}),
    }),
})


@given(st.fixed_dictionaries({
    "metadata": st.fixed_dictionaries({}, optional={
        "name": st.text(), "namespace": st.text(), "annotations": st.just({QUEUE: "q"})}),
    "spec": st.fixed_dictionaries({"mpiReplicaSpecs": st.dictionaries(
        st.sampled_from(["Launcher", "Worker", "worker", "Master"]), replica_specs)}, optional={
        "launcherCreationPolicy": st.sampled_from(["", "AtStartup", "WaitForWorkersReady"]),
        "runPolicy": st.fixed_dictionaries({}, optional={
            "schedulingPolicy": st.fixed_dictionaries({}, optional={
                "minAvailable": st.integers(-2, 9), "minResources": st.just({"cpu": "1"})}),
            "cleanPodPolicy": st.text(max_size=3), "backoffLimit": st.integers(-2, 2)}),
    }),
}))
def test_reading_and_checking_are_total_and_point_into_the_job(data):
    workload = mpijob.read(data)
    assert set(workload.together) <= {role.name for role in workload.roles}
    for place in workload.policy.places.values():
        assert get(data, place) is not None
    for problem in mpijob.check(data):
        assert problem.code in mpijob.CODES
        assert problem.message
        assert problem.hint


# What the operator refuses


def test_a_sound_job_has_no_fault():
    assert list(mpijob.check(SOUND)) == []


@pytest.mark.parametrize(("changes", "code", "pointer", "words"), FAULTS)
def test_tells_what_the_operator_refuses_where_it_stands(changes, code, pointer, words):
    problem, = mpijob.check(edited(**changes))
    assert (problem.code, problem.pointer) == (code, parse(pointer))
    assert words in problem.message
    assert problem.hint


def test_every_code_has_a_fault_that_shows_it_and_an_explanation():
    assert {code for _, code, _, _ in FAULTS} == set(mpijob.CODES)
    for code in mpijob.CODES.values():
        summary, _, rest = code.text.partition("\n\n")
        assert code.severity is Severity.ERROR
        assert "\n" not in summary
        assert "Mend: " in rest


@pytest.mark.parametrize("changes", [
    {"/metadata/name": "a" * 54},
    {"/metadata/name": "a" * 53, f"{REPLICAS}/Worker/replicas": 100},
    {"/metadata/name": None},
    {f"{REPLICAS}/Worker": None},
    {f"{REPLICAS}/Worker/restartPolicy": ""},
    {f"{REPLICAS}/Launcher/restartPolicy": "OnFailure", f"{REPLICAS}/Launcher/replicas": 1.0},
    {"/spec/runPolicy/cleanPodPolicy": None},
    {"/spec/runPolicy/managedBy": "kueue.x-k8s.io/multikueue"},
    {"/spec/slotsPerWorker": 0, "/spec/runPolicy/backoffLimit": 0, "/spec/runPolicy/ttlSecondsAfterFinished": 0},
    {"/spec/launcherCreationPolicy": "Whatever"},
])
def test_tells_nothing_of_what_the_operator_accepts(changes):
    assert list(mpijob.check(edited(**changes))) == []


def test_all_faults_are_told_at_once():
    found = [problem.code for problem in mpijob.check(edited(**{
        "/metadata/name": "2" * 70, f"{REPLICAS}/Launcher/replicas": 2, f"{REPLICAS}/Worker/replicas": 0,
        "/spec/runPolicy/cleanPodPolicy": "Never", "/spec/slotsPerWorker": -1}))]
    assert found == ["job-name-invalid", "job-name-too-long", "launcher-replicas", "worker-replicas",
                     "clean-pod-policy", "negative-number"]


@pytest.mark.parametrize(("name", "hint"), [("launcher", "did you mean Launcher?"), ("Workers", "did you mean Worker?"), ("PS", "rename")])
def test_a_misspelt_replica_type_is_told_its_right_name(name, hint):
    problem, = mpijob.check(edited(**{f"{REPLICAS}/{name}": {}}))
    assert hint in problem.hint


def test_a_value_in_the_wrong_case_is_told_the_right_one():
    problem, = mpijob.check(edited(**{"/spec/runPolicy/cleanPodPolicy": "running"}))
    assert problem.hint == "write Running"


# Tables


@pytest.mark.parametrize("version", ["v1", "v1alpha1", "v1alpha2"])
def test_older_apis_are_told_to_move(version):
    assert "move it to kubeflow.org/v2beta1" in mpijob.LEGACY[f"kubeflow.org/{version}"]


def properties(crd):
    version, = crd["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]


def schema_at(schema, tokens):
    for token in tokens:
        schema = schema.get("additionalProperties") if token == "*" else (schema.get("properties") or {}).get(token)
        if not isinstance(schema, dict):
            return None
    return schema


def test_moves_start_at_fields_that_the_api_lacks_and_stand_below_ones_it_has(shared):
    schema = properties(yaml.safe_load((shared / "crds/kubeflow.org_mpijobs.yaml").read_text()))
    for path in (*mpijob.MOVES, *mpijob.HOMES):
        *parents, field = path.split(".")
        assert field not in schema_at(schema, parents)["properties"], path


def test_a_field_that_is_moved_goes_to_one_that_the_api_has(shared):
    schema = properties(yaml.safe_load((shared / "crds/kubeflow.org_mpijobs.yaml").read_text()))
    for home in mpijob.HOMES.values():
        assert schema_at(schema, ["*" if step in ("Launcher", "Worker") else step for step in home.split(".")]) is not None, home
    assert not mpijob.HOMES.keys() & mpijob.MOVES.keys()


def test_the_policy_is_read_from_fields_that_the_api_has(shared):
    schema = properties(yaml.safe_load((shared / "crds/kubeflow.org_mpijobs.yaml").read_text()))
    known = schema_at(schema, ["spec", "runPolicy", "schedulingPolicy"])["properties"]
    policy = mpijob.read(edited(**{"/spec/runPolicy/schedulingPolicy": dict.fromkeys(known, 1)})).policy
    assert {place[-1] for place in policy.places.values()} == set(known)


# Real manifests


def pruned(data):
    """Explicit nulls left out, as the API server does before it validates."""
    if isinstance(data, dict):
        return {key: pruned(value) for key, value in data.items() if value is not None}
    return [pruned(item) for item in data] if isinstance(data, list) else data


@pytest.fixture(scope="module")
def real_jobs(shared):
    """The jobs of the corpus whose values fit the published CRD, with their files."""
    crd = Draft202012Validator(properties(yaml.safe_load((shared / "crds/kubeflow.org_mpijobs.yaml").read_text())))
    found = []
    for path in sorted((shared / "corpus").glob("*.yaml")):
        documents = [pruned(data) for data in yaml.safe_load_all(path.read_text()) if isinstance(data, dict)]
        found += [(path.name, data) for data in documents
                  if (data.get("apiVersion"), data.get("kind")) == mpijob.API and crd.is_valid(data)]
    assert len(found) > 30
    return found


def test_real_jobs_are_read_with_their_launcher_and_workers(real_jobs):
    for name, data in real_jobs:
        specs = get(data, ("spec", "mpiReplicaSpecs"), {})
        roles = [(role.name, role.replicas) for role in mpijob.read(data).roles]
        expected = [(kind, specs[kind].get("replicas", 1)) for kind in ("Launcher", "Worker") if kind in specs]
        assert roles == expected, name


def test_real_jobs_are_sound_but_for_the_one_without_a_spec(real_jobs):
    faults = [(name, problem.code) for name, data in real_jobs for problem in mpijob.check(data)]
    assert faults == [("kubernetes-sigs__kueue__workload-priority-mpijob.yaml", "launcher-missing")]


def test_pods_and_progress_are_told_as_the_operator_writes_them():
    assert mpijob.PODS.labels == tuple(f"training.kubeflow.org/{name}" for name in ("operator-name", "job-name", "job-role"))
    assert set(mpijob.PODS.labels) <= mpijob.read({"metadata": {"name": "pi"}}).added_labels
    assert set(mpijob.PODS.roles.values()) == {"Launcher", "Worker"}
    assert mpijob.PROGRESS == ("Created", "Suspended", "Succeeded", "Failed")
