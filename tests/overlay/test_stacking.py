"""Overlays stacked on ours by the real kustomize: whatever renames a group renames what names it."""

import pytest
import yaml

from gangform.overlay.layout import lay_out

pytestmark = pytest.mark.tools

TOP = {
    "top/kustomization.yaml": "namePrefix: dev-\nnameSuffix: -v2\nnamespace: hpc\nresources: [../over]\n",
    "tip/kustomization.yaml": "namePrefix: z-\nresources: [../top]\n",
}
MAKERS = [(backend, makers) for backend in ("coscheduling", "volcano") for makers in ("git", "operator")]
HOLDERS = {"coscheduling": ("labels", "scheduling.x-k8s.io/pod-group"),
           "volcano": ("annotations", "scheduling.k8s.io/group-name")}


def marks(built, backend):
    """The group that each template names, by (namespace, job)."""
    holder, key = HOLDERS[backend]
    return {(data["metadata"].get("namespace", ""), data["metadata"]["name"]):
            [role["template"]["metadata"][holder][key] for role in data["spec"]["mpiReplicaSpecs"].values()]
            for data in built if data["kind"] == "MPIJob"}


def groups(built):
    return {(data["metadata"].get("namespace", ""), data["metadata"]["name"]): data
            for data in built if data["kind"] == "PodGroup"}


@pytest.mark.parametrize(("backend", "makers"), MAKERS)
def test_marks_follow_every_layer_of_renames(planned, job, build, placed, base, backend, makers):
    jobs = [planned(job(name), backend, makers) for name in ("pi", "resnet", "1e3")]
    files = base(*(each.data for each in jobs)) | placed("over", lay_out(jobs, "kustomization", source="../base")) | TOP
    names = {("hpc", f"z-dev-{name}-v2"): [f"z-dev-{name}-v2"] * 2 for name in ("pi", "resnet", "1e3")}
    built = build(files, "tip")
    assert marks(built, backend) == names
    assert groups(built).keys() == (names.keys() if makers == "git" else set())


@pytest.mark.parametrize("backend", HOLDERS)
def test_one_name_in_two_namespaces_is_renamed_in_both(planned, job, build, placed, base, backend):
    jobs = [planned(job("pi", namespace=namespace), backend) for namespace in ("a", "b")]
    files = base(*(each.data for each in jobs)) | placed("over", lay_out(jobs, "kustomization", source="../base"))
    built = build(files | {"top/kustomization.yaml": "namePrefix: dev-\nresources: [../over]\n"}, "top")
    assert marks(built, backend) == {("a", "dev-pi"): ["dev-pi"] * 2, ("b", "dev-pi"): ["dev-pi"] * 2}
    assert groups(built).keys() == {("a", "dev-pi"), ("b", "dev-pi")}


def test_the_label_that_makes_a_group_ours_follows_its_job(planned, job, build, placed, base):
    jobs = [planned(job("pi"))]
    built = build(base(jobs[0].data) | placed("over", lay_out(jobs, "kustomization", source="../base")) | TOP, "tip")
    (group,) = groups(built).values()
    assert group["metadata"]["labels"]["gangform.dev/job"] == "z-dev-pi-v2"
    (data,) = [data for data in built if data["kind"] == "MPIJob"]
    assert planned(data, existing=[group]).adoption.reused


def test_a_hand_written_group_that_is_reused_is_renamed_with_the_marks(planned, job, build, placed, base):
    data = job("pi")
    group = {**planned(data).plan.groups[0].data, "metadata": {"name": "pi"}}
    each = planned(data, existing=[group])
    files = base(data, group) | placed("over", lay_out([each], "kustomization", source="../base")) | TOP
    built = build(files, "tip")
    assert marks(built, "coscheduling") == {("hpc", "z-dev-pi-v2"): ["z-dev-pi-v2"] * 2}
    assert groups(built).keys() == {("hpc", "z-dev-pi-v2")}


