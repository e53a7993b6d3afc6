"""The files of deploy/ as data."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml


@pytest.fixture(scope="session")
def deployed(repository: Path) -> Callable[[str], list[Any]]:
    """Read a file of deploy/: ``deployed("flux/git.yaml")`` answers its documents."""

    def read(name: str) -> list[Any]:
        return list(yaml.safe_load_all((repository / "deploy" / name).read_text(encoding="utf-8")))

    return read
