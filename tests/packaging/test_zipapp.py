"""The one-file program runs on a machine that has Python alone: no pip, no network, no home to write to."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PYTHON = Path(sys.base_prefix) / "bin" / "python3"


@pytest.fixture(scope="module")
def zipapp(repository: Path, wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make zipapp`` builds."""
    target = tmp_path_factory.mktemp("zipapp") / "gangform.pyz"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP"))}
    built = subprocess.run(
        [sys.executable, repository / "tools/build_zipapp.py", wheels, target], capture_output=True, text=True,
        env=environment | {"HOME": str(target.parent), "PIP_CONFIG_FILE": os.devnull}, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return target


def run(program: Path, *arguments: str, cwd: Path, home: Path, code: int = 0) -> "subprocess.CompletedProcess[str]":
    """Run it with an empty environment and, where the system has namespaces, without a network."""
    words: list[str | Path] = [PYTHON, program, *arguments]
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True, check=False).returncode == 0:
        words = [unshare, "-rn", *words]
    done = subprocess.run(words, cwd=cwd, env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
                          check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def test_it_says_its_version(zipapp: Path, tmp_path: Path, home: Path) -> None:
    assert run(zipapp, "--version", cwd=tmp_path, home=home).stdout.startswith("gangform ")


def test_it_validates_with_its_own_schemas(repository: Path, zipapp: Path, tmp_path: Path, home: Path) -> None:
    done = run(zipapp, "validate", str(repository / "base/pi.yaml"), cwd=tmp_path, home=home)
    assert "no findings" in done.stdout


def test_it_answers_from_a_dump(repository: Path, zipapp: Path, tmp_path: Path, home: Path) -> None:
    done = run(zipapp, "status", "--from", str(repository / "docs/dumps/monday.json"), "-n", "nlp", cwd=tmp_path, home=home)
    assert done.stdout.splitlines()[-1].startswith("2 gangs: 1 running, 1 queued")


def test_it_holds_the_client_for_clusters(zipapp: Path, tmp_path: Path, home: Path) -> None:
    done = run(zipapp, "status", cwd=tmp_path, home=home, code=3)
    assert done.stderr.startswith("error: there is no kubeconfig")


def test_a_home_that_cannot_be_written_is_no_hindrance(zipapp: Path, tmp_path: Path) -> None:
    # A file, since no right keeps root from writing into a folder.
    (tmp_path / "home").write_text("")
    assert run(zipapp, "--version", cwd=tmp_path, home=tmp_path / "home").stdout.startswith("gangform ")


def test_under_the_name_of_the_plugin_it_is_kubectls(zipapp: Path, tmp_path: Path, home: Path) -> None:
    plugin = tmp_path / "kubectl-gang"
    shutil.copy(zipapp, plugin)
    assert run(plugin, "status", "--help", cwd=tmp_path, home=home).stdout.startswith("Usage: kubectl gang status")


def test_it_holds_no_path_of_the_machine_that_built_it(repository: Path, zipapp: Path) -> None:
    with zipfile.ZipFile(zipapp) as archive:
        info = archive.read("PEX-INFO").decode()
    assert str(repository) not in info
    assert "/tmp" not in info
