"""Raw objects as an API server sends them, and what is said of the gangs among them."""

from calendar import timegm
from collections.abc import Iterable, Mapping
from copy import deepcopy
from time import gmtime, strftime, strptime
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import gangs
from gangform.catalog import CATALOG
from gangform.status.board import Board
from gangform.status.picture import GangStatus, Key
from gangform.status.summary import summarize

Data = dict[str, Any]

NAMESPACE = "lab"
GI = 2**30
START = timegm(strptime("2026-12-01T10:00:00Z", "%Y-%m-%dT%H:%M:%SZ"))
LATER = 600
"""Seconds after the start at which most situations are looked at."""

SIBLINGS = ("0/4 nodes are available: pre-filter pod pi-worker-0 cannot find enough sibling pods, current pods number: 1, "
            "minMember of group: 3. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.")
GAP = ("0/6 nodes are available: resource gap: map[cpu:{{8000 -3} {<nil>}  DecimalSI}]. preemption: 0/6 nodes are "
       "available: 6 Preemption is not helpful for scheduling.")
CPU = ("0/4 nodes are available: 3 Insufficient cpu, 1 node(s) had untolerated taint {a: b}. preemption: 0/4 nodes are "
       "available: 1 Preemption is not helpful for scheduling, 3 No preemption victims found for incoming pod.")
QUOTA = ('worker pod created failed: pods "pi-worker-1" is forbidden: exceeded quota: lab-cpu, requested: requests.cpu=8, '
         "used: requests.cpu=24, limited: requests.cpu=24")
CLASH = 'Resource "pi" of Kind "PodGroup" already exists and is not managed by MPIJob'