def test_our_own_old_group_in_the_source_is_patched_to_what_is_planned(planned, job, build, placed, base):
    old = planned(job("pi", workers=7), timeout=30, labels={"team": "hpc"}).plan.groups[0].data
    each = planned(job("pi", workers=2), existing=[old])
    files = base(each.data, old) | placed("over", lay_out([each], "kustomization", source="../base"))
    (group,) = groups(build(files, "over")).values()
    assert group["spec"] == each.plan.groups[0].data["spec"]
    assert group["metadata"]["labels"] == {"team": "hpc", **each.plan.groups[0].data["metadata"]["labels"]}
    assert groups(build(TOP, "tip")).keys() == {("hpc", "z-dev-pi-v2")}


@pytest.mark.parametrize(("backend", "makers"), MAKERS)
def test_a_component_goes_into_a_teams_own_overlay(planned, job, build, placed, base, backend, makers):
    replicas = {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "pi"},
                "spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 8}}}}
    team = {"resources": ["../base"], "components": ["gang"], "patches": [{"path": "replicas.yaml"}],
            "images": [{"name": "mpi", "newTag": "v7"}]}
    renames = {"namePrefix": "dev-", "nameSuffix": "-v2", "namespace": "hpc"}
    files = base(job("pi"), job("resnet")) | {"team/replicas.yaml": yaml.safe_dump(replicas)}

    # What a component meets: the overlay's patches are in, its own renames come later.
    before = {key: value for key, value in team.items() if key != "components"}
    source = build(files | {"team/kustomization.yaml": yaml.safe_dump(before)}, "team")
    jobs = [planned(data, backend, makers) for data in source]
    files = {"team/kustomization.yaml": yaml.safe_dump(team | renames),
             **placed("team/gang", lay_out(jobs, "component")),
             "tip/kustomization.yaml": "namePrefix: z-\nresources: [../team]\n"}

    for folder, names in (("team", ("dev-pi-v2", "dev-resnet-v2")), ("tip", ("z-dev-pi-v2", "z-dev-resnet-v2"))):
        built = build(files, folder)
        assert marks(built, backend) == {("hpc", name): [name] * 2 for name in names}
        expected = dict(zip(names, (9, 3), strict=True)) if makers == "git" else {}
        assert {name: data["spec"]["minMember"] for (_, name), data in groups(built).items()} == expected
        assert str(built).count("mpi:v7") == 4


@pytest.mark.parametrize("backend", HOLDERS)
def test_rendered_manifests_are_what_the_kustomization_builds(planned, job, build, placed, base, backend):
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "env"}, "data": {"a": "y"}}
    reused, old = job("reused"), planned(job("old", workers=9), backend).plan.groups[0].data
    group = {**planned(reused, backend).plan.groups[0].data, "metadata": {"name": "reused", "labels": {"a": "b"}}}
    others = [other, group, {**old, "metadata": {**old["metadata"], "annotations": {"by": "hand"}}}]
    jobs = [planned(data, backend, existing=others) for data in (reused, job("old"), job("new", namespace="n"))]
    source = base(*others, *(each.data for each in jobs))
    over = placed("over", lay_out(jobs, "kustomization", source="../base"))
    rendered = placed("rendered", lay_out(jobs, "rendered", others=others))
    built = build(source | over, "over")
    assert len(built) == 7
    assert sorted(build(rendered, "rendered"), key=str) == sorted(built, key=str)


def test_two_overlays_of_ours_in_one_build_agree_on_their_references(planned, job, build, placed, base):
    jobs = {name: [planned(job(name))] for name in ("pi", "resnet")}
    files = base(job("pi"), job("resnet"))
    for name, alone in jobs.items():
        files |= placed(f"team/{name}", lay_out(alone, "component"))
    files["team/kustomization.yaml"] = "namePrefix: dev-\nresources: [../base]\ncomponents: [pi, resnet]\n"
    assert marks(build(files, "team"), "coscheduling") == {
        ("", "dev-pi"): ["dev-pi"] * 2, ("", "dev-resnet"): ["dev-resnet"] * 2}
