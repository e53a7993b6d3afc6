"""An overlay changed the number of Workers, but not the group's minMember.

kustomize cannot compute, so a patch of the replicas leaves minMember as it was. With fewer pods than minMember
the gang never starts (an error); with more, it may start without some of them (a warning). Sources as for
min-member-exceeds-pods and min-member-below-total, which speak of numbers that nobody patched.

Bad::

    apiVersion: scheduling.x-k8s.io/v1alpha1
    kind: PodGroup
    metadata: {name: pi}
    spec: {minMember: 5}
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
          replicas: 2  # <- here
          template:
            metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
            spec: {schedulerName: scheduler-plugins-scheduler, containers: [{name: main, image: mpi}]}
    ---
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    metadata: {name: dev}
    resources: [../base]
    patches:
    - target: {kind: MPIJob, name: pi}
      patch: |-
        - {op: replace, path: /spec/mpiReplicaSpecs/Worker/replicas, value: 2}

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
    ---
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    metadata: {name: dev}
    resources: [../base]
    patches:
    - target: {kind: MPIJob, name: pi}
      patch: |-
        - {op: replace, path: /spec/mpiReplicaSpecs/Worker/replicas, value: 2}
    - target: {kind: PodGroup, name: pi}
      patch: |-
        - {op: replace, path: /spec/minMember, value: 3}

Mend: patch minMember along with the replicas, or let `gangform render` write the group on top of the overlay.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.layering import former_names, is_set_by, kustomizations, patches_for
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import get
from gangform.model.workload import Role, Workload, identify

ID = "replicas-vs-min-member-drift"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Where a group's number is not that of its pods, look whether a layer of the build changed the pods alone."""
    for group, roles in scene.groups_of(subject):
        members = group.gang.min_member if group.gang else None
        if members and subject.workload is not None and len(scene.jobs_of(group)) == 1:
            yield from _judge(subject, subject.workload, group, roles, scene)


def _judge(
    subject: Subject, workload: Workload, group: Subject, roles: tuple[Role, ...], scene: Scene
) -> Iterator[Problem]:
    members = (group.gang.min_member if group.gang else None) or 0
    together = [role for role in roles if role in workload.gang]
    pods = sum(role.replicas for role in together)
    # A number that counts pods without a mark, or that exist later, is another fault, with rules of its own.
    if members == pods or pods < members <= workload.pods:
        return
    changed = next((role for role in together if _is_changed(subject, role, scene)), None)
    adapted = any(is_set_by(patch, ("spec", "minMember"), members) for patch in patches_for(group.ref, scene))
    if changed is None or adapted or _differed(subject, changed, members, pods, scene):
        return
    listed = " + ".join(f"{role.replicas} {role.name}" for role in together)
    yield Problem(
        changed.replicas_at,
        f"{changed.replicas} {changed.name} replicas are set here, but minMember of group {group.ref.name} "
        f"is still {members}; its pods are {pods} = {listed}",
        f"set minMember {pods} here too, or render the group from this folder",
        severity=Severity.WARNING if members < pods else None,
    )


def _is_changed(subject: Subject, role: Role, scene: Scene) -> bool:
    """Whether a patch or kustomize's own field ``replicas`` gave the role its number."""
    if any(is_set_by(patch, role.replicas_at, role.replicas) for patch in patches_for(subject.ref, scene)):
        return True
    names = {former.name for former in former_names(subject.ref.name, scene)}
    return any(
        isinstance(entry, dict) and entry.get("count") == role.replicas and entry.get("name") in names
        for layer in kustomizations(scene) for entry in _listed(layer.data.get("replicas"))
    )


def _differed(subject: Subject, role: Role, members: int, pods: int, scene: Scene) -> bool:
    """Whether the number was not that of the pods before any layer, as in a job that may shrink."""
    names = {former.name for former in former_names(subject.ref.name, scene)}
    for written in scene.written.get((subject.ref.group, subject.ref.kind), ()):
        before = get(written, role.replicas_at)
        if isinstance(before, int) and identify(written).name in names:
            return members != pods - role.replicas + before
    return False


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
