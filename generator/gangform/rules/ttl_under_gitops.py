"""ttlSecondsAfterFinished does not clean up a job that lives in Git.

In kubeflow.org/v2beta1 the time goes to the Launcher's Job alone: it and its log are deleted, the MPIJob and its
group stay (kubeflow/mpi-operator pkg/controller/mpi_job_controller.go newLauncherJob, v0.8; mpi-operator#644). In
kubeflow.org/v1, of training-operator, it deletes the MPIJob itself, and Argo CD or Flux make it again and so run
it again, for ever (argo-cd#8586). A hook with a delete policy does what is meant; a job that has one is left alone.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      runPolicy:
        cleanPodPolicy: Running
        ttlSecondsAfterFinished: 3600  # <- here
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata:
      name: pi
      annotations:
        argocd.argoproj.io/hook: Sync
        argocd.argoproj.io/hook-delete-policy: HookSucceeded
    spec:
      runPolicy:
        cleanPodPolicy: Running
        ttlSecondsAfterFinished: 3600
      mpiReplicaSpecs:
        Launcher:
          template:
            spec: {containers: [{name: main, image: mpi}]}
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Mend: remove the job from Git when it is done, or make it a hook with a delete policy.
"""

from collections.abc import Iterator

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get

ID = "ttl-under-gitops"
SEVERITY = Severity.NOTE

_AT: Pointer = ("spec", "runPolicy", "ttlSecondsAfterFinished")
_DELETED_BY = frozenset({"argocd.argoproj.io/hook-delete-policy", "helm.sh/hook-delete-policy"})


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Find jobs that count on a time to live."""
    if subject.workload is None or subject.ref.api_version != "kubeflow.org/v2beta1":
        return
    seconds = get(subject.data, _AT)
    if seconds is None or _DELETED_BY & subject.workload.annotations.keys():
        return
    left = "the MPIJob and its PodGroup stay" if any(scene.groups_of(subject)) else "the MPIJob stays"
    yield Problem(
        _AT, f"after {int(seconds)} seconds the Launcher's Job and its log are deleted; {left}",
        "remove the job from Git when it is done, or make it a hook with a delete policy")
