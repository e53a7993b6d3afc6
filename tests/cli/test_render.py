"""render: what is written, what is shown, on which stream."""

import json
import subprocess
from pathlib import Path

import pytest

ONE = ("render", "base", "--backend", "coscheduling", "-o", "out")


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_one_overlay_is_written_and_its_files_are_listed(project: Path, run) -> None:
    done = run(*ONE)
    assert done.returncode == 0
    assert files(project / "out") == ["kustomization.yaml", "pi.patch.yaml", "pi.podgroup.yaml", "references.yaml"]
    assert done.stdout.splitlines() == [f"new      out/{name}" for name in files(project / "out")]
    assert done.stderr == "1 MPIJob: 1 overlay written (4 files).\n"


def test_a_second_render_changes_nothing(run) -> None:
    run(*ONE)
    done = run(*ONE)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "1 MPIJob: 1 overlay already fresh.\n"


def test_without_arguments_every_overlay_of_the_settings_is_written(project: Path, run) -> None:
    done = run("render")
    assert done.returncode == 0
    assert files(project / "overlays") == ["coscheduling", "volcano"]
    assert "queue: research" in (project / "overlays/volcano/pi.podgroup.yaml").read_text()


@pytest.mark.parametrize("arguments", [("--cluster", "prod"), ("overlays/volcano",), ("./overlays/volcano/",)])
def test_overlays_are_chosen_by_cluster_or_folder(project: Path, run, arguments: tuple[str, ...]) -> None:
    assert run("render", *arguments).returncode == 0
    assert files(project / "overlays") == ["volcano"]


def test_a_source_chooses_every_overlay_above_it(project: Path, run) -> None:
    assert run("render", "base").returncode == 0
    assert files(project / "overlays") == ["coscheduling", "volcano"]


def test_settings_are_found_from_a_folder_below(project: Path, run) -> None:
    assert run("render", cwd=project / "base").returncode == 0
    assert files(project / "overlays") == ["coscheduling", "volcano"]


def test_diff_writes_nothing_and_git_can_apply_it(project: Path, run) -> None:
    done = run(*ONE, "--diff")
    assert done.returncode == 0
    assert not (project / "out").exists()
    assert "would change" in done.stderr
    subprocess.run(["git", "init", "-q", "."], cwd=project, check=True)
    subprocess.run(["git", "apply"], cwd=project, input=done.stdout, text=True, check=True)
    assert run("check", "base", "--backend", "coscheduling", "-o", "out", "--kubeconform", "off").returncode == 0


def test_diff_with_stat_is_one_line_per_file(project: Path, run) -> None:
    done = run(*ONE, "--diff", "--stat")
    assert len(done.stdout.splitlines()) == 4
    assert not (project / "out").exists()


def test_json_tells_each_change(run) -> None:
    whole = json.loads(run(*ONE, "--format", "json").stdout)
    (overlay,) = whole["overlays"]
    assert (overlay["path"], overlay["backend"], overlay["layout"]) == ("out", "coscheduling", "kustomization")
    assert {"path": "pi.podgroup.yaml", "change": "new"} in overlay["changes"]
    assert whole["written"] is True


def test_options_reach_the_objects(project: Path, run) -> None:
    done = run("render", "base", "--backend", "volcano", "-o", "out", "--option", "queue=q1",
               "--option", "labels=team=nlp", "--option", "annotations=tier=a=b")
    assert done.returncode == 0
    group = (project / "out/pi.podgroup.yaml").read_text()
    assert "queue: q1" in group
    assert "team: nlp" in group
    assert "tier: a=b" in group


def test_operator_groups_leave_marks_only(project: Path, run) -> None:
    assert run(*ONE, "--groups", "operator").returncode == 0
    assert "pi.podgroup.yaml" not in files(project / "out")


def test_rendered_writes_whole_manifests(project: Path, run) -> None:
    assert run(*ONE, "--rendered").returncode == 0
    assert "kind: MPIJob" in (project / "out/pi.yaml").read_text()


def test_a_component_says_which_line_to_add_or_adds_it(project: Path, run) -> None:
    arguments = ("render", "base", "--backend", "volcano", "--component", "-o", "base/gang")
    done = run(*arguments)
    assert done.returncode == 0
    assert "base does not list it yet; add below components: (--enlist does):\n- gang\n" in done.stderr
    added = run(*arguments, "--enlist")
    assert (added.returncode, added.stdout) == (0, "changed  base/kustomization.yaml (components:)\n")
    assert "components:\n- gang\n" in (project / "base/kustomization.yaml").read_text()
    assert "does not list" not in run(*arguments).stderr


def test_a_source_that_does_not_exist_is_not_told_to_get_a_kustomization(project: Path, run) -> None:
    done = run("render", "bass", "--backend", "volcano", "-o", "out")
    assert done.returncode == 2
    assert "bass does not exist" in done.stderr
    assert "kustomization.yaml" not in done.stderr


def test_errors_stop_the_writing_and_go_to_stderr(bad: Path, run) -> None:
    done = run(*ONE)
    assert done.returncode == 1
    assert "[min-member-exceeds-pods]" in done.stderr
    assert done.stdout == ""
    assert not (bad / "out").exists()
    assert "nothing was written" in done.stderr


@pytest.mark.parametrize(("arguments", "said"), [
    (("-o", "out"), "-o needs a SOURCE"),
    (("base", "-o", "out"), "for which scheduler?"),
    (("base", "-o", "out", "--backend", "volcano", "--component", "--rendered"), "exclude each other"),
    (("base", "--backend", "volcano"), "--backend goes with SOURCE and -o DIR"),
    (("--component",), "--component goes with SOURCE and -o DIR"),
    (("--stat",), "--stat goes with --diff"),
    (("--enlist",), "--enlist goes with --component"),
    (("elsewhere",), "has no overlay at or below elsewhere"),
    (("base", "--cluster", "nope"), "nope"),
])
def test_options_that_do_not_fit_are_told(project: Path, run, arguments: tuple[str, ...], said: str) -> None:
    done = run("render", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (project / "out").exists()


def test_the_only_cluster_of_the_settings_needs_no_naming(project: Path, run) -> None:
    (project / "gangform.yaml").write_text("clusters: {prod: {backend: volcano}}\n")
    assert run("render", "base", "-o", "out").returncode == 0
    assert "volcano" in (project / "out/pi.patch.yaml").read_text()


def test_without_settings_a_source_alone_says_what_is_missing(project: Path, run) -> None:
    (project / "gangform.yaml").unlink()
    done = run("render", "base")
    assert done.returncode == 2
    assert "give -o DIR and --backend BACKEND" in done.stderr
    assert run("render").returncode == 2
