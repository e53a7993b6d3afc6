"""The programs of a control plane and what is published with them: what is built, where it is, and in what environment it runs."""

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent.parent / ".tools" / "cluster"

PROGRAMS = (
    ("etcd", "etcd"), ("kubernetes", "kube-apiserver"), ("kubernetes", "kube-controller-manager"),
    ("kubernetes", "kube-scheduler"), ("kubernetes", "kubectl"), ("kwok", "kwok"), ("mpi-operator", "mpi-operator"),
    ("scheduler-plugins", "scheduler"), ("scheduler-plugins", "controller"),
)

# Variables that lead a program to the caller's own cluster, or that it takes for its flags.
MISLEADING = re.compile(r"KUBECONFIG|ETCD_.*|KWOK_.*")


class NotBuiltError(Exception):
    """Something that a control plane is made of is not there: ``make cluster-tools`` builds it."""


def built(module: str, program: str) -> str:
    """The path of a program that ``make cluster-tools`` built.

    Raises:
        NotBuiltError: it is not there.
    """
    path = BUILT / module / program
    if not (BUILT / module / "stamp").exists() or not path.exists():
        raise NotBuiltError(f"{program} of the cluster tests is not built: make cluster-tools")
    return str(path)


@cache
def module_folder(tools: str, module: str) -> Path:
    """Where Go keeps the source of a module that one of the tools' modules requires; fetched if it is there no more.

    Raises:
        NotBuiltError: Go is not there, or cannot fetch the module.
    """
    try:
        found = subprocess.run(
            ["go", "mod", "download", "-json", module],
            cwd=HERE / "tools" / tools, capture_output=True, text=True, check=False, timeout=300,
        )
    except FileNotFoundError:
        raise NotBuiltError(f"Go is not installed: it finds what is published in {module}") from None
    answer = json.loads(found.stdout or "{}")
    if "Dir" not in answer:
        raise NotBuiltError(f"Go does not find {module}: {answer.get('Error') or found.stderr.strip()}")
    return Path(answer["Dir"])


def published_crds() -> list[Path]:
    """The CRDs of mpi-operator and scheduler-plugins, from the modules that the programs are built of."""
    operator = module_folder("mpi-operator", "github.com/kubeflow/mpi-operator")
    plugins = module_folder("scheduler-plugins", "sigs.k8s.io/scheduler-plugins")
    return [
        operator / "manifests" / "base" / "kubeflow.org_mpijobs.yaml",
        *sorted((plugins / "config" / "crd" / "bases").glob("scheduling.x-k8s.io_*.yaml")),
    ]


def environment() -> dict[str, str]:
    """The variables of a program that must find this control plane and no other."""
    return {name: value for name, value in os.environ.items() if not MISLEADING.fullmatch(name)}
