"""Flux replaces ``${…}`` in a command before the container's shell sees it.

With ``postBuild`` a Flux Kustomization substitutes ``${VAR}`` in every object that it applies, scripts in
``command`` and ``args`` included (fluxcd/pkg kustomize/kustomize_varsub.go). A variable that Flux does not know
becomes empty, without a word. The rule speaks when the Kustomization that applies the job is among the
manifests; variables that its ``postBuild.substitute`` names are taken as meant.

Bad::

    apiVersion: kustomize.toolkit.fluxcd.io/v1
    kind: Kustomization
    metadata: {name: jobs, namespace: flux-system}
    spec:
      path: ./jobs
      postBuild: {substitute: {region: eu}}
    ---
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
                command: [sh, -c, "mpirun -n 2 --output ${OUTPUT_DIR}/${region} pi"]  # <- here
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Good::

    apiVersion: kustomize.toolkit.fluxcd.io/v1
    kind: Kustomization
    metadata: {name: jobs, namespace: flux-system}
    spec:
      path: ./jobs
      postBuild: {substitute: {region: eu}}
    ---
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
                command: [sh, -c, "mpirun -n 2 --output $${OUTPUT_DIR}/${region} pi"]
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Mend: write $${VAR} for what the container is to see, or put the annotation
``kustomize.toolkit.fluxcd.io/substitute: disabled`` on the job.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer
from gangform.model.workload import Role

ID = "flux-substitution-unescaped"
SEVERITY = Severity.WARNING

_SYNC = ("kustomize.toolkit.fluxcd.io", "Kustomization")
_BUILD = ("kustomize.config.k8s.io", "Kustomization")
_SWITCH = "kustomize.toolkit.fluxcd.io/substitute"
_VARIABLE = re.compile(r"(?<!\$)(?:\$\$)*\$\{([A-Za-z_][A-Za-z0-9_]*)[^}]*\}")
"""Two dollar signs stand for one (drone/envsubst, parse/scan.go)."""


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find variables that Flux would take for its own."""
    if subject.workload is None or "disabled" in (
            subject.workload.labels.get(_SWITCH), subject.workload.annotations.get(_SWITCH)):
        return
    for sync, known in _substituting(scene):
        for role in subject.workload.roles:
            for pointer, text in _texts(role):
                names = [name for name in dict.fromkeys(_VARIABLE.findall(text)) if name not in known]
                if names:
                    shown = ", ".join(f"${{{name}}}" for name in names)
                    yield Problem(
                        pointer,
                        f"Flux replaces {shown} before the container sees it: the Kustomization {sync.ref.name} has "
                        "postBuild, which does not name it",
                        f"write $${{{names[0]}}} to keep it for the container, or put the annotation {_SWITCH}: "
                        "disabled on the job",
                    )


def _substituting(scene: Scene) -> Iterator[tuple[Subject, frozenset[str]]]:
    """Yield the Flux Kustomizations that substitute in this scene, with the variables that they name."""
    folders = {build.ref.name for build in scene.by_kind.get(_BUILD, ())}
    for sync in scene.by_kind.get(_SYNC, ()):
        spec = _map(sync.data.get("spec"))
        build = _map(spec.get("postBuild"))
        here = posixpath.normpath(str(spec.get("path") or "."))
        if (build.get("substitute") or build.get("substituteFrom")) and (not folders or here in folders):
            yield sync, frozenset(_map(build.get("substitute")))


def _texts(role: Role) -> Iterator[tuple[Pointer, str]]:
    for kind in ("initContainers", "containers"):
        for number, container in enumerate(role.spec.get(kind) or ()):
            for field in ("command", "args"):
                for index, text in enumerate(container.get(field) or ()):
                    yield (*role.template_at, "spec", kind, number, field, index), text


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
