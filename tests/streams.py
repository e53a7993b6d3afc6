"""Streams through ``gangform transform``, in this process, as bytes."""

from collections.abc import Sequence
from typing import Any

from gangform.contracts import Groups
from gangform.edges.spooling import Spool
from gangform.model.finding import Severity
from gangform.settings import Settings
from gangform.workflows import configuration
from gangform.workflows.marking import Aim
from gangform.workflows.transform import Transformed, transform

HEAD = b"apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata:\n  name: pi\n"
BODY = b"""spec:
  runPolicy: {cleanPodPolicy: Running}
  mpiReplicaSpecs:
    Launcher:
      template:
        metadata:
          labels:
            app: pi
        spec:
          containers:
          - name: main # the only one
            image: mpi
            resources: {requests: {cpu: "1", memory: 1Gi}}
    Worker:
      replicas: 2
      template:
        spec:
          containers: [{name: main, image: mpi, resources: {requests: {cpu: "2", memory: 2Gi}}}]
"""
JOB = HEAD + BODY
CONFIG = b"# kept\napiVersion: v1\nkind:   ConfigMap\nmetadata: {name: c}\ndata:\n  a: 'b'   # MPIJob\n"


def aim(backend: str = "coscheduling", *, remove: bool = False, groups: Groups = "git", force: bool = False, **options: Any) -> Aim:
    """What the command line's options ask for; an empty backend stands for none."""
    cluster = configuration.select(Settings(), None, backend or None, options, groups)
    return Aim(cluster, remove, force)


def run(*texts: bytes, to: Aim | None = None) -> Transformed:
    """Transform streams that are files called a, b and so on."""
    held = {chr(ord("a") + number): text for number, text in enumerate(texts)}

    def open_input(path: str, spool: Spool) -> str:
        spool.append(held[path])
        return path

    return transform(list(held), Settings(), to or aim(), open_input)


def mark(*texts: bytes, to: Aim | None = None) -> bytes:
    """The output, which there must be."""
    done = run(*texts, to=to)
    assert done.result is not None, done.outcome.findings
    return b"".join(done.result.blocks())


def unmark(text: bytes, backend: str = "") -> bytes:
    """The stream without marks and groups."""
    return mark(text, to=aim(backend, remove=True))


def errors(*texts: bytes, to: Aim | None = None) -> Sequence[tuple[str, int]]:
    """Ids and lines of the errors; there must be no output with them."""
    done = run(*texts, to=to)
    found = [(finding.rule, finding.location.line) for finding in done.outcome.findings if finding.severity is Severity.ERROR]
    assert (done.result is None) == bool(found)
    return found
