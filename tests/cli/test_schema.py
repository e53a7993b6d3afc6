"""Schemas on stdout."""

import json

import pytest


@pytest.mark.parametrize(("kind", "title"), [
    ("MPIJob", "kubeflow.org/mpijob_v2beta1"), ("mpijob", "kubeflow.org/mpijob_v2beta1"),
    ("kubeflow.org/mpijob_v2beta1", "kubeflow.org/mpijob_v2beta1"),
    ("podgroup.scheduling.volcano.sh", "scheduling.volcano.sh/podgroup_v1beta1"),
    ("PodGroup.v1alpha1.scheduling.x-k8s.io", "scheduling.x-k8s.io/podgroup_v1alpha1"),
    ("settings", "gangform.dev/settings_v1"),
])
def test_a_kind_is_found_by_any_of_its_names(run, repository, kind: str, title: str) -> None:
    done = run("schema", kind)
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads((repository / f"schemas/{title}.json").read_text())


def test_without_a_kind_the_names_are_listed(run) -> None:
    assert "kubeflow.org/mpijob_v2beta1" in run("schema").stdout.splitlines()


def test_a_kind_of_two_groups_lists_both(run) -> None:
    done = run("schema", "podgroup")
    assert (done.returncode, done.stdout) == (2, "")
    assert "write one of: scheduling.volcano.sh/podgroup_v1beta1, scheduling.x-k8s.io/podgroup_v1alpha1" in done.stderr


def test_an_unknown_kind_lists_the_known_ones(run) -> None:
    done = run("schema", "pod")
    assert done.returncode == 2
    assert "kubeflow.org/mpijob_v2beta1" in done.stderr


def test_the_location_goes_without_a_kind(run) -> None:
    assert run("schema", "--location", "mpijob").returncode == 2
    assert "{{.Group}}" in run("schema", "--location").stdout


def test_every_property_of_the_settings_explains_itself_to_editors(repository) -> None:
    schema = json.loads((repository / "schemas/gangform.dev/settings_v1.json").read_text())
    silent = [name for part in (schema, *schema["definitions"].values())
              for name, property_ in part.get("properties", {}).items()
              if "description" not in property_ and "$ref" not in property_]
    assert silent == []
