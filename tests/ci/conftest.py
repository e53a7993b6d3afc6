"""A repository as a CI job checks it out, and gangform on PATH."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from repository import fill, job

SETTINGS = "clusters:\n  dev: {backend: coscheduling}\noverlays:\n- {cluster: dev, source: base, path: overlays/dev}\n"

Git = Callable[..., str]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a runner has: gangform and a python3 on PATH, no git settings of a user."""
    own = tmp_path_factory.mktemp("bin")
    for name, words in (("gangform", "-m gangform"), ("python3", "")):
        (own / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (own / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_", "CI"))}
    return {**kept, "PATH": os.pathsep.join([str(own), kept["PATH"]]),
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


@pytest.fixture
def git(tmp_path: Path, environment: dict[str, str], tool: Callable[[str], str]) -> Git:
    """Run git in the checkout, and answer what it prints."""
    program = tool("git")

    def run(*words: str, cwd: Path | None = None) -> str:
        done = subprocess.run([program, "-c", "user.name=a", "-c", "user.email=a@b", *words], env=environment,
                              cwd=cwd or tmp_path / "checkout", text=True, check=False, capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def checkout(tmp_path: Path, git: Git, environment: dict[str, str], kustomize: str) -> Path:
    """A clean and rendered repository on the branch ``work``, pushed to a remote."""
    folder = fill(tmp_path / "checkout", {
        "gangform.yaml": SETTINGS, "base/kustomization.yaml": "resources: [pi.yaml]\n", "base/pi.yaml": job()})
    subprocess.run(["gangform", "render", "--quiet"], cwd=folder, env=environment, check=True, capture_output=True)
    git("init", "--quiet", "--bare", str(tmp_path / "remote"), cwd=tmp_path)
    for words in (("init", "--quiet", "--initial-branch=work"), ("add", "."), ("commit", "--quiet", "-m", "x"),
                  ("remote", "add", "origin", str(tmp_path / "remote")), ("push", "--quiet", "origin", "work")):
        git(*words)
    return folder
