"""``--changed-since`` as users type it: in validate and in check, with exit codes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def committed(project: Path, tool: Callable[[str], str]) -> Path:
    """The project as one commit on main."""
    tool("git")
    (project / ".git").rmdir()
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main"], cwd=project, check=True)
    commit(project)
    return project


def commit(project: Path) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (["add", "."], [*who, "commit", "--quiet", "--message=x"]):
        subprocess.run(["git", *words], cwd=project, check=True)


def change(project: Path) -> None:
    pi = project / "base/pi.yaml"
    pi.write_text(pi.read_text().replace("image: mpioperator/mpi-pi:openmpi", "image: mpi:2", 1))


def test_a_change_is_a_warning_with_its_place(committed: Path, run: Run) -> None:
    change(committed)
    done = run("validate", ".", "--changed-since", "main")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("base/pi.yaml:16:20: warning: pi exists at main; ")
    assert run("validate", ".", "--changed-since", "main", "--fail-on", "warning").returncode == 1
    assert run("validate", ".", "--fail-on", "warning").returncode == 0


def test_check_has_the_option_too(committed: Path, run: Run, kustomize: str) -> None:
    assert run("render").returncode == 0
    commit(committed)
    change(committed)
    done = run("check", "--changed-since", "HEAD", "--fail-on", "warning")
    assert done.returncode == 1
    assert "[rerun-needs-new-name]" in done.stdout


def test_an_unknown_revision_ends_the_run(committed: Path, run: Run) -> None:
    done = run("validate", ".", "--changed-since", "origin/nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "git knows no revision origin/nowhere" in done.stderr


def test_without_git_it_cannot_be_done(project: Path, run: Run, tmp_path: Path) -> None:
    done = run("validate", ".", "--changed-since", "main", env={"PATH": str(tmp_path / "nothing")})
    assert (done.returncode, done.stdout) == (3, "")
    assert "needs git" in done.stderr
