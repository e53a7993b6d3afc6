"""One job at a time: what it wants, what its groups must be, and what the rules say of it as it stands there."""

import json
import zlib
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from gangform import pipeline
from gangform.contracts import Catalog, Circumstances, Kind
from gangform.model.finding import Severity
from gangform.model.gang import Gang
from gangform.model.source import Document, Source
from gangform.model.workload import Workload
from gangform.status.fields import condition, instant, items, mapping, text
from gangform.status.picture import Ending, Job, Key
from gangform.status.reading import created
from gangform.status.sharing import shared

SAID = "GangScheduled"
_KEPT = ("name", "namespace", "labels", "annotations")
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_LIVE = Source("live", "")

_DEEPEST = 64
"""Maps and lists inside each other; nothing that Kubernetes or an operator knows is half as deep."""


class Packed(NamedTuple):
    """An object as its author wrote it, made small.

    Attributes:
        digest: the same for the same object.
    """

    digest: bytes
    body: bytes


class Reading(NamedTuple):
    """What follows from a job's own text, read once as long as that stays the same.

    Attributes:
        packed: the text, for the rules.
        manager: to whom its pods are left, where that is not its operator.
        mixed: whether what its groups must hold depends on values of priority classes.
    """

    packed: Packed
    desired: Mapping[str, int] = {}
    together: tuple[str, ...] = ()
    bonds: tuple[tuple[str, str], ...] = ()
    schedulers: tuple[str, ...] = ()
    suspended: bool = False
    implied: Mapping[str, Gang] = {}
    faults: tuple[str, ...] = ()
    manager: str = ""
    mixed: bool = False


