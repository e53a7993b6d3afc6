"""Builds with the real kustomize, whole and without components that may not be there."""

import json
import os
import shutil
from pathlib import Path

import pytest

from gangform import kustomization
from gangform.edges import kustomize as edge
from gangform.model.errors import InputError, ProgramError
from gangform.text import reading

JOB = "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: pi}\nspec: {slotsPerWorker: 1}\n"
GROUP = "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: pi}\nspec: {minMember: 5}\n"
PATCH = "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: pi}\nspec: {slotsPerWorker: 2}\n"
COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"

pytestmark = pytest.mark.tools


@pytest.fixture
def program(kustomize) -> edge.Program:
    return edge.Program((kustomize, "build"), "kustomize")


@pytest.fixture(autouse=True)
def repo(tmp_path, monkeypatch):
    """A repository with a blank in its path, a base, and the shape of a team's overlay."""
    repo = tmp_path / "my repo"
    put(repo, {
        "base/kustomization.yaml": "resources: [jobs, groups]\n",
        "base/jobs/kustomization.yaml": "resources: [job.yaml]\n",
        "base/jobs/job.yaml": JOB,
        "base/groups/kustomization.yaml": "resources: [group.yaml]\n",
        "base/groups/group.yaml": GROUP.replace("pi", "other"),
        "team/files/readme": "nothing to build\n",
        "team/debug/kustomization.yaml": COMPONENT + "resources: [../../base/groups]\nnameSuffix: -x\n",
        "team/prod/kustomization.yaml": (
            "namePrefix: prod-\nresources: [../../base, own.yaml]\ncomponents: [gang, ./quota]\n"
            "patches:\n- path: patches/slots.yaml\n- patch: |-\n    - {op: add, path: /spec/runPolicy, value: {cleanPodPolicy: None}}\n"
            "  target: {kind: MPIJob}\n"
            "configMapGenerator:\n- {name: settings, files: [conf/a.txt, b=own.yaml], "
            "literals: ['k=a: ../../..']}\n"
        ),
        "team/prod/patches/slots.yaml": PATCH,
        "team/prod/conf/a.txt": "inside\n",
        "team/prod/own.yaml": GROUP.replace("pi", "own"),
        "team/prod/quota/kustomization.yaml": COMPONENT + "labels: [{pairs: {quota: small}}]\n",
    })
    monkeypatch.chdir(repo)
    return repo


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def objects(text: str) -> dict[str, dict]:
    documents = reading.read("<built>", text, built=True).documents
    return {f"{one.data['kind']}/{one.data['metadata']['name']}": one.data for one in documents}


def origins(text: str, folder: str) -> dict[str, str | None]:
    return {name: kustomization.take_origin(data, folder)[0] for name, data in objects(text).items()}


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_ino, path.lstat().st_mtime_ns) for path in [folder, *folder.rglob("*")]}


def stripped(text: str) -> dict[str, dict]:
    return {name: kustomization.take_origin(data, ".")[1] for name, data in objects(text).items()}


def test_a_component_that_is_not_there_yet_is_left_out(repo, program):
    before = snapshot(repo)
    built = objects(edge.build("team/prod", program=program, without_components=["gang"]))
    names = sorted(name for name in built if not name.startswith("ConfigMap/"))
    assert names == ["MPIJob/prod-pi", "PodGroup/prod-other", "PodGroup/prod-own"]
    job = built["MPIJob/prod-pi"]
    assert job["spec"] == {"slotsPerWorker": 2, "runPolicy": {"cleanPodPolicy": "None"}}
    assert job["metadata"]["labels"] == {"quota": "small"}
    settings = next(data for name, data in built.items() if name.startswith("ConfigMap/prod-settings-"))
    assert settings["data"] == {"a.txt": "inside\n", "b": GROUP.replace("pi", "own"), "k": "a: ../../.."}
    assert snapshot(repo) == before


