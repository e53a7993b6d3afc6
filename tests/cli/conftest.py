"""The program as users run it: a process of its own, in a small repository."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PI = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: pi
spec:
  slotsPerWorker: 1
  runPolicy:
    cleanPodPolicy: Running
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers:
          - name: launcher
            image: mpioperator/mpi-pi:openmpi
            resources: {requests: {cpu: 500m, memory: 256Mi}}
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: worker
            image: mpioperator/mpi-pi:openmpi
            resources: {requests: {cpu: "1", memory: 1Gi}}
"""

SETTINGS = """\
clusters:
  dev: {backend: coscheduling}
  prod: {backend: volcano, options: {queue: research}}
overlays:
- {cluster: dev, source: base, path: overlays/coscheduling}
- {cluster: prod, source: base, path: overlays/volcano}
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one good job, and settings for two clusters."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "base").mkdir()
    (tmp_path / "base/pi.yaml").write_text(PI)
    (tmp_path / "base/kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- pi.yaml\n")
    (tmp_path / "gangform.yaml").write_text(SETTINGS)
    return tmp_path


@pytest.fixture
def bad(project: Path) -> Path:
    """The repository with a gang that can never start."""
    (project / "base/pi.yaml").write_text(PI.replace(
        "    cleanPodPolicy: Running\n", "    cleanPodPolicy: Running\n    schedulingPolicy:\n      minAvailable: 9\n"))
    return project


@pytest.fixture
def run(project: Path) -> Run:
    """Run gangform in the repository: ``run("validate", ".")``."""

    def gangform(*arguments: str, stdin: str = "", env: dict[str, str] | None = None,
                 cwd: Path = project) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gangform", *arguments], input=stdin, cwd=cwd, text=True, encoding="utf-8",
            capture_output=True, timeout=60, check=False, env={**os.environ, **(env or {})})

    return gangform


@pytest.fixture
def bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which no kustomize, kubectl or kubeconform can be found."""
    folder = tmp_path_factory.mktemp("bin")
    git = shutil.which("git")
    if git:
        (folder / "git").symlink_to(git)
    return {"PATH": str(folder)}


@pytest.fixture
def dump(project: Path) -> Callable[..., Path]:
    """Write a dump of some namespaces of a cluster: ``dump("nlp")`` has no gang that needs somebody."""
    saved = json.loads((ROOT / "docs/dumps/monday.json").read_text(encoding="utf-8"))

    def write(*namespaces: str, without: str = "") -> Path:
        items = [one for one in saved["items"] if one["kind"] != without
                 and (not namespaces or one["metadata"].get("namespace", "") in {"", *namespaces})]
        path = project / "dump.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
        return path

    return write
