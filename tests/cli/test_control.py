"""--select, --ignore, --baseline and --write-baseline as users type them."""

import json
from pathlib import Path

import pytest

RULE = "min-member-exceeds-pods"


@pytest.mark.parametrize(("arguments", "code"), [
    (("--select", RULE), 1), (("--select", "min-*"), 1), (("--select", "pod-group-missing"), 0),
    (("--select", f"pod-group-missing,{RULE}"), 1), (("--select", "pod-group-missing", "--select", RULE), 1),
    (("--ignore", RULE), 0), (("--ignore", "min-member-*"), 0), (("--ignore", "pod-group-missing"), 1),
    (("--select", RULE, "--ignore", RULE), 0),
])
def test_chosen_ids_decide_what_counts(bad: Path, run, arguments: tuple[str, ...], code: int) -> None:
    done = run("validate", "base/pi.yaml", *arguments)
    assert done.returncode == code, done.stdout
    assert (f"[{RULE}]" in done.stdout) is (code == 1)


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_unknown_id_is_wrong_usage(bad: Path, run, option: str) -> None:
    done = run("validate", "base/pi.yaml", option, "min-member-exceed-pods")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: there is no rule 'min-member-exceed-pods'\nhint: did you mean {RULE}?\n")


def test_a_baseline_lets_known_findings_pass_and_new_ones_fail(bad: Path, run) -> None:
    done = run("validate", "base/pi.yaml", "--write-baseline")
    assert done.returncode == 0
    assert "written to the baseline .gangform-baseline.json" in done.stderr
    again = run("validate", "base/pi.yaml")
    assert (again.returncode, RULE in again.stdout) == (0, False)
    assert "1 known finding in the baseline .gangform-baseline.json" in again.stderr
    (bad / "base/new.yaml").write_text((bad / "base/pi.yaml").read_text().replace("name: pi", "name: new"))
    new = run("validate", "base/pi.yaml", "base/new.yaml")
    assert new.returncode == 1
    assert new.stdout.startswith("base/new.yaml:10:21: error: ")
    assert "base/pi.yaml" not in new.stdout


def test_a_mended_finding_is_told_with_the_command_that_takes_it_out(bad: Path, run) -> None:
    run("validate", "base/pi.yaml", "--write-baseline")
    job = bad / "base/pi.yaml"
    job.write_text(job.read_text().replace("minAvailable: 9", "minAvailable: 3"))
    done = run("validate", "base/pi.yaml")
    assert done.returncode == 0
    command = "gangform validate base/pi.yaml --write-baseline=.gangform-baseline.json"
    assert f"1 entry of the baseline .gangform-baseline.json no longer occurs; to take them out: {command}" in done.stderr
    assert run("validate", "base/pi.yaml", "--write-baseline=.gangform-baseline.json").returncode == 0
    assert json.loads((bad / ".gangform-baseline.json").read_text())["findings"] == []


@pytest.mark.parametrize("other", [("validate", "gangform.yaml"), ("validate", "base/pi.yaml", "--select", RULE)])
def test_a_command_that_looks_elsewhere_calls_nothing_mended(bad: Path, run, other: tuple[str, ...]) -> None:
    run("validate", "base/pi.yaml", "--write-baseline")
    job = bad / "base/pi.yaml"
    job.write_text(job.read_text().replace("minAvailable: 9", "minAvailable: 3"))
    assert "no longer" not in run(*other).stderr


def test_a_baseline_holds_in_a_folder_below_and_under_another_name(bad: Path, run) -> None:
    run("validate", "base/pi.yaml", "--write-baseline=known.json")
    assert not (bad / ".gangform-baseline.json").exists()
    assert run("validate", "base/pi.yaml").returncode == 1
    assert run("validate", "base/pi.yaml", "--baseline", "known.json").returncode == 0
    assert run("validate", "pi.yaml", "--baseline", "../known.json", cwd=bad / "base").returncode == 0


def test_the_usual_baseline_lies_beside_the_settings(bad: Path, run) -> None:
    assert run("validate", "pi.yaml", "--write-baseline", cwd=bad / "base").returncode == 0
    assert (bad / ".gangform-baseline.json").exists()
    assert run("validate", "base/pi.yaml").returncode == 0


@pytest.mark.parametrize(("arguments", "said"), [
    (("--baseline", "nowhere.json"), "nowhere.json"), (("--write-baseline", "base"), "base is a folder"),
    (("--write-baseline=nowhere/x.json",), "nowhere/x.json"), (("--baseline", "gangform.yaml"), "is not JSON"),
])
def test_a_baseline_that_cannot_be_read_or_written_is_one_message(bad: Path, run, arguments, said: str) -> None:
    done = run("validate", "base/pi.yaml", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_check_knows_selection_and_baseline_too(bad: Path, run, kustomize: str, kubeconform: str) -> None:
    assert run("check").returncode == 1
    (bad / "base/pi.yaml").write_text((bad / "base/pi.yaml").read_text().replace("minAvailable: 9", "minAvailable: 3"))
    assert run("render").returncode == 0
    (bad / "overlays/volcano/pi.podgroup.yaml").unlink()
    assert run("check", "--ignore", "*").returncode == 1
    assert run("render").returncode == 0
    assert run("check", "--select", RULE, "--write-baseline").returncode == 0
    assert json.loads((bad / ".gangform-baseline.json").read_text())["command"] == f"gangform check --select {RULE}"