def test_leaving_out_equals_never_having_listed(repo, program):
    without = edge.build("team/prod", program=program, without_components=["gang"])
    file = repo / "team/prod/kustomization.yaml"
    file.write_text(file.read_text().replace("[gang, ./quota]", "[./quota]"))
    assert edge.build("team/prod", program=program) == without
    assert edge.build("team/prod", program=program, without_components=["gang"]) == without


def test_a_component_that_is_there_is_left_out_too(repo, program):
    put(repo, {"team/prod/gang/kustomization.yaml": COMPONENT + "resources: [group.yaml]\n",
               "team/prod/gang/group.yaml": GROUP})
    assert "PodGroup/prod-pi" in objects(edge.build("team/prod", program=program))
    assert "PodGroup/prod-pi" not in objects(edge.build("team/prod", program=program, without_components=["./gang/"]))


def test_components_beside_the_folder_still_lead_home(repo, program):
    file = repo / "team/prod/kustomization.yaml"
    file.write_text(file.read_text().replace("./quota]", "../debug, ./quota]").replace("../../base, ", "../../base/jobs, "))
    built = objects(edge.build("team/prod", program=program, without_components=["gang"]))
    assert "PodGroup/prod-other-x" in built


@pytest.mark.parametrize("name", ["kustomization.yml", "Kustomization"])
def test_every_name_of_the_file_is_replaced(repo, program, name):
    (repo / "team/prod/kustomization.yaml").rename(repo / "team/prod" / name)
    assert "MPIJob/prod-pi" in objects(edge.build("team/prod", program=program, without_components=["gang"]))


def test_a_folder_reached_through_a_link_is_built_where_it_really_is(repo, program):
    (repo / "link").symlink_to("team/prod")
    assert "MPIJob/prod-pi" in objects(edge.build("link", program=program, without_components=["gang"]))


def test_a_checkout_that_may_not_be_written_is_built(repo, program):
    folders = [path for path in [repo, *repo.rglob("*")] if path.is_dir()]
    for path in folders:
        path.chmod(0o555)
    try:
        assert "MPIJob/prod-pi" in objects(edge.build("team/prod", program=program, without_components=["gang"],
                                                      origins=True))
    finally:
        for path in folders:
            path.chmod(0o755)


EXPECTED = {
    "MPIJob/prod-pi": "base/jobs/job.yaml",
    "PodGroup/prod-other": "base/groups/group.yaml",
    "PodGroup/prod-own": "team/prod/own.yaml",
}


@pytest.mark.parametrize("without", [[], ["gang"]])
def test_origins_name_files_relative_to_the_working_folder(repo, program, without, monkeypatch):
    if not without:
        put(repo, {"team/prod/gang/kustomization.yaml": COMPONENT + "labels: [{pairs: {a: b}}]\n"})
    for cwd, folder, up in ((".", "team/prod", ""), ("team", "prod", "../"), ("team/prod", ".", "../../")):
        monkeypatch.chdir(repo / cwd)
        text = edge.build(folder, program=program, without_components=without, origins=True)
        found = origins(text, folder)
        assert {os.path.normpath(os.path.join(cwd, path)) for path in found.values() if path} == set(EXPECTED.values())
        assert found["PodGroup/prod-other"] == os.path.normpath(f"{up}base/groups/group.yaml")
        assert [path for name, path in found.items() if name.startswith("ConfigMap/")] == [None]


def test_origins_change_nothing_else(repo, program):
    put(repo, {"team/prod/gang/kustomization.yaml": COMPONENT + "labels: [{pairs: {a: b}}]\n"})
    file = repo / "team/prod/kustomization.yaml"
    file.write_text(file.read_text() + "buildMetadata: [managedByLabel]\nsortOptions: {order: fifo}\n")
    plain, traced = (edge.build("team/prod", program=program, origins=wanted) for wanted in (False, True))
    assert kustomization.ORIGIN_ANNOTATION not in plain
    assert stripped(traced) == objects(plain)
    assert list(stripped(traced)) == list(objects(plain))
    mirrored = edge.build("team/prod", program=program, without_components=["gang"], origins=True)
    assert stripped(mirrored) == objects(edge.build("team/prod", program=program, without_components=["gang"]))


