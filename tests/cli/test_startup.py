"""What a short run never imports: nobody should wait for what is not used."""

import subprocess
import sys
from pathlib import Path

import pytest

LIBRARIES = {"jsonschema", "rich", "ruamel", "subprocess", "tempfile", "shutil", "pathlib", "difflib", "traceback"}
"""Costly, and of use only for programs, tables, edits, explanations and defects."""

ROOMS = {
    "gangform.edges.folders", "gangform.edges.kubeconform", "gangform.edges.kustomize", "gangform.edges.programs",
    "gangform.overlay", "gangform.report.json", "gangform.schema.engine", "gangform.schema.explanation",
    "gangform.text.editing", "gangform.text.syntax", "gangform.text.writing", "gangform.workflows.check",
    "gangform.workflows.explain", "gangform.workflows.overlays", "gangform.workflows.plan", "gangform.workflows.render",
}
"""Ours that a file without findings has no need of."""


def imported(*arguments: str, floor: str, folder: Path) -> set[str]:
    """Every module that a run brings in beside those that the floor has already."""
    script = (f"import sys, {floor}\nbefore = set(sys.modules)\nfrom gangform.cli.main import main\n"
              f"assert main({list(arguments)!r}) == 0\nprint(*sorted(set(sys.modules) - before))")
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.fixture
def unsettled(project: Path) -> Path:
    (project / "gangform.yaml").unlink()
    return project


def test_the_version_needs_nothing_that_reads_or_checks(project) -> None:
    found = imported("--version", floor="click", folder=project)
    assert sorted(found & (LIBRARIES | ROOMS | {"yaml", "jsonschema_rs", "gangform.catalog", "gangform.pipeline"})) == []


def test_a_clean_file_brings_in_nothing_that_explains_builds_or_writes(project) -> None:
    found = imported("validate", "base/pi.yaml", floor="click, yaml, jsonschema_rs", folder=project)
    assert "gangform.pipeline" in found
    assert sorted(found & (LIBRARIES | ROOMS)) == []


def test_settings_without_rules_do_not_gather_the_ids_of_every_module(unsettled) -> None:
    (unsettled / "gangform.yaml").write_text("rules:\n- {off: [pod-group-missing]}\n")
    settled = imported("validate", "base/pi.yaml", floor="click", folder=unsettled)
    (unsettled / "gangform.yaml").write_text("clusters: {dev: {backend: volcano}}\n")
    plain = imported("validate", "base/pi.yaml", floor="click", folder=unsettled)
    assert "gangform.workflows.explain" in settled - plain


def test_an_id_that_no_module_reports_is_refused_in_the_settings(project, run) -> None:
    (project / "gangform.yaml").write_text("rules:\n- {off: [pod-group-mising]}\n")
    done = run("validate", "base/pi.yaml")
    assert done.returncode == 2
    assert "'pod-group-mising' is no rule (did you mean pod-group-missing?" in done.stderr


def test_a_file_without_jobs_needs_no_schema_engine(unsettled) -> None:
    (unsettled / "base/pi.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: empty}\n")
    assert "jsonschema_rs" not in imported("validate", "base/pi.yaml", floor="click", folder=unsettled)


@pytest.mark.parametrize(("call", "alone"), [("main(['--version'])", True), ("main()", False)])
def test_only_a_run_that_is_the_whole_process_tunes_the_garbage_collector(call: str, alone: bool) -> None:
    script = ("import gc; from gangform.cli.main import main\nbefore = gc.get_threshold(), gc.get_freeze_count()\n"
              f"assert {call} == 0\nprint((gc.get_threshold(), gc.get_freeze_count()) == before)")
    done = subprocess.run([sys.executable, "-c", script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(alone)
