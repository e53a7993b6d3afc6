"""Jobs, plans of the real backends, and the real kustomize."""

import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gangform.catalog import BACKENDS, KINDS
from gangform.contracts import Circumstances
from gangform.overlay.adoption import adopt
from gangform.overlay.layout import PlannedJob
from gangform.overlay.marks import disown

Build = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="session")
def job() -> Callable[..., dict[str, Any]]:
    """Make an MPIJob: ``job("pi", workers=2, namespace="hpc")``; ``workers=0`` leaves the launcher alone."""

    def make(name: str, workers: int = 2, namespace: str = "", **run_policy: Any) -> dict[str, Any]:
        def replicas(count: int, image: str) -> dict[str, Any]:
            container = {"name": "main", "image": image, "resources": {"requests": {"cpu": "1"}}}
            return {"replicas": count, "template": {"spec": {"containers": [container]}}}

        roles = {"Launcher": replicas(1, "mpi"), **({"Worker": replicas(workers, "mpi")} if workers else {})}
        metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
        spec: dict[str, Any] = {"mpiReplicaSpecs": roles}
        if run_policy:
            spec["runPolicy"] = run_policy
        return {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": metadata, "spec": spec}

    return make


@pytest.fixture(scope="session")
def planned() -> Callable[..., PlannedJob]:
    """Plan a job with a real backend, as the pipeline does."""

    def make(
        data: dict[str, Any], backend: str = "coscheduling", groups: str = "git",
        existing: Iterable[Mapping[str, Any]] = (), **options: Any,
    ) -> PlannedJob:
        scheduler = BACKENDS[backend]
        defaults = {name: option.default for name, option in scheduler.OPTIONS.items()
                    if option.default is not None}
        workload = KINDS[data["apiVersion"], data["kind"]].read(data)
        plan = scheduler.plan(workload, Circumstances(defaults | options))
        if groups == "operator":
            plan = plan._replace(groups=())
        plan = disown(plan, workload, BACKENDS)
        return PlannedJob(data, workload, plan, adopt(plan, existing))

    return make


@pytest.fixture
def build(kustomize: str, tmp_path: Path) -> Build:
    """Write files and build a folder of them: ``build({"base/kustomization.yaml": …}, "base")``."""

    def run(files: Mapping[str, str], folder: str, root: Path = tmp_path) -> list[dict[str, Any]]:
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        done = subprocess.run([kustomize, "build", str(root / folder)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return list(yaml.safe_load_all(done.stdout))

    return run


def below(folder: str, tree: Mapping[str, str]) -> dict[str, str]:
    """Move a tree into a folder."""
    return {f"{folder}/{name}": text for name, text in tree.items()}


@pytest.fixture(scope="session")
def placed() -> Callable[[str, Mapping[str, str]], dict[str, str]]:
    return below


@pytest.fixture(scope="session")
def base() -> Callable[..., dict[str, str]]:
    """Write objects as a source: a folder ``base`` with a kustomization."""

    def make(*objects: Mapping[str, Any], **kustomization: Any) -> dict[str, str]:
        return {
            "base/objects.yaml": yaml.safe_dump_all(objects),
            "base/kustomization.yaml": yaml.safe_dump({"resources": ["objects.yaml"], **kustomization}),
        }

    return make
