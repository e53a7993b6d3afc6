"""The program as users run it, a process of its own, in a small repository."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from repository import fill, job

Program = Callable[..., "Ended"]


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    out: str
    err: str

    def assert_refused(self, code: int, *words: str) -> None:
        """Exactly one error on stderr, perhaps with a hint, and nothing on stdout."""
        assert (self.code, self.out) == (code, ""), self
        lines = self.err.splitlines()
        assert [line for line in lines if line.startswith("error: ")] == lines[:1], self.err
        assert all(line.startswith("hint: ") for line in lines[1:]), self.err
        assert [word for word in words if word not in self.err] == []


@pytest.fixture
def gangform() -> Program:
    """Run gangform: ``gangform("validate", ".", cwd=…, env={…}, before=[another program and its options])``."""

    def run(
        *arguments: str | bytes, cwd: Path | None = None, env: dict[str, str] | None = None, before: Sequence[str] = (),
        stdin: bytes = b"",
    ) -> Ended:
        done = subprocess.run(
            [*before, sys.executable, "-m", "gangform", *arguments], cwd=cwd, env={**os.environ, **(env or {})},
            input=stdin, capture_output=True, check=False, timeout=120)
        return Ended(done.returncode, done.stdout.decode("utf-8", "backslashreplace"),
                     done.stderr.decode("utf-8", "backslashreplace"))

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A base with one good job."""
    return fill(tmp_path / "project", {"base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n"})
