"""Raw objects of the API server, cut down to what ``picture`` keeps of them. Nothing in them makes this fail."""

from collections.abc import Iterator, Mapping
from typing import Any

from gangform import sizing
from gangform.contracts import Backend, Kind
from gangform.model.gang import Gang
from gangform.model.workload import identify
from gangform.status.fields import condition, instant, items, mapping, number, text, texts
from gangform.status.picture import OPERATOR, Ending, Group, Key, Member, Note, Taint, Verdict
from gangform.status.sharing import shared

Bonds = tuple[tuple[str, str], ...]

_SERVER_REASONS = frozenset({"SchedulingGated"})
"""Verdicts that the API server writes itself."""

_STARTING_REASONS = frozenset({"ContainerCreating", "PodInitializing"})
_JOB_LABEL = "gangform.dev/job"


def key_of(data: Mapping[str, Any]) -> Key:
    """Return namespace and name of an object."""
    meta = mapping(data, "metadata")
    return Key(shared(text(meta, "namespace")), text(meta, "name"))


def created(data: Mapping[str, Any]) -> int:
    """Return when an object was made, in seconds; 0 where it does not say."""
    return instant(text(data, "metadata", "creationTimestamp")) or 0


# --- pods ---------------------------------------------------------------------------------------------


def belongs(data: Mapping[str, Any], kinds: Mapping[tuple[str, str], Kind]) -> tuple[str, str] | None:
    """Return the name of a pod's job and of its role; None for a pod of anything else."""
    labels = mapping(data, "metadata", "labels")
    for kind in kinds.values():
        operator, job, role = kind.PODS.labels
        named = kind.PODS.roles.get(text(labels, role), "")
        if text(labels, operator) == kind.PODS.operator and text(labels, job) and named:
            return text(labels, job), named
    return None


def bonds(data: Mapping[str, Any], backends: Mapping[str, Backend]) -> Bonds:
    """Return (backend, group name) of each mark on a pod that somebody put there, not the scheduler itself."""
    meta = mapping(data, "metadata")
    found = ((name, text(meta, backend.MARK.holder, backend.MARK.key), backend.AUTOMATIC)
             for name, backend in backends.items())
    return shared(tuple((name, group) for name, group, automatic in found
                        if group and not (automatic and group.startswith(automatic))))


def asked(data: Mapping[str, Any]) -> sizing.Requests:
    """Return what a pod asks of a node; nothing where that cannot be read."""
    try:
        requests = sizing.pod_requests(mapping(data, "spec"))
    except (ValueError, TypeError, AttributeError, KeyError):
        return {}
    return requests


def placed(data: Mapping[str, Any]) -> str:
    """Return the node that a pod holds a place on; empty for none, and once it is over."""
    over = text(data, "status", "phase") in ("Succeeded", "Failed")
    return "" if over else text(data, "spec", "nodeName")


def member(data: Mapping[str, Any], key: Key, role: str, marks: Bonds, requests: sizing.Requests) -> Member:
    """Read a pod of a job."""
    meta, spec, status = mapping(data, "metadata"), mapping(data, "spec"), mapping(data, "status")
    scheduled, ready = condition(status, "PodScheduled"), condition(status, "Ready")
    node = text(spec, "nodeName")
    return Member(
        key=key, name=text(meta, "name"), uid=text(meta, "uid"), role=role, created=created(data),
        phase=shared(text(status, "phase")), node=shared(node), scheduler=shared(text(spec, "schedulerName")),
        bonds=marks,
        gates=shared(tuple(text(gate, "name") for gate in items(spec, "schedulingGates"))),
        verdict=None if node else _verdict(scheduled),
        asked=requests,
        bound_at=_bound_at(node, scheduled, status),
        ready_at=instant(ready.get("lastTransitionTime")) if ready.get("status") == "True" else None,
        terminating="deletionTimestamp" in meta,
        restarts=sum(number(one.get("restartCount")) for one in _containers(status)),
        ended=_ended(status),
        held=shared(next((_waits(one) for one in _containers(status) if _waits(one)), "")),
        selector=shared(texts(mapping(spec, "nodeSelector"))),
        tolerations=shared(tuple(_taint(one) for one in items(spec, "tolerations"))),
        choosy=bool(spec.get("affinity") or spec.get("topologySpreadConstraints")),
    )


def _verdict(scheduled: Mapping[str, Any]) -> Verdict | None:
    reason = text(scheduled, "reason")
    if scheduled.get("status") != "False" or reason in _SERVER_REASONS:
        return None
    return Verdict(shared(reason), text(scheduled, "message"), instant(scheduled.get("lastTransitionTime")))


def _bound_at(node: str, scheduled: Mapping[str, Any], status: Mapping[str, Any]) -> int | None:
    if not node:
        return None
    told = instant(scheduled.get("lastTransitionTime")) if scheduled.get("status") == "True" else None
    return told if told is not None else instant(status.get("startTime"))


