"""A subGroupPolicy that no pod of the job falls under.

A pod belongs to a sub-group only by its values of the labels in matchLabelKeys; labelSelector alone selects
nothing: pkg/scheduler/api/job_info.go, sub_job_info.go (Volcano 1.14 and later, which have the field; older ones
drop it). With minSubGroups of 1 or more the gang then never starts (seen), else the policy does nothing, which is
a warning. mpi-operator gives every pod training.kubeflow.org/job-role and replica-index.

Bad::

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      subGroupPolicy:
      - name: workers  # <- here
        subGroupSize: 2
        minSubGroups: 1
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

    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata: {name: pi}
    spec:
      minMember: 3
      subGroupPolicy:
      - name: workers
        subGroupSize: 2
        minSubGroups: 1
        matchLabelKeys: [training.kubeflow.org/job-role]
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

Mend: write matchLabelKeys with labels that the pods have, or take the policy out.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import get
from gangform.model.workload import Workload

ID = "subgroup-inert"
SEVERITY = Severity.ERROR

_SINCE = "1.14"


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Look at each sub-group policy of a group."""
    policies = get(subject.data, ("spec", "subGroupPolicy"))
    if subject.gang is None or not policies:
        return
    component = scene.backends[subject.gang.backend].COMPONENT
    if not scene.at_least(component, _SINCE):
        yield Problem(("spec", "subGroupPolicy"), f"subGroupPolicy does nothing before Volcano {_SINCE}; this cluster "
                      f"has {scene.versions[component]}", "take it out, or update Volcano",
                      on="key", severity=Severity.WARNING)
        return
    for index, policy in enumerate(policies):
        why = _why(policy.get("matchLabelKeys"), subject, scene)
        if why:
            least = policy.get("minSubGroups") or 0
            effect = f"minSubGroups {int(least)} is never reached: no pod starts" if least else "it does nothing"
            yield Problem(
                ("spec", "subGroupPolicy", index), f"{why}: {effect}",
                "write matchLabelKeys with labels that the pods have, such as [training.kubeflow.org/job-role]",
                severity=None if least else Severity.WARNING)


def _why(keys: list[str] | None, subject: Subject, scene: Scene) -> str:
    if not keys:
        return "this sub-group policy has no matchLabelKeys, so no pod belongs to it"
    gang, jobs = subject.gang, scene.jobs_of(subject)
    if gang is None or not jobs or (gang.backend, subject.ref.namespace, subject.ref.name) in scene.mentioned:
        return ""
    if any(_has_all(job.workload, keys) for job in jobs if job.workload):
        return ""
    return f"no pod template of job {jobs[0].ref.name} has the labels {', '.join(keys)}"


def _has_all(workload: Workload, keys: list[str]) -> bool:
    return any(all(key in role.labels or key in workload.added_labels for key in keys) for role in workload.roles)