def test_a_schema_of_the_folder_holds_with_origins_too(repo, program):
    merged = {"type": "array", "items": {"type": "object"}, "x-kubernetes-patch-merge-key": "name",
              "x-kubernetes-patch-strategy": "merge"}
    known = {"group": "kubeflow.org", "version": "v2beta1", "kind": "MPIJob"}
    schema = {"type": "object", "x-kubernetes-group-version-kind": [known], "properties": {
        "spec": {"type": "object", "properties": {"hosts": merged}}}}
    put(repo, {
        "merged/kustomization.yaml": "resources: [job.yaml]\nopenapi: {path: schema.json}\npatches: [{path: patch.yaml}]\n",
        "merged/schema.json": json.dumps({"definitions": {"org.kubeflow.v2beta1.MPIJob": schema}}),
        "merged/job.yaml": JOB.replace("slotsPerWorker: 1", "hosts: [{name: a, size: 1}, {name: b}]"),
        "merged/patch.yaml": JOB.replace("slotsPerWorker: 1", "hosts: [{name: b, size: 2}]"),
    })
    traced = stripped(edge.build("merged", program=program, origins=True))
    assert traced == objects(edge.build("merged", program=program))
    assert len(traced["MPIJob/pi"]["spec"]["hosts"]) == 2


def test_a_component_can_be_built_by_itself_with_origins(repo, program):
    text = edge.build("team/debug", program=program, origins=True)
    assert origins(text, "team/debug") == {"PodGroup/other-x": "base/groups/group.yaml"}


def test_load_restrictions_hold_where_nothing_is_left_out(repo, program):
    put(repo, {"out/kustomization.yaml": "resources: [../base/groups/group.yaml]\n"})
    for wanted in (False, True):
        with pytest.raises(edge.BuildError, match="security"):
            edge.build("out", program=program, origins=wanted)


@pytest.mark.parametrize("without", [[], ["gang"]])
@pytest.mark.parametrize("wanted", [False, True])
def test_a_fault_of_the_kustomization_is_said_with_paths_of_the_user(repo, program, without, wanted):
    file = repo / "team/prod/kustomization.yaml"
    file.write_text(file.read_text().replace("own.yaml]", "nope.yaml]"))
    with pytest.raises(edge.BuildError) as caught:
        edge.build("team/prod", program=program, without_components=without, origins=wanted)
    error = caught.value
    assert isinstance(error, InputError)
    assert (error.exit_code, error.folder) == (2, "team/prod")
    assert error.message.startswith("kustomize cannot build team/prod: ")
    assert "'team/prod/nope.yaml' does not exist" in error.message
    assert "gangform-" not in error.message
    assert str(repo) not in error.message
    assert "\n" not in error.message


def test_the_missing_component_itself_is_named(program):
    with pytest.raises(edge.BuildError, match="'team/prod/gang' does not exist"):
        edge.build("team/prod", program=program)


@pytest.mark.parametrize("text", ["a: [", "- a", "", "kind: Wrong\n", "componentz: [gang]\nresources: [own.yaml]\n"])
@pytest.mark.parametrize("more", [{}, {"without_components": ["gang"]}, {"origins": True}])
def test_broken_files_are_kustomizes_to_judge(repo, program, text, more):
    (repo / "team/prod/kustomization.yaml").write_text(text)
    with pytest.raises(edge.BuildError, match=r"^kustomize cannot build team/prod: "):
        edge.build("team/prod", program=program, **more)


def test_a_folder_without_a_kustomization_is_said(repo, program):
    for more in ({}, {"without_components": ["gang"]}, {"origins": True}):
        with pytest.raises(edge.BuildError, match="unable to find"):
            edge.build("team/files", program=program, **more)
    with pytest.raises(ProgramError, match="kustomize of team/none cannot run in the folder team/none: No such"):
        edge.build("team/none", program=program)


@pytest.mark.parametrize("name", ["-x", "github.com", "a?ref=b", "é 'q\""])
def test_names_of_folders_are_never_options_or_addresses(repo, program, name):
    put(repo, {f"{name}/kustomization.yaml": "resources: [job.yaml]\ncomponents: [gang]\n", f"{name}/job.yaml": JOB})
    built = edge.build(name, program=program, without_components=["gang"], origins=True)
    assert origins(built, name) == {"MPIJob/pi": f"{name}/job.yaml"}