def at(seconds: float) -> str:
    """Spell a time so many seconds after the start."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(START + seconds))


def uid(*names: str) -> str:
    return str(uuid5(NAMESPACE_DNS, "/".join(names)))


def placed(data: Data, seconds: float = 0, *, uid_of: str = "", namespace: str = NAMESPACE) -> Data:
    """Give an object what the API server gives it."""
    meta = data.setdefault("metadata", {})
    meta.setdefault("namespace", namespace)
    meta |= {"uid": uid(data["kind"], meta["namespace"], meta["name"], uid_of), "creationTimestamp": at(seconds)}
    return data


def job(backend: str = "coscheduling", *conditions: Data, seconds: float = 0, **more: Any) -> Data:
    """An MPIJob called pi of one launcher and two workers, as its operator has taken it up."""
    data = placed(gangs.job(backend, **more), seconds)
    data["status"] = {"conditions": [condition("Created", seconds=seconds), *conditions]}
    return data


def silent(data: Data) -> Data:
    """The same job before its operator has seen it."""
    return {name: value for name, value in data.items() if name != "status"}


def condition(kind: str, status: str = "True", reason: str = "", message: str = "", seconds: float = 0) -> Data:
    return {"type": kind, "status": status, "reason": reason or f"MPIJob{kind}", "message": message,
            "lastTransitionTime": at(seconds)}


def group(backend: str = "coscheduling", members: int | None = 3, *, phase: str = "", said: str = "",
          more: Mapping[str, Any] | None = None, **spec: Any) -> Data:
    """The PodGroup called pi."""
    data = placed(gangs.group(backend, members, **spec))
    data["metadata"] |= more or {}
    status: Data = {"phase": phase} if phase else {}
    if said:
        status["conditions"] = [condition("Unschedulable", reason="NotEnoughResources", message=said)]
    return data | ({"status": status} if status else {})


def pod(
    name: str = "worker-0", *, node: str = "", said: str = "", ready: bool = True, seconds: float = 0, phase: str = "",
    backend: str = "coscheduling", asked: Mapping[str, str] | None = None, ended: Data | None = None, restarts: int = 0,
    waiting: str = "", leaving: bool = False, scheduler: str = "", marked: bool = True, reason: str = "", **spec: Any,
) -> Data:
    """A pod of job pi; bound where it has a node, refused where something is said of it."""
    role = name.partition("-")[0]
    mark = CATALOG.backends[backend].MARK
    meta: Data = {"name": f"pi-{name}", "labels": {
        "training.kubeflow.org/operator-name": "mpi-operator", "training.kubeflow.org/job-name": "pi",
        "training.kubeflow.org/job-role": role}}
    if marked:
        meta.setdefault(mark.holder, {})[mark.key] = "pi"
    if leaving:
        meta["deletionTimestamp"] = at(seconds + 60)
    conditions = []
    if node:
        conditions = [condition("PodScheduled", seconds=seconds + 5),
                      condition("Ready", "True" if ready else "False", seconds=seconds + 9)]
    elif said:
        conditions = [condition("PodScheduled", "False", "Unschedulable", said, seconds + 2)]
    container: Data = {"name": "main", "restartCount": restarts, "state": {}}
    if ended:
        container["lastState" if restarts else "state"] = {"terminated": ended}
    if waiting:
        container["state"] = {"waiting": {"reason": waiting}}
    name = scheduler or min(CATALOG.backends[backend].SCHEDULER_NAMES)
    resources = {"requests": dict({"cpu": "1"} if asked is None else asked)}
    status: Data = {"phase": phase or ("Running" if node else "Pending"), "conditions": conditions,
                    "containerStatuses": [container] if node else []}
    if reason:
        status["reason"] = reason
    return placed({
        "apiVersion": "v1", "kind": "Pod", "metadata": meta,
        "spec": {"schedulerName": name, **({"nodeName": node} if node else {}),
                 "containers": [{"name": "main", "image": "mpi", "resources": resources}], **spec},
        "status": status,
    }, seconds, uid_of=str(seconds))


def pods(**more: Any) -> list[Data]:
    """All three pods of job pi."""
    return [pod(name, **more) for name in ("launcher-x7k2", "worker-0", "worker-1")]


def stranger(name: str = "web", *, node: str = "", scheduler: str = "default-scheduler", **more: Any) -> Data:
    """A pod of no job."""
    data = pod(name, node=node, scheduler=scheduler, marked=False, **more)
    data["metadata"]["labels"] = {"app": "web"}
    data["metadata"]["name"] = name
    return placed(data)


def node(name: str = "n1", cpu: str = "4", *, ready: bool = True, cordoned: bool = False, labels: Data | None = None,
         taints: Iterable[Data] = (), **offers: str) -> Data:
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "uid": uid("node", name), "labels": labels or {}},
        "spec": {"taints": list(taints)} | ({"unschedulable": True} if cordoned else {}),
        "status": {"allocatable": {"cpu": cpu, "memory": "64Gi", "pods": "110", **offers},
                   "conditions": [condition("Ready", "True" if ready else "False")]},
    }


def nodes(number: int = 4, **more: Any) -> list[Data]:
    return [node(f"n{index}", **more) for index in range(1, number + 1)]


def event(reason: str, message: str, kind: str = "MPIJob", name: str = "pi", seconds: float = 1,
          component: str = "mpi-job-controller") -> Data:
    about = {"kind": kind, "name": name, "namespace": NAMESPACE}
    data = placed({"apiVersion": "v1", "kind": "Event", "metadata": {"name": f"{name}.{reason}.{seconds}"},
                   "involvedObject": about, "reason": reason, "message": message, "type": "Warning",
                   "source": {"component": component}, "reportingComponent": component}, seconds)
    return data | {"firstTimestamp": at(seconds), "lastTimestamp": at(seconds), "count": 1}


def board(*objects: Data, grace: int = 30) -> Board:
    """A board that was fed all of this."""
    made = Board(CATALOG, grace=grace)
    for data in objects:
        made.feed("ADDED", deepcopy(data))
    return made


def every(seen: Board, seconds: float = LATER, previous: Mapping[Key, GangStatus] | None = None) -> dict[Key, GangStatus]:
    """What is said of every gang, so many seconds after the start."""
    sights = {key: seen.sight(key, int(START + seconds), (previous or {}).get(key)) for key in sorted(seen.keys())}
    return {key: summarize(sight) for key, sight in sights.items() if sight is not None}


def told(*objects: Data, seconds: float = LATER, previous: GangStatus | None = None, hide: Iterable[str] = ()) -> GangStatus:
    """What is said of the one gang among these objects."""
    seen = board(*objects)
    seen.hide(hide)
    (status,) = every(seen, seconds, {previous.key: previous} if previous else None).values()
    return status
