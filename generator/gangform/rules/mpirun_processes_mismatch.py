"""mpirun is told to start more processes than the job has slots, or fewer than it has Workers.

The hostfile that mpi-operator writes gives each Worker slotsPerWorker slots, and the Launcher too with
runLauncherAsWorker (pkg/controller/mpi_job_controller.go newConfigMap, v0.8). Open MPI refuses to start more
processes than slots; Intel MPI and MPICH put several on one slot, which can be meant: a note. With fewer processes
than hosts some get none, a note. Only a command that is surely one mpirun is read: its own words as a list, or one
plain command given to a shell; no other host file, no oversubscription, no option that is not known here.

Bad::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      slotsPerWorker: 2
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec:
              containers:
              - name: main
                image: mpi
                command: [mpirun, -np, "8", /app]  # <- here
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Good::

    apiVersion: kubeflow.org/v2beta1
    kind: MPIJob
    metadata: {name: pi}
    spec:
      slotsPerWorker: 2
      runPolicy: {cleanPodPolicy: Running}
      mpiReplicaSpecs:
        Launcher:
          template:
            spec:
              containers:
              - name: main
                image: mpi
                command: [mpirun, -np, "4", /app]
        Worker:
          replicas: 2
          template:
            spec: {containers: [{name: main, image: mpi}]}

Mend: make -np, slotsPerWorker and the Worker's replicas fit.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get
from gangform.model.workload import Role, Workload

ID = "mpirun-processes-mismatch"
SEVERITY = Severity.WARNING

_PROGRAMS = frozenset({"mpirun", "mpiexec", "mpiexec.hydra"})
_SHELLS = frozenset({"sh", "bash"})
_COMMAND = frozenset({"-c", "-lc", "-ec", "-lec", "-elc"})
_COUNTS = frozenset({"np", "n", "c"})
_VALUES: Mapping[str, int] = {
    **dict.fromkeys(("allow-run-as-root", "tag-output", "report-bindings", "display-map", "display-allocation",
                     "merge-stderr-to-stdout", "show-progress", "v", "verbose", "q", "quiet", "l"), 0),
    **dict.fromkeys(("bind-to", "map-by", "rank-by", "x", "prefix", "wdir", "wd", "output-filename", "timeout",
                     "N", "npernode", "ppn", "perhost", "genvlist", "path"), 1),
    **dict.fromkeys(("mca", "pmca", "prtemca", "gmca", "genv", "env"), 2),
}
"""Options of mpirun and mpiexec (Open MPI 4 and 5, Intel MPI, MPICH) to the number of words that follow them."""


class _Count(NamedTuple):
    """How many processes a container starts, and where that stands."""

    processes: int
    pointer: Pointer


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:  # noqa: ARG001  a job alone tells it
    """Compare the Launcher's process count with the slots of the job."""
    workload = subject.workload
    if workload is None or subject.ref.kind != "MPIJob":
        return
    launcher = next((role for role in workload.roles if role.name == "Launcher"), None)
    workers = sum(role.replicas for role in workload.roles if role.name == "Worker")
    count = _count(launcher) if launcher and workers else None
    if count is not None:
        yield from _judge(count, workload, subject.data["spec"], workers)


def _judge(count: _Count, workload: Workload, spec: Mapping[str, Any], workers: int) -> Iterator[Problem]:
    slots = int(spec.get("slotsPerWorker") or 1)
    hosts = workers + (spec.get("runLauncherAsWorker") is True)
    names = " + ".join(f"{role.replicas} {role.name}" for role in workload.roles)
    total = f"{hosts * slots} slot{'s' * (hosts * slots != 1)}"
    there = f"{total} = {slots} x ({names if hosts > workers else f'{workers} Worker'})"
    hint = f"write {hosts * slots}, or change slotsPerWorker or the Worker's replicas"
    if count.processes > hosts * slots:
        refuses = spec.get("mpiImplementation") in (None, "", "OpenMPI")
        effect = "Open MPI refuses to start" if refuses else "several share a slot"
        yield Problem(count.pointer, f"mpirun is to start {count.processes} processes, the job has {there}: {effect}",
                      hint, severity=None if refuses else Severity.NOTE)
    elif count.processes < hosts:
        yield Problem(count.pointer, f"mpirun is to start {count.processes} processes, the job has {there}: "
                      "not every pod gets one", hint, severity=Severity.NOTE)


def _count(launcher: Role) -> _Count | None:
    """Return what the Launcher's only container surely starts."""
    containers: list[Mapping[str, Any]] = launcher.spec.get("containers") or []
    if len(containers) != 1 or not _is_plain(containers[0]):
        return None
    at: Pointer = (*launcher.template_at, "spec", "containers", 0)
    places: list[Pointer] = [(*at, key, index) for key in ("command", "args")
                             for index, _ in enumerate(containers[0].get(key) or ())]
    words = [str(get(launcher.template, place[len(launcher.template_at):])) for place in places]
    if len(words) == 3 and _base(words[0]) in _SHELLS and words[1] in _COMMAND:
        words = _split(words[2])
        places = places[2:] * len(words)
    if not words or _base(words[0]) not in _PROGRAMS:
        return None
    number = _find_count(words)
    return _Count(int(words[number]), places[number]) if number else None


def _is_plain(container: Mapping[str, Any]) -> bool:
    """Whether no variable can change what mpirun makes of its words."""
    variables = [f"{variable.get('name')}={variable.get('value')}".lower() for variable in container.get("env") or ()]
    return "envFrom" not in container and not any(
        word in variable for variable in variables for word in ("oversubscribe", "hostfile", "hydra_host"))


def _split(script: str) -> list[str]:
    """Return the words of a shell text that is one simple command, else none."""
    import shlex

    line = script.replace("\\\n", " ").strip()
    if any(sign in line for sign in (*";&|<>`#\n", "$(")):
        return []
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    return words[1:] if words[:1] == ["exec"] else words


def _find_count(words: Sequence[str]) -> int:
    """Return the index of the number after -np; 0 where the options are not all known."""
    found, index = 0, 1
    while index < len(words) and words[index].startswith("-"):
        option = words[index].lstrip("-")
        if option in _COUNTS:
            index += 1
            if found or index >= len(words) or not words[index].isdecimal():
                return 0
            found = index
        elif option in _VALUES:
            index += _VALUES[option]
        else:
            return 0
        index += 1
    after = words[index:]
    mapped = any("oversubscribe" in word.lower() for word in words[:index])
    return 0 if mapped or not after or ":" in after else found


def _base(word: str) -> str:
    return word.rpartition("/")[2]
