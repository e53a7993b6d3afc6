"""A patch meant to change one part of a list took the rest of it away.

kustomize merges lists such as containers by name in kinds that it knows. In an MPIJob a strategic merge patch
replaces them whole: image, command and volumes vanish, and the build succeeds (kustomize#1027; seen with 5.8.1).
An error where a container is left without an image, which no pod can run; a warning where something else that the
job's own file has is gone. Lists that are replaced in built-in kinds too, such as args, are not told.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec:
              containers:
              - name: main  # <- here
                env: [{name: A, value: b}]
    ---
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    metadata: {name: dev}
    resources: [../base]
    patches:
    - patch: |-
        apiVersion: kubeflow.org/v2beta1
        kind: MPIJob
        metadata: {name: pi}
        spec:
          mpiReplicaSpecs:
            Worker:
              template:
                spec:
                  containers: [{name: main, env: [{name: A, value: b}]}]

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec:
              containers:
              - name: main
                image: mpi
                env: [{name: A, value: b}]
    ---
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    metadata: {name: dev}
    resources: [../base]
    patches:
    - target: {kind: MPIJob, name: pi}
      patch: |-
        - op: add
          path: /spec/mpiReplicaSpecs/Worker/template/spec/containers/0/env
          value: [{name: A, value: b}]

Mend: use a JSON6902 patch, or write the whole list.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gangform.contracts import Scene, Subject
from gangform.layering import former_names, patches_for
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get
from gangform.model.workload import Role, identify

ID = "strategic-merge-replaces-list"
SEVERITY = Severity.ERROR

_KEYS = {"containers": "name", "initContainers": "name", "volumes": "name", "imagePullSecrets": "name"}
"""Lists of a pod spec that kustomize merges by a key in built-in kinds (kubernetes api/core/v1/types.go, v0.34)."""


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look into every list that a strategic merge patch writes for what it took away."""
    workload = subject.workload
    if workload is None or not scene.patches:
        return
    told = set()
    for patch in patches_for(subject.ref, scene):
        for role in workload.roles if isinstance(patch.data, dict) else ():
            for field in _KEYS:
                at = (*role.template_at, "spec", field)
                if at not in told and isinstance(get(patch.data, at), list):
                    told.add(at)
                    yield from _judge(subject, role, at, scene)


def _judge(subject: Subject, role: Role, at: Pointer, scene: Scene) -> Iterator[Problem]:
    field = str(at[-1])
    built = get(subject.data, at) or []
    bare = next((number for number, item in enumerate(built) if "ontainers" in field and not item.get("image")), None)
    lost = sorted(set(_lost(subject, at, built, scene)))
    if bare is None and not lost:
        return
    name = built[bare or 0].get("name", "") if built else ""
    what = f"the container {name} has no image" if bare is not None else f"lost: {', '.join(lost)}"
    yield Problem(
        (*at, bare or 0, "name") if built else at,
        f"this patch replaces the whole list {field} of the {role.name}, as kustomize does in an {subject.ref.kind}: "
        f"{what}",
        "write a JSON6902 patch of the one value, or repeat all that the list had",
        severity=None if bare is not None else Severity.WARNING,
    )


def _lost(subject: Subject, at: Pointer, built: list[Any], scene: Scene) -> Iterator[str]:
    """Name what the list had in the job's own file and has no more."""
    names = {former.name for former in former_names(subject.ref.name, scene)}
    key = _KEYS[str(at[-1])]
    now = {item.get(key): item for item in built if isinstance(item, dict)}
    for written in scene.written.get((subject.ref.group, subject.ref.kind), ()):
        listed = get(written, at)
        if identify(written).name not in names or not isinstance(listed, list):
            continue
        for item in (item for item in listed if isinstance(item, Mapping) and isinstance(item.get(key), str)):
            if item.get(key) not in now:
                yield str(item.get(key))
            yield from (f"{field} of {item.get(key)}" for field in item if field not in now.get(item.get(key), item))
