"""validate and lint: streams, codes, formats."""

import json
import os
from pathlib import Path

import pytest


def test_a_clean_run_says_what_was_looked_at(run, bare) -> None:
    done = run("validate", "base/pi.yaml", env=bare)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 MPIJob in 1 file: no findings.\n", "")


def test_a_finding_shows_its_line_and_the_code_is_1(bad, run) -> None:
    done = run("validate", "base/pi.yaml")
    assert done.returncode == 1
    first, source, caret, *_, last = done.stdout.splitlines()
    assert first.startswith("base/pi.yaml:10:21: error: ")
    assert first.endswith("[min-member-exceeds-pods]")
    assert source == "   10 |       minAvailable: 9"
    assert caret == "      |                     ^"
    assert last == "1 error in 1 file. Explain: gangform explain min-member-exceeds-pods"
    assert done.stderr == ""


def test_lint_is_validate(bad, run) -> None:
    one, other = run("lint", "base/pi.yaml"), run("validate", "base/pi.yaml")
    assert (one.returncode, one.stdout) == (other.returncode, other.stdout)


def test_without_paths_the_working_folder_is_read(bad, run) -> None:
    assert "base/pi.yaml:10:21: error: " in run("validate").stdout


def test_stdin_is_a_file_of_its_own(bad, run) -> None:
    done = run("validate", "-", stdin=(bad / "base/pi.yaml").read_text())
    assert done.returncode == 1
    assert done.stdout.startswith("<stdin>:10:21: error: ")


def test_json_has_the_finding_and_the_counts(bad, run) -> None:
    done = run("validate", "base/pi.yaml", "--format", "json")
    assert done.returncode == 1
    whole = json.loads(done.stdout)
    assert whole["version"] == 1
    assert (whole["summary"]["errors"], whole["summary"]["files"], whole["summary"]["jobs"]) == (1, 1, 1)
    (found,) = whole["findings"]
    assert (found["rule"], found["line"], found["column"]) == ("min-member-exceeds-pods", 10, 21)
    assert found["subject"]["name"] == "pi"


def test_the_limit_of_the_code_may_be_lowered(project, run) -> None:
    job = project / "base/pi.yaml"
    job.write_text(job.read_text().replace("suspend: false", "").replace(
        "spec:\n  slotsPerWorker", "spec:\n  # a scalar that kubectl and kustomize read differently\n  slotsPerWorker")
        .replace("    cleanPodPolicy: Running\n", "    cleanPodPolicy: Running\n    suspend: no\n"))
    done = run("validate", "base/pi.yaml")
    assert " warning: " in done.stdout
    assert " error: " not in done.stdout
    assert done.returncode == 0
    assert run("validate", "base/pi.yaml", "--fail-on", "warning").returncode == 1
    assert run("validate", "base/pi.yaml", "--fail-on", "note").returncode == 1


def test_quiet_prints_findings_alone(bad, run, bare) -> None:
    done = run("validate", "base", "-q", env=bare)
    assert "[min-member-exceeds-pods]" in done.stdout
    assert "Explain:" not in done.stdout
    assert done.stderr == ""


def test_a_quiet_clean_run_is_silent(run) -> None:
    done = run("validate", "base/pi.yaml", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_many_findings_are_one_line_each_with_a_table_and_counts(bad, run) -> None:
    job = (bad / "base/pi.yaml").read_text()
    for number in range(25):
        (bad / f"job{number}.yaml").write_text(job.replace("name: pi", f"name: pi{number}"))
    done = run("validate", *(f"job{number}.yaml" for number in range(25)))
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert sum(line.endswith("[min-member-exceeds-pods]") for line in lines) == 25
    assert not [line for line in lines if " | " in line]
    assert ["rule", "severity", "findings", "files", "mendable"] in [line.split() for line in lines]
    assert ["min-member-exceeds-pods", "error", "25", "25"] in [line.split()[:4] for line in lines]
    assert lines[-2] == "Read: 25 MPIJobs in 25 files."
    assert lines[-1] == "25 errors in 25 files. Explain: gangform explain min-member-exceeds-pods"


@pytest.mark.parametrize(("arguments", "said"), [
    (("nowhere.yaml",), "nowhere.yaml"), (("--config", "nowhere.yaml", "base"), "nowhere.yaml"),
    (("--backend", "vulcano", "base"), "vulcano"), (("--cluster", "dve", "base"), "dve"),
    (("--cluster", "dev", "--backend", "volcano", "base"), "--cluster and --backend exclude each other"),
    (("--option", "queue=x", "base"), "--option needs --backend or --cluster"),
    (("--groups", "operator", "base"), "--groups needs --backend or --cluster"),
    (("--backend", "volcano", "--option", "queue", "base"), "--option 'queue' is not KEY=VALUE"),
    (("--backend", "volcano", "--option", "=x", "base"), "is not KEY=VALUE"),
    (("--backend", "volcano", "--option", "quee=x", "base"), "'quee' is no option of volcano"),
])
def test_wrong_usage_is_one_message_and_2(run, arguments: tuple[str, ...], said: str) -> None:
    done = run("validate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_settings_are_told_with_their_place(project: Path, run) -> None:
    (project / "gangform.yaml").write_text("clusters:\n  dev: {backend: vulcano}\n")
    done = run("validate", "base")
    assert done.returncode == 2
    assert done.stderr.startswith("error: gangform.yaml:2:18: 'vulcano' is no known backend")


def test_settings_turn_a_rule_off_by_path(bad: Path, run) -> None:
    (bad / "gangform.yaml").write_text("rules:\n- {paths: ['base/**'], off: [min-member-exceeds-pods]}\n")
    assert run("validate", "base/pi.yaml").returncode == 0


def test_escapes_in_a_manifest_never_reach_the_terminal(bad: Path, run) -> None:
    job = bad / "base/pi.yaml"
    job.write_text(job.read_text().replace("name: pi\n", 'name: "pi\\e[2J"  # \u202e\n'))
    done = run("validate", "base/pi.yaml")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github", "gitlab", "markdown"])
def test_a_file_whose_name_is_no_utf_8_is_looked_at_like_any_other(project: Path, run, form: str) -> None:
    strange = os.fsdecode(b"p\xef.yaml")
    text = (project / "base/pi.yaml").read_text().replace("replicas: 2", "replicas: 0")
    (project / strange).write_text(text)
    (project / "kustomization.yaml").write_text("resources: []\n")
    done = run("validate", strange, "--format", form)
    assert done.returncode == 1, done.stderr
    assert "worker-replicas" in done.stdout
