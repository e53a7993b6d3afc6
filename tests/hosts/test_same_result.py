"""One job, whichever way it goes to the cluster: the objects are the same."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import gangform

pytestmark = [pytest.mark.tools, pytest.mark.skipif(os.name == "nt", reason="the hosts start scripts")]

FUNCTION = """\
apiVersion: gangform.dev/v1
kind: Gang
metadata:
  name: gang
  annotations: {config.kubernetes.io/function: "exec: {path: ./krm.sh}"}
spec: {backend: %s}
"""
CHART = "apiVersion: v2\nname: jobs\nversion: 0.1.0\n"


@pytest.fixture
def project(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository's own jobs as a kustomization, as a chart, and with a function."""
    jobs = {path.name: path.read_text() for path in (repository / "base").glob("*.yaml") if path.name != "kustomization.yaml"}
    for folder in ("base", "chart/templates", "function"):
        (tmp_path / folder).mkdir(parents=True)
        for name, text in jobs.items():
            (tmp_path / folder / name).write_text(text)
    (tmp_path / "base/kustomization.yaml").write_text(f"resources: [{', '.join(jobs)}]\n")
    (tmp_path / "function/kustomization.yaml").write_text(f"resources: [{', '.join(jobs)}]\ntransformers: [gang.yaml]\n")
    (tmp_path / "function/krm.sh").write_text("#!/bin/sh\nexec gangform krm\n")
    (tmp_path / "function/krm.sh").chmod(0o755)
    (tmp_path / "chart/Chart.yaml").write_text(CHART)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def objects(text: str) -> dict[tuple[str, str], Any]:
    found = [data for data in yaml.safe_load_all(text) if data]
    assert len(found) == len({(data["kind"], data["metadata"]["name"]) for data in found})
    return {(data["kind"], data["metadata"]["name"]): data for data in found}


@pytest.mark.parametrize("backend", ["coscheduling", "volcano"])
def test_overlay_transform_krm_and_helm_agree(project: Path, backend: str, kustomize: str, helm: str, environment) -> None:
    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    gangform.render("base", "overlay", backend=backend)
    (project / "function/gang.yaml").write_text(FUNCTION % backend)
    built = objects(run(kustomize, "build", "overlay"))
    assert {kind for kind, _ in built} == {"MPIJob", "PodGroup"}
    files = [str(path) for path in sorted((project / "base").glob("*.yaml")) if path.name != "kustomization.yaml"]
    assert objects(run("gangform", "transform", "--backend", backend, *files)) == built
    assert objects(run(kustomize, "build", "--enable-alpha-plugins", "--enable-exec", "function")) == built
    arguments = [word for argument in ("transform", "--backend", backend) for word in ("--post-renderer-args", argument)]
    assert objects(run(helm, "template", "r", "chart", "--post-renderer", "gangform", *arguments)) == built
