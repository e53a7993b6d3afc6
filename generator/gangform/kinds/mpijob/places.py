"""Where fields of older APIs and fields in wrong places belong."""

from collections.abc import Mapping

_TO_V2BETA1 = (
    "move it to kubeflow.org/v2beta1: cleanPodPolicy, backoffLimit, activeDeadlineSeconds and "
    "ttlSecondsAfterFinished go into spec.runPolicy, "
)
LEGACY: Mapping[str, str] = {
    "kubeflow.org/v1": _TO_V2BETA1 + "and mainContainer goes away; it was served by training-operator",
    "kubeflow.org/v1alpha2": _TO_V2BETA1 + "and mainContainer goes away",
    "kubeflow.org/v1alpha1": _TO_V2BETA1 + "gpus or processingUnits become limits of the Worker's containers, "
    "and template becomes spec.mpiReplicaSpecs.Launcher and Worker, each with a template",
}

_RUN_POLICY = ("cleanPodPolicy", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished",
               "schedulingPolicy", "suspend", "managedBy")
_SCHEDULING_POLICY = ("minAvailable", "queue", "minResources", "priorityClass", "scheduleTimeoutSeconds")
_SPEC = ("slotsPerWorker", "runLauncherAsWorker", "launcherCreationPolicy", "sshAuthMountPath",
         "mpiImplementation", "mpiReplicaSpecs")
_RENAMED = {"minMember": "minAvailable", "priorityClassName": "priorityClass", "queueName": "queue",
            "scheduleTimeout": "scheduleTimeoutSeconds", "timeoutSeconds": "scheduleTimeoutSeconds"}

_POLICY = "spec.runPolicy.schedulingPolicy"
_REPLICA_SPEC = "spec.mpiReplicaSpecs.*"

HOMES: Mapping[str, str] = {
    **{f"{parent}.{name}": f"spec.runPolicy.{name}"
       for parent in ("spec", _REPLICA_SPEC, _POLICY) for name in _RUN_POLICY},
    **{f"{parent}.{name}": f"{_POLICY}.{name}" for parent in ("spec", "spec.runPolicy") for name in _SCHEDULING_POLICY},
    **{f"{parent}.{name}": f"spec.{name}" for parent in ("spec.runPolicy", _REPLICA_SPEC) for name in _SPEC},
    **{f"{at}.{old}": f"{_POLICY}.{new}" for at in ("spec.runPolicy", _POLICY) for old, new in _RENAMED.items()},
    **{f"{_REPLICA_SPEC}.{name}": f"{_REPLICA_SPEC}.template.metadata.{name}" for name in ("labels", "annotations")},
    **{f"{_REPLICA_SPEC}.{name}": f"{_REPLICA_SPEC}.template.spec.{name}"
       for name in ("containers", "initContainers", "volumes", "schedulerName", "nodeSelector", "tolerations",
                    "affinity", "priorityClassName", "hostNetwork", "serviceAccountName")},
    **{f"{_REPLICA_SPEC}.{name}": f"{_REPLICA_SPEC}.template.{name}" for name in ("spec", "metadata")},
    **{f"spec.{name}": f"spec.mpiReplicaSpecs.{name}" for name in ("Launcher", "Worker")},
    "spec.replicas": "spec.mpiReplicaSpecs.Worker.replicas",
}

MOVES: Mapping[str, str] = {
    **{f"spec.{old}": f"it is called {new}, in {_POLICY}" for old, new in _RENAMED.items()},
    **{f"spec.{name}": f"{name} belongs in template.spec of both spec.mpiReplicaSpecs.Launcher and Worker"
       for name in ("schedulerName", "nodeSelector", "tolerations")},
    **{f"spec.{name}": f"{name} is of kubeflow.org/v1alpha1; write it under limits of the Worker's containers"
       for name in ("gpus", "gpusPerNode", "processingUnits", "processingUnitsPerNode", "processingResourceType")},
    f"{_REPLICA_SPEC}.minReplicas": f"the least number of pods is {_POLICY}.minAvailable",
    **{f"{at}.restartPolicy": "restartPolicy belongs in spec.mpiReplicaSpecs.Launcher or Worker, beside template"
       for at in ("spec", "spec.runPolicy")},
    "spec.template": "template belongs in spec.mpiReplicaSpecs.Launcher and Worker",
    "spec.mainContainer": "mainContainer is of an older API and has no successor; take it out",
    "spec.launcherOnMaster": "launcherOnMaster is of kubeflow.org/v1alpha1; use the Launcher's nodeSelector",
    "spec.mpiDistribution": "mpiDistribution is called mpiImplementation now: OpenMPI, Intel or MPICH",
}
