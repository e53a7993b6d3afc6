"""Helm 3 and 4 with gangform as their post-renderer."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from gangform import __version__, transform

pytestmark = [
    pytest.mark.tools, pytest.mark.skipif(os.name == "nt", reason="the post-renderers are for a POSIX shell")]

Template = Callable[..., subprocess.CompletedProcess[str]]
MARK = "scheduling.k8s.io/group-name"


@pytest.fixture
def helm3(tool: Callable[[str], str], chart: Path, environment: dict[str, str]) -> Template:
    """``helm template`` of the chart, post-rendered unless asked for plainly."""

    def template(*arguments: str, plainly: bool = False) -> subprocess.CompletedProcess[str]:
        words = ["--post-renderer", "gangform"] + [
            word for argument in ("transform", "--backend", "volcano") for word in ("--post-renderer-args", argument)]
        return subprocess.run([tool("helm3"), "template", "r", str(chart), *([] if plainly else words), *arguments],
                              env=environment, capture_output=True, text=True, check=False)

    return template


@pytest.fixture
def helm4(tool: Callable[[str], str], repository: Path, chart: Path, environment: dict[str, str]) -> Template:
    """The same with helm 4, after the plugin was installed."""
    program = tool("helm4")
    subprocess.run([program, "plugin", "install", str(repository / "deploy/helm4-plugin")], env=environment, check=True,
                   capture_output=True)

    def template(*arguments: str, plainly: bool = False) -> subprocess.CompletedProcess[str]:
        words = ["--post-renderer", "gangform", "--post-renderer-args", "--backend", "--post-renderer-args", "volcano"]
        return subprocess.run([program, "template", "r", str(chart), *([] if plainly else words), *arguments],
                              env=environment, capture_output=True, text=True, check=False)

    return template


def objects(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert done.returncode == 0, done.stderr
    return sorted((data for data in yaml.safe_load_all(done.stdout) if data), key=lambda data: (data["kind"], data["metadata"]["name"]))


def test_helm_3_gets_what_transform_makes_of_its_templates(helm3: Template) -> None:
    plain, done = helm3("--no-hooks", "--include-crds", plainly=True), helm3("--no-hooks", "--include-crds")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(transform(plain.stdout, backend="volcano").text).strip()
    assert "# Source: train/templates/config.yaml\n# Settings of the job.\n" in done.stdout
    assert "image: mpi # any will do\n" in done.stdout


def test_helm_3_does_not_send_hooks(helm3: Template) -> None:
    found = {(data["kind"], data["metadata"]["name"]) for data in objects(helm3())}
    assert ("MPIJob", "r-prepare") in found
    assert ("PodGroup", "r-prepare") not in found
    assert ("PodGroup", "r") in found


def test_helm_4_sends_hooks_and_the_group_goes_before_its_job(helm4: Template) -> None:
    done = helm4()
    groups = [data for data in objects(done) if data["kind"] == "PodGroup"]
    assert [data["metadata"]["name"] for data in groups] == ["r", "r-prepare"]
    assert groups[1]["metadata"]["annotations"] == {"helm.sh/hook": "pre-install", "helm.sh/hook-weight": "-1"}
    assert "# Source: train/templates/hook.yaml\napiVersion: scheduling.volcano.sh/v1beta1\n" in done.stdout


def test_both_give_the_same_objects(helm3: Template, helm4: Template) -> None:
    assert objects(helm3("--no-hooks")) == objects(helm4("--no-hooks"))


def test_values_reach_the_group(helm3: Template, helm4: Template) -> None:
    for template in (helm3, helm4):
        (group,) = [data for data in objects(template("--set", "workers=7", "--no-hooks")) if data["kind"] == "PodGroup"]
        assert group["spec"] == {"minMember": 8}


def test_a_failure_stops_helm_3_with_our_message(helm3: Template) -> None:
    done = helm3("--set", "minAvailable=9")
    assert (done.returncode, done.stdout) == (1, "")
    assert "minAvailable is 9 but the job has 3 pods" in done.stderr


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="helm 4 hides the message where there is no /proc")
def test_a_failure_stops_helm_4_with_our_message(helm4: Template) -> None:
    done = helm4("--set", "minAvailable=9")
    assert (done.returncode, done.stdout) == (1, "")
    assert "minAvailable is 9 but the job has 3 pods" in done.stderr


def test_the_stream_of_a_pipe_is_the_same(helm3: Template, environment: dict[str, str], chart: Path) -> None:
    program = shutil.which("helm3", path=environment["PATH"])
    done = subprocess.run(["sh", "-c", f"{program} template r {chart} | gangform transform --backend volcano"],
                          env=environment, capture_output=True, text=True, check=False)
    assert [data["metadata"]["name"] for data in objects(done) if data["kind"] == "PodGroup"] == ["r", "r-prepare"]


def test_the_readme_s_commands_run(tool: Callable[[str], str], repository: Path, chart: Path, environment: dict[str, str], tmp_path: Path) -> None:
    section = (repository / "README.md").read_text().partition("## Use it with Helm\n")[2].partition("\n## ")[0]
    lines = section.partition("```sh\n")[2].partition("```")[0].replace("\\\n", "").strip().split("\n")
    three, install, four = (line for line in lines if not line.startswith("#"))
    shutil.copytree(chart, tmp_path / "chart")
    (tmp_path / "deploy").symlink_to(repository / "deploy")
    for name, lines in (("helm3", [three]), ("helm4", [install, four])):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "helm").symlink_to(tool(name))
        for line in lines:
            done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False,
                                  env={**environment, "PATH": f"{folder}{os.pathsep}{environment['PATH']}"})
            assert done.returncode == 0, done.stderr
        assert {data["metadata"]["name"] for data in objects(done) if data["kind"] == "PodGroup"} >= {"pi"}


def test_the_plugin_has_the_version_of_gangform(repository: Path) -> None:
    assert yaml.safe_load((repository / "deploy/helm4-plugin/plugin.yaml").read_text())["version"] == __version__
