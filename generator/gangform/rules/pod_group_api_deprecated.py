"""A PodGroup of an API that the scheduler no longer reads.

scheduler-plugins up to 0.24 had its PodGroup in `scheduling.sigs.k8s.io`, and Volcano's was once kube-batch's, in
`scheduling.incubator.k8s.io`. Today's releases read their own groups only (manifests/coscheduling/crd.yaml by tag;
scheduler-plugins#526, volcano#452): the pods start one by one, or wait for ever. Koordinator and others still use
the old API: without a chosen cluster, and without a job that names the group and goes to one of the schedulers
above, it is a note. A cluster whose `versions` name scheduler-plugins before 0.25 is not told.

Bad::

    apiVersion: scheduling.sigs.k8s.io/v1alpha1  # <- here
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
            metadata: {labels: {pod-group.scheduling.sigs.k8s.io: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {labels: {pod-group.scheduling.sigs.k8s.io: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

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
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}

Mend: write the new apiVersion and the new mark; `gangform render` writes both.
"""

from collections.abc import Iterator

from gangform.contracts import Backend, Scene, Subject
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity

ID = "pod-group-api-deprecated"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Report a PodGroup of an API group that a known scheduler once had."""
    if subject.ref.kind != "PodGroup" or subject.gang is not None:
        return
    for name, backend in scene.backends.items():
        until = backend.FORMER_GROUPS.get(subject.ref.group)
        if until is None or (until and not scene.at_least(backend.COMPONENT, until)):
            continue
        api = backend.GROUP_API[0]
        sure = _is_meant(subject, name, scene)
        yield Problem(
            ("apiVersion",),
            f"{_since(backend, until)} not read PodGroups of {subject.ref.api_version}, only of {api}",
            f"write apiVersion: {api}, and the {backend.MARK.holder[:-1]} {backend.MARK.key} in the pod templates"
            + ("" if sure else ", unless another scheduler reads this one"),
            edit=Edit(("apiVersion",), api) if sure else None,
            severity=None if sure else Severity.NOTE,
        )


def _is_meant(subject: Subject, name: str, scene: Scene) -> bool:
    """Whether the backend is the one that should read the group: it is chosen, or gets the pods that name it."""
    key = (name, subject.ref.namespace, subject.ref.name)
    jobs = (*scene.bound.get(key, ()), *scene.astray.get(key, ()))
    roles = [role for job in jobs for role in (job.workload.roles if job.workload else ())]
    known = all(scene.scheduled_by(role) == name or role.spec.get("schedulerName") in {None, "default-scheduler"}
                for role in roles)
    return known and bool(roles or scene.backend == name)


def _since(backend: Backend, until: str) -> str:
    return f"{backend.COMPONENT} {until} and later do" if until else f"{backend.TITLE} does"
