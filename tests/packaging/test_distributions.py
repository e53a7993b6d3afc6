"""Wheel and sdist hold what they must, and the wheel does the main job in an environment of its own."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(command, cwd=cwd, env=environment() | variables, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}


def build(source: Path, kind: str, target: Path) -> Path:
    """Build with the backend that is installed: nothing is fetched."""
    run(sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", target, source, cwd=target)
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(repository, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(repository, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


@pytest.fixture(scope="module")
def installed(repository: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory, pip: dict[str, str]) -> Path:
    """The command ``gangform`` of an environment that holds the locked packages and the wheel alone."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    install = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", folder / "bin" / "python"]
    locked = ("--require-hashes", "-r", repository / "requirements" / "run.txt")
    for words in (("install", "--quiet", *locked), ("install", "--quiet", "--no-deps", wheel), ("check",)):
        run(*install, *words, cwd=folder, **pip)
    return folder / "bin" / "gangform"


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix() for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_every_module_and_every_schema_and_nothing_else(repository, wheel):
    modules = {f"gangform/{name}" for name in files(repository / "generator" / "gangform")}
    schemas = {f"gangform/schemas/{name}" for name in files(repository / "schemas")}
    packed = {name for name in contents(wheel) if ".dist-info/" not in name}
    assert packed == modules | schemas
    assert any(name.endswith("mpijob_v2beta1.json") for name in packed)


def test_the_wheel_built_from_the_sdist_is_the_same(wheel, unpacked, tmp_path):
    assert contents(build(unpacked, "wheel", tmp_path)) == contents(wheel)


def test_the_sdist_holds_what_building_and_testing_need(repository, unpacked):
    for name in ("pyproject.toml", "Makefile", "LICENSE", "README.md", "gangform.yaml", "tests/conftest.py",
                 "tools/go.mod", "tools/go.sum", "Dockerfile", ".dockerignore", "action.yml", ".pre-commit-hooks.yaml"):
        assert (unpacked / name).is_file(), name
    for folder in ("generator", "schemas", "base", "overlays", "docs", "bench", "requirements"):
        assert files(unpacked / folder) == files(repository / folder), folder


@pytest.fixture
def elsewhere(repository: Path, tmp_path: Path) -> Path:
    """An empty folder beside a copy of the jobs, far from the checkout."""
    shutil.copytree(repository / "base", tmp_path / "base")
    empty = tmp_path / "empty"
    empty.mkdir()
    return empty


def texts(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text(encoding="utf-8") for name in files(folder)}


@pytest.mark.parametrize("backend", ["coscheduling", "volcano"])
def test_the_installed_wheel_does_the_main_job_from_an_empty_folder(repository, installed, elsewhere, backend):
    run(installed, "validate", "../base", cwd=elsewhere)
    run(installed, "render", "../base", "--backend", backend, "-o", f"../overlays/{backend}", cwd=elsewhere)
    assert texts(elsewhere.parent / "overlays" / backend) == texts(repository / "overlays" / backend)
    run(installed, "render", "../base", "--backend", backend, "--rendered", "-o", "final", cwd=elsewhere)
    assert {"kustomization.yaml", "pi.yaml"} <= files(elsewhere / "final")


def test_the_installed_wheel_finds_its_own_schemas(repository, installed, elsewhere):
    printed = run(installed, "schema", "MPIJob", cwd=elsewhere).stdout
    assert printed.strip() == (repository / "schemas/kubeflow.org/mpijob_v2beta1.json").read_text().strip()


def test_without_the_extra_a_cluster_is_refused_in_one_line_and_a_dump_is_not(repository, installed, elsewhere):
    refused = subprocess.run([installed, "status"], cwd=elsewhere, env=environment(), check=False, capture_output=True, text=True)
    assert (refused.returncode, refused.stdout, refused.stderr) == (
        3, "", 'error: the client for clusters is not installed: pip install "gangform[cluster]"\n')
    dump = repository / "docs" / "dumps" / "monday.json"
    assert "2 gangs:" in run(installed, "status", "--from", dump, "-n", "nlp", cwd=elsewhere).stdout
    plugin = installed.with_name("kubectl-gang")
    assert run(plugin, "explain", "asleep", cwd=elsewhere).stdout.startswith("Asleep (alarming)")


def test_a_plain_clone_runs_without_installation(repository, unpacked, elsewhere):
    result = subprocess.run(
        [sys.executable, "-m", "gangform", "validate", "../base"], cwd=elsewhere, check=False,
        env=environment() | {"PYTHONPATH": str(unpacked / "generator")}, capture_output=True, text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    where = subprocess.run(
        [sys.executable, "-c", "import gangform; print(gangform.__file__)"], cwd=elsewhere, check=True,
        env=environment() | {"PYTHONPATH": str(unpacked / "generator")}, capture_output=True, text=True,
    )
    assert Path(where.stdout.strip()).is_relative_to(unpacked)


def test_the_editable_installation_runs_the_checkout(repository, elsewhere):
    command = Path(sys.executable).with_name("gangform")
    run(command, "validate", "../base", cwd=elsewhere)
    where = run(sys.executable, "-c", "import gangform; print(gangform.__file__)", cwd=elsewhere).stdout
    assert Path(where.strip()).is_relative_to(repository / "generator")


def test_every_locked_runtime_package_is_pinned_alike_for_development(repository):
    def pins(name: str) -> set[str]:
        lines = (repository / "requirements" / name).read_text(encoding="utf-8").splitlines()
        return {line.split(" ", 1)[0] for line in lines if "==" in line and not line.startswith(" ")}

    assert pins("run.txt")
    assert pins("run.txt") <= pins("dev.txt")
    assert pins("build.txt") <= pins("dev.txt")
