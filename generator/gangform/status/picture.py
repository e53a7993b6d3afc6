"""What of a live cluster tells why a gang waits: each object cut down to what matters, small enough to keep them all.

Times are whole seconds since 1970 (UTC), as Kubernetes' own RFC 3339 times are; None where nothing is known.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from gangform.model.gang import Gang
from gangform.sizing import Requests
from gangform.status.services import Service

OPERATOR = "the operator"
"""As ``Group.owner`` calls the operator that made a group for its job."""


class Key(NamedTuple):
    """A gang's name: its namespace, and the job's name; the group's name where there is no job."""

    namespace: str
    name: str


class Verdict(NamedTuple):
    """What a scheduler last said of a pod that it did not bind: the condition PodScheduled, with status False.

    Attributes:
        since: when the condition last changed its status, not when the message was written.
    """

    reason: str
    message: str
    since: int | None = None


class Ending(NamedTuple):
    """How a container, or a job, came to its end.

    Attributes:
        reason: ``OOMKilled``, ``Error``, ``Completed``, or the reason of a job's condition.
        code: exit status of a container; None for a job.
    """

    reason: str
    message: str = ""
    at: int | None = None
    code: int | None = None


class Taint(NamedTuple):
    """A taint of a node, or a toleration of a pod; an empty key, value or effect of a toleration matches any."""

    key: str
    value: str
    effect: str


class Member(NamedTuple):
    """A pod of a job.

    Attributes:
        role: name of the role as the kind calls it (``Launcher``, ``Worker``).
        bonds: (backend, group name) of each mark on the pod.
        gates: names of its scheduling gates.
        verdict: what its scheduler said; None before it said anything, and once the pod is bound.
        asked: what it asks for, as ``sizing.effective_requests`` counts it.
        bound_at: when the scheduler bound it; None while it has no node.
        ready_at: when it last became ready; None while it is not.
        restarts: of all its containers.
        ended: its last container that ended.
        held: why a container of it does not start (``ImagePullBackOff``); empty where nothing keeps it.
        selector: labels that its node must have.
        choosy: whether it has wishes about its node that are not kept here (affinity, spreading).
    """

    key: Key
    name: str
    uid: str
    role: str
    created: int
    phase: str
    node: str
    scheduler: str
    bonds: tuple[tuple[str, str], ...] = ()
    gates: tuple[str, ...] = ()
    verdict: Verdict | None = None
    asked: Requests = {}
    bound_at: int | None = None
    ready_at: int | None = None
    terminating: bool = False
    restarts: int = 0
    ended: Ending | None = None
    held: str = ""
    selector: tuple[tuple[str, str], ...] = ()
    tolerations: tuple[Taint, ...] = ()
    choosy: bool = False

    @property
    def over(self) -> bool:
        """Whether it has ended and never runs again."""
        return self.phase in ("Succeeded", "Failed")

    @property
    def bound(self) -> bool:
        """Whether it holds a place on a node."""
        return bool(self.node) and not self.over


class Job(NamedTuple):
    """A job as its author and its operator left it.

    Attributes:
        desired: pods of each role, in the order in which they start.
        together: names of the roles whose pods form the gang.
        bonds: (backend, group name) of each mark on its templates.
        schedulers: schedulerName of each role's template.
        finished: ``Succeeded`` or ``Failed``, else empty.
        ending: how it finished.
        acknowledged: whether its operator has set the condition Created.
        implied: what each marked backend's group must be now, by the backend's name.
        suspended: whether it is held back.
        suspended_at: since when.
        said: the condition GangScheduled that is on the job, as (status, reason, message, since).
        faults: why it broke its schema or its kind's checks; empty for a sound one.
        manager: to whom its pods are left, where that is not its operator; else empty.
    """

    key: Key
    uid: str
    created: int
    api_version: str
    kind: str
    desired: Mapping[str, int] = {}
    together: tuple[str, ...] = ()
    bonds: tuple[tuple[str, str], ...] = ()
    schedulers: tuple[str, ...] = ()
    suspended: bool = False
    suspended_at: int | None = None
    finished: str = ""
    ending: Ending | None = None
    acknowledged: bool = False
    implied: Mapping[str, Gang] = {}
    said: tuple[str, str, str, int | None] | None = None
    faults: tuple[str, ...] = ()
    manager: str = ""


