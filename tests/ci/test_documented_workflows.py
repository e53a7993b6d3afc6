"""The workflows that README and docs/ci.md show are what GitHub takes, and ask of the action what it knows."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gangform import __version__

REPOSITORY = Path(__file__).resolve().parents[2]
OURS = f"gangform/gangform@v{__version__}"
FENCE = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def workflows() -> Iterator[dict[str, Any]]:
    """Every workflow that is shown; where only steps are, a workflow around them."""
    for name in ("README.md", "docs/ci.md"):
        for text in FENCE.findall((REPOSITORY / name).read_text(encoding="utf-8")):
            block = yaml.safe_load(text.replace("\non:", '\n"on":'))
            if "steps" in block:
                yield {"on": "push", "jobs": {"a": {"runs-on": "ubuntu-latest", **block}}}
            elif "jobs" in block:
                yield block


WORKFLOWS = list(workflows())


def test_there_are_workflows_to_look_at() -> None:
    assert len(WORKFLOWS) == 3


@pytest.mark.tools
@pytest.mark.parametrize("workflow", WORKFLOWS, ids=["readme", "check", "render"])
def test_actionlint_finds_nothing_in_it(workflow: dict[str, Any], tmp_path: Path, tool: Callable[[str], str]) -> None:
    text = yaml.safe_dump(workflow, sort_keys=False)
    assert text.count(OURS) == 1
    (tmp_path / ".git").mkdir()
    shutil.copy(REPOSITORY / "action.yml", tmp_path)
    place = tmp_path / ".github/workflows/shown.yaml"
    place.parent.mkdir(parents=True)
    # Taken as a local action, so that its inputs are checked as well.
    place.write_text(text.replace(OURS, "./"))
    done = subprocess.run([tool("actionlint"), "-no-color"], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