def test_nothing_is_left_in_the_temporary_folder(repo, program, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    edge.build("team/prod", program=program, without_components=["gang"], origins=True)
    edge.build("base", program=program, origins=True)
    assert os.listdir(tmp_path / "tmp") == []


def test_a_slow_build_is_stopped_and_named(repo, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 600\n")
    slow.chmod(0o755)
    for more in ({}, {"without_components": ["gang"]}, {"origins": True}):
        with pytest.raises(ProgramError, match=r"^kustomize of team/prod timed out after 0\.3 s"):
            edge.build("team/prod", program=edge.Program((str(slow),), "kustomize"), timeout=0.3, **more)


@pytest.fixture
def bin_folder(tmp_path, monkeypatch):
    """The only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, name: str, text: str = "#!/bin/sh\n") -> str:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)
    return str(folder / name)


def test_kustomize_is_preferred_and_kubectl_will_do(bin_folder):
    assert edge.find() is None
    with pytest.raises(ProgramError, match="x is needed, but neither kustomize nor kubectl is on PATH") as caught:
        edge.require("x is needed")
    assert edge.CHOICE in caught.value.hint
    kubectl = install(bin_folder, "kubectl")
    assert edge.find() == ((kubectl, "kustomize"), "kubectl kustomize")
    kustomize = install(bin_folder, "kustomize")
    assert edge.find() == edge.require("") == ((kustomize, "build"), "kustomize")


def test_the_environment_may_name_the_program(bin_folder, tmp_path, monkeypatch):
    install(bin_folder, "kustomize")
    other = install(tmp_path, "kubectl-1.34")
    monkeypatch.setenv(edge.CHOICE, other)
    assert edge.find() == ((other, "kustomize"), "kubectl kustomize")
    monkeypatch.setenv(edge.CHOICE, "/nonexistent/kustomize")
    with pytest.raises(ProgramError, match="GANGFORM_KUSTOMIZE names /nonexistent/kustomize"):
        edge.find()


def test_kubectl_builds_the_same_and_its_log_lines_are_undone(repo, program):
    path = shutil.which("kubectl")
    if path is None:
        pytest.skip("no kubectl on PATH")
    kubectl = edge.Program((path, "kustomize"), "kubectl kustomize")
    mirrored = [edge.build("team/prod", program=one, without_components=["gang"], origins=True)
                for one in (program, kubectl)]
    assert objects(mirrored[0]) == objects(mirrored[1])
    with pytest.raises(edge.BuildError) as caught:
        edge.build("team/prod", program=kubectl)
    assert caught.value.message.startswith("kubectl kustomize cannot build team/prod: accumulating components")


@pytest.mark.parametrize(
    ("stderr", "message"),
    [
        (b"", "it failed without a message"),
        (b"Error: a\nb\n", "a b"),
        (b'E1201 09:39:16.774164   11090 run.go:72] "command failed" err="no \\"x\\"\\nat y"', 'no "x" at y'),
        (b"error: \xff", "\ufffd"),
        (b"x" * 5000, "x" * 1199 + "…"),
    ],
)
def test_messages_are_one_short_line(stderr, message):
    assert edge.shorten(stderr) == message


@pytest.mark.parametrize(("entry", "told"), [
    ("resources: ['https://example.invalid/x.yaml']", "proxyconnect"),
    ("patches: [{path: 'http://example.invalid/x.yaml'}]", "proxyconnect"),
    ("resources: ['ssh://git@example.invalid/a/b']", "transport 'ssh' not allowed"),
])
def test_a_build_cannot_reach_beyond_the_machine(repo, program, monkeypatch, entry, told):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "example.invalid")
    put(repo, {"far/kustomization.yaml": f"{entry}\n"})
    with pytest.raises(edge.BuildError) as refused:
        edge.build("far", program=program)
    assert told in refused.value.reason
