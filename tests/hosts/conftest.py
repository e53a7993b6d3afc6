"""The program as hosts start it: ``gangform`` on PATH."""

import os
import shlex
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH whose ``gangform`` is the one under test."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "gangform"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m gangform "$@"\n')
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture
def environment(path: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with ``gangform`` on PATH, and helm's folders of its own."""
    home = tmp_path_factory.mktemp("helm")
    return {**os.environ, "PATH": path, **{
        f"HELM_{name}_HOME": str(home / name.lower()) for name in ("DATA", "CACHE", "CONFIG")}}


@pytest.fixture(scope="session")
def chart() -> Path:
    """A chart with a job, a hook that is a job, a CRD, notes and comments."""
    return Path(__file__).parent / "chart"
