"""--format and -o: which report goes where, and what each command's report holds."""

import json
import os
from pathlib import Path

import jsonschema
import junitparser
import pytest

from gangform import schema


def test_one_format_goes_to_stdout(bad: Path, run) -> None:
    done = run("validate", "base/pi.yaml", "--format", "sarif")
    assert done.returncode == 1
    assert json.loads(done.stdout)["runs"][0]["results"][0]["ruleId"] == "min-member-exceeds-pods"


def test_a_format_with_a_file_leaves_stdout_to_people(bad: Path, run) -> None:
    done = run("validate", "base/pi.yaml", "--format", "sarif=out.sarif", "--format", "gitlab=quality.json")
    assert done.returncode == 1
    assert done.stdout.startswith("base/pi.yaml:10:21: error: ")
    assert json.loads((bad / "out.sarif").read_text())["version"] == "2.1.0"
    assert [entry["check_name"] for entry in json.loads((bad / "quality.json").read_text())] == ["min-member-exceeds-pods"]


def test_formats_with_and_without_a_file_may_be_mixed(bad: Path, run) -> None:
    done = run("validate", "base/pi.yaml", "--format", "gitlab", "--format", "junit=out.xml")
    assert isinstance(json.loads(done.stdout), list)
    assert junitparser.JUnitXml.fromfile(str(bad / "out.xml")).failures == 1


def test_o_names_the_file_of_the_format(bad: Path, run) -> None:
    done = run("validate", "base/pi.yaml", "--format", "json", "-o", "out.json")
    assert json.loads((bad / "out.json").read_text())["summary"]["errors"] == 1
    assert done.stdout.startswith("base/pi.yaml:10:21: error: ")
    run("validate", "base/pi.yaml", "-o", "out.txt")
    assert (bad / "out.txt").read_text().startswith("base/pi.yaml:10:21: error: ")


def test_a_report_is_replaced_and_an_unwritable_one_is_one_message(bad: Path, run) -> None:
    (bad / "out.json").write_text("old")
    run("validate", "base/pi.yaml", "--format", "json=out.json")
    assert json.loads((bad / "out.json").read_text())["version"] == 1
    done = run("validate", "base/pi.yaml", "--format", "json=nowhere/out.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere/out.json" in done.stderr
    assert sorted(path.name for path in bad.iterdir()) == [".git", "base", "gangform.yaml", "out.json"]


@pytest.mark.parametrize("arguments", [
    ("--format", "sraif"), ("--format", "sarif", "--format", "json"), ("--format", "sarif="),
    ("--format", "sarif=x", "--format", "json=x"), ("--format", "sarif=x", "-o", "y"),
])
def test_a_format_that_is_unknown_or_has_no_place_is_wrong_usage(bad: Path, run, arguments: tuple[str, ...]) -> None:
    done = run("validate", "base/pi.yaml", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert not (bad / "x").exists()


def test_in_github_actions_findings_are_annotations(bad: Path, run) -> None:
    done = run("validate", "base/pi.yaml", env={"GITHUB_ACTIONS": "true"})
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=base/pi.yaml,line=10,")
    text = run("validate", "base/pi.yaml", "--format", "text", env={"GITHUB_ACTIONS": "true"})
    assert text.stdout.startswith("base/pi.yaml:10:21: error: ")


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "github", "junit", "markdown"])
def test_paths_are_those_of_the_repository_wherever_the_command_runs(bad: Path, run, form: str) -> None:
    below = run("validate", "pi.yaml", "--format", form, cwd=bad / "base")
    assert "base/pi.yaml" in below.stdout
    assert below.stdout == run("validate", "base/pi.yaml", "--format", form).stdout


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "github", "junit", "markdown"])
def test_equal_input_gives_equal_bytes_without_a_path_of_the_machine(bad: Path, run, form: str) -> None:
    one, other = (run("validate", "base", "--format", form) for _ in range(2))
    assert one.stdout == other.stdout
    assert str(bad) not in one.stdout


def test_the_comment_of_a_pull_request_shows_each_job(bad: Path, run) -> None:
    done = run("validate", "base/pi.yaml", "--format", "markdown")
    assert done.stdout.startswith("<!-- gangform -->\n")
    assert "| pi | 1 Launcher + 2 Worker | 9 | 2500m cpu, 2304Mi memory | 1 error |" in done.stdout.splitlines()


def test_a_sound_object_is_a_test_case_that_passes(project: Path, run) -> None:
    done = run("validate", "base/pi.yaml", "--format", "junit")
    report = junitparser.JUnitXml.fromstring(done.stdout.encode())
    assert [(case.classname, case.name, case.is_passed) for suite in report for case in suite] == [
        ("base/pi.yaml", "MPIJob pi", True)]


@pytest.fixture
def drifted(project: Path, run, kustomize: str, kubeconform: str) -> Path:
    assert run("render").returncode == 0
    with (project / "overlays/volcano/pi.podgroup.yaml").open("a") as file:
        file.write("  # by hand\n")
    return project


def test_check_tells_drift_in_every_format(drifted: Path, run) -> None:
    sarif = json.loads(run("check", "--format", "sarif").stdout)
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["overlay-drifted"]
    gitlab = json.loads(run("check", "--format", "gitlab").stdout)
    assert gitlab[0]["location"]["path"] == "overlays/volcano/pi.podgroup.yaml"
    assert "gangform render" in gitlab[0]["description"]
    github = run("check", "--format", "github")
    assert github.returncode == 1
    assert github.stdout.startswith("::error file=overlays/volcano/pi.podgroup.yaml,line=1,")
    junit = junitparser.JUnitXml.fromstring(run("check", "--format", "junit").stdout.encode())
    assert junit.failures == 1


def test_the_envelopes_of_validate_and_check_fit_the_published_schema(drifted: Path, run) -> None:
    validator = jsonschema.Draft7Validator(schema.load("gangform.dev/report_v1"))
    for arguments in (("check",), ("validate", "base")):
        whole = json.loads(run(*arguments, "--format", "json").stdout)
        assert list(validator.iter_errors(whole)) == []
        assert set(whole) <= set(validator.schema["properties"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no /dev/stdout")
def test_a_device_is_written_as_it_comes(bad: Path, run) -> None:
    done = run("validate", "base/pi.yaml", "-q", "--format", "gitlab=/dev/stderr")
    assert json.loads(done.stderr)
