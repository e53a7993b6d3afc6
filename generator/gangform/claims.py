"""What a gang asks of its scheduler, wherever that is written: in a group object or in a job's policy.

For rules, which judge both alike; knows no scheduler and no job API.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from gangform.contracts import Scene, Subject
from gangform.model.pointer import Pointer
from gangform.model.workload import Workload


class Claim(NamedTuple):
    """What is asked for one gang; None where nothing is said.

    Attributes:
        backend: name of the scheduler that reads it; empty when nothing tells which.
        members: pods that must start together.
        resources, resources_at: resource name to quantity as written, and where the map stands.
        timeout, timeout_at: seconds, and where they stand; None where the scheduler knows no timeout.
        workload: the one job that is meant; None when there is none, or more than one.
    """

    backend: str
    members: int | None
    resources: Mapping[str, Any] | None
    resources_at: Pointer
    timeout: int | None
    timeout_at: Pointer
    workload: Workload | None


def read(subject: Subject, scene: Scene) -> Claim | None:
    """Return what a group object or a job asks; None for anything else."""
    if subject.gang is not None:
        return _of_group(subject, scene)
    if subject.workload is not None:
        return _of_job(subject, subject.workload, scene)
    return None


def _of_group(subject: Subject, scene: Scene) -> Claim | None:
    gang, jobs = subject.gang, scene.jobs_of(subject)
    if gang is None:
        return None
    return Claim(
        gang.backend, gang.min_member, gang.min_resources, ("spec", "minResources"),
        gang.timeout_seconds, ("spec", "scheduleTimeoutSeconds"),
        jobs[0].workload if len(jobs) == 1 else None,
    )


def _of_job(subject: Subject, workload: Workload, scene: Scene) -> Claim:
    policy = workload.policy
    backends = {bond.backend for bond in subject.bonds} or {scene.backend}
    backend = backends.pop() if len(backends) == 1 else ""
    waits = not backend or "timeout_seconds" in scene.backends[backend].HONOURS
    return Claim(
        backend, workload.pods_together if policy.min_available is None else policy.min_available,
        policy.min_resources, policy.places.get("min_resources", ()),
        policy.timeout_seconds if waits else None, policy.places.get("timeout_seconds", ()), workload,
    )
