"""The images: linted by hadolint, their Python steps run here, their structure held against the repository.

Building them needs a container engine and base images, which the suite does without.
"""

import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest


class Instruction(NamedTuple):
    stage: str
    name: str
    text: str


def read(repository: Path) -> Iterator[Instruction]:
    """The instructions of the Dockerfile, continued lines joined and comments dropped."""
    lines = [line for line in (repository / "Dockerfile").read_text().splitlines() if not line.lstrip().startswith("#")]
    stage = ""
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        name, _, text = line.partition(" ")
        if name == "FROM":
            stage = text.split()[-1]
        if name:
            yield Instruction(stage, name, " ".join(text.split()))


@pytest.fixture(scope="module")
def instructions(repository: Path) -> list[Instruction]:
    return list(read(repository))



def of(instructions: list[Instruction], name: str, stage: str | None = None) -> list[str]:
    return [one.text for one in instructions if one.name == name and stage in {None, one.stage}]


def copied(instructions: list[Instruction]) -> Iterator[str]:
    """What COPY takes from the repository."""
    for text in of(instructions, "COPY"):
        words = text.split()
        if not words[0].startswith("--from"):
            yield from words[:-1]


def test_hadolint_has_nothing_to_say(repository: Path) -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([hadolint, "--failure-threshold", "style", "Dockerfile"], cwd=repository, check=False,
                          capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_images_run_as_a_user_without_rights(instructions: list[Instruction]) -> None:
    for stage in ("ci", "gangform", "controller"):
        assert of(instructions, "USER", stage) == ["65532:65532"]


def test_the_last_stage_has_the_program_as_its_entry_and_the_plugin_where_argo_cd_looks(
    instructions: list[Instruction]
) -> None:
    assert instructions[-1].stage == "gangform"
    assert of(instructions, "ENTRYPOINT", "gangform") == ['["/opt/gangform/bin/gangform"]']
    assert of(instructions, "FROM")[-1] == "${RUNTIME} AS gangform"
    assert any("distroless" in text for text in of(instructions, "ARG"))
    assert any(text.endswith(" /home/argocd/cmp-server/config/plugin.yaml")
               for text in of(instructions, "COPY", "gangform"))


def test_the_controllers_image_is_the_program_with_its_extra_and_nothing_else(instructions: list[Instruction]) -> None:
    assert of(instructions, "COPY", "controller") == ["--from=clients /opt/gangform /opt/gangform"]
    assert any("requirements/controller.txt" in text for text in of(instructions, "RUN", "clients"))
    assert of(instructions, "ENTRYPOINT", "controller") == of(instructions, "ENTRYPOINT", "gangform")
    assert of(instructions, "CMD", "controller") == ['["controller"]']


def test_packages_come_from_the_lock_or_from_no_index(instructions: list[Instruction]) -> None:
    commands = [command for text in of(instructions, "RUN") for command in text.split("&&") if "/pip " in command]
    assert len(commands) == 5
    for command in commands:
        assert "--require-hashes" in command or "--no-index" in command, command


def test_what_is_copied_exists_and_is_not_ignored(repository: Path, instructions: list[Instruction]) -> None:
    rules = [line for line in (repository / ".dockerignore").read_text().splitlines()
             if line and not line.startswith("#")]
    assert rules[0] == "*"
    let_through = [rule[1:] for rule in rules if rule.startswith("!")]
    for source in copied(instructions):
        assert (repository / source).exists(), source
        assert any(fnmatch.fnmatch(source, rule) or source.startswith(rule + "/") for rule in let_through), source


def test_programs_are_those_that_the_repository_pins(repository: Path, instructions: list[Instruction]) -> None:
    packages = {word for text in of(instructions, "RUN", "programs") for word in text.split() if word.count("/") > 2}
    pins = "".join((repository / "tools" / name).read_text() for name in ("go.mod", "helm3/go.mod"))
    assert len(packages) == 3
    for package in packages:
        module = re.sub(r"/cmd/[a-z]+$", "", package)
        assert re.search(rf"^\s*(require )?{re.escape(module)} v", pins, re.MULTILINE), package


@pytest.mark.slow
def test_the_python_steps_make_an_environment_that_runs_gangform(
    repository: Path, instructions: list[Instruction], tmp_path: Path, pip: dict[str, str]
) -> None:
    for source in ("requirements", "pyproject.toml", "README.md", "LICENSE", "schemas", "generator"):
        place = tmp_path / "src" / source
        if (repository / source).is_dir():
            shutil.copytree(repository / source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(repository / source, place)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    environment |= pip
    steps = [command.strip() for text in of(instructions, "RUN", "build") for command in text.split("&&")]
    for step in (step for step in steps if not step.startswith(("apt-get", "rm "))):
        moved = re.sub(r"(?<![\w.])/(build|opt/gangform|wheels)", rf"{tmp_path}/\1", step)
        moved = re.sub(r"^python3\b", shlex.quote(sys.executable), moved)
        done = subprocess.run(moved, shell=True, cwd=tmp_path / "src", env=environment, check=False,
                              capture_output=True, text=True)
        assert done.returncode == 0, f"{moved}\n{done.stdout}{done.stderr}"
    done = subprocess.run([tmp_path / "opt/gangform/bin/gangform", "schema"], cwd=tmp_path, env=environment,
                          check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "kubeflow.org/mpijob_v2beta1" in done.stdout
