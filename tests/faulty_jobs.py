"""MPIJobs that mpi-operator refuses although the API server stores them, each with one fault."""

from copy import deepcopy

import yaml

from gangform.model.pointer import parse

SOUND = yaml.safe_load("""
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: pi, namespace: lab, labels: {team: hpc}, annotations: {note: "x"}}
spec:
  runPolicy: {cleanPodPolicy: Running}
  mpiReplicaSpecs:
    Launcher:
      template:
        metadata: {labels: {app: pi}, annotations: {a: b}}
        spec: {containers: [{name: main, image: mpi}]}
    Worker:
      replicas: 4
      template:
        spec: {containers: [{name: main, image: mpi}]}
""")
REPLICAS = "/spec/mpiReplicaSpecs"


def edited(**changes):
    """The sound job with values set at pointers; None takes the key out."""
    data = deepcopy(SOUND)
    for text, value in changes.items():
        *parents, last = parse(text)
        place = data
        for token in parents:
            place = place.setdefault(token, {})
        if value is None:
            place.pop(last)
        else:
            place[last] = value
    return data


FAULTS = [
    # changes, code, pointer, words of the message
    ({"/metadata/name": "a" * 55}, "job-name-too-long", "/metadata/name", "1 characters too long"),
    ({"/metadata/name": "a" * 54, f"{REPLICAS}/Worker/replicas": 11}, "job-name-too-long", "/metadata/name",
     "worker-10, which has 64 characters of at most 63"),
    ({"/metadata/name": "pi.v2"}, "job-name-invalid", "/metadata/name", "pi.v2 cannot begin the host name pi.v2-worker-3"),
    ({"/metadata/name": "2pi"}, "job-name-invalid", "/metadata/name", "begin with a letter"),
    ({f"{REPLICAS}/Launcher": None}, "launcher-missing", REPLICAS, "exactly one"),
    ({f"{REPLICAS}/Launcher/replicas": 2}, "launcher-replicas", f"{REPLICAS}/Launcher/replicas", "has 2 replicas; it must have 1"),
    ({f"{REPLICAS}/Launcher/replicas": 0}, "launcher-replicas", f"{REPLICAS}/Launcher/replicas", "has 0 replicas"),
    ({f"{REPLICAS}/Worker/replicas": 0}, "worker-replicas", f"{REPLICAS}/Worker/replicas", "has 0 replicas; it must have 1 or more"),
    ({f"{REPLICAS}/Worker/replicas": -1}, "worker-replicas", f"{REPLICAS}/Worker/replicas", "has -1 replicas"),
    ({f"{REPLICAS}/Worker/replicas": None}, "worker-replicas", f"{REPLICAS}/Worker", "which counts 0"),
    ({f"{REPLICAS}/workers": {}}, "replica-type-unknown", f"{REPLICAS}/workers", "workers is no replica type"),
    ({f"{REPLICAS}/Master": {}}, "replica-type-unknown", f"{REPLICAS}/Master", "makes no pods of it"),
    ({f"{REPLICAS}/Worker/template/spec/containers": []}, "containers-missing", f"{REPLICAS}/Worker/template/spec/containers", "the Worker has no containers"),
    ({f"{REPLICAS}/Launcher/template": None}, "containers-missing", f"{REPLICAS}/Launcher/template/spec/containers", "the Launcher has no containers"),
    ({f"{REPLICAS}/Worker/restartPolicy": "Always"}, "restart-policy", f"{REPLICAS}/Worker/restartPolicy", 'is "Always"; it must be Never or OnFailure'),
    ({f"{REPLICAS}/Launcher/restartPolicy": "ExitCode"}, "restart-policy", f"{REPLICAS}/Launcher/restartPolicy", 'is "ExitCode"'),
    ({"/spec/runPolicy/cleanPodPolicy": "running"}, "clean-pod-policy", "/spec/runPolicy/cleanPodPolicy", 'is "running"; it must be None, Running or All'),
    ({"/spec/runPolicy/cleanPodPolicy": ""}, "clean-pod-policy", "/spec/runPolicy/cleanPodPolicy", 'is ""'),
    ({"/spec/mpiImplementation": "MVAPICH"}, "mpi-implementation", "/spec/mpiImplementation", "OpenMPI, Intel or MPICH"),
    ({"/spec/runPolicy/managedBy": "me"}, "managed-by", "/spec/runPolicy/managedBy", "kubeflow.org/mpi-operator or kueue.x-k8s.io/multikueue"),
    ({"/spec/slotsPerWorker": -1}, "negative-number", "/spec/slotsPerWorker", "slotsPerWorker is -1; it must be 0 or more"),
    ({"/spec/runPolicy/ttlSecondsAfterFinished": -5}, "negative-number", "/spec/runPolicy/ttlSecondsAfterFinished", "is -5"),
    ({"/spec/runPolicy/activeDeadlineSeconds": -5}, "negative-number", "/spec/runPolicy/activeDeadlineSeconds", "is -5"),
    ({"/spec/runPolicy/backoffLimit": -5}, "negative-number", "/spec/runPolicy/backoffLimit", "is -5"),
    ({"/spec/runPolicy/schedulingPolicy/minAvailable": -1}, "negative-number", "/spec/runPolicy/schedulingPolicy/minAvailable", "minAvailable is -1; it must be 1 or more"),
    ({"/spec/runPolicy/schedulingPolicy/minAvailable": 0}, "min-available-zero", "/spec/runPolicy/schedulingPolicy/minAvailable", "minAvailable is 0; it must be 1 or more"),
]
