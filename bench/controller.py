"""What the controller costs on a large cluster, and how long a pod's change takes to reach its job's condition.

An API server and its store alone hold the objects: nothing schedules or runs them. Pods are made with a node and not
ready; the measurement makes them ready, and waits for each gang's condition to say that it runs.
"""

import argparse
import contextlib
import importlib
import json
import re
import statistics
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
NAMESPACES = 20
NODES = 500
CLIENTS = 8
PATIENCE_SECONDS = 900
SETTLE_SECONDS = 40  # every gang is looked at once more when its time of grace is over
GOAL_SECONDS = 2.0

Document = dict[str, Any]


class Cost(NamedTuple):
    """Bytes of the resident set, and seconds of CPU since the start."""

    memory: float
    cpu: float


def job(number: int, workers: int) -> Document:
    container = {"name": "main", "image": "mpi", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
    marked = {"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": f"job-{number}"}},
              "spec": {"schedulerName": "scheduler-plugins-scheduler", "containers": [container]}}
    return {
        "apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": f"job-{number}"},
        "spec": {"runPolicy": {"cleanPodPolicy": "Running"}, "mpiReplicaSpecs": {
            "Launcher": {"replicas": 1, "template": marked}, "Worker": {"replicas": workers, "template": marked}}},
    }


def group(number: int, workers: int) -> Document:
    return {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": f"job-{number}"},
            "spec": {"minMember": workers + 1}}


def pods(number: int, workers: int) -> Iterator[Document]:
    template = job(number, workers)["spec"]["mpiReplicaSpecs"]["Worker"]["template"]
    for index in range(workers + 1):
        role = "worker" if index else "launcher"
        labels = {"training.kubeflow.org/job-name": f"job-{number}", "training.kubeflow.org/job-role": role,
                  "training.kubeflow.org/operator-name": "mpi-operator", **template["metadata"]["labels"]}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"job-{number}-{index}", "labels": labels},
               "spec": template["spec"] | {"nodeName": f"node-{number % NODES}"}}


def node(number: int) -> Document:
    offers = {"cpu": "192", "memory": "2048Gi", "pods": "250"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{number}"},
            "status": {"allocatable": offers, "capacity": offers, "conditions": [
                {"type": "Ready", "status": "True", "reason": "Bench", "message": "", "lastTransitionTime": instant(),
                 "lastHeartbeatTime": instant()}]}}


def instant() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Cluster:
    """Objects without anybody that works on them."""

    def __init__(self, plane: Any, jobs: int, workers: int) -> None:
        self.plane = plane
        self.jobs = jobs
        self.workers = workers
        self._local = threading.local()

    @property
    def api(self) -> Any:
        """A client of this thread's own: one connection each."""
        if not hasattr(self._local, "api"):
            self._local.api = importlib.import_module("cluster.api").Api(self.plane.kubeconfig)
        return self._local.api

    @staticmethod
    def namespace(number: int) -> str:
        return f"team-{number % NAMESPACES}"

    def fill(self) -> None:
        for number in range(NAMESPACES):
            self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace(number)}})
        for_each(range(NODES), lambda number: self.api.create(node(number)))
        for_each(range(self.jobs), self._make)

    def _make(self, number: int) -> None:
        namespace = self.namespace(number)
        self.api.create(job(number, self.workers), namespace=namespace)
        self.api.create(group(number, self.workers), namespace=namespace)
        created = {"type": "Created", "status": "True", "reason": "MPIJobCreated", "message": "",
                   "lastTransitionTime": instant(), "lastUpdateTime": instant()}
        self.api.patch("MPIJob", f"job-{number}", {"status": {"conditions": [created]}}, namespace, status=True)
        for pod in pods(number, self.workers):
            self.api.create(pod, namespace=namespace)

    def make_ready(self, number: int, index: int) -> None:
        ready = {"phase": "Running", "conditions": [
            {"type": kind, "status": "True", "lastTransitionTime": instant()} for kind in ("PodScheduled", "Ready")]}
        self.api.patch("Pod", f"job-{number}-{index}", {"status": ready}, self.namespace(number), status=True)


def for_each(numbers: range, work: Callable[[int], object]) -> None:
    with ThreadPoolExecutor(CLIENTS) as pool:
        for _ in pool.map(work, numbers):
            pass


class Controller:
    """The process that is measured."""

    def __init__(self, plane: Any) -> None:
        self.port = importlib.import_module("cluster.ports").free_port()
        plane.start("controller", [
            sys.executable, "-m", "gangform", "controller", "--kubeconfig", str(plane.kubeconfig),
            "--no-leader-election", "--listen", f"127.0.0.1:{self.port}"])

    def ask(self, path: str) -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=30) as answer:
                return str(answer.read().decode())
        except OSError:
            return ""

    def metric(self, name: str, label: str = "") -> float:
        """The sum of a metric's series, of those with a label such as ``what="event"``."""
        return sum(float(line.split()[-1]) for line in self.ask("metrics").splitlines()
                   if re.match(rf"{name}[ {{]", line) and label in line)

    def cost(self) -> Cost:
        return Cost(self.metric("process_resident_memory_bytes"), self.metric("process_cpu_seconds_total"))


