"""Every example of every help page runs."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from charts import chart
from gangform.cli import main as entry


def lines(command: click.Command) -> list[str]:
    assert command.epilog
    return [line.strip() for line in command.epilog.splitlines() if line.startswith("  ")]


def examples() -> list[str]:
    context = click.Context(entry.gangform)
    commands = [entry.gangform, *filter(None, (entry.gangform.get_command(context, name) for name in entry.COMMANDS))]
    return sorted({line for command in commands for line in lines(command)})


def publish(project: Path, git: str) -> None:
    """Commit everything, as what origin/main has."""
    (project / ".git").rmdir()
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "--message=x"],
                  ["update-ref", "refs/remotes/origin/main", "HEAD"]):
        subprocess.run([git, *words], cwd=project, check=True)


IN_A_CLUSTER = [example for example in examples() if example.startswith("gangform controller")]


@pytest.mark.parametrize("example", IN_A_CLUSTER)
def test_an_example_for_a_cluster_gets_as_far_as_the_missing_cluster(example: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(example)], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "KUBECONFIG": str(tmp_path / "none")})
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: there is no kubeconfig: ")


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a POSIX shell")
@pytest.mark.parametrize("example", [example for example in examples() if example not in IN_A_CLUSTER])
def test_the_example_runs(
    example: str, project: Path, run, tool: Callable[[str], str], kustomize: str, kubeconform: str, helm: str, dump,
) -> None:
    dump("nlp")
    assert run("render").returncode == 0  # so that there is something fresh to check
    for path, text in chart().items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    publish(project, tool("git"))
    (project / "resource-list.yaml").write_text(
        "{apiVersion: config.kubernetes.io/v1, kind: ResourceList, functionConfig: {spec: {cluster: prod}}, items: []}\n")
    name = project / "bin/gangform"
    name.parent.mkdir()
    name.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m gangform "$@"\n')
    name.chmod(0o755)
    done = subprocess.run(["sh", "-c", example], cwd=project, capture_output=True, text=True, check=False,
                          env={**os.environ, "GANGFORM_HELM": helm, "PATH": f"{name.parent}{os.pathsep}{os.environ['PATH']}"})
    assert (done.returncode, "error:" in done.stderr) == (0, False), done.stdout + done.stderr
