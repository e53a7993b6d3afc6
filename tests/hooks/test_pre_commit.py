"""The real pre-commit installs gangform from wheels in a folder, and runs each hook as a commit would."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gangform import __version__
from repository import fill, job

pytestmark = [pytest.mark.slow, pytest.mark.tools]

HOOKS = ("gangform-validate", "gangform-fix", "gangform-render", "gangform-check")
SETTINGS = "clusters:\n  dev: {backend: coscheduling}\noverlays:\n- {cluster: dev, source: base, path: overlays/dev}\n"
SCHEDULER = "          schedulerName: scheduler-plugins-scheduler\n"
MARKED = job().replace("        spec:\n", "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
                       f"        spec:\n{SCHEDULER}")
LISTING = "resources:\n- pi.yaml\n"
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/nowhere")

Commit = Callable[..., subprocess.CompletedProcess[str]]


def run(*words: str | Path, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=cwd, env=env, text=True, check=False, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def commit_all(folder: Path, env: dict[str, str]) -> None:
    for words in (("init", "--quiet", "--initial-branch=main"), ("add", "--all"), ("commit", "--quiet", "-m", "x")):
        done = run(*GIT, *words, cwd=folder, env=env)
        assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def environment(repository: Path, tmp_path_factory: pytest.TempPathFactory, pip: dict[str, str]) -> dict[str, str]:
    """pre-commit's own folder, packages from wheels alone, and this checkout's gangform for the -system hooks."""
    own = tmp_path_factory.mktemp("own")
    (own / "gangform").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gangform "$@"\n')
    (own / "gangform").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "GIT_", "PRE_COMMIT"))}
    return {**kept, "PATH": os.pathsep.join([str(own), kept["PATH"]]), "PYTHONPATH": "",
            "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("pre-commit")), "PRE_COMMIT_COLOR": "never",
            **pip,
            "VIRTUALENV_NO_PERIODIC_UPDATE": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


@pytest.fixture(scope="module")
def source(repository: Path, tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> str:
    """The checkout as a repository that pre-commit can clone: ``repo`` and ``rev`` lines of its configuration."""
    folder = tmp_path_factory.mktemp("gangform")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(repository / name, folder)
    for name in ("generator", "schemas"):
        shutil.copytree(repository / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    commit_all(folder, environment)
    revision = run("git", "rev-parse", "HEAD", cwd=folder, env=environment).stdout.strip()
    return f"- repo: {folder}\n  rev: {revision}\n"


@pytest.fixture
def project(tmp_path: Path, source: str, environment: dict[str, str]) -> Callable[..., Path]:
    """A repository with files, all of it committed, that runs the named hooks."""

    def make(files: dict[str, str], *hooks: str) -> Path:
        listed = "".join(f"  - id: {hook}\n" for hook in hooks)
        fill(tmp_path, {".pre-commit-config.yaml": f"repos:\n{source}  hooks:\n{listed}", **files})
        commit_all(tmp_path, environment)
        return tmp_path

    return make


@pytest.fixture
def commit(tmp_path: Path, environment: dict[str, str]) -> Commit:
    """Stage changed files and run the hooks as a commit would: on what is staged."""

    def stage(files: dict[str, str]) -> subprocess.CompletedProcess[str]:
        fill(tmp_path, files)
        run("git", "add", *files, cwd=tmp_path, env=environment)
        return run(sys.executable, "-m", "pre_commit", "run", "--verbose", cwd=tmp_path, env=environment)

    return stage


def test_the_manifest_is_one_that_pre_commit_accepts(repository: Path, environment) -> None:
    done = run(sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml",
               cwd=repository, env=environment)
    assert done.returncode == 0, done.stdout


def shown_in(document: Path) -> str:
    """The pre-commit configuration that a document shows."""
    (block,) = re.findall(r"^```yaml\n(repos:\n.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)
    return str(block)


@pytest.mark.parametrize("name", ["README.md", "docs/ci.md"])
def test_the_configuration_that_is_shown_runs_on_a_sound_repository(
    repository: Path, tmp_path: Path, source: str, commit: Commit, environment, kustomize: str, name: str
) -> None:
    text = shown_in(repository / name)
    shown = f"- repo: https://github.com/gangform/gangform\n  rev: v{__version__}\n"
    assert shown in text
    files = {"gangform.yaml": SETTINGS, "base/kustomization.yaml": LISTING, "base/pi.yaml": job(),
             ".pre-commit-config.yaml": text.replace(shown, source)}
    fill(tmp_path, files)
    run("gangform", "render", "--quiet", cwd=tmp_path, env=environment)
    commit_all(tmp_path, environment)
    done = commit({"base/pi.yaml": job() + "# as before\n"})
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Passed") == text.count("- id:"), done.stdout


def test_each_hook_has_a_variant_for_machines_without_a_network(repository: Path) -> None:
    import yaml

    hooks = {hook["id"]: hook for hook in yaml.safe_load((repository / ".pre-commit-hooks.yaml").read_text())}
    assert set(hooks) == {*HOOKS, *(f"{hook}-system" for hook in HOOKS)}
    for name in HOOKS:
        twin = hooks[f"{name}-system"]
        assert (hooks[name]["language"], twin["language"]) == ("python", "system")
        told = ("id", "language", "description")
        assert {k: v for k, v in hooks[name].items() if k not in told} == {
            k: v for k, v in twin.items() if k not in told}
        assert hooks[name]["require_serial"] is True


@pytest.mark.parametrize("suffix", ["", "-system"])
def test_other_programs_files_pass_every_hook_in_silence(project, commit: Commit, suffix: str) -> None:
    project({"README.md": "x\n"}, *(hook + suffix for hook in HOOKS))
    done = commit({
        "chart/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n",
        "chart/values.yaml": "workers: 3 # of the MPIJob\n",
        "chart/templates/job.yaml": "{{- if .Values.on }}\n" + job(workers="{{ .Values.workers }}") + "{{- end }}\n",
        "playbook.yaml": "- hosts: all # MPIJob\n",
        "secret.yaml": job(workers="ENC[AES256_GCM,data:a,type:int]") + "sops:\n  mac: x\n",
        "apps/kustomization.yaml": "helmCharts: [{name: x, repo: 'https://example.org'}]\n",
        ".github/workflows/ci.yaml": "on: push\njobs: {}\n",
        "package.json": "{}\n",
    })
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Passed") == len(HOOKS), done.stdout
    assert "error" not in done.stdout


def test_validate_judges_a_staged_file_with_the_group_beside_it(project, commit: Commit) -> None:
    group = ("apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: pi}\nspec:\n"
             "  minMember: 5\n")
    files = {"base/kustomization.yaml": LISTING + "- group.yaml\n", "base/pi.yaml": MARKED, "base/group.yaml": group}
    project(files, "gangform-validate")
    assert commit({"base/pi.yaml": MARKED + "# as before\n"}).returncode == 0
    done = commit({"base/pi.yaml": MARKED.replace("replicas: 4", "replicas: 2")})
    assert done.returncode == 1
    assert "base/group.yaml:5:14: error: " in done.stdout


def test_render_writes_and_fails_once_so_that_the_commit_takes_the_files(
    project, commit: Commit, tmp_path: Path, environment
) -> None:
    project({"gangform.yaml": SETTINGS, "base/kustomization.yaml": LISTING}, "gangform-render")
    done = commit({"base/pi.yaml": job()})
    assert done.returncode == 1
    assert "new      overlays/dev/pi.podgroup.yaml" in done.stdout
    run("git", "add", "overlays", cwd=tmp_path, env=environment)
    assert commit({"base/pi.yaml": job()}).returncode == 0


def test_check_refuses_a_forgotten_render_and_says_the_mend(project, commit: Commit, kustomize: str) -> None:
    project({"gangform.yaml": SETTINGS, "base/kustomization.yaml": LISTING, "base/pi.yaml": job()}, "gangform-check")
    done = commit({"base/pi.yaml": job(workers=8)})
    assert done.returncode == 1
    assert "To mend:\ngangform render\n" in done.stdout


@pytest.mark.parametrize("settings", [None, "rules:\n- {off: [pod-group-missing]}\n"])
def test_where_no_overlays_are_configured_check_and_render_have_nothing_to_do(
    project, commit: Commit, settings: str | None
) -> None:
    project({"gangform.yaml": settings} if settings else {}, "gangform-check", "gangform-render")
    done = commit({"base/pi.yaml": job()})
    assert done.returncode == 0, done.stdout


def test_fix_mends_the_staged_file_alone(project, commit: Commit, tmp_path: Path) -> None:
    half = MARKED[::-1].replace(SCHEDULER[::-1], "", 1)[::-1]
    project({"other.yaml": half}, "gangform-fix")
    done = commit({"pi.yaml": half})
    assert done.returncode == 1, done.stdout
    assert "files were modified by this hook" in done.stdout
    assert (tmp_path / "pi.yaml").read_text() == MARKED
    assert (tmp_path / "other.yaml").read_text() == half