def _containers(status: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from items(status, "containerStatuses")
    yield from items(status, "initContainerStatuses")


def _waits(container: Mapping[str, Any]) -> str:
    reason = text(container, "state", "waiting", "reason")
    return "" if reason in _STARTING_REASONS else reason


def _ended(status: Mapping[str, Any]) -> Ending | None:
    reason = text(status, "reason")
    if reason and text(status, "phase") == "Failed":
        return Ending(shared(reason), text(status, "message"))
    endings = [_ending(found) for one in _containers(status) for state in ("state", "lastState")
               if (found := mapping(one, state, "terminated"))]
    return max(endings, key=lambda ending: (ending.at or 0, ending.code != 0, ending.reason), default=None)


def _ending(terminated: Mapping[str, Any]) -> Ending:
    return Ending(shared(text(terminated, "reason")), text(terminated, "message"),
                  instant(terminated.get("finishedAt")), number(terminated.get("exitCode")))


def _taint(data: Mapping[str, Any]) -> Taint:
    return Taint(text(data, "key"), text(data, "value"), text(data, "effect"))


# --- nodes --------------------------------------------------------------------------------------------


def usable(data: Mapping[str, Any]) -> bool:
    """Whether new pods can come to a node: it is ready and not cordoned."""
    return mapping(data, "spec").get("unschedulable") is not True and is_ready(data)


def is_ready(data: Mapping[str, Any]) -> bool:
    """Whether a node or a pod is ready."""
    return condition(mapping(data, "status"), "Ready").get("status") == "True"


def offers(data: Mapping[str, Any]) -> sizing.Requests:
    """Return what a node can give to pods."""
    return sizing.readable(mapping(data, "status", "allocatable"))


def taints(data: Mapping[str, Any]) -> tuple[Taint, ...]:
    """Return a node's taints."""
    return shared(tuple(_taint(one) for one in items(mapping(data, "spec"), "taints")))


def labels(data: Mapping[str, Any]) -> Mapping[str, str]:
    """Return an object's labels."""
    return dict(texts(mapping(data, "metadata", "labels")))


# --- groups -------------------------------------------------------------------------------------------


def group(data: Mapping[str, Any], backend: Backend, kinds: Mapping[tuple[str, str], Kind]) -> Group:
    """Read a group object."""
    meta, status = mapping(data, "metadata"), mapping(data, "status")
    try:
        gang = backend.read_group(data)
    except (ValueError, TypeError, AttributeError, KeyError):
        gang = Gang(backend.NAME, identify(data))
    gang = gang._replace(min_member=number(gang.min_member) or None,
                         min_resources=gang.min_resources if isinstance(gang.min_resources, dict) else None,
                         queue=gang.queue if isinstance(gang.queue, str) else None)
    newest = max(items(status, "conditions"), default={},
                 key=lambda one: (text(one, "lastTransitionTime"), text(one, "type")))
    keeps = "reserves-without-pods" in backend.TRAITS
    return Group(gang, text(meta, "uid"), created(data), shared(text(status, "phase")), text(newest, "message"),
                 owner(data, kinds), sizing.readable(gang.min_resources) if keeps else {})


def claimed(data: Mapping[str, Any], kinds: Mapping[tuple[str, str], Kind]) -> str:
    """Return the name of the job that a group object was made for, as it says itself; else empty."""
    owners = (one for one in items(mapping(data, "metadata"), "ownerReferences")
              if (text(one, "apiVersion"), text(one, "kind")) in kinds)
    return next((text(one, "name") for one in owners), "") or text(data, "metadata", "labels", _JOB_LABEL)


def is_foreign(data: Mapping[str, Any], backend: Backend, kinds: Mapping[tuple[str, str], Kind]) -> bool:
    """Whether a group object is of something that is no job of a known kind."""
    references = list(items(mapping(data, "metadata"), "ownerReferences"))
    own = any((text(one, "apiVersion"), text(one, "kind")) in kinds for one in references)
    automatic = bool(backend.AUTOMATIC) and text(data, "metadata", "name").startswith(backend.AUTOMATIC)
    return automatic or (bool(references) and not own)


RENDERED = "rendered by gangform for job"
"""How ``Group.owner`` begins where nothing tells who brought a group that gangform wrote."""


def owner(data: Mapping[str, Any], kinds: Mapping[tuple[str, str], Kind]) -> str:
    """Say who keeps an object where it is, as a sentence names it; empty where nothing tells."""
    meta = mapping(data, "metadata")
    for one in items(meta, "ownerReferences"):
        if (text(one, "apiVersion"), text(one, "kind")) in kinds:
            return OPERATOR
        return shared(f"{text(one, 'kind')} {text(one, 'name')}")
    tracking = text(meta, "annotations", "argocd.argoproj.io/tracking-id").partition(":")[0]
    marks = mapping(meta, "labels")
    told = (
        ("Argo CD application", tracking or text(marks, "argocd.argoproj.io/instance")),
        ("Flux kustomization", text(marks, "kustomize.toolkit.fluxcd.io/name")),
        ("Flux Helm release", text(marks, "helm.toolkit.fluxcd.io/name")),
        ("Argo CD application", text(marks, "app.kubernetes.io/instance")),
        (RENDERED, text(marks, _JOB_LABEL)),
    )
    return shared(next((f"{who} {name}" for who, name in told if name), ""))


# --- events -------------------------------------------------------------------------------------------


def note(data: Mapping[str, Any]) -> tuple[str, Note] | None:
    """Read an event of either API; return its object's namespace and what it says."""
    about = mapping(data, "involvedObject") or mapping(data, "regarding")
    if not text(about, "name"):
        return None
    times = (mapping(data, "series").get("lastObservedTime"), data.get("lastTimestamp"),
             data.get("deprecatedLastTimestamp"), data.get("eventTime"), data.get("firstTimestamp"),
             text(data, "metadata", "creationTimestamp"))
    seen = [at for at in map(instant, times) if at is not None]
    component = (text(data, "reportingComponent") or text(data, "reportingController")
                 or text(data, "source", "component"))
    said = Note(shared(text(about, "kind")), text(about, "name"), shared(text(data, "reason")),
                text(data, "message") or text(data, "note"), max(seen, default=None), shared(component))
    return text(about, "namespace") or text(data, "metadata", "namespace"), said
