"""An earlier revision laid out beside the repository, which itself stays as it is."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.edges import git
from gangform.model.errors import InputError, ProgramError

Git = Callable[..., str]


@pytest.fixture
def repository_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: Callable[[str], str]) -> Git:
    """A repository with one commit, and git to run in it."""
    program = tool("git")
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def run(*arguments: str) -> str:
        identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run([program, *arguments], cwd=folder, env={**os.environ, **identity, **plain}, check=True,
                              capture_output=True, text=True).stdout

    run("init", "--quiet", "--initial-branch=main")
    (folder / "jobs").mkdir()
    (folder / "jobs/pi.yaml").write_text("old\n")
    run("add", ".")
    run("commit", "--quiet", "--message=one")
    return run


def read(checkout: git.Checkout, path: str) -> str:
    place = checkout.place(path)
    assert place is not None
    return Path(place).read_text()


def test_files_are_as_they_were_and_gone_afterwards(repository_of: Git) -> None:
    Path("jobs/pi.yaml").write_text("new\n")
    with git.checkout("HEAD") as found:
        assert read(found, "jobs/pi.yaml") == "old\n"
        tree = found.tree
    assert not os.path.exists(tree)
    assert Path("jobs/pi.yaml").read_text() == "new\n"


def test_the_users_index_and_work_tree_stay_as_they_are(repository_of: Git) -> None:
    Path("jobs/new.yaml").write_text("x\n")
    repository_of("add", "jobs/new.yaml")
    Path("jobs/pi.yaml").write_text("new\n")
    before = repository_of("status", "--porcelain")
    with git.checkout("main"):
        pass
    assert repository_of("status", "--porcelain") == before


def test_paths_count_from_the_working_folder(repository_of: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("jobs")
    with git.checkout("HEAD") as found:
        assert read(found, "pi.yaml") == "old\n"
        assert read(found, "../jobs/pi.yaml") == "old\n"
        assert read(found, os.path.abspath("pi.yaml")) == "old\n"


def test_a_path_outside_of_the_repository_has_no_place(repository_of: Git, tmp_path: Path) -> None:
    with git.checkout("HEAD") as found:
        assert found.place("../elsewhere.yaml") is None
        assert found.place(str(tmp_path)) is None


def test_a_hook_that_points_git_at_another_index_does_no_harm(repository_of: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_INDEX_FILE", os.path.abspath(".git/index"))
    before = Path(".git/index").read_bytes()
    with git.checkout("HEAD") as found:
        assert read(found, "jobs/pi.yaml") == "old\n"
    assert Path(".git/index").read_bytes() == before


@pytest.mark.parametrize("revision", ["nowhere", "origin/main", "--upload-pack=x", "", "HEAD~9"])
def test_an_unknown_revision_is_named(repository_of: Git, revision: str) -> None:
    with pytest.raises(InputError) as raised, git.checkout(revision):
        pass
    assert f"no revision {revision} in this repository" in raised.value.message
    assert "origin/main" in raised.value.hint


def test_a_shallow_clone_is_named_as_the_likely_cause(repository_of: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository_of("commit", "--quiet", "--allow-empty", "--message=two")
    repository_of("clone", "--quiet", "--depth=1", f"file://{tmp_path}/repository", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    with pytest.raises(InputError, match="the clone is shallow") as raised, git.checkout("HEAD~1"):
        pass
    assert "git fetch --unshallow" in raised.value.hint


def test_a_folder_in_no_repository_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: Callable[[str], str]) -> None:
    tool("git")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(InputError, match="in no git repository"), git.checkout("HEAD"):
        pass


def test_a_missing_git_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProgramError, match="needs git, which is not on PATH"), git.checkout("HEAD"):
        pass
