"""A job that was there before is changed, and keeps its name.

Whoever changes an MPIJob in Git means to run it again. mpi-operator makes no new pods for that: of a job that runs
or has ended it follows the number of Workers, suspend, cleanPodPolicy and schedulingPolicy alone
(kubeflow/mpi-operator pkg/controller/mpi_job_controller.go syncHandler, v0.8.2), while Argo CD and Flux show the
application in sync. Told only with `--changed-since`, for a job that had the same name at that revision.

Bad::

    # At origin/main:
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec:
              containers:
              - name: main
                image: mpi
                args: [--rate, "0.1"]
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}
    ---
    # Now:
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec:
              containers:
              - name: main
                image: mpi
                args: [--rate, "0.2"]  # <- here
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Good::

    # At origin/main:
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec:
              containers:
              - name: main
                image: mpi
                args: [--rate, "0.1"]
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}
    ---
    # Now:
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi-r2}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec:
              containers:
              - name: main
                image: mpi
                args: [--rate, "0.2"]
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Mend: rename the job, in its file or by a nameSuffix in the overlay.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer
from gangform.model.quantity import Quantity

ID = "rerun-needs-new-name"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find the first difference from the job of this name at the earlier revision that nobody follows."""
    ref, workload = subject.ref, subject.workload
    before = (scene.before or {}).get((ref.group, ref.kind, ref.namespace, ref.name))
    if before is None or workload is None:
        return
    pointer = _difference(before.get("spec"), subject.data.get("spec"), ("spec",), workload.followed)
    if pointer is not None:
        yield Problem(
            pointer,
            f"{ref.name} exists at {scene.revision}; changing a running or finished {ref.kind} starts nothing "
            "(only worker counts are followed)",
            f"to run it again give it a new name, such as {_next_name(ref.name)}, or a nameSuffix",
        )


def _difference(old: Any, new: Any, at: Pointer, followed: Collection[Pointer]) -> Pointer | None:
    if old == new or at in followed:
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        steps = [(key, old.get(key), value) for key, value in new.items()]
        steps += [(key, value, None) for key, value in old.items() if key not in new]
        found = (_difference(mine, theirs, (*at, key), followed) for key, mine, theirs in steps)
        return next((pointer for pointer in found if pointer is not None), None)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        listed = (_difference(mine, theirs, (*at, number), followed) for number, (mine, theirs) in pairs)
        return next((pointer for pointer in listed if pointer is not None), None)
    return None if "resources" in at and _is_respelt(old, new) else at


def _is_respelt(old: Any, new: Any) -> bool:
    try:
        return Quantity.parse(old) == Quantity.parse(new)
    except ValueError:
        return False


def _next_name(name: str) -> str:
    numbered = re.fullmatch(r"(.*-r)([0-9]+)", name)
    return f"{numbered[1]}{int(numbered[2]) + 1}" if numbered else f"{name}-r2"
