"""A sight, looked at as a gang: which pods count, which are bound, what must start together."""

from functools import cached_property

from gangform.sizing import Requests
from gangform.status import messages, wording
from gangform.status.messages import Said
from gangform.status.picture import Counts, GangStatus, Group, Job, Member, Note, Sight, State
from gangform.status.services import Service

MEMBERS_WAITING = "MembersWaiting"
"""Reason of gangs that have all pods that must start together, and not yet all that they want."""

_REFUSALS = frozenset({"FailedScheduling", "Unschedulable"})
"""Reasons of events in which schedulers say why pods have no node; Volcano's, of its groups, are no warnings."""


EVENT_SECONDS = 3600
"""An API server forgets an event after an hour; who watches forgets it, too. What still holds is said again by then."""


class View:
    """What follows from a sight of a job; each part is worked out when it is first asked for.

    Attributes:
        pods: of the roles that form the gang, those that are over included.
        others: of the other roles.
    """

    def __init__(self, sight: Sight, job: Job) -> None:
        self.sight = sight
        self.job = job
        self.group: Group | None = sight.group
        self.pods = tuple(pod for pod in sight.members if pod.role in job.together)
        self.others = tuple(pod for pod in sight.members if pod.role not in job.together)
        self.live = tuple(pod for pod in self.pods if not pod.over)
        self.bound = tuple(pod for pod in self.live if pod.bound)
        self.unbound = tuple(pod for pod in self.live if not pod.bound)
        self.ready = tuple(pod for pod in self.bound if pod.ready_at is not None and not pod.terminating)
        self.desired = sum(job.desired.get(role, 0) for role in job.together)

    @cached_property
    def backend(self) -> str:
        """Name of the backend whose gang it is; empty for none."""
        return self.group.gang.backend if self.group else self.sight.named[0]

    @cached_property
    def group_name(self) -> str:
        """Name of the group object, whether it is there or not; empty for none."""
        return self.group.gang.ref.name if self.group else self.sight.named[1]

    @cached_property
    def service(self) -> Service:
        """What is known of the backend."""
        return self.sight.services.get(self.backend, Service(self.backend, self.backend or "its scheduler"))

    @cached_property
    def min_member(self) -> int:
        """Pods that must start together: as the group says, else as it would have to say, else all."""
        told = self.group.gang.min_member if self.group else None
        implied = self.job.implied.get(self.backend)
        return told or (implied.min_member if implied else None) or self.desired

    @property
    def counts(self) -> Counts:
        """The numbers of the gang's pods."""
        return Counts(self.desired, len(self.live), len(self.bound), len(self.ready), self.min_member)

    @property
    def whole(self) -> bool:
        """Whether as many pods hold a node as must start together."""
        return 0 < self.min_member <= len(self.bound)

    @cached_property
    def newest(self) -> int:
        """When the newest pod that is there was made, in seconds."""
        return max((pod.created for pod in self.live), default=self.job.created)

    @cached_property
    def bound_at(self) -> int | None:
        """When the last pod came to its node."""
        return max((pod.bound_at for pod in self.bound if pod.bound_at is not None), default=None)

    @cached_property
    def ready_at(self) -> int | None:
        """When the last pod became ready."""
        return max((pod.ready_at for pod in self.ready if pod.ready_at is not None), default=None)

    @cached_property
    def looked_at(self) -> int | None:
        """When the scheduler was last seen to look at the gang's pods or at its group."""
        verdicts = [pod.verdict.since for pod in self.live if pod.verdict is not None]
        events = [note.at for note in self.sight.notes if note.reason in _REFUSALS]
        return max((at for at in (*verdicts, *events) if at is not None), default=None)

    @cached_property
    def said(self) -> Said | None:
        """What tells most of why pods have no node: conditions of pods first, then the group's, then events."""
        verdicts = [pod.verdict.message for pod in self.unbound if pod.verdict is not None]
        told = messages.best(verdicts)
        if told is None or told.rank >= messages.STALE:
            group = [self.group.message] if self.group and self.group.message else []
            told = messages.best((*verdicts, *group, *(note.message for note in self._refusals())))
        return told

    @property
    def why(self) -> str:
        """The end of a sentence that says why pods have no node; empty where nothing tells."""
        said = self.said
        if said is None:
            return ""
        if said.short:
            return f": {wording.amounts(said.short)} short"
        lacking = wording.join("CPU" if name == "cpu" else name for name in said.lacking)
        parts = [f"not enough {lacking}" if lacking else "", said.text]
        return f": {'; '.join(part for part in parts if part)}" if any(parts) else ""

    def _refusals(self) -> tuple[Note, ...]:
        unbound = {pod.name for pod in self.unbound}
        about_pods = [note for note in self.sight.notes if note.kind == "Pod" and note.name in unbound]
        about_group = [
            note for note in self.sight.notes if self.group and note.kind == self.group.gang.ref.kind
            and self.sight.now - (note.at or 0) <= EVENT_SECONDS]
        return tuple(note for note in (*about_pods, *about_group)
                     if note.reason in _REFUSALS)

    def settled(self, since: int | None) -> bool:
        """Whether something is longer ago than a normal start takes."""
        return since is not None and self.sight.now - since > self.sight.grace

    @cached_property
    def whole_at(self) -> int | None:
        """When the last of its pods came to its node, of a gang that was whole before; None of others."""
        return self.bound_at if self.was_whole else None

    @property
    def was_whole(self) -> bool:
        """Whether it was said of the gang before that it was whole."""
        before, said = self.sight.previous, self.job.said
        told = before is not None and before.related == self.job.uid and (
            before.state in (State.RUNNING, State.DEGRADED)
            or (before.state is State.STARTING and 0 < before.counts.desired <= before.counts.bound))
        return told or (said is not None and said[0] == "True" and said[1] != MEMBERS_WAITING)

    def status(
        self, state: State, reason: str, message: str, since: int | None = None, *, short: Requests | None = None,
        advice: str = "",
    ) -> GangStatus:
        """Put a status together; where nothing tells since when, it is since it was first said."""
        before = self.sight.previous
        if since is None and before is not None and before.state is state:
            since = before.since
        return GangStatus(
            self.job.key, state, reason, message, self.counts, since if since is not None else self.sight.now,
            self.backend, self.group_name, (self.group.gang.queue or "") if self.group else "", short or {},
            advice, self.job.uid)

    def pod_of(self, pods: tuple[Member, ...]) -> Member:
        """Return the first pod without a node, for a sentence that names one."""
        return min(pods, key=lambda pod: pod.name)