def wait(what: str, done: Callable[[], bool]) -> float:
    """Return how many seconds it took; what takes too long ends the run."""
    begin = time.monotonic()
    while not done():
        if time.monotonic() - begin > PATIENCE_SECONDS:
            raise SystemExit(f"not within {PATIENCE_SECONDS} s: {what}")
        time.sleep(0.5)
    return time.monotonic() - begin


class Watch:
    """When each job's condition came to say that its gang runs."""

    def __init__(self, cluster: Cluster) -> None:
        self.seen: dict[str, float] = {}
        self._cluster = cluster
        # To read all jobs first would take longer than what is measured.
        mark = cluster.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "mark-"}})
        self._since = mark["metadata"]["resourceVersion"]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        with contextlib.suppress(OSError, importlib.import_module("urllib3").exceptions.HTTPError):
            for _, data in self._cluster.api.watch("MPIJob", PATIENCE_SECONDS, since=self._since):
                self._note(data, time.monotonic())

    def _note(self, data: Document, now: float) -> None:
        for condition in (data.get("status") or {}).get("conditions") or ():
            if condition["type"] == "GangScheduled" and condition["reason"] == "Whole":
                self.seen.setdefault(data["metadata"]["name"], now)


def measure(cluster: Cluster, rate: float, seconds: int) -> list[float]:
    """Make pods ready at a rate per second; return the delay of each gang's condition after its last pod's change."""
    watch = Watch(cluster)
    size = cluster.workers + 1
    changed: dict[str, float] = {}
    begin = time.monotonic()

    def change(turn: int) -> None:
        number, index = divmod(turn, size)
        time.sleep(max(0.0, begin + turn / rate - time.monotonic()))
        if index == size - 1:
            changed[f"job-{number}"] = time.monotonic()
        cluster.make_ready(number, index)

    # Pods of one gang change one after the other: a thread takes the next turn only when it is free.
    for_each(range(min(int(rate * seconds), cluster.jobs * size) // size * size), change)
    took = time.monotonic() - begin
    print(f"{len(changed) * size:,} pod changes in {took:.1f} s: {len(changed) * size / took:.0f} per second")
    wait("the conditions", lambda: changed.keys() <= watch.seen.keys())
    return [watch.seen[name] - at for name, at in changed.items()]


def report(delays: list[float]) -> int:
    cuts = statistics.quantiles(delays, n=100)
    print(f"pod change to condition, {len(delays):,} gangs: p50 {cuts[49]:.2f} s, p99 {cuts[98]:.2f} s, "
          f"longest {max(delays):.2f} s (goal: p99 under {GOAL_SECONDS:g} s)")
    return int(cuts[98] > GOAL_SECONDS)


def run(plane: Any, jobs: int, workers: int, rate: float, seconds: int) -> int:
    cluster = Cluster(plane, jobs, workers)
    begin = time.monotonic()
    empty = Controller(plane)
    wait("the controller", lambda: empty.ask("readyz") == "ok\n")
    base = empty.cost()
    plane.stop("controller")
    cluster.fill()
    print(f"made {jobs:,} jobs, {jobs:,} groups, {jobs * (workers + 1):,} pods, {NODES} nodes in "
          f"{time.monotonic() - begin:.0f} s")
    controller = Controller(plane)
    listed = wait("the first lists", lambda: controller.ask("readyz") == "ok\n")
    begun = controller.cost()
    # Events are written of what is new only; the jobs are as old as it took to make them.
    conditions = 'what="condition"'
    written = wait("the first conditions", lambda: controller.metric("gangform_writes_total", conditions) >= jobs)
    settled = controller.cost()
    print(f"first lists {listed:.0f} s, {begun.cpu:.0f} s of CPU; first conditions {written:.0f} s more, "
          f"{controller.metric('gangform_writes_total', conditions) / jobs:.2f} writes per job")
    print(f"resident {settled.memory / 2**20:.0f} MiB, of an empty cluster {base.memory / 2**20:.0f} MiB: "
          f"{(settled.memory - base.memory) / jobs / 1024:.1f} KiB per job of {workers + 1} pods")
    time.sleep(SETTLE_SECONDS)
    start, settled, before = time.monotonic(), controller.cost(), controller.metric("gangform_writes_total")
    time.sleep(20)
    idle, took = controller.cost(), time.monotonic() - start
    print(f"idle: {(idle.cpu - settled.cpu) / took * 100:.1f} % of a CPU, "
          f"{(controller.metric('gangform_writes_total') - before) / took:.1f} writes per second")
    start = time.monotonic()
    delays = measure(cluster, rate, seconds)
    after = controller.cost()
    print(f"busy: {(after.cpu - idle.cpu) / (time.monotonic() - start) * 100:.0f} % of a CPU, "
          f"resident {after.memory / 2**20:.0f} MiB")
    print(json.dumps({name: controller.metric(f"gangform_{name}_total") for name in ("changes", "writes", "errors")}))
    return report(delays)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=4, help="of each job, beside its launcher")
    parser.add_argument("--rate", type=float, default=100, help="pod changes per second")
    parser.add_argument("--seconds", type=int, default=60, help="how long they go on")
    given = parser.parse_args()
    sys.path.insert(0, str(REPOSITORY / "tests"))
    with importlib.import_module("cluster.plane").Plane() as plane:
        return run(plane, given.jobs, given.workers, given.rate, given.seconds)


if __name__ == "__main__":
    raise SystemExit(main())
