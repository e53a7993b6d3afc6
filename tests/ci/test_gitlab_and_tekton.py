"""The GitLab component and the Tekton task: their shape, and their scripts run as the runners run them.

GitLab's job is held against the published schema. For Tekton no schema is at hand; its script is run with the
parameters filled in.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from repository import fill, job

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def component(repository: Path) -> str:
    return (repository / "deploy/gitlab/templates/gangform.yml").read_text()


@pytest.fixture(scope="module")
def task(repository: Path) -> dict[str, Any]:
    return dict(yaml.safe_load((repository / "deploy/tekton/task.yaml").read_text()))


def interpolate(component: str, **inputs: str) -> tuple[dict[str, Any], str]:
    """The declared inputs, and the configuration as GitLab makes it of the inputs' values."""
    header, _, text = component.partition("\n---\n")
    declared = yaml.safe_load(header)["spec"]["inputs"]
    values = {name: given.get("default") for name, given in declared.items()} | inputs
    shown = {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}
    return declared, re.sub(r"\$\[\[ inputs\.([a-z-]+) \]\]", lambda match: shown[match[1]], text)


@pytest.fixture
def gitlab(component: str, checkout: Path, environment: dict[str, str]) -> Callable[..., tuple[int, str]]:
    """Run the component's job in the checkout: inputs by name, GitLab's own variables in capitals."""

    def run(variables: dict[str, str], **inputs: str) -> tuple[int, str]:
        _, text = interpolate(component, image="x", **{name.replace("_", "-"): inputs[name] for name in inputs})
        made = yaml.safe_load(text)["gangform"]
        done = subprocess.run(
            ["sh", "-e", "-c", "\n".join(made["script"])], cwd=checkout, text=True, check=False,
            env={**environment, "CI_PROJECT_DIR": str(checkout), **made["variables"], **variables},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    return run


def test_the_job_is_what_gitlabs_schema_takes(component: str, tmp_path: Path) -> None:
    _, text = interpolate(component, image="gangform:ci")
    (tmp_path / "job.yml").write_text(text)
    program = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [program, "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", tmp_path / "job.yml"],
        check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_input_is_declared_and_used(component: str) -> None:
    declared, left = interpolate(component, image="x")
    assert "$[[" not in left
    assert {name for name in declared if f"$[[ inputs.{name} ]]" not in component} == set()


def test_a_clean_project_passes_with_two_reports(gitlab, checkout: Path) -> None:
    code, printed = gitlab({})
    assert code == 0, printed
    assert json.loads((checkout / "gangform-codequality.json").read_text()) == []
    assert "<testsuite" in (checkout / "gangform-junit.xml").read_text()
    assert "1 overlay fresh" in printed


def test_drift_fails_the_job_and_is_in_the_reports(gitlab, checkout: Path) -> None:
    fill(checkout, {"base/pi.yaml": job(workers=8)})
    code, printed = gitlab({})
    assert code == 1
    assert "To mend:\ngangform render\n" in printed
    found = json.loads((checkout / "gangform-codequality.json").read_text())
    assert ("overlay-drifted", "overlays/dev/pi.podgroup.yaml") in {
        (one["check_name"], one["location"]["path"]) for one in found}


def test_only_changed_looks_at_a_merge_request_alone(gitlab) -> None:
    merge_request = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD"}
    assert "left out" in gitlab(merge_request, only_changed="true")[1]
    assert "left out" not in gitlab(merge_request)[1]
    assert "left out" not in gitlab({}, only_changed="true")[1]


@pytest.fixture
def tekton(task: dict[str, Any], checkout: Path, tmp_path: Path, environment: dict[str, str]) -> Callable[..., tuple[int, str]]:
    """Run the task's step with parameters as Tekton fills them in."""

    def run(folder: str = ".", since: str = "", args: tuple[str, ...] = ()) -> tuple[int, str]:
        (step,) = task["spec"]["steps"]
        known = {"$(workspaces.source.path)": str(checkout), "$(results.report.path)": str(tmp_path / "result"),
                 "$(params.folder)": folder, "$(params.changed-since)": since}
        variables = {one["name"]: known[one["value"]] for one in step["env"]}
        assert step["args"] == ["$(params.args[*])"]
        script = tmp_path / "script"
        script.write_text(step["script"])
        script.chmod(0o755)
        done = subprocess.run([script, *args], cwd=known[step["workingDir"]], env={**environment, **variables},
                              text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    return run


def test_the_task_declares_what_it_uses_and_keeps_it_out_of_the_script(task: dict[str, Any]) -> None:
    spec = task["spec"]
    assert (task["apiVersion"], task["kind"]) == ("tekton.dev/v1", "Task")
    text = yaml.safe_dump(spec["steps"])
    assert set(re.findall(r"\$\(params\.([a-z-]+)", text)) == {one["name"] for one in spec["params"]}
    assert set(re.findall(r"\$\(results\.([a-z-]+)", text)) == {one["name"] for one in spec["results"]}
    assert set(re.findall(r"\$\(workspaces\.([a-z-]+)", text)) == {one["name"] for one in spec["workspaces"]}
    assert "$(" not in spec["steps"][0]["script"]


def test_the_task_passes_and_fails_as_check_does(tekton, checkout: Path, tmp_path: Path) -> None:
    code, printed = tekton()
    assert code == 0, printed
    assert (checkout / (tmp_path / "result").read_text()).is_file()
    fill(checkout, {"base/pi.yaml": job(workers=8)})
    assert tekton()[0] == 1


def test_the_tasks_parameters_reach_gangform_as_they_are(tekton, checkout: Path) -> None:
    assert "left out" in tekton(since="HEAD")[1]
    assert tekton(args=("--kubeconform", "off", "--cluster", "a b; touch hacked"))[0] == 2
    assert tekton(folder="$(touch hacked)")[0] == 2
    assert not (checkout / "hacked").exists()