class Group(NamedTuple):
    """A scheduler's group object.

    Attributes:
        phase: as its scheduler or controller wrote it; gates nothing.
        message: the newest condition's message, where the backend writes conditions.
        owner: who keeps it there, as a sentence names it: ``Argo CD application nlp-jobs``, ``the operator``, empty
            when nothing says so.
        reserves: what it holds back though no pod of it exists: minResources, where the backend reserves without pods.
    """

    gang: Gang
    uid: str
    created: int
    phase: str = ""
    message: str = ""
    owner: str = ""
    reserves: Requests = {}


class Node(NamedTuple):
    """A node, and what it can give; ``free`` is what bound pods of any kind leave of ``offers``.

    Attributes:
        usable: whether new pods can come to it.
        ready: whether its kubelet says so; a node that is not usable may be ready, and cordoned.
    """

    name: str
    usable: bool
    offers: Requests
    free: Requests
    labels: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()
    ready: bool = True


class Note(NamedTuple):
    """An event of an object, the newest of those that are alike."""

    kind: str
    name: str
    reason: str
    message: str
    at: int | None = None
    component: str = ""


class State(StrEnum):
    """Why a gang does not run, or that it does; docs/status.md has a page of each."""

    SUSPENDED = "Suspended"
    WAITING_FOR_PODS = "WaitingForPods"
    WAITING_FOR_POD_GROUP = "WaitingForPodGroup"
    GATED = "Gated"
    QUEUED = "Queued"
    PARTIAL = "Partial"
    STARTING = "Starting"
    RUNNING = "Running"
    DEGRADED = "Degraded"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    LEFT_OVER = "LeftOver"
    STALE = "Stale"
    MISCONFIGURED = "Misconfigured"
    NO_SCHEDULER = "NoScheduler"
    QUOTA_REFUSED = "QuotaRefused"
    NEVER_FITS = "NeverFits"
    ASLEEP = "Asleep"
    UNGROUPED = "Ungrouped"


ALARMING = frozenset({
    State.PARTIAL, State.DEGRADED, State.LEFT_OVER, State.STALE, State.MISCONFIGURED, State.NO_SCHEDULER,
    State.QUOTA_REFUSED, State.NEVER_FITS, State.ASLEEP, State.UNGROUPED,
})
"""States that no waiting mends; what ``--problems`` shows, and what makes the exit status 1."""


class Counts(NamedTuple):
    """Pods of a gang: as the job wants them, as they exist, hold a node and are ready, and as must start together."""

    desired: int = 0
    existing: int = 0
    bound: int = 0
    ready: int = 0
    min_member: int = 0


class GangStatus(NamedTuple):
    """What is to be said of one gang.

    Attributes:
        reason: one word for machines, CamelCase; finer than the state (``InsufficientResources``).
        message: one plain sentence, the same as long as nothing changes (no running clock in it).
        since: when the gang came into this state.
        short: what is missing, resource to amount, where that is known.
        advice: the next thing to do; a command where there is one.
        related: uid of the job; empty where there is none.
    """

    key: Key
    state: State
    reason: str
    message: str
    counts: Counts
    since: int | None = None
    backend: str = ""
    group: str = ""
    queue: str = ""
    short: Requests = {}
    advice: str = ""
    related: str = ""

    @property
    def alarming(self) -> bool:
        """Whether somebody must do something."""
        return self.state in ALARMING


class Sight(NamedTuple):
    """All that is known of one gang at one moment.

    Attributes:
        group: the group object that its pods name; None when there is none.
        notes: events of the job, its pods and its group, newest last.
        nodes: every node; None when nobody may list them.
        served: names of schedulers that were seen to work; None when too little was seen to tell.
        faults: (rule id, message) of each rule's error on the live objects.
        previous: what was said of it before.
        grace: how long a normal start may take, in seconds.
        hidden: kinds that cannot be seen here, as apiVersion/kind.
        named: backend and name of the group that counts, whether it is there or not; empty texts for none.
        services: every known backend by name.
    """

    key: Key
    now: int
    job: Job | None = None
    group: Group | None = None
    members: tuple[Member, ...] = ()
    notes: tuple[Note, ...] = ()
    nodes: tuple[Node, ...] | None = None
    served: frozenset[str] | None = None
    faults: tuple[tuple[str, str], ...] = ()
    previous: GangStatus | None = None
    grace: int = 30
    hidden: frozenset[str] = frozenset()
    named: tuple[str, str] = ("", "")
    services: Mapping[str, Service] = {}
