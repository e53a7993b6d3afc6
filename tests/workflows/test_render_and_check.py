"""Rendering and checking overlays in a repository, with the real kustomize and kubeconform."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.model.errors import InputError, ProgramError
from gangform.model.finding import Severity
from gangform.settings import Layout, Settings, Target
from gangform.text import reading
from gangform.workflows import configuration
from gangform.workflows.check import check
from gangform.workflows.outcome import Checked, Rendered
from gangform.workflows.render import render
from repository import job, look, place, quiet, told

Repo = Callable[[dict[str, str]], Path]
BACKENDS = ["coscheduling", "volcano"]
BASE = {"base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n"}


def target(
    backend: str = "coscheduling", source: str = "base", path: str = "out", layout: Layout = "kustomization",
    groups: str | None = None,
) -> Target:
    cluster = configuration.select(Settings(), None, backend, {}, groups)  # type: ignore[arg-type]
    assert cluster is not None
    return Target(cluster, source, path, layout)


def write(*targets: Target, enlist: bool = False) -> Rendered:
    return render(targets, Settings(), write=True, enlist=enlist, progress=quiet)


def examine(*targets: Target, kubeconform: str = "require") -> Checked:
    return check(targets, Settings(), kubeconform=kubeconform, progress=quiet)  # type: ignore[arg-type]


def build(kustomize: str, folder: str) -> list[dict[str, object]]:
    done = subprocess.run([kustomize, "build", folder], check=True, capture_output=True)
    return [document.data for document in reading.read("built", done.stdout).documents]


def alarms(checked: Checked) -> list[tuple[str, str, int]]:
    return [place(finding) for finding in checked.outcome.findings if finding.severity >= Severity.WARNING]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layout", ["kustomization", "rendered"])
def test_a_fresh_overlay_passes_every_check(
    repo: Repo, kubeconform: str, kustomize: str, backend: str, layout: Layout
) -> None:
    repo(BASE)
    where = target(backend, layout=layout)
    assert write(where).written
    checked = examine(where)
    assert (alarms(checked), checked.overlays, checked.schema_checked) == ([], (), 2)


def test_rendering_twice_changes_nothing(repo: Repo) -> None:
    root = repo(BASE)
    write(target())
    before = {path: path.stat().st_mtime_ns for path in (root / "out").iterdir()}
    assert write(target()).overlays[0].changes == ()
    assert {path: path.stat().st_mtime_ns for path in (root / "out").iterdir()} == before


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_component_follows_the_overlay_that_lists_it(
    repo: Repo, kustomize: str, kubeconform: str, backend: str
) -> None:
    root = repo({**BASE, "prod/kustomization.yaml": """\
        resources: [../base]
        namePrefix: prod-
        patches:
        - target: {kind: MPIJob}
          patch: |-
            - {op: replace, path: /spec/mpiReplicaSpecs/Worker/replicas, value: 7}
        images: [{name: mpi, newTag: "2"}]
        components: [gang]
        """})
    where = target(backend, "prod", "prod/gang", "component")
    first = write(where)
    assert first.written
    assert first.to_enlist == ()
    text = files(root / "prod")
    assert write(where).overlays[0].changes == ()
    assert files(root / "prod") == text
    group = next(data for data in build(kustomize, "prod") if data["kind"] == "PodGroup")
    assert group["metadata"]["name"] == "prod-pi"  # type: ignore[index]
    assert group["spec"]["minMember"] == 8  # type: ignore[index]
    assert alarms(examine(where)) == []


def test_a_component_that_nobody_lists_is_told_and_can_be_enlisted(repo: Repo, kustomize: str, kubeconform: str) -> None:
    root = repo({**BASE, "prod/kustomization.yaml": "# ours\nresources:\n- ../base  # the jobs\n"})
    where = target(source="prod", path="prod/gang", layout="component")
    assert write(where).to_enlist == (("prod", "gang"),)
    assert [rule for rule, _, _ in alarms(examine(where))] == ["component-not-listed"]
    assert write(where, enlist=True).to_enlist == ()
    assert (root / "prod/kustomization.yaml").read_text() == (
        "# ours\nresources:\n- ../base  # the jobs\ncomponents:\n- gang\n")
    assert alarms(examine(where)) == []


def test_drift_is_found_and_the_command_that_mends_it_is_named(repo: Repo, kustomize: str, kubeconform: str) -> None:
    root = repo(BASE)
    write(target())
    (root / "base/pi.yaml").write_text(job(workers=6))
    checked = examine(target())
    assert [change.path for change in checked.overlays[0].changes] == ["pi.podgroup.yaml"]
    assert checked.mend == "gangform render base --backend coscheduling -o out"
    assert alarms(checked) == [("min-member-below-total", "base/pi.yaml", 17)]


def test_a_checkout_with_other_line_ends_is_no_drift(repo: Repo, kustomize: str, kubeconform: str) -> None:
    root = repo(BASE)
    write(target())
    for path in (root / "out").iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    checked = examine(target())
    assert (checked.overlays, alarms(checked)) == ((), [])


def test_equal_sources_elsewhere_and_in_another_order_give_equal_bytes(repo: Repo) -> None:
    root = repo({
        "base/a.yaml": job("alpha"), "base/b.yaml": job("beta"), "base/kustomization.yaml": "resources: [a.yaml, b.yaml]\n",
        "deep/er/base/a.yaml": job("alpha"), "deep/er/base/b.yaml": job("beta"),
        "deep/er/base/kustomization.yaml": "resources: [b.yaml, a.yaml]\n",
    })
    write(target(), target(source="deep/er/base", path="deep/er/out"))
    assert files(root / "out") == files(root / "deep/er/out")


def test_nothing_is_written_when_one_of_many_sources_is_wrong(repo: Repo) -> None:
    root = repo({**BASE, "bad/pi.yaml": job(workers=0), "bad/kustomization.yaml": "resources: [pi.yaml]\n"})
    rendered = write(target(), target(source="bad", path="bad-out"))
    assert not rendered.written
    assert [place(finding) for finding in rendered.outcome.findings] == [("worker-replicas", "bad/pi.yaml", 17)]
    assert not (root / "out").exists()


def test_an_overlay_that_could_never_start_is_refused(repo: Repo) -> None:
    root = repo({"base/pi.yaml": job().replace("  runPolicy:\n", "  runPolicy:\n    schedulingPolicy: {minAvailable: 9}\n"),
                 "base/kustomization.yaml": "resources: [pi.yaml]\n"})
    rendered = write(target())
    assert [place(finding) for finding in rendered.outcome.findings] == [("min-member-exceeds-pods", "base/pi.yaml", 7)]
    assert not (root / "out").exists()


def test_a_templated_job_is_refused(repo: Repo) -> None:
    repo({"base/pi.yaml": job(workers="$N"), "base/kustomization.yaml": "resources: [pi.yaml]\n"})
    rendered = write(target())
    assert [(finding.rule, finding.severity) for finding in rendered.outcome.findings] == [("templated", Severity.ERROR)]
    assert not rendered.written


@pytest.mark.parametrize(("source", "path", "layout"), [
    ("base/pi.yaml", "out", "kustomization"),
    ("loose", "out", "kustomization"),
    ("nowhere", "out", "kustomization"),
    ("base", "base/out", "kustomization"),
    ("base", "base", "kustomization"),
    ("loose", "loose/gang", "component"),
    ("empty", "out", "kustomization"),
    ("empty", "out", "rendered"),
])
def test_a_source_that_kustomize_could_not_build_on_is_refused_before_anything_is_written(
    repo: Repo, source: str, path: str, layout: Layout
) -> None:
    root = repo({**BASE, "loose/pi.yaml": job(), "empty/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
                 "empty/kustomization.yaml": "resources: [cm.yaml]\n"})
    before = files(root)
    with pytest.raises(InputError):
        write(target(source=source, path=path, layout=layout))
    assert files(root) == before


@pytest.mark.parametrize("source", ["loose", "loose/pi.yaml"])
def test_final_manifests_can_be_made_of_plain_files(repo: Repo, kubeconform: str, kustomize: str, source: str) -> None:
    root = repo({"loose/pi.yaml": job() + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"})
    where = target(source=source, layout="rendered")
    write(where)
    assert set(files(root / "out")) == {"kustomization.yaml", "pi.yaml", "configmap.settings.yaml"}
    checked = examine(where)
    assert alarms(checked) == []
    assert checked.unchecked == (("v1 ConfigMap", 1),)


def test_a_source_that_needs_kustomize_says_so_when_it_is_missing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    repo({**BASE, "prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\n"})
    with pytest.raises(ProgramError, match="kustomize"):
        write(target(source="prod"))


def test_kubeconform_that_is_missing_is_told_or_required(repo: Repo, kustomize: str, tmp_path: Path,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    repo(BASE)
    write(target())
    alone = tmp_path / "bin"
    alone.mkdir()
    (alone / "kustomize").symlink_to(kustomize)
    monkeypatch.setenv("PATH", str(alone))
    assert "kubeconform" in " ".join(examine(target(), kubeconform="auto").outcome.notes)
    assert examine(target(), kubeconform="off").outcome.notes == ()
    with pytest.raises(ProgramError, match="kubeconform"):
        examine(target())


def test_a_human_file_in_the_way_stops_everything(repo: Repo) -> None:
    root = repo({**BASE, "out/pi.patch.yaml": "mine: true\n"})
    with pytest.raises(InputError, match=r"out/pi\.patch\.yaml"):
        write(target())
    assert files(root / "out") == {"pi.patch.yaml": b"mine: true\n"}


def test_the_files_of_a_job_that_is_gone_are_deleted_and_a_human_file_stays(repo: Repo) -> None:
    root = repo({"base/a.yaml": job("alpha"), "base/b.yaml": job("beta"),
                 "base/kustomization.yaml": "resources: [a.yaml, b.yaml]\n", "out/NOTES.md": "ours\n"})
    write(target())
    (root / "base/kustomization.yaml").write_text("resources: [a.yaml]\n")
    write(target())
    assert set(files(root / "out")) == {
        "NOTES.md", "alpha.patch.yaml", "alpha.podgroup.yaml", "kustomization.yaml", "references.yaml"}


def _marked(name: str, backend: str) -> str:
    if backend == "coscheduling":
        mark = f"        metadata: {{labels: {{scheduling.x-k8s.io/pod-group: {name}}}}}\n"
        return job(name).replace("        spec:\n", mark + "        spec:\n          schedulerName: scheduler-plugins-scheduler\n")
    mark = f"        metadata: {{annotations: {{scheduling.k8s.io/group-name: {name}}}}}\n"
    return job(name).replace("        spec:\n", mark + "        spec:\n          schedulerName: volcano\n")


@pytest.mark.parametrize(("before", "after"), [("coscheduling", "volcano"), ("volcano", "coscheduling")])
def test_the_other_backends_marks_are_taken_out(repo: Repo, kustomize: str, kubeconform: str, before: str, after: str) -> None:
    repo({"base/pi.yaml": _marked("pi", before), "base/kustomization.yaml": "resources: [pi.yaml]\n"})
    write(target(after))
    (built,) = [data for data in build(kustomize, "out") if data["kind"] == "MPIJob"]
    text = str(built)
    keys = {"coscheduling": "scheduling.x-k8s.io/pod-group", "volcano": "scheduling.k8s.io/group-name"}
    assert keys[after] in text
    assert keys[before] not in text
    assert alarms(examine(target(after))) == []


GROUP = """\
    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {{name: pi}}
    spec: {spec}
    """


def test_an_equal_hand_written_group_is_used(repo: Repo, kustomize: str, kubeconform: str) -> None:
    spec = '{minMember: 5, minResources: {cpu: "33", memory: 258Gi}}'
    root = repo({**BASE, "base/group.yaml": GROUP.format(spec=spec),
                 "base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\n"})
    write(target())
    assert "pi.podgroup.yaml" not in files(root / "out")
    assert alarms(examine(target())) == []


def test_a_different_hand_written_group_is_an_error_that_names_both(repo: Repo) -> None:
    repo({**BASE, "base/group.yaml": GROUP.format(spec="{minMember: 3}"),
          "base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\n"})
    rendered = write(target())
    (finding,) = [found for found in rendered.outcome.findings if found.severity is Severity.ERROR]
    assert (finding.rule, finding.location.path, finding.location.line) == ("pod-group-differs", "base/group.yaml", 4)
    assert "PodGroup pi" in finding.message
    assert "MPIJob pi" in finding.message
    assert not rendered.written


def test_a_foreign_scheduler_is_an_error_until_it_is_forced(repo: Repo, kustomize: str, kubeconform: str) -> None:
    repo({"base/pi.yaml": job().replace("        spec:\n", "        spec:\n          schedulerName: kai-scheduler\n"),
          "base/kustomization.yaml": "resources: [pi.yaml]\n"})
    rendered = write(target())
    assert {finding.rule for finding in rendered.outcome.findings} == {"scheduler-name-foreign"}
    assert write(target()._replace(replace_scheduler=True)).written
    assert alarms(examine(target()._replace(replace_scheduler=True))) == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_with_groups_made_by_the_operator_only_marks_are_written(
    repo: Repo, kustomize: str, kubeconform: str, backend: str
) -> None:
    repo(BASE)
    where = target(backend, groups="operator")
    write(where)
    kinds = [data["kind"] for data in build(kustomize, "out")]
    assert kinds == ["MPIJob"]
    assert alarms(examine(where)) == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_overlay_on_top_renames_group_and_marks_together(repo: Repo, kustomize: str, backend: str) -> None:
    repo({**BASE, "top/kustomization.yaml":
          "resources: [../out]\nnamePrefix: a-\nnameSuffix: -z\nnamespace: team\n"})
    write(target(backend))

    assert told(look("top")) == []
    names = {data["metadata"]["name"] for data in build(kustomize, "top")}  # type: ignore[index]
    assert names == {"a-pi-z"}




def test_a_source_that_does_not_build_hides_nothing_of_the_other_overlays(
    repo: Repo, kustomize: str, kubeconform: str
) -> None:
    root = repo({**BASE, "broken/kustomization.yaml": "namePrefix: x-\nresources: [nowhere.yaml]\n"})
    write(target())
    (root / "base/pi.yaml").write_text(job(workers=6))
    checked = examine(target(source="broken", path="elsewhere"), target())
    assert [change.path for change in checked.overlays[0].changes] == ["pi.podgroup.yaml"]
    assert ("kustomize-build-failed", "broken/kustomization.yaml", 1) in alarms(checked)


@pytest.mark.parametrize("source", ["base", "link", "."])
def test_an_output_below_its_source_is_refused_however_both_are_spelled(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    root = repo(BASE)
    (root / "link").symlink_to("base", target_is_directory=True)
    if source == ".":
        monkeypatch.chdir(root / "base")
    for path in (str(root / "base/out"), f"{source}/out", f"{source}/../base/out"):
        with pytest.raises(InputError, match="lies below its source"):
            write(target(source=source, path=path))
    assert sorted(files(root)) == sorted(BASE)


def test_the_working_folder_may_be_the_source_of_an_overlay_beside_it(
    repo: Repo, kustomize: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repo(BASE)
    monkeypatch.chdir(root / "base")
    assert write(target(source=".", path="../out")).written
    assert len(build(kustomize, str(root / "out"))) == 2


def test_a_source_whose_name_no_text_can_hold_is_refused(repo: Repo) -> None:
    root = repo(BASE)
    strange = os.fsdecode(b"b\xe4se")
    (root / "base").rename(root / strange)
    with pytest.raises(InputError, match="not UTF-8"):
        write(target(source=strange))
    assert not (root / "out").exists()


PROD = {**BASE, "prod/kustomization.yaml": "\ufeffresources: [../base]\n"}


def test_enlisting_keeps_the_byte_order_mark(repo: Repo) -> None:
    root = repo(PROD)
    write(target(source="prod", path="prod/gang", layout="component"), enlist=True)
    assert (root / "prod/kustomization.yaml").read_text() == "\ufeffresources: [../base]\ncomponents:\n- gang\n"


def test_two_components_of_one_overlay_are_both_enlisted(repo: Repo) -> None:
    root = repo(PROD)
    write(*(target(source="prod", path=f"prod/{name}", layout="component") for name in ("one", "two")), enlist=True)
    assert (root / "prod/kustomization.yaml").read_text().endswith("components:\n- one\n- two\n")


def test_where_nothing_can_be_enlisted_nothing_is_written(repo: Repo) -> None:
    root = repo({**BASE, "prod/kustomization.yaml": "{resources: [../base]}\n"})
    before = files(root)
    with pytest.raises(InputError, match="cannot be added"):
        write(target(source="prod", path="prod/gang", layout="component"), enlist=True)
    assert files(root) == before


def test_an_overlay_whose_source_is_gone_is_told_in_a_run_over_all(repo: Repo, kustomize: str, kubeconform: str) -> None:
    overlays = 'overlays:\n- {cluster: c, source: "teams/{team}/base", path: "teams/{team}/gang"}\n'
    files = {f"teams/{team}/base/{name}": text for team in ("a", "b") for name, text in {
        "pi.yaml": job(), "kustomization.yaml": "resources: [pi.yaml]\n"}.items()}
    root = repo({**files, "gangform.yaml": "clusters: {c: {backend: volcano}}\n" + overlays})
    settings = configuration.load(None)
    targets = configuration.targets(settings)
    render(targets, settings, write=True, enlist=False, progress=quiet)
    shutil.rmtree(root / "teams/b/base")
    left = configuration.targets(settings)
    checked = check(left, settings, kubeconform="require", progress=quiet)
    assert alarms(checked) == [("overlay-without-source", "teams/b/gang/kustomization.yaml", 1)]
    assert alarms(check(targets[:1], Settings(), kubeconform="require", progress=quiet)) == []
