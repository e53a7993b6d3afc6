"""``gangform controller`` as a process beside a control plane: its metrics, its probes, and what it wrote."""

import itertools
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml
from prometheus_client.parser import text_string_to_metric_families

from cluster.api import Document
from cluster.cluster import Cluster
from cluster.ports import free_port
from cluster.programs import environment
from cluster.repositories import built, rendered

NUMBERS = itertools.count(1)
GRACE = 5
DEPLOY = Path(__file__).resolve().parents[2] / "deploy" / "controller"


@dataclass(frozen=True)
class Controller:
    """One process. It ends with its plane, or when it is stopped."""

    cluster: Cluster
    name: str
    port: int

    @classmethod
    def start(cls, cluster: Cluster, *flags: str, kubeconfig: Path | None = None, ready: bool = True) -> "Controller":
        made = cls(cluster, f"controller-{next(NUMBERS)}", free_port())
        cluster.plane.start(made.name, [
            sys.executable, "-m", "gangform", "controller", "--kubeconfig", str(kubeconfig or cluster.plane.kubeconfig),
            "--listen", f"127.0.0.1:{made.port}", "--grace", str(GRACE), "--verbose", *flags,
        ])
        if ready:
            cluster.until(lambda: made.answer("readyz")[0] == 200, "the controller is ready")
        return made

    def stop(self, *, kill: bool = False) -> None:
        self.cluster.plane.stop(self.name, kill=kill)

    def answer(self, path: str) -> tuple[int, str]:
        """Status and text of a path; 0 while nobody listens."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def metric(self, name: str, **labels: str) -> float:
        """The sum of a metric's series that have these labels."""
        return sum(
            sample.value for family in text_string_to_metric_families(self.answer("metrics")[1])
            for sample in family.samples if sample.name == name and labels.items() <= sample.labels.items()
        )


Start = Callable[..., Controller]
"""Starts a controller with such flags."""


def gangs(cluster: Cluster, tmp_path: Path, kustomize: str, *jobs: Document) -> None:
    """Apply jobs as gangs of coscheduling."""
    cluster.apply_gangs(*built(kustomize, rendered(tmp_path, jobs)))


def condition(cluster: Cluster, job: str) -> Document:
    """The condition GangScheduled of an MPIJob; empty while there is none."""
    found = cluster.api.get("MPIJob", job, cluster.namespace) or {}
    conditions = (found.get("status") or {}).get("conditions") or ()
    return next((c for c in conditions if c["type"] == "GangScheduled"), {})


def deployed_account(cluster: Cluster, kustomize: str) -> Path:
    """A kubeconfig of the controller's own service account, with the rights of deploy/controller."""
    done = subprocess.run([kustomize, "build", str(DEPLOY)], capture_output=True, text=True, check=True)
    objects = [data for data in yaml.safe_load_all(done.stdout) if data["kind"] not in ("Deployment", "Namespace")]
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gangform-system"}}, *objects)
    return cluster.plane.write_kubeconfig("controller", cluster.api.token("gangform-controller", "gangform-system"))


def shown(cluster: Cluster, job: str) -> str:
    """The state that ``gangform status`` shows of a job; empty where it shows none."""
    done = subprocess.run(
        [sys.executable, "-m", "gangform", "status", "--kubeconfig", str(cluster.plane.kubeconfig),
         "-n", cluster.namespace, "-o", "json"],
        env=environment(), capture_output=True, text=True, check=False, timeout=60,
    )
    return next((str(one["state"]) for one in json.loads(done.stdout)["gangs"] if one["name"] == job), "")


def over(cluster: Cluster, name: str) -> bool:
    """Whether the condition says that a job has succeeded."""
    return condition(cluster, name).get("reason") == "MPIJobSucceeded"


def told(cluster: Cluster) -> Counter[tuple[str, str]]:
    """How many events of ours there are, by job and reason."""
    return Counter(
        (event["involvedObject"]["name"], event["reason"]) for event in cluster.api.list("Event", cluster.namespace)
        if event.get("reportingComponent") == "gangform"
    )