def authored(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object as its author wrote it: no status, nothing that the API server added, nothing without end."""
    meta = mapping(data, "metadata")
    kept = {name: meta[name] for name in _KEPT if name in meta}
    if _LAST_APPLIED in mapping(kept, "annotations"):
        kept["annotations"] = {key: value for key, value in kept["annotations"].items() if key != _LAST_APPLIED}
    own = {name: value for name, value in data.items() if name not in ("metadata", "status")} | {"metadata": kept}
    return {name: _prune(value, _DEEPEST) for name, value in own.items()}


def _prune(value: Any, depth: int) -> Any:
    """Cut off what is too deep: a CRD lets anything through where it knows no fields, and readers would choke on it."""
    if isinstance(value, dict):
        return {name: _prune(one, depth - 1) for name, one in value.items()} if depth else {}
    if isinstance(value, list):
        return [_prune(one, depth - 1) for one in value] if depth else []
    return value


def pack(data: Mapping[str, Any], before: Packed | None = None) -> Packed:
    """Make an object small, or return what was made of it before when it is the same."""
    body = json.dumps(data, separators=(",", ":"), default=str).encode()
    digest = blake2b(body, digest_size=16).digest()
    return before if before is not None and before.digest == digest else Packed(digest, zlib.compress(body, 1))


def unpack(packed: Packed) -> dict[str, Any]:
    """Return a packed object."""
    data: dict[str, Any] = json.loads(zlib.decompress(packed.body))
    return data


def read(
    data: Mapping[str, Any], catalog: Catalog, priorities: Mapping[str, int], before: Reading | None
) -> Reading:
    """Read a job's own text, or return what was read before when it is the same."""
    own = authored(data)
    packed = pack(own, before.packed if before else None)
    return before if before is not None and packed is before.packed else _read(own, packed, catalog, priorities)


def again(reading: Reading, catalog: Catalog, priorities: Mapping[str, int]) -> Reading:
    """Read the same text once more, as priority classes have changed."""
    return _read(unpack(reading.packed), reading.packed, catalog, priorities)


def _read(own: dict[str, Any], packed: Packed, catalog: Catalog, priorities: Mapping[str, int]) -> Reading:
    inspection = pipeline.inspect((document(own),), catalog)
    faults = tuple(dict.fromkeys(
        f"{said.rule}: {said.problem.message}" for said in inspection.statements if said.severity is Severity.ERROR))
    workload = next((item.subject.workload for item in inspection.jobs), None) or _guess(own, catalog)
    if workload is None:
        return Reading(packed, faults=faults or ("unreadable: it is no job that can be read",))
    marks = {(bond.backend, bond.group) for bond in pipeline.bonds(workload, catalog.backends)}
    names = sorted({name for name, _ in marks} or catalog.backends)
    classes = {role.spec.get("priorityClassName") for role in workload.gang}
    return Reading(
        packed,
        desired={role.name: role.replicas for role in workload.roles},
        together=shared(workload.together),
        bonds=shared(tuple(sorted(marks))),
        schedulers=shared(tuple(role.spec.get("schedulerName") or "default-scheduler" for role in workload.roles)),
        suspended=workload.suspended,
        implied={} if faults else _implied(workload, names, catalog, priorities),
        faults=faults,
        manager=shared(workload.manager),
        mixed=len(classes) > 1,
    )


def document(data: dict[str, Any]) -> Document:
    """Return an object as the pipeline takes it; it stands in no text."""
    return Document(_LIVE, 0, 0, 0, 1, data)


def _guess(own: dict[str, Any], catalog: Catalog) -> Workload | None:
    """Read a job that did not pass its checks as far as that goes."""
    kind = catalog.kinds.get((text(own, "apiVersion"), text(own, "kind")))
    try:
        workload = kind.read(own) if kind else None
        if workload is not None:
            tuple(pipeline.bonds(workload, catalog.backends))
            hash(tuple((role.spec.get("schedulerName"), role.spec.get("priorityClassName")) for role in workload.roles))
    except (ValueError, TypeError, AttributeError, KeyError):
        return None
    return workload


def _implied(
    workload: Workload, names: Iterable[str], catalog: Catalog, priorities: Mapping[str, int]
) -> dict[str, Gang]:
    """Return the group that each backend would have now; with minResources, so that larger ones can be told."""
    circumstances = Circumstances({"min-resources": "computed"}, priorities)
    planned = {name: catalog.backends[name].plan(workload, circumstances).groups for name in names}
    return {name: catalog.backends[name].read_group(groups[0].data) for name, groups in planned.items() if groups}


def job(data: Mapping[str, Any], key: Key, kind: Kind, reading: Reading) -> Job:
    """Put a job together of its own text and of its status."""
    status = mapping(data, "status")
    said = condition(status, SAID)
    outcome = _outcome(status, kind)
    return Job(
        key=key, uid=text(data, "metadata", "uid"), created=created(data),
        api_version=shared(text(data, "apiVersion")), kind=shared(text(data, "kind")),
        desired=reading.desired, together=reading.together, bonds=reading.bonds, schedulers=reading.schedulers,
        suspended=reading.suspended, suspended_at=_suspended_at(status, kind), finished=outcome[0], ending=outcome[1],
        acknowledged=any(item.get("type") == kind.PROGRESS.created for item in items(status, "conditions")),
        implied=reading.implied,
        said=(text(said, "status"), text(said, "reason"), text(said, "message"),
              instant(said.get("lastTransitionTime"))) if said else None,
        faults=reading.faults, manager=reading.manager,
    )


def _suspended_at(status: Mapping[str, Any], kind: Kind) -> int | None:
    told = condition(status, kind.PROGRESS.suspended)
    return instant(told.get("lastTransitionTime")) if told.get("status") == "True" else None


def _outcome(status: Mapping[str, Any], kind: Kind) -> tuple[str, Ending | None]:
    for name, word in ((kind.PROGRESS.succeeded, "Succeeded"), (kind.PROGRESS.failed, "Failed")):
        found = condition(status, name)
        if found.get("status") == "True":
            at = instant(found.get("lastTransitionTime"))
            ended = at if at is not None else instant(status.get("completionTime"))
            return word, Ending(text(found, "reason"), text(found, "message"), ended)
    return "", None
