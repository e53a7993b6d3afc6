"""The pods name a group, but their scheduler does not form it.

A mark is read only by the scheduler it belongs to. With another schedulerName, or none, the pods start one
by one and silently no gang is formed. A single-scheduler installation of coscheduling is served as
default-scheduler: say so with the option schedulerName in the settings. A name that settings do not list is
judged only when a cluster is chosen.

Bad::

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
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: pi
            spec:  # <- here
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: pi
            spec:
              containers: [{name: main, image: mpi}]

Good::

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
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: pi
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata:
              labels:
                scheduling.x-k8s.io/pod-group: pi
            spec:
              schedulerName: scheduler-plugins-scheduler
              containers: [{name: main, image: mpi}]

Mend: set schedulerName in both pod templates, or name your scheduler in the settings.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity

ID = "scheduler-name-not-backend"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Compare the one schedulerName of each group's pods with the names its backend is served under."""
    if subject.workload is None:
        return
    for backend, group, roles in subject.bound_roles():
        if all(scene.is_leftover(subject, bond) for bond in subject.bonds if bond.backend == backend):
            continue
        names = {role.spec.get("schedulerName") or "default-scheduler" for role in roles}
        if len(names) == 1 and _is_wrong(name := names.pop(), backend, scene):
            title = scene.backends[backend].TITLE
            known = scene.backends[backend].SCHEDULER_NAMES
            asked = scene.options.get("schedulerName") if scene.backend == backend else None
            right = asked or min(known)
            # default-scheduler may be this very backend, where nobody has said which cluster is meant.
            sure = asked is not None or (len(known) == 1 and name != "default-scheduler")
            yield Problem(
                roles[0].places.scheduler_name,
                f"the pods of group {group} go to {name}, which is not {title}: no gang is formed",
                f"write schedulerName: {right} in both pod templates",
                edit=Edit(roles[0].places.scheduler_name, right) if sure else None,
                severity=Severity.WARNING if scene.groups == "operator" else None,
            )


def _is_wrong(name: str, backend: str, scene: Scene) -> bool:
    if scene.backend == backend and "schedulerName" in scene.options:
        return bool(name != scene.options["schedulerName"])
    if name in scene.backends[backend].SCHEDULER_NAMES:
        return False
    others = (other.SCHEDULER_NAMES for key, other in scene.backends.items() if key != backend)
    return name == "default-scheduler" or any(name in served for served in others)
