"""The group comes after its job.

The admission webhook of Volcano up to 1.11 refuses pods whose group does not exist yet
(pkg/webhooks/admission/pods, volcano#3085), so the job has no pods while an earlier wave or hook waits for it.
Volcano 1.12 and later, and coscheduling, let the pods wait for their group. Argo CD and Helm apply what bears no
wave, weight or hook together, in an order that does no harm; only an order that is written is judged.

Bad::

    # In a cluster with volcano 1.11:
    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata:
      name: pi
      annotations:
        argocd.argoproj.io/sync-wave: "1"  # <- here
    spec:
      minMember: 3
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]

Good::

    # In a cluster with volcano 1.11:
    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata:
      name: pi
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    spec:
      minMember: 3
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi, resources: {requests: {cpu: 1, memory: 2Gi}}}]

Mend: give the group an earlier wave, weight or hook than the job.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "sync-order"
SEVERITY = Severity.ERROR

_NO_LONGER = "1.12"
_ANNOTATIONS_AT: Pointer = ("metadata", "annotations")
_PHASES = {"presync": -1, "pre-install": -1, "pre-upgrade": -1, "sync": 0, "": 0,
           "postsync": 1, "post-install": 1, "post-upgrade": 1}
_HOOKS = ("argocd.argoproj.io/hook", "helm.sh/hook")
_WEIGHTS = ("argocd.argoproj.io/sync-wave", "helm.sh/hook-weight")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare a group's place in the order of application with its job's."""
    if subject.gang is None or subject.gang.backend != "volcano" or scene.at_least("volcano", _NO_LONGER):
        return
    mine = _order(subject.data)
    for job in scene.jobs_of(subject):
        other = _order(job.data)
        if mine is not None and other is not None and mine > other:
            yield Problem(
                _place(subject.data), f"the group is applied after job {job.ref.name} ({_say(mine)}, the job "
                f"{_say(other)}); Volcano {scene.versions['volcano']} refuses pods without their group",
                "give the group an earlier wave, weight or hook than the job")


def _order(data: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return phase and wave; None where the hook is none of those that a job and a group share."""
    annotations = get(data, _ANNOTATIONS_AT) or {}
    hook = next((annotations[key] for key in _HOOKS if key in annotations), "")
    phases = {_PHASES.get(name.strip().lower()) for name in str(hook).split(",")}
    weight = str(next((annotations[key] for key in _WEIGHTS if key in annotations), "0"))
    phase = phases.pop() if len(phases) == 1 else None
    return None if phase is None or not weight.lstrip("+-").isdecimal() else (phase, int(weight))


def _place(data: Mapping[str, Any]) -> Pointer:
    annotations = get(data, _ANNOTATIONS_AT) or {}
    key = next((key for key in (*_WEIGHTS, *_HOOKS) if key in annotations), None)
    return ("metadata", "name") if key is None else (*_ANNOTATIONS_AT, key)


def _say(order: tuple[int, int]) -> str:
    return f"{('before the sync, ', '', 'after the sync, ')[order[0] + 1]}wave {order[1]}"
