"""Schemas are found, and only loaded when they are used."""

import json
import subprocess
import sys

import pytest

from gangform import schema
from gangform.model.errors import InputError

JOB = "kubeflow.org/mpijob_v2beta1"


def test_names_are_sorted_and_each_text_is_json() -> None:
    assert list(schema.names()) == sorted(schema.names())
    assert JOB in schema.names()
    assert "gangform.dev/settings_v1" in schema.names()
    for name in schema.names():
        assert json.loads(schema.text(name)) == schema.load(name)


@pytest.mark.parametrize(("api_version", "kind", "name"), [
    ("kubeflow.org/v2beta1", "MPIJob", JOB),
    ("scheduling.x-k8s.io/v1alpha1", "PodGroup", "scheduling.x-k8s.io/podgroup_v1alpha1"),
    ("scheduling.volcano.sh/v1beta1", "PodGroup", "scheduling.volcano.sh/podgroup_v1beta1"),
    ("scheduling.volcano.sh/v1beta1", "Queue", "scheduling.volcano.sh/queue_v1beta1"),
    ("kubeflow.org/v2beta1", "mpijob", None),
    ("kubeflow.org/v1", "MPIJob", None),
    ("gangform.dev/v1", "Settings", None),
    ("v1", "Pod", None),
    ("", "", None),
    ("../x", "..", None),
])
def test_an_object_finds_its_schema_by_api_version_and_kind(api_version, kind, name) -> None:
    assert schema.name_of(api_version, kind) == name


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no schema is called \.\./README") as raised:
        schema.text("../README")
    assert JOB in raised.value.hint


def test_the_location_is_the_folder_as_kubeconform_takes_it() -> None:
    template = "{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"
    assert schema.location() == f"{schema.root()}/{template}"


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


GOOD = "{'apiVersion': 'kubeflow.org/v2beta1', 'kind': 'MPIJob', 'metadata': {'name': 'a'}, 'spec': {'mpiReplicaSpecs': {}}}"


@pytest.mark.parametrize(("code", "absent"), [
    ("import gangform.schema", "jsonschema jsonschema_rs json pathlib"),
    (f"import gangform.schema as s; assert s.check({GOOD}, {JOB!r}) == ()", "jsonschema difflib"),
])
def test_engines_are_imported_only_when_needed(code, absent) -> None:
    found = run(f"import sys; {code}; print(*(name for name in {absent.split()!r} if name in sys.modules))")
    assert found.split() == []


def test_without_the_quick_engine_the_other_one_does_both() -> None:
    code = ("import sys; sys.modules['jsonschema_rs'] = None; import gangform.schema as s; "
            f"print(s.check({GOOD}, {JOB!r})); print(*(p.code for p in s.check({GOOD} | {{'spce': 1}}, {JOB!r})))")
    assert run(code).splitlines() == ["()", "unknown-field"]
