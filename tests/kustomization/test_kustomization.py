"""What a kustomization says, as data."""

import pytest

from gangform import kustomization

TYPE = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"resources": ["a.yaml", "../base"]}, True),
        ({**TYPE, "metadata": {"name": "x"}, "resources": []}, True),
        ({"resources": None}, True),
        ({}, True),
        ({"resources": ["a.yaml"], "namePrefix": "x-"}, False),
        ({"resources": ["a.yaml"], "components": []}, False),
        ({"bases": ["../base"]}, False),
        ({"kind": "Component", "resources": ["a.yaml"]}, False),
        ({"resources": ["https://example.com/a.yaml"]}, False),
        ({"resources": ["github.com/a/b?ref=v1"]}, False),
        ({"resources": ["git@example.com:a/b"]}, False),
        ({"resources": ["a.yaml", 1]}, False),
        ({"resources": "a.yaml"}, False),
    ],
)
def test_only_plain_lists_of_local_resources_need_no_program(data, expected):
    assert kustomization.resources_only(data) is expected


def test_patches_come_in_the_order_in_which_they_are_applied_with_place_and_target():
    data = {
        "patchesJson6902": [{"target": {"kind": "MPIJob", "name": "pi"}, "path": "ops.yaml"}],
        "patches": [{"path": "one.yaml"}, {"patch": "a: 1", "target": {"kind": "Pod"}}, {"path": "one.yaml"}],
        "patchesStrategicMerge": ["old.yaml", "a: 1\nb: 2\n"],
    }
    assert list(kustomization.patches(data)) == [
        (("patchesStrategicMerge", 0), "old.yaml", None, "", ""),
        (("patchesStrategicMerge", 1), "", "a: 1\nb: 2\n", "", ""),
        (("patches", 0, "path"), "one.yaml", None, "", ""),
        (("patches", 1, "patch"), "", "a: 1", "Pod", ""),
        (("patches", 2, "path"), "one.yaml", None, "", ""),
        (("patchesJson6902", 0, "path"), "ops.yaml", None, "MPIJob", "pi"),
    ]
    assert kustomization.patch_files(data) == ("old.yaml", "one.yaml", "ops.yaml")


@pytest.mark.parametrize("value", [None, "text", 1, {"a": 1}, [None, 1, [], {"path": 1}, {"path": None}, {"target": 1}]])
def test_parts_of_another_shape_are_left_to_kustomize(value):
    fields = ("resources", "bases", "components", "patches", "patchesJson6902", "patchesStrategicMerge")
    data = dict.fromkeys(fields, value)
    assert kustomization.patch_files(data) == ()
    assert kustomization.bases(data) == ()
    assert kustomization.without_components(data, ["gang"])["resources"] == value
    assert kustomization.levels_above(data) == 0


def test_bases_are_all_that_may_be_another_kustomization():
    data = {"components": ["c"], "bases": ["b"], "resources": ["a"]}
    assert kustomization.bases(data) == ("a", "b", "c")
    assert kustomization.resources(data) == ("a", "b")
    assert kustomization.components(data) == ("c",)


@pytest.mark.parametrize("entry", ["gang", "./gang", "gang/", "x/../gang"])
def test_a_component_is_left_out_however_it_is_spelt(entry):
    data = {"components": ["../other", entry], "resources": ["a.yaml"]}
    assert kustomization.without_components(data, ["gang"]) == {"components": ["../other"], "resources": ["a.yaml"]}
    assert data["components"] == ["../other", entry]


def test_the_field_goes_with_the_last_component_and_stays_without_one():
    assert kustomization.without_components({"components": ["gang"], "a": 1}, ["gang"]) == {"a": 1}
    assert kustomization.without_components({"a": 1}, ["gang"]) == {"a": 1}


def test_origins_are_asked_for_once_and_beside_what_was_asked():
    assert kustomization.with_origins({}) == {"buildMetadata": ["originAnnotations"]}
    asked = {"buildMetadata": ["managedByLabel", "originAnnotations"]}
    assert kustomization.with_origins(asked) == asked


@pytest.mark.parametrize(
    ("data", "levels"),
    [
        ({"resources": ["a.yaml", "sub/b.yaml"]}, 0),
        ({"resources": ["../../base"], "components": ["../c"]}, 2),
        ({"patches": [{"path": "sub/../../../p.yaml"}]}, 2),
        ({"configMapGenerator": [{"files": ["name=../../../x.txt", "../y"]}]}, 3),
        ({"patches": [{"patch": "a: ../x"}]}, 0),
    ],
)
def test_levels_above_is_how_far_paths_reach_up(data, levels):
    assert kustomization.levels_above(data) == levels


def built(origin: str | None, **annotations: str) -> dict:
    given = annotations | ({kustomization.ORIGIN_ANNOTATION: origin} if origin is not None else {})
    return {"kind": "X", "metadata": {"annotations": given, "name": "x"}}


@pytest.mark.parametrize(
    ("origin", "folder", "expected"),
    [
        ("path: ../../base/job.yaml\n", "overlays/dev", "base/job.yaml"),
        ("path: job.yaml\n", "overlays/dev", "overlays/dev/job.yaml"),
        ("path: ../gangform-source/job.yaml\n", ".", "job.yaml"),
        ("path: ../gangform-source/sub/job.yaml\n", "../x", "../x/sub/job.yaml"),
        ("path: ..\\base\\job.yaml\n", "dev", "base/job.yaml"),
        ("path: 'a: b.yaml'\n", "dev", "dev/a: b.yaml"),
        ("path: x.yaml\nrepo: https://example.com/a\n", "dev", None),
        ("configuredIn: kustomization.yaml\nconfiguredBy:\n  kind: ConfigMapGenerator\n", "dev", None),
        ("path: [x]\n", "dev", None),
        ("", "dev", None),
        ("path: {{", "dev", None),
        (None, "dev", None),
    ],
)
def test_origins_are_relative_to_what_the_folder_is_relative_to(origin, folder, expected):
    assert kustomization.take_origin(built(origin), folder)[0] == expected


def test_taking_the_origin_leaves_what_was_there_without_it():
    data = built("path: x.yaml\n", a="1")
    assert kustomization.take_origin(data, ".")[1] == {"kind": "X", "metadata": {"annotations": {"a": "1"}, "name": "x"}}
    assert kustomization.ORIGIN_ANNOTATION in data["metadata"]["annotations"]
    assert kustomization.take_origin(built("path: x.yaml\n"), ".")[1] == {"kind": "X", "metadata": {"name": "x"}}
    assert kustomization.take_origin(built(None), ".")[1] == built(None)
    for odd in ({}, {"metadata": None}, {"metadata": {"annotations": None}}, {"metadata": {"annotations": []}}):
        assert kustomization.take_origin(odd, ".") == (None, odd)
