"""A small repository that a user could have written, and the workflows as the command line calls them."""

from pathlib import Path

from gangform.model.finding import Finding
from gangform.settings import Settings
from gangform.workflows.outcome import Outcome
from gangform.workflows.validate import validate

JOB = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: {name}
spec:
  runPolicy:
    cleanPodPolicy: Running
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers:
          - name: main
            image: mpi
            resources: {{requests: {{cpu: "1", memory: 2Gi}}}}
    Worker:
      replicas: {workers}
      template:
        spec:
          containers:
          - name: main
            image: mpi
            resources: {{requests: {{cpu: "8", memory: 64Gi}}}}
"""


def job(name: str = "pi", workers: object = 4) -> str:
    return JOB.format(name=name, workers=workers)


def fill(folder: Path, files: dict[str, str]) -> Path:
    """Write texts as they are into a folder, and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def quiet(_stage: str, _done: int, _total: int) -> None:
    """A progress that nobody looks at."""


def look(*paths: str, settings: Settings | None = None, stdin: bytes = b"") -> Outcome:
    return validate(paths or (".",), settings or Settings(), None, read_stdin=lambda: stdin, progress=quiet)


def told(outcome: Outcome) -> list[tuple[str, str, int]]:
    """Rule, path and line of each finding."""
    return [place(finding) for finding in outcome.findings]


def place(finding: Finding) -> tuple[str, str, int]:
    return finding.rule, finding.location.path, finding.location.line
