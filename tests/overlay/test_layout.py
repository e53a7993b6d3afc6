"""The files of an overlay, without any program."""

import itertools

import pytest
import yaml

from gangform.model.errors import InputError
from gangform.model.tree import GENERATED_LINE
from gangform.overlay.layout import lay_out

LAYOUTS = ("kustomization", "component", "rendered")


def load(text):
    return list(yaml.safe_load_all(text))


def kustomization(tree):
    (data,) = load(tree["kustomization.yaml"])
    return data


def test_a_kustomization_lists_its_source_the_groups_the_patches_and_the_references(planned, job):
    tree = lay_out([planned(job("b")), planned(job("a"))], "kustomization", source="../../base")
    assert sorted(tree) == ["a.patch.yaml", "a.podgroup.yaml", "b.patch.yaml", "b.podgroup.yaml",
                            "kustomization.yaml", "references.yaml"]
    assert kustomization(tree) == {
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
        "resources": ["../../base", "a.podgroup.yaml", "b.podgroup.yaml"],
        "patches": [{"path": "a.patch.yaml"}, {"path": "b.patch.yaml"}],
        "configurations": ["references.yaml"]}


def test_a_component_has_no_source(planned, job):
    tree = lay_out([planned(job("pi"))], "component", source="../../base")
    assert kustomization(tree) == {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component",
        "resources": ["pi.podgroup.yaml"], "patches": [{"path": "pi.patch.yaml"}],
        "configurations": ["references.yaml"]}


def test_an_operator_that_makes_the_groups_gets_marks_alone(planned, job):
    tree = lay_out([planned(job("pi"), groups="operator")], "kustomization", source="../base")
    assert kustomization(tree)["resources"] == ["../base"]
    assert sorted(tree) == ["kustomization.yaml", "pi.patch.yaml", "references.yaml"]
    assert kustomization(lay_out([planned(job("pi"), groups="operator")], "component")).keys() == {
        "apiVersion", "kind", "patches", "configurations"}


def test_rendered_holds_every_object_group_before_job(planned, job):
    others = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "Env", "namespace": "hpc"}},
              {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "hpc"}}]
    tree = lay_out([planned(job("pi", namespace="hpc"))], "rendered", others=others)
    assert sorted(tree) == ["configmap.env.yaml", "kustomization.yaml", "namespace.hpc.yaml", "pi.yaml"]
    assert [each["kind"] for each in load(tree["pi.yaml"])] == ["PodGroup", "MPIJob"]
    assert load(tree["configmap.env.yaml"]) == [others[0]]
    assert kustomization(tree)["resources"] == ["configmap.env.yaml", "namespace.hpc.yaml", "pi.yaml"]


def test_rendered_moves_a_reused_group_to_its_job_and_keeps_it_as_it_was_written(planned, job):
    data = job("pi")
    group = {**planned(data).plan.groups[0].data, "metadata": {"name": "pi", "labels": {"team": "hpc"}}}
    tree = lay_out([planned(data, existing=[group])], "rendered", others=[group])
    assert sorted(tree) == ["kustomization.yaml", "pi.yaml"]
    assert load(tree["pi.yaml"])[0] == group


def test_rendered_brings_our_own_old_group_up_to_date(planned, job):
    old = planned(job("pi", workers=7)).plan.groups[0].data
    data = job("pi", workers=2)
    (group, _) = load(lay_out([planned(data, existing=[old])], "rendered", others=[old])["pi.yaml"])
    assert group == planned(data).plan.groups[0].data


def test_a_reused_group_is_not_emitted_again(planned, job):
    data = job("pi")
    group = planned(data).plan.groups[0].data
    tree = lay_out([planned(data, existing=[group])], "kustomization", source="../base")
    assert sorted(tree) == ["kustomization.yaml", "pi.patch.yaml", "references.yaml"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_file_begins_with_the_line_that_makes_it_ours(planned, job, layout):
    tree = lay_out([planned(job("pi"))], layout, source="..")
    assert all(text.startswith(GENERATED_LINE + "\n") for text in tree.values())
    assert all(text.endswith("\n") and "\r" not in text for text in tree.values())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_order_of_jobs_and_objects_leaves_no_trace(planned, job, layout):
    jobs = [planned(job("pi", namespace=namespace), "volcano", queue="q") for namespace in ("b", "a", "")]
    others = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}} for name in "xyz"]
    trees = [lay_out(order, layout, source="../base", others=other)
             for order, other in zip(itertools.permutations(jobs), itertools.permutations(others), strict=True)]
    assert all(list(tree.items()) == list(trees[0].items()) for tree in trees)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_name_in_two_namespaces_gives_files_for_both(planned, job, layout):
    tree = lay_out([planned(job("pi", namespace="a")), planned(job("pi", namespace="b"))], layout, source="..")
    assert {name.split(".")[0] for name in tree if ".pi." in name} == {"a", "b"}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["kustomization", "references", "../../evil", "PI", "con"])
def test_no_name_of_a_job_reaches_another_file(planned, job, layout, name):
    tree = lay_out([planned(job(name)), planned(job("pi"))], layout, source="..")
    assert kustomization(tree)["apiVersion"].startswith("kustomize.config.k8s.io/")
    assert len({file.lower() for file in tree}) == {"rendered": 3}.get(layout, 6)
    assert all("/" not in file and not file.startswith(".") for file in tree)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_object_that_is_there_twice_is_refused(planned, job, layout):
    with pytest.raises(InputError, match="MPIJob pi in namespace a is in the source 2 times"):
        lay_out([planned(job("pi", namespace="a")), planned(job("pi", namespace="a", suspend=True))], layout)


def test_rendered_refuses_another_object_that_is_there_twice(planned, job):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}}
    with pytest.raises(InputError, match="Secret key is in the source 2 times"):
        lay_out([planned(job("pi"))], "rendered", others=[secret, dict(secret)])


def test_rendered_refuses_a_job_that_is_also_among_the_others(planned, job):
    with pytest.raises(InputError, match="MPIJob pi is in the source 2 times"):
        lay_out([planned(job("pi"))], "rendered", others=[job("pi")])


def test_without_jobs_only_the_source_is_left(planned):
    assert kustomization(lay_out([], "kustomization", source="../base")).keys() == {"apiVersion", "kind", "resources"}
