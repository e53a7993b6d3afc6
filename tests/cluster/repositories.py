"""A repository as a user has it, rendered by gangform and built by kustomize: what GitOps would apply."""

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from cluster.api import Document


def job(name: str, workers: int = 4, *, cpu: str = "2", launcher_cpu: str | None = None, **spec: Any) -> Document:
    """An MPIJob whose pods ask for so much CPU each; ``spec`` goes into the MPIJob's spec as it is."""

    def replica(count: int, amount: str) -> Document:
        container = {"name": "main", "image": "mpi", "resources": {"requests": {"cpu": amount}}}
        return {"replicas": count, "template": {"spec": {"containers": [container]}}}

    return {
        "apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": name},
        "spec": {
            "runPolicy": {"cleanPodPolicy": "Running"},
            "mpiReplicaSpecs": {"Launcher": replica(1, launcher_cpu or cpu), "Worker": replica(workers, cpu)},
            **spec,
        },
    }


def rendered(folder: Path, documents: Iterable[Document], backend: str = "coscheduling", **settings: Any) -> Path:
    """Write the documents as ``base/``, run ``gangform render`` and answer the overlay's folder.

    ``settings`` are more settings of the cluster: ``groups="operator"``.
    """
    write(folder / "base" / "jobs.yaml", *documents)
    write(folder / "base" / "kustomization.yaml", {
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": ["jobs.yaml"],
    })
    write(folder / "gangform.yaml", {
        "clusters": {"test": {"backend": backend, **settings}},
        "overlays": [{"cluster": "test", "source": "base", "path": f"overlays/{backend}"}],
    })
    gangform(["render"], folder)
    return folder / "overlays" / backend


def write(path: Path, *documents: Document) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump_all(documents, sort_keys=False))


def gangform(arguments: Sequence[str], folder: Path, *, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run gangform in a folder; its exit status must be the given one."""
    done = subprocess.run(
        [sys.executable, "-m", "gangform", *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )
    assert done.returncode == status, f"gangform {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def built(kustomize: str, overlay: Path) -> list[Document]:
    """``kustomize build`` of a folder, as documents in the order in which they are to be applied."""
    done = subprocess.run([kustomize, "build", str(overlay)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))
