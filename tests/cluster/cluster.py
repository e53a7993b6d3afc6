"""What a test does with a control plane: nodes, objects of its own namespace, waiting, and what the pods show."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import yaml
from tenacity import RetryError, Retrying, retry_if_result, stop_after_delay, wait_fixed

from cluster.api import Api, Document
from cluster.plane import Plane

T = TypeVar("T")

PATIENCE_SECONDS = 60.0  # generous: a busy machine is no fault of the code


class Bound(NamedTuple):
    """How many pods of a job have a node."""

    launcher: int
    workers: int


@dataclass(frozen=True)
class Cluster:
    """A control plane as one test sees it: with a namespace of its own."""

    plane: Plane
    namespace: str

    @property
    def api(self) -> Api:
        return self.plane.api

    # --- making ---------------------------------------------------------------------------------

    def nodes(self, count: int, *, prefix: str = "node", labels: dict[str, str] | None = None, **capacity: str) -> None:
        """Pretended nodes, each with so much of every resource: ``nodes(4, cpu="4", memory="16Gi")``."""
        offered = {"cpu": "4", "memory": "64Gi", "pods": "110"} | {name.replace("__", "/"): amount for name, amount in capacity.items()}
        self.node_documents(
            {
                "apiVersion": "v1", "kind": "Node", "metadata": {"name": f"{prefix}-{number}", "labels": labels or {}},
                "status": {"allocatable": offered, "capacity": offered},
            }
            for number in range(count)
        )

    def node_documents(self, documents: Iterable[Document]) -> None:
        names = [self.api.create(document)["metadata"]["name"] for document in documents]
        self.until(lambda: all(self._is_ready(name) for name in names), "the nodes are ready")

    def _is_ready(self, name: str) -> bool:
        node = self.api.get("Node", name) or {}
        ready = any(c["type"] == "Ready" and c["status"] == "True" for c in node.get("status", {}).get("conditions") or ())
        return ready and not any(t["key"].startswith("node.kubernetes.io/") for t in node["spec"].get("taints") or ())

    def apply(self, *documents: Document | str, namespace: str | None = None) -> list[Document]:
        """Server-side apply with strict validation; a text may hold several documents."""
        return [
            self.api.apply(document, namespace=document["metadata"].get("namespace") or namespace or self.namespace)
            for document in flatten(documents)
        ]

    def apply_gangs(self, *documents: Document | str) -> None:
        """Apply jobs when the groups among the documents are known.

        A pod that coscheduling looks at before it knows its group is refused like any other, for want of room, and so
        room wakes it, and it the others. Who wants to see gangs sleep must not let that happen.
        """
        parts = flatten(documents)
        groups = self.apply(*[one for one in parts if one["kind"] == "PodGroup"])
        names = {group["metadata"]["name"] for group in groups}

        def known() -> set[str]:
            listed = self.api.list("PodGroup", self.namespace)
            return {group["metadata"]["name"] for group in listed if (group.get("status") or {}).get("phase")}

        self.until(lambda: names <= known(), "the groups are known")
        self.apply(*[one for one in parts if one["kind"] != "PodGroup"])

    def end(self, job: str, how: str = "Succeeded", *, role: str = "launcher", only: Sequence[str] = ()) -> None:
        """Let the running pods of a role end: Succeeded, Failed, or Lost (a container that was killed)."""
        for pod in self.pods(job, role):
            name = pod["metadata"]["name"]
            if pod["status"].get("phase") == "Running" and (not only or name in only):
                self.api.patch("Pod", name, {"metadata": {"annotations": {"cluster-test/ends": how}}}, self.namespace)

    def wake(self, group: str, namespace: str | None = None) -> None:
        """Let coscheduling look at a waiting gang again, by a write on its PodGroup.

        Capacity that comes free seldom wakes a gang. A pod that is bound does, whoever binds it, and a write on any
        PodGroup. The controller of scheduler-plugins writes when pods of a gang end, but now and then before the last
        of them has left its node: then the gang that waits sleeps until the scheduler looks at all that wait, after
        five minutes.
        """
        woken = {"metadata": {"annotations": {"cluster-test/woken": str(time.monotonic_ns())}}}
        self.api.patch("PodGroup", group, woken, namespace or self.namespace)

    def clear(self, *, wait: bool = True) -> None:
        """Delete every namespace that a test made, with all in it, every node, every right, and every API that it added.

        Many namespaces take their time; without ``wait`` they go while something else is done.
        """
        kept = {"default", "kube-system", "kube-public", "kube-node-lease"}
        self.until(self._is_empty, "the pods are gone")  # the namespaces' controller would give them 10 s each time
        for metadata in (one["metadata"] for one in self.api.list("Namespace")):
            if metadata["name"] not in kept and "deletionTimestamp" not in metadata:
                self.api.delete("Namespace", metadata["name"])
        if wait:
            self.until(lambda: kept >= set(self._names("Namespace")), "the namespaces are gone")
        for kind in ("Node", "PriorityClass", "ClusterRole", "ClusterRoleBinding"):
            for name in self._names(kind, "!kubernetes.io/bootstrapping"):
                if not name.startswith("system-"):
                    self.api.delete(kind, name)
        added = set(self._names("CustomResourceDefinition")) - set(self.plane.crds)
        for name in added:
            self.api.delete("CustomResourceDefinition", name)
        self.until(lambda: added.isdisjoint(self._names("CustomResourceDefinition")), "the added CRDs are gone")

    def _is_empty(self) -> bool:
        """Delete every job, every group, and every pod at once; say whether there were none."""
        found = [(kind, one["metadata"]) for kind in ("MPIJob", "Job", "Pod", "PodGroup") for one in self.api.list(kind)]
        for kind, metadata in found:
            self.api.delete(kind, metadata["name"], metadata["namespace"])
        return not found

    def _names(self, kind: str, labels: str | None = None) -> list[str]:
        return [found["metadata"]["name"] for found in self.api.list(kind, labels=labels)]

    # --- looking --------------------------------------------------------------------------------

    def pods(self, job: str, role: str | None = None, namespace: str | None = None) -> list[Document]:
        labels = f"training.kubeflow.org/job-name={job}" + (f",training.kubeflow.org/job-role={role}" if role else "")
        return self.api.list("Pod", namespace or self.namespace, labels=labels)

    def bound(self, job: str, namespace: str | None = None) -> Bound:
        """How many pods of a job have a node and have not ended."""
        def count(role: str) -> int:
            return sum(
                1 for pod in self.pods(job, role, namespace)
                if pod["spec"].get("nodeName") and pod["status"].get("phase") in ("Pending", "Running")
            )

        return Bound(count("launcher"), count("worker"))

    def running(self, job: str, namespace: str | None = None) -> Bound:
        """How many pods of a job run."""
        def count(role: str) -> int:
            return sum(1 for pod in self.pods(job, role, namespace) if pod["status"].get("phase") == "Running")

        return Bound(count("launcher"), count("worker"))

    def conditions(self, job: str, namespace: str | None = None) -> dict[str, str]:
        """The conditions of an MPIJob, by type."""
        found = self.api.get("MPIJob", job, namespace or self.namespace) or {}
        return {c["type"]: c["status"] for c in (found.get("status") or {}).get("conditions") or ()}

    def reasons(self, job: str, namespace: str | None = None) -> dict[str, str]:
        """What the scheduler says about each pod that it has not bound."""
        return {
            pod["metadata"]["name"]: condition.get("message", "")
            for pod in self.pods(job, namespace=namespace)
            for condition in pod["status"].get("conditions") or ()
            if condition["type"] == "PodScheduled" and condition["status"] == "False"
        }

    def events(self, kind: str, name: str, namespace: str | None = None) -> list[str]:
        """The events of an object as ``Reason: message``."""
        return [
            f"{event.get('reason')}: {event.get('message')}" for event in self.api.list("Event", namespace or self.namespace)
            if event["involvedObject"].get("kind") == kind and event["involvedObject"].get("name") == name
        ]

    # --- waiting --------------------------------------------------------------------------------

    def until(self, check: Callable[[], T], what: str, seconds: float = PATIENCE_SECONDS) -> T:
        """Look again and again until a check says yes, and answer what it said.

        Raises:
            AssertionError: it did not within so many seconds; with what stands in the namespace.
        """
        again = Retrying(
            retry=retry_if_result(lambda result: not result), stop=stop_after_delay(seconds), wait=wait_fixed(0.1),
        )
        try:
            return again(check)
        except RetryError:
            raise AssertionError(f"not within {seconds} s: {what}\n{self.picture()}") from None

    def stays(self, check: Callable[[], object], what: str, seconds: float) -> None:
        """Look for so many seconds whether a check always says yes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert check(), f"no longer: {what}\n{self.picture()}"
            time.sleep(0.1)

    def picture(self) -> str:
        """The pods of the namespace, a line each, and why those without a node have none."""
        lines = []
        for pod in self.api.list("Pod", self.namespace):
            why = [c.get("message", "") for c in pod["status"].get("conditions") or () if c["status"] == "False"]
            lines.append(f"{pod['metadata']['name']} {pod['status'].get('phase')} {pod['spec'].get('nodeName')} {why}")
        return "\n".join(lines) or "no pods"


def flatten(documents: Iterable[Document | str]) -> list[Document]:
    """Documents and texts of several documents as one list of documents."""
    found: list[Any] = []
    for document in documents:
        found += yaml.safe_load_all(document) if isinstance(document, str) else [document]
    return [document for document in found if document]
