"""The operator makes groups itself, and Git makes them too.

With --gang-scheduling mpi-operator creates a PodGroup named like each job. A group of that name and API that it
does not own stops the job: the event says ErrResourceExists, no pod is created, and the status stays empty
(kubeflow/mpi-operator pkg/controller/mpi_job_controller.go getOrCreatePodGroups, v0.8.2; seen with 0.8.0). A
group of another name is never used, because the operator overwrites mark and schedulerName in both templates:
then this is a warning, and so it is without a group at hand where the settings say groups: git, for the cluster
at hand or else for all clusters. Where they say groups: operator, a group of a job's name is told itself.

Bad::

    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: mpi-operator, namespace: mpi-operator}
    spec:
      selector: {matchLabels: {app: mpi-operator}}
      template:
        metadata: {labels: {app: mpi-operator}}
        spec:
          containers:
          - name: mpi-operator
            image: mpioperator/mpi-operator:0.8.0
            args:
            - -alsologtostderr
            - --gang-scheduling=scheduler-plugins-scheduler  # <- here
    ---
    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec: {minMember: 3}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

Good::

    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: mpi-operator, namespace: mpi-operator}
    spec:
      selector: {matchLabels: {app: mpi-operator}}
      template:
        metadata: {labels: {app: mpi-operator}}
        spec:
          containers:
          - name: mpi-operator
            image: mpioperator/mpi-operator:0.8.0
            args:
            - -alsologtostderr
    ---
    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec: {minMember: 3}
    ---
    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

Mend: take the flag out before groups from Git are merged; until then render with `groups: operator`, which writes
marks only.
"""

from collections.abc import Iterator
from typing import Any

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "operator-gang-flag"
SEVERITY = Severity.ERROR

_FLAG = "--gang-scheduling"
_CONTAINERS: Pointer = ("spec", "template", "spec", "containers")


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find the flag in a Deployment, or in the settings, and the groups that it cannot live with."""
    if subject.gang is not None and scene.groups == "operator" and subject.gang.backend == scene.backend:
        yield from _refused(subject, scene)
    if (subject.ref.group, subject.ref.kind) != ("apps", "Deployment"):
        return
    for pointer, value in _flags(subject.data):
        # cmd/mpi-operator/app/options/options.go: every other value is a scheduler name of scheduler-plugins.
        backend = "volcano" if value == "volcano" else "coscheduling"
        yield from _judge(pointer, f"{_FLAG}={value}", backend, scene)


def _refused(subject: Subject, scene: Scene) -> Iterator[Problem]:
    name = subject.ref.name
    if (subject.ref.namespace, name) in scene.jobs:
        yield Problem(("metadata", "name"), "with groups: operator in the settings mpi-operator makes the groups and "
                      f"refuses job {name} while a group of its name stands in Git",
                      "take the group out until the operator runs without --gang-scheduling, then set groups: git")


def _flags(data: Any) -> Iterator[tuple[Pointer, str]]:
    """Yield the flag's place and value, however a Go program lets it be written."""
    containers = get(data, _CONTAINERS)
    for number, container in enumerate(containers if isinstance(containers, list) else ()):
        for key in ("command", "args"):
            words = get(container, (key,))
            words = [str(word) for word in words] if isinstance(words, list) else []
            for index, word in enumerate(words):
                name, equals, value = word.partition("=")
                if name in {_FLAG, _FLAG[1:]}:
                    value = value if equals else "".join(words[index + 1:index + 2])
                    if value:
                        yield (*_CONTAINERS, number, key, index), value


def _judge(pointer: Pointer, flag: str, backend: str, scene: Scene) -> Iterator[Problem]:
    hint = "take the flag out before the groups are merged, or write marks only (groups: operator)"
    named = sorted(name for owner, namespace, name in scene.gangs
                   if owner == backend and (namespace, name) in scene.jobs)
    used = sorted(group.ref.name for group in scene.gangs.values() if scene.jobs_of(group))
    if named:
        yield Problem(pointer, f"{flag} makes the operator create every job's group itself and refuse the jobs whose "
                      f"group stands in Git: {_listed(named)}", hint)
    elif used:
        yield Problem(pointer, f"{flag} makes the operator create groups of its own and overwrite the jobs' marks, so "
                      f"that groups from Git are never used: {_listed(used)}", hint, severity=Severity.WARNING)
    elif scene.groups == "git":
        yield Problem(pointer, f"{flag} makes the operator create groups, but the settings say that Git makes them",
                      hint, severity=Severity.WARNING)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"
