"""What changed under the same name since a revision, in files and in builds."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.settings import Cluster, Settings, Target
from gangform.workflows import check, render
from gangform.workflows.outcome import Outcome
from gangform.workflows.validate import validate
from repository import job, quiet, told

Commit = Callable[[], None]
Repo = Callable[[dict[str, str]], Path]

NEW = "rerun-needs-new-name"


@pytest.fixture
def commit(tmp_path: Path, tool: Callable[[str], str]) -> Commit:
    """Commit everything in the working folder on main."""
    program = tool("git")
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
           "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def run() -> None:
        for words in (["init", "--quiet", "--initial-branch=main"], ["add", "."], ["commit", "--quiet", "--message=x"]):
            subprocess.run([program, *words], cwd=tmp_path, env={**os.environ, **who}, check=True)

    return run


def look(*paths: str, since: str | None = "main") -> Outcome:
    return validate(paths or (".",), Settings(), None, read_stdin=lambda: b"", progress=quiet, changed_since=since)


def marked(text: str, group: str = "pi", scheduler: str = "scheduler-plugins-scheduler") -> str:
    return text.replace("        spec:\n", (
        f"        metadata: {{labels: {{scheduling.x-k8s.io/pod-group: {group}}}}}\n"
        f"        spec:\n          schedulerName: {scheduler}\n"))


def test_a_changed_job_of_the_same_name_is_told_at_the_change(repo: Repo, commit: Commit) -> None:
    repo({"pi.yaml": job()})
    commit()
    repo({"pi.yaml": job().replace("image: mpi", "image: mpi:2", 1)})
    outcome = look()
    assert told(outcome) == [(NEW, "pi.yaml", 14)]
    assert "pi exists at main" in outcome.findings[0].message
    assert "pi-r2" in outcome.findings[0].hint


def test_without_the_option_nothing_is_compared(repo: Repo, commit: Commit) -> None:
    repo({"pi.yaml": job()})
    commit()
    repo({"pi.yaml": job().replace("image: mpi", "image: mpi:2")})
    assert told(look(since=None)) == []


@pytest.mark.parametrize(("old", "new"), [
    ("replicas: 4", "replicas: 8"),
    ("cleanPodPolicy: Running", "cleanPodPolicy: All"),
    ("    cleanPodPolicy: Running\n", "    cleanPodPolicy: Running\n    suspend: true\n"),
    ("    cleanPodPolicy: Running\n", "    cleanPodPolicy: Running\n    schedulingPolicy: {queue: research}\n"),
    ('cpu: "8"', "cpu: 8000m"),
    ("image: mpi\n", "image: mpi # the newest\n"),
    ("name: pi\n", "name: pi-r2\n"),
    ("image: mpi\n", "image: mpi\n            env:\n"),
], ids=["workers", "clean-up", "suspend", "policy", "spelling", "comment", "new name", "null"])
def test_what_is_followed_or_means_the_same_is_silent(repo: Repo, commit: Commit, old: str, new: str) -> None:
    repo({"pi.yaml": job()})
    commit()
    text = job().replace(old, new)
    assert text != job()
    repo({"pi.yaml": text})
    assert told(look()) == []


def test_what_was_taken_out_is_told_too(repo: Repo, commit: Commit) -> None:
    repo({"pi.yaml": job().replace("image: mpi\n", "image: mpi\n            args: [a]\n", 1)})
    commit()
    repo({"pi.yaml": job()})
    assert [(rule, path) for rule, path, _ in told(look())] == [(NEW, "pi.yaml")]


@pytest.mark.parametrize("change", [
    marked,
    lambda text: marked(text, scheduler="other"),
    lambda text: text.replace("        spec:\n", "        spec:\n          priorityClassName: high\n"),
])
def test_a_changed_scheduler_group_or_priority_is_told_as_that(
    repo: Repo, commit: Commit, change: Callable[[str], str]
) -> None:
    repo({"pi.yaml": job().replace("image: mpi\n", "image: mpi:1\n")})
    commit()
    repo({"pi.yaml": change(job())})
    assert [finding.rule for finding in look().findings] == ["live-mutation"]


def test_files_that_are_new_or_were_no_yaml_have_nothing_to_differ_from(repo: Repo, commit: Commit) -> None:
    repo({"other.yaml": "a: b: c\n"})
    commit()
    repo({"pi.yaml": job(), "other.yaml": job("other")})
    assert told(look()) == []


def test_a_patch_that_changes_a_built_job_is_told_in_the_patch(repo: Repo, commit: Commit, kustomize: str) -> None:
    patch = """\
        resources: [../base]
        namePrefix: dev-
        patches:
        - target: {{kind: MPIJob}}
          patch: |-
            - op: replace
              path: /spec/mpiReplicaSpecs/Worker/template/spec/containers/0/image
              value: mpi:{}
        """
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
          "dev/kustomization.yaml": patch.format(1)})
    commit()
    repo({"dev/kustomization.yaml": patch.format(2)})
    outcome = look()
    assert told(outcome) == [(NEW, "dev/kustomization.yaml", 5)]
    assert "dev-pi exists at main" in outcome.findings[0].message


def test_a_suffix_in_the_overlay_is_a_new_name(repo: Repo, commit: Commit, kustomize: str) -> None:
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
          "dev/kustomization.yaml": "resources: [../base]\nnamePrefix: dev-\n"})
    commit()
    repo({"base/pi.yaml": job().replace("image: mpi", "image: mpi:2"),
          "dev/kustomization.yaml": "resources: [../base]\nnamePrefix: dev-\nnameSuffix: -r2\n"})
    assert told(look()) == []


def test_a_build_that_failed_at_the_revision_had_no_jobs(repo: Repo, commit: Commit, kustomize: str) -> None:
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": "namePrefix: a-\nresources: [pi.yaml, missing.yaml]\n"})
    commit()
    repo({"base/pi.yaml": job().replace("image: mpi", "image: mpi:2"),
          "base/kustomization.yaml": "namePrefix: a-\nresources: [pi.yaml]\n"})
    assert told(look()) == []


def test_check_compares_what_its_overlays_build(repo: Repo, commit: Commit, kustomize: str) -> None:
    target = Target(Cluster("", "coscheduling"), "base", "out")
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n"})
    render.render([target], Settings(), write=True, enlist=False, progress=quiet)
    commit()
    repo({"base/pi.yaml": job().replace("image: mpi", "image: mpi:2", 1)})
    checked = check.check([target], Settings(), kubeconform="off", progress=quiet, changed_since="main")
    assert told(checked.outcome) == [(NEW, "base/pi.yaml", 14)]
    assert checked.overlays == ()
