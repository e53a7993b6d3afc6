"""docs/cli.md is what the commands' own help says."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gangform.cli.main import COMMANDS


@pytest.fixture(scope="module")
def tool(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_command_pages", repository / "tools/write_command_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "docs/cli.md").read_text(encoding="utf-8")


def test_the_page_is_the_one_that_make_docs_writes(page: str, tool: ModuleType) -> None:
    assert page == tool.write(), "run `make docs`"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_section_as_its_help_prints_it(page: str, command: str) -> None:
    printed = subprocess.run([sys.executable, "-m", "gangform", command, "--help"], capture_output=True, text=True,
                             check=True).stdout
    section = re.search(rf"^## gangform {command}\n.*?^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert section is not None
    assert section[1].splitlines() == [line.rstrip() for line in printed.splitlines()]
