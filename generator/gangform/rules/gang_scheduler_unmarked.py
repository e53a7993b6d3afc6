"""The pods go to a gang scheduler, and nothing says which gang they belong to.

A gang scheduler starts pods without a mark one by one. Volcano makes a group of one pod for each of them
(pkg/controllers/podgroup/pg_controller_handler.go, v1.15), coscheduling passes them on (scheduler-plugins
pkg/coscheduling/core/core.go PreFilter). Reported as kubeflow/trainer#1825: the Launcher runs, the Workers wait. With
`groups: operator` mpi-operator writes the marks itself. A warning, since an overlay that is not at hand may add them.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec:
              schedulerName: volcano  # <- here
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi}]

Good::

    apiVersion: scheduling.volcano.sh/v1beta1
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
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi}]
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec:
              schedulerName: volcano
              containers: [{name: main, image: mpi}]

Mend: add the group and its marks, as `gangform render` does, or take schedulerName out.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.workload import Role

ID = "gang-scheduler-unmarked"
SEVERITY = Severity.WARNING


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find jobs of several pods that name a gang scheduler and bear no mark at all."""
    workload = subject.workload
    if workload is None or workload.pods < 2 or subject.bonds or subject.strays or scene.groups == "operator":
        return
    role = next((role for role in workload.roles if _is_asked_for(role) and scene.scheduled_by(role)), None)
    if role is not None:
        backend = scene.backends[scene.scheduled_by(role)]
        yield Problem(
            role.places.scheduler_name,
            f"the pods go to {backend.TITLE}, but no template has the {backend.MARK.holder[:-1]} {backend.MARK.key}: "
            "they start one by one",
            "add the group and its marks, as gangform render does, or take schedulerName out")


def _is_asked_for(role: Role) -> bool:
    """Whether the author chose the scheduler; pods that name none may go to one that serves under the default name."""
    return role.spec.get("schedulerName") not in {None, "", "default-scheduler"}
