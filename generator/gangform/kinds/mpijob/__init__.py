"""MPIJob of kubeflow.org/v2beta1: one Launcher and its Workers.

Knows the fields and defaults of kubeflow/mpi-operator (v0.8.2), what its validation refuses, and what it writes on
jobs and pods; nothing about schedulers.
"""

from gangform.kinds.mpijob.checking import CODES, check
from gangform.kinds.mpijob.places import HOMES, LEGACY, MOVES
from gangform.kinds.mpijob.reading import read
from gangform.model.workload import Pods, Progress

__all__ = ["API", "CODES", "HOMES", "LEGACY", "MOVES", "PODS", "PROGRESS", "SCHEMA", "check", "read"]

API = ("kubeflow.org/v2beta1", "MPIJob")
SCHEMA = "kubeflow.org/mpijob_v2beta1"

PODS = Pods(
    labels=("training.kubeflow.org/operator-name", "training.kubeflow.org/job-name", "training.kubeflow.org/job-role"),
    operator="mpi-operator",
    roles={"launcher": "Launcher", "worker": "Worker"},
    # The launcher's pod is made by a Job of its own: newLauncherJob in pkg/controller/mpi_job_controller.go.
    makers=(("Job", "-launcher"),),
)
PROGRESS = Progress(created="Created", suspended="Suspended", succeeded="Succeeded", failed="Failed")
