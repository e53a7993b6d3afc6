"""The declared layers hold, and a forbidden import would be seen."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def lint(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-logo", "--no-cache", str(checkout / "pyproject.toml")],
        cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout / "generator")},
        capture_output=True, text=True, check=False,
    )


@pytest.fixture
def copy(repository: Path, tmp_path: Path) -> Path:
    shutil.copy(repository / "pyproject.toml", tmp_path)
    shutil.copytree(
        repository / "generator", tmp_path / "generator", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"),
    )
    return tmp_path


def test_every_contract_is_kept(copy):
    result = lint(copy)
    assert result.returncode == 0, result.stdout
    assert ", 0 broken" in result.stdout


@pytest.mark.parametrize(("module", "line", "contract"), [
    ("model/newcomer.py", "from gangform import contracts", "imports go down only"),
    ("rules/newcomer.py", "from gangform.workflows import outcome", "imports go down only"),
    ("rules/newcomer.py", "from gangform.rules import min_member_exceeds_pods", "plug-ins never import their siblings"),
    ("kinds/newcomer.py", "import yaml", "only text reads and writes YAML"),
    ("report/newcomer.py", "import jsonschema", "only schema knows JSON Schema"),
    ("rules/newcomer.py", "import os", "side effects live in the edges"),
    ("backends/newcomer.py", "import subprocess", "side effects live in the edges"),
    ("workflows/newcomer.py", "import kubernetes", "only the edges speak to a cluster"),
    ("controller/newcomer.py", "from kubernetes import client", "only the edges speak to a cluster"),
    ("workflows/newcomer.py", "import kopf", "only the controller watches and serves"),
])
def test_a_forbidden_import_breaks_its_contract(copy, module, line, contract):
    (copy / "generator" / "gangform" / module).write_text(line + "\n")
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    assert f"{contract} BROKEN" in result.stdout
