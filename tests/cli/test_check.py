"""check: fresh or drifted, sound or not, and the line that mends."""

import json
import shlex
from pathlib import Path

import pytest


@pytest.fixture
def fresh(project: Path, run, kustomize: str, kubeconform: str) -> Path:
    assert run("render").returncode == 0
    return project


def test_fresh_and_sound_overlays_are_0(fresh: Path, run) -> None:
    done = run("check")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "2 overlays fresh. kubeconform: 4 objects checked."


def test_drift_is_1_with_a_diff_and_the_mending_command_last(fresh: Path, run) -> None:
    group = fresh / "overlays/volcano/pi.podgroup.yaml"
    group.write_text(group.read_text().replace("minMember: 3", "minMember: 2"))
    done = run("check")
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert "-  minMember: 2" in lines
    assert "+  minMember: 3" in lines
    assert "1 of 2 overlays drifted." in done.stdout
    assert run(*shlex.split(lines[-1])[1:]).returncode == 0
    assert run("check").returncode == 0


def test_drift_of_one_overlay_by_hand_names_the_whole_command(project: Path, run, kustomize: str) -> None:
    (project / "gangform.yaml").unlink()
    done = run("check", "base", "--backend", "coscheduling", "-o", "out")
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1]
    assert last.startswith("gangform render base --backend coscheduling")
    assert run(*shlex.split(last)[1:]).returncode == 0
    assert run("check", "base", "--backend", "coscheduling", "-o", "out").returncode == 0


def test_a_file_that_render_would_refuse_to_replace_is_named_and_not_called_drift(fresh: Path, run) -> None:
    own = fresh / "overlays/volcano/kustomization.yaml"
    own.write_text(own.read_text().partition("\n")[2])
    for words in (("check",), ("render", "--diff")):
        done = run(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert "not made by gangform" in done.stderr
        assert "overlays/volcano/kustomization.yaml" in done.stderr


def test_a_group_of_an_older_job_is_mended_by_rendering_not_at_the_line_of_the_job(fresh: Path, run) -> None:
    pi = fresh / "base/pi.yaml"
    pi.write_text(pi.read_text().replace("replicas: 2", "replicas: 3"))
    told = run("check", "--stat").stdout
    assert "[min-member-below-total]" in told
    assert "hint: run gangform render, which sets minMember 4" in told


def test_stat_names_drifted_files_without_a_diff(fresh: Path, run) -> None:
    (fresh / "overlays/volcano/pi.patch.yaml").unlink()
    done = run("check", "--stat")
    assert done.returncode == 1
    assert "new      overlays/volcano/pi.patch.yaml" in done.stdout.splitlines()
    assert "@@" not in done.stdout


def test_quiet_drift_prints_the_diff_alone(fresh: Path, run) -> None:
    group = fresh / "overlays/volcano/pi.podgroup.yaml"
    group.write_text(group.read_text() + "  # by hand\n")
    done = run("check", "-q")
    assert done.returncode == 1
    assert done.stdout.startswith("--- a/overlays/volcano/pi.podgroup.yaml\n+++ b/overlays/volcano/pi.podgroup.yaml\n")
    assert "To mend" not in done.stdout


def test_kinds_without_a_schema_are_counted_and_named(fresh: Path, run) -> None:
    (fresh / "base/map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n")
    with (fresh / "base/kustomization.yaml").open("a") as file:
        file.write("- map.yaml\n")
    done = run("check")
    assert done.returncode == 0
    assert "2 without a schema: v1 ConfigMap (2)." in done.stdout


def test_json_has_the_parts_of_check(fresh: Path, run) -> None:
    (fresh / "overlays/volcano/pi.patch.yaml").unlink()
    done = run("check", "--format", "json")
    whole = json.loads(done.stdout)
    assert done.returncode == 1
    assert [overlay["path"] for overlay in whole["overlays"]] == ["overlays/volcano"]
    assert whole["checked"] == 2
    assert whole["mend"].startswith("gangform render")


def test_a_required_kubeconform_that_is_missing_is_3(project: Path, run, bare) -> None:
    assert run("render").returncode == 0
    done = run("check", "--kubeconform", "require", env=bare)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: ")


def test_nothing_to_check_is_2(project: Path, run) -> None:
    (project / "gangform.yaml").write_text("clusters: {}\n")
    done = run("check")
    assert (done.returncode, done.stdout) == (2, "")
    assert "gangform.yaml has no overlay" in done.stderr
