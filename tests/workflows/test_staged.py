"""The files of a commit: what is of other programs is passed over, and a gang is judged with the files beside it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gangform.settings import Settings
from gangform.workflows import staged
from gangform.workflows.outcome import Outcome
from repository import fill, job, quiet, told
from repository import look as walk

LABEL = "scheduling.x-k8s.io/pod-group"
LISTING = "resources: [pi.yaml, group.yaml, other.yaml]\n"


def look(*paths: str) -> Outcome:
    return staged.validate(paths, Settings(), None, progress=quiet)


def group(members: int, name: str = "pi") -> str:
    return (f"apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata:\n  name: {name}\n"
            f"spec:\n  minMember: {members}\n")


def marked(name: str = "pi", group: str = "pi") -> str:
    return job(name).replace("        spec:\n", (
        f"        metadata: {{labels: {{{LABEL}: {group}}}}}\n"
        "        spec:\n          schedulerName: scheduler-plugins-scheduler\n"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[dict[str, str]], Path]]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return lambda files: fill(tmp_path, files)


FOREIGN = {
    "values": "replicaCount: 3\nimage: {tag: x}\n",
    "list": "- hosts: all\n  tasks:\n  - name: runs an MPIJob\n",
    "list-of-definitions": "- k8s:\n    definition:\n      kind: MPIJob\n",
    "workflow": "on: push # MPIJob\njobs:\n  a:\n    runs-on: x\n    runs-on: y\n",
    "broken": "a: b: c\n",
    "helm": "{{- if .Values.on }}\nkind: MPIJob\n{{- end }}\n",
    "helm-values": job().replace("replicas: 4", "replicas: {{ .Values.workers }}"),
    "jinja": "{% for x in y %}\nkind: MPIJob\n{% endfor %}\n",
    "tabs": "a:\n\tb: c\n",
    "empty": "",
    "vault": "$ANSIBLE_VAULT;1.1;AES256\n6162\n",
    "sops": "apiVersion: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\nkind: ENC[AES256_GCM,data:a,type:str]\n"
            "sops:\n    mac: ENC[AES256_GCM,data:a,type:str]\n    version: 3.9.0\n",
    "sops-job": job(workers="ENC[AES256_GCM,data:a,iv:b,tag:c,type:int]") + "sops:\n  mac: x\n  version: 3.9.0\n",
    "sops-job-of-texts": job() + "sops:\n  mac: x\n  version: 3.9.0\n",
    "deployment": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {nonsense: 1}\n",
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_files_of_other_programs_say_nothing_that_fails(folder, text: str) -> None:
    folder({"a.yaml": text})
    assert [finding for finding in look("a.yaml").findings if finding.rule != "templated"] == []


def test_bytes_that_are_no_text_are_passed_over(folder) -> None:
    folder({})
    Path("a.yaml").write_bytes(b"\0GITCRYPT\0\xff\xfe")
    assert look("a.yaml") == Outcome()


@pytest.mark.parametrize(("text", "rule"), [
    (job(workers='"4"'), "wrong-type"),
    ("- " + job().replace("\n", "\n  ").strip() + "\n", "document-not-object"),
    (job().replace("  name: pi\n", "  name: pi\n  name: pi\n"), "yaml-duplicate-key"),
    (job().replace("spec:\n", "spec: :\n", 1), "yaml-syntax"),
])
def test_a_fault_in_a_job_is_told(folder, text: str, rule: str) -> None:
    folder({"a.yaml": text})
    assert [finding.rule for finding in look("a.yaml").findings] == [rule]


def test_a_group_is_judged_with_the_job_beside_it(folder) -> None:
    folder({"base/kustomization.yaml": LISTING, "base/pi.yaml": marked(), "base/group.yaml": group(9),
            "base/other.yaml": marked("other", "nowhere")})
    for path in ("base/group.yaml", "base/pi.yaml"):
        assert told(look(path)) == [("min-member-exceeds-pods", "base/group.yaml", 6)], path
    assert [rule for rule, _, _ in told(look("base/other.yaml"))] == ["pod-group-missing"]


def test_a_job_that_names_the_committed_group_is_judged_too(folder) -> None:
    volcano = group(5, "five").replace("scheduling.x-k8s.io/v1alpha1", "scheduling.volcano.sh/v1beta1")
    folder({"kustomization.yaml": LISTING, "pi.yaml": marked("pi", "five"), "group.yaml": volcano,
            "other.yaml": marked("other", "nowhere")})
    assert ("pod-group-backend-mismatch", "pi.yaml") in {(rule, path) for rule, path, _ in told(look("group.yaml"))}


def test_a_commit_of_the_kustomization_tells_all_of_its_build(folder) -> None:
    folder({"base/kustomization.yaml": LISTING, "base/pi.yaml": marked(), "base/group.yaml": group(9),
            "base/other.yaml": marked("other", "nowhere")})
    assert {rule for rule, _, _ in told(look("base/kustomization.yaml"))} == {
        "min-member-exceeds-pods", "pod-group-missing"}


def test_renamed_objects_are_still_those_of_the_file(folder, kustomize: str) -> None:
    renamed = "configurations: [names.yaml]\nnamePrefix: dev-\nnameSuffix: -r2\n"
    references = "nameReference:\n- kind: PodGroup\n  fieldSpecs:\n" + "".join(
        f"  - {{kind: MPIJob, path: 'spec/mpiReplicaSpecs/{role}/template/metadata/labels/{LABEL}'}}\n".replace(
            "k8s.io/", "k8s.io\\/") for role in ("Launcher", "Worker"))
    folder({"kustomization.yaml": LISTING + renamed, "names.yaml": references, "pi.yaml": marked(),
            "group.yaml": group(9), "other.yaml": marked("other", "nowhere")})
    for path in ("group.yaml", "pi.yaml"):
        assert [rule for rule, _, _ in told(look(path))] == ["min-member-exceeds-pods"], path


def test_what_the_kustomization_itself_does_wrong_is_told_with_each_of_its_files(folder, kustomize: str) -> None:
    folder({"kustomization.yaml": LISTING + "namePrefix: dev-\n", "pi.yaml": marked(), "group.yaml": group(5),
            "other.yaml": marked("other", "nowhere")})
    assert told(look("group.yaml")) == [("kustomize-rename-breaks-ref", "kustomization.yaml", 2)]


def test_a_patch_is_judged_in_what_it_patches(folder, kustomize: str) -> None:
    folder({"base/kustomization.yaml": "resources: [pi.yaml]\n", "base/pi.yaml": marked(),
            "dev/kustomization.yaml": "resources: [../base, group.yaml]\npatches:\n"
                                      "- {path: few.yaml, target: {kind: MPIJob, name: pi}}\n",
            "dev/group.yaml": group(5),
            "dev/few.yaml": "- {op: replace, path: /spec/mpiReplicaSpecs/Worker/replicas, value: 1}\n"})
    assert [rule for rule, _, _ in told(look("dev/few.yaml"))] == ["replicas-vs-min-member-drift"]


def test_a_kustomization_that_does_not_build_leaves_its_files_to_be_checked_alone(folder, kustomize: str) -> None:
    folder({"kustomization.yaml": "namePrefix: a-\nresources: [pi.yaml, gone.yaml]\n", "pi.yaml": job(workers='"4"')})
    outcome = look("pi.yaml")
    assert [rule for rule, _, _ in told(outcome)] == ["wrong-type"]
    assert "does not build" in " ".join(outcome.notes)
    assert {rule for rule, _, _ in told(look("pi.yaml", "kustomization.yaml"))} == {
        "wrong-type", "kustomize-build-failed"}


@pytest.mark.parametrize("text", [
    "resources: [deployment.yaml]\nhelmCharts: [{name: x, repo: https://x}]\n",
    "resources: ['{{ cookiecutter.name }}.yaml']\n{% if x %}\n{% endif %}\n",
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: MPIJob}\n",
])
def test_kustomizations_without_jobs_are_passed_over(folder, text: str) -> None:
    folder({"a/kustomization.yaml": text, "a/deployment.yaml": FOREIGN["deployment"]})
    assert look("a/kustomization.yaml", "a/deployment.yaml") == Outcome()


def test_a_walk_passes_over_kustomizations_of_other_programs(folder) -> None:
    folder({"a/kustomization.yaml": "resources: ['{{ x }}.yaml']\n{% if x %}\n{% endif %}\n",
            "b/kustomization.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec: {}\n",
            "pi.yaml": job(workers='"4"')})
    assert [rule for rule, _, _ in told(walk())] == ["wrong-type"]


def test_generated_files_are_left_to_check(folder) -> None:
    folder({"out/pi.podgroup.yaml": "# Generated by gangform. Do not edit.\n" + group(0).replace("spec", "sepc")})
    assert told(look("out/pi.podgroup.yaml")) == []


def test_a_staged_job_with_a_whole_map_at_the_wrong_place_is_a_finding(folder) -> None:
    folder({"pi.yaml": job().replace("  runPolicy:\n", "  schedulingPolicy: {minAvailable: 5}\n  runPolicy:\n", 1),
            "kustomization.yaml": "resources: [pi.yaml]\n"})
    assert told(look("pi.yaml")) == [("unknown-field", "pi.yaml", 6)]
