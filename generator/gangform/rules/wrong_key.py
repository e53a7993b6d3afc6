"""A key that reads like a gang's mark, but that no scheduler reads there.

Coscheduling reads one label and Volcano one annotation, both on the pods (scheduler-plugins
pkg/util/podgroup.go GetPodGroupLabel, Volcano pkg/scheduler/api/job_info.go getJobID). The same name under
another key, as label instead of annotation, or on the MPIJob itself, whose metadata mpi-operator does not
hand on to pods, binds nothing: the pods start one by one. Seen with both. The old label
`pod-group.scheduling.sigs.k8s.io` counts up to scheduler-plugins 0.24, and `…/name` up to 0.18; a cluster
whose `versions` say so is not told. Pods of a scheduler that is not known here are left alone.

Bad::

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
            metadata:
              annotations:
                scheduling.volcano.sh/group-name: pi  # <- here
            spec: {schedulerName: volcano, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.volcano.sh/group-name: pi}}
            spec: {schedulerName: volcano, containers: [{name: main, image: mpi}]}

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
            spec: {schedulerName: volcano, containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            metadata: {annotations: {scheduling.k8s.io/group-name: pi}}
            spec: {schedulerName: volcano, containers: [{name: main, image: mpi}]}

Mend: write the key that the message names in both pod templates; `gangform render` does.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.layering import kustomizations
from gangform.model.edit import Edit
from gangform.model.finding import Problem, Severity
from gangform.model.gang import Bond
from gangform.model.workload import Role, Workload

ID = "wrong-key"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Judge each key that reads like a mark, once per job, key and group."""
    if subject.workload is None:
        return
    told: set[tuple[str, str]] = set()
    for stray in subject.strays:
        said = (str(stray.pointer[-1]), stray.group)
        if said in told:
            continue
        found = _on_template(subject, subject.workload, stray, scene) if stray.role else \
            _on_job(subject, subject.workload, stray, scene)
        if found is not None:
            told.add(said)
            yield found


def _on_template(subject: Subject, workload: Workload, stray: Bond, scene: Scene) -> Problem | None:
    role = next(role for role in workload.roles if role.name == stray.role)
    if _is_read(stray, scene) or _is_bound(subject, role, stray, scene) or _belongs_elsewhere(role, scene):
        return None
    backend = scene.backends[scene.scheduled_by(role) or scene.backend or stray.backend]
    key, holder = backend.MARK.key, backend.MARK.holder
    places = role.places.labels if holder == "labels" else role.places.annotations
    return Problem(
        stray.pointer,
        f"{backend.TITLE} does not read the {_noun(stray)} {stray.pointer[-1]} of the {role.name} template: "
        f"its pods belong to no gang",
        f'write it as {holder[:-1]} "{key}: {stray.group}"',
        on="key",
        edit=Edit((*places, key), stray.group),
        severity=Severity.WARNING if scene.groups == "operator" else None,
    )


def _is_read(stray: Bond, scene: Scene) -> bool:
    backend = scene.backends[stray.backend]
    until = next((false.read_before for false in backend.FALSE_MARKS
                  if (false.holder, false.key) == stray.pointer[-2:]), "")
    return bool(until) and not scene.at_least(backend.COMPONENT, until)


def _is_bound(subject: Subject, role: Role, stray: Bond, scene: Scene) -> bool:
    """Whether the template bears the mark that counts, so that the false one does no harm."""
    read = {stray.backend, scene.scheduled_by(role)}
    return any(bond.role == role.name and bond.backend in read for bond in subject.bonds)


def _belongs_elsewhere(role: Role, scene: Scene) -> bool:
    """Whether the pods go to a scheduler that is not known here and may read other keys."""
    name = role.spec.get("schedulerName") or "default-scheduler"
    return name != "default-scheduler" and not scene.scheduled_by(role)


def _on_job(subject: Subject, workload: Workload, stray: Bond, scene: Scene) -> Problem | None:
    on_templates = any(bond.role and bond.backend == stray.backend for bond in (*subject.bonds, *subject.strays))
    elsewhere = any(_belongs_elsewhere(role, scene) for role in workload.roles)
    if on_templates or elsewhere or scene.groups == "operator" or _is_transformed(stray, scene):
        return None
    mark = scene.backends[stray.backend].MARK
    roles = " and ".join(role.name for role in workload.roles)
    return Problem(
        stray.pointer,
        f"the {_noun(stray)} {stray.pointer[-1]} stands on the {subject.ref.kind} itself and never reaches its "
        "pods: no gang is formed",
        f'write {mark.holder[:-1]} "{mark.key}: {stray.group}" in the template of {roles}',
        on="key",
    )


def _is_transformed(stray: Bond, scene: Scene) -> bool:
    """Whether a kustomization put it there, which is told where it does so."""
    key = stray.pointer[-1]
    for layer in kustomizations(scene):
        listed = layer.data.get("labels")
        maps = [layer.data.get("commonLabels"), layer.data.get("commonAnnotations")]
        maps += [entry.get("pairs") for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        if any(isinstance(pairs, dict) and key in pairs for pairs in maps):
            return True
    return False


def _noun(stray: Bond) -> str:
    return str(stray.pointer[-2]).removesuffix("s")
