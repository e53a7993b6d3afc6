"""What a change since a revision affects: too much is a pity, too little is a fault that nobody sees."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.settings import Cluster, Settings, Target
from gangform.workflows import check, configuration, render
from gangform.workflows.outcome import Checked, Outcome
from gangform.workflows.validate import validate
from repository import fill, job, quiet, told

pytestmark = pytest.mark.tools

SETTINGS = """\
clusters:
  dev: {backend: coscheduling}
overlays:
- {cluster: dev, source: "teams/{team}/base", path: "teams/{team}/gang"}
"""
BAD = job(workers='"x"')
Change = Callable[[dict[str, str | None]], None]


@pytest.fixture
def repository_of_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: Callable[[str], str]) -> Change:
    """Two teams, rendered and committed; then change files (None deletes)."""
    git = tool("git")
    tool("kustomize")
    monkeypatch.chdir(tmp_path)
    fill(tmp_path, {
        "gangform.yaml": SETTINGS,
        "README.md": "gangform\n",
        "ci.sh": "pip install gangform==0.1.0\n",
        "known.json": '{"command": "gangform check"}\n',
        "teams/a/base/kustomization.yaml": "resources: [pi.yaml, ../../../shared]\n",
        "teams/a/base/pi.yaml": job(),
        "teams/a/env.txt": "A=1\n",
        "teams/b/base/kustomization.yaml":
            "resources: [pi.yaml]\nconfigMapGenerator:\n- {name: env, files: [x=files/env.txt]}\n",
        "teams/b/base/pi.yaml": job(),
        "teams/b/base/files/env.txt": "A=1\n",
        "shared/kustomization.yaml": "resources: [queue.yaml]\n",
        "shared/queue.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: q}\n",
    })
    settings = configuration.load(None)
    render.render(configuration.targets(settings), settings, write=True, enlist=False, progress=quiet)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for words in (["init", "--quiet", "--initial-branch=main"], ["add", "."],
                  ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x"]):
        subprocess.run([git, *words], cwd=tmp_path, env=environment, check=True)

    def change(files: dict[str, str | None]) -> None:
        fill(tmp_path, {name: text for name, text in files.items() if text is not None})
        for name in (name for name, text in files.items() if text is None):
            (tmp_path / name).unlink()

    return change


def look(since: str = "main") -> Checked:
    settings = configuration.load(None)
    return check.check(configuration.targets(settings), settings, kubeconform="off", progress=quiet,
                       changed_since=since)


def validated(*paths: str) -> Outcome:
    return validate(paths or (".",), Settings(), None, read_stdin=bytes, progress=quiet, changed_since="main")


@pytest.mark.parametrize(("change", "checked"), [
    ({}, 0),
    ({"README.md": "gangform is here\n"}, 0),
    ({"docs/notes.yaml": "a: 1\n"}, 0),
    ({"teams/a/env.txt": "A=2\n"}, 0),
    ({"teams/a/base/pi.yaml": job(workers=8)}, 1),
    ({"teams/a/base/new.txt": "x\n"}, 1),
    ({"teams/b/base/files/env.txt": "A=2\n"}, 1),
    ({"teams/b/gang/pi.podgroup.yaml": None}, 1),
    ({"teams/b/gang/stray.yaml": "a: 1\n"}, 1),
    ({"shared/queue.yaml": None, "shared/kustomization.yaml": "resources: []\n"}, 1),
    ({"gangform.yaml": SETTINGS + "rules: []\n"}, 2),
    ({"ci.sh": "pip install gangform==0.2.0\n"}, 2),
    ({"ci.sh": None}, 2),
    ({".github/workflows/ci.yaml": "on: push\njobs: {a: {steps: [{uses: x/gangform@v2}]}}\n"}, 2),
    ({"known.json": None}, 2),
], ids=lambda value: " ".join(value) or "nothing" if isinstance(value, dict) else str(value))
def test_check_looks_at_the_overlays_that_may_have_changed(
    repository_of_two: Change, change: dict[str, str | None], checked: int
) -> None:
    repository_of_two(change)
    assert look().checked == checked


def test_what_was_left_out_and_why_is_said(repository_of_two: Change) -> None:
    repository_of_two({"teams/a/base/pi.yaml": job(workers=8)})
    assert "1 of 2 overlays left out: they are made from nothing that changed since main" in look().outcome.notes
    repository_of_two({"gangform.yaml": SETTINGS + "rules: []\n"})
    assert "every overlay is checked, since gangform.yaml changed" in look().outcome.notes


def test_a_forgotten_render_is_found_in_the_overlays_that_are_left(repository_of_two: Change) -> None:
    repository_of_two({"teams/a/base/pi.yaml": job(workers=8)})
    assert [overlay.target.path for overlay in look().overlays] == ["teams/a/gang"]


def test_schemas_of_the_settings_affect_every_overlay(repository_of_two: Change) -> None:
    repository_of_two({"crds/x_v1.json": "{}\n"})
    settings = configuration.load(None)._replace(schema_locations=("crds/{{.ResourceKind}}_v1.json",))
    checked = check.check(configuration.targets(settings), settings, kubeconform="off", progress=quiet,
                          changed_since="main")
    assert checked.checked == 2


def test_a_link_counts_as_what_it_leads_to(repository_of_two: Change, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("teams/b/base", target_is_directory=True)
    target = Target(Cluster("", "coscheduling"), "link", "out")
    repository_of_two({"teams/b/base/pi.yaml": job(workers=8)})
    checked = check.check([target], Settings(), kubeconform="off", progress=quiet, changed_since="main")
    assert checked.checked == 1


def test_validate_looks_at_files_and_builds_that_may_have_changed(repository_of_two: Change) -> None:
    repository_of_two({"loose/old.yaml": BAD, "teams/b/base/pi.yaml": BAD})
    assert {path for _, path, _ in told(validated())} == {"loose/old.yaml", "teams/b/base/pi.yaml"}


def test_validate_leaves_out_what_was_as_bad_before(repository_of_two: Change, tmp_path: Path) -> None:
    repository_of_two({"loose/old.yaml": BAD, "loose/beside/new.yaml": job()})
    for words in (["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    repository_of_two({"loose/beside/new.yaml": job(workers=8)})
    assert told(validated()) == []
    repository_of_two({"loose/other.yaml": job("other")})
    assert [path for _, path, _ in told(validated())] == ["loose/old.yaml"]
