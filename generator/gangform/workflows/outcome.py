"""What the workflows answer to whoever called them."""

from collections.abc import Callable
from typing import NamedTuple

from gangform.compare import Change
from gangform.model.finding import Finding, Suppressed
from gangform.model.workload import Ref, Workload
from gangform.settings import Target

Progress = Callable[[str, int, int], None]
"""Told (what is being done, how much is done, how much there is)."""


class Counts(NamedTuple):
    """How much was looked at.

    Attributes:
        files: files read.
        jobs: MPIJobs seen, each once.
        groups: PodGroups of any backend.
        builds: kustomizations built.
        patches: files seen only through builds.
        templated: files or jobs left alone because they are templates.
        charts: Helm charts whose templates were left alone.
    """

    files: int = 0
    jobs: int = 0
    groups: int = 0
    builds: int = 0
    patches: int = 0
    templated: int = 0
    charts: int = 0


class LookedAt(NamedTuple):
    """A job or group that was looked at.

    Attributes:
        path: its file; the folder of the build where a program made it.
        workload: set when it is a sound job.
    """

    path: str
    ref: Ref
    workload: Workload | None = None


class Outcome(NamedTuple):
    """Findings in order, counts, and plain sentences for stderr.

    Attributes:
        suppressed: findings that do not count, in the order of places.
        objects: the jobs and groups that were looked at, for reports that name sound ones too.
    """

    findings: tuple[Finding, ...] = ()
    counts: Counts = Counts()
    notes: tuple[str, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    objects: tuple[LookedAt, ...] = ()


class OverlayChange(NamedTuple):
    """What rendering one overlay changes (``changes`` empty: it is fresh)."""

    target: Target
    changes: tuple[Change, ...]


class Rendered(NamedTuple):
    """The answer of ``render``.

    Attributes:
        written: whether the disk was changed (False under ``--diff`` or when errors stopped it).
        to_enlist: (overlay folder, line to add to its ``components:``), where it is missing.
        enlisted: paths of the kustomizations that got such a line.
    """

    outcome: Outcome
    overlays: tuple[OverlayChange, ...] = ()
    written: bool = False
    to_enlist: tuple[tuple[str, str], ...] = ()
    enlisted: tuple[str, ...] = ()


class Checked(NamedTuple):
    """The answer of ``check``.

    Attributes:
        overlays: those that drifted.
        unchecked: "apiVersion kind" to the number of objects that no schema was there for.
        schema_checked: objects that kubeconform validated; None when it did not run.
        mend: the command that mends the drift, or empty.
        checked: overlays looked at.
    """

    outcome: Outcome
    overlays: tuple[OverlayChange, ...] = ()
    unchecked: tuple[tuple[str, int], ...] = ()
    schema_checked: int | None = None
    mend: str = ""
    checked: int = 0


class GangPlan(NamedTuple):
    """What ``plan`` tells of one job.

    Attributes:
        source: file and line of the job, as shown.
        min_member: pods that start together; ``reason`` says why in a few words.
        asks: resource name to canonical quantity, summed over the gang.
        largest: (role name, resource name to canonical quantity) of the largest pod.
        files: (path, ``new``/``changed``/``same``/``deleted``) of files that rendering would touch.
        notices: what the backend cannot express.
    """

    workload: Workload
    source: str
    backend: str
    min_member: int
    reason: str
    asks: dict[str, str]
    largest: tuple[str, dict[str, str]]
    queue: str = ""
    priority_class: str = ""
    files: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()


class Planned(NamedTuple):
    """The answer of ``plan``."""

    outcome: Outcome
    jobs: tuple[GangPlan, ...] = ()
