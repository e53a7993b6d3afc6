"""What is to be written, decided from what was seen. No clock, no network: changes and times in, writes out."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from gangform.controller import announcing, conditions
from gangform.controller.agenda import Agenda
from gangform.controller.announcing import Allowance
from gangform.controller.revisiting import look_again
from gangform.controller.tally import Tally, waits
from gangform.controller.waking import Fits, Room, Waker
from gangform.status.board import Board, Change
from gangform.status.picture import GangStatus, Job, Key, Sight, State

Outcome = Literal["done", "gone", "refused", "failed"]
"""``gone``: there is nothing to write on any more; ``refused``: asking again gives the same answer."""

DEBOUNCE_SECONDS = 0.2
"""Changes of one gang come in bursts: it is looked at so long after the first of them."""

RETRY_SECONDS = (1, 2, 4, 8, 15, 30)
REFUSED_SECONDS = 300
QUIET_SECONDS = 10
"""A condition is not written again, and its message alone not changed, before so long."""


class Write(NamedTuple):
    """One thing to write.

    Attributes:
        key: the gang.
        job: on whose account; None for waking.
        status: what it says.
        told: the condition, for ``condition``.
        version: the job's resourceVersion from which that was told.
    """

    what: Literal["condition", "event", "wake"]
    key: Key
    status: GangStatus
    job: Job | None = None
    told: conditions.Condition | None = None
    version: str = ""


class Wants(NamedTuple):
    """What this controller is to write."""

    condition: bool = True
    events: bool = True
    wake: bool = False


class _Gang:
    """What is remembered of one gang between two looks.

    Attributes:
        fresh: whether nothing was written of it by this controller yet.
        told: the state that needs no event any more.
        began: since when it has been to run, in seconds; None once it was whole.
        written: the condition that was last written, until the job shows it.
        quiet_until: before that the same condition, or a mere change of its message, is not written.
        pending: writes that are on their way.
        missed: whether it was looked at meanwhile.
        failures: writes that failed since the last that did not.
    """

    __slots__ = ("began", "failures", "fresh", "missed", "pending", "quiet_until", "status", "told", "uid", "written")

    def __init__(self, uid: str) -> None:
        self.uid = uid
        self.fresh = True
        self.status: GangStatus | None = None
        self.told: State | None = None
        self.began: int | None = None
        self.written: conditions.Condition | None = None
        self.quiet_until = 0.0
        self.pending = 0
        self.missed = False
        self.failures = 0


class Keeper:
    """Holds the board and what was said of each gang; ``turn`` says what to write next.

    Attributes:
        agenda: which gangs are due.
        tally: all gangs counted.
        complete: whether all that there is was seen once; before that no gang is judged.
        leading: whether anything is to be written.
        errors: gangs that could not be judged, for whoever logs them and empties this.
        waits: seconds that gangs waited until they were whole, for whoever counts them and empties this.
    """

    def __init__(
        self, board: Board, summarize: Callable[[Sight], GangStatus], *, wants: Wants, grace: int,
        jobs: frozenset[str], sleepers: Collection[str] = (), fits: Fits = lambda _sight: False,
    ) -> None:
        """Take what judges a gang, what is to be written, and kinds of jobs.

        Args:
            board: what was seen.
            summarize: judges a gang.
            wants: what is to be written.
            grace: how long a normal start may take, in seconds.
            jobs: kinds of jobs.
            sleepers: backends whose gangs sleep until an event.
            fits: whether there is room for a gang.
        """
        self.board = board
        self.agenda = Agenda()
        self.tally = Tally()
        self.complete = False
        self.leading = False
        self.errors: list[tuple[Key, Exception]] = []
        self.waits: list[int] = []
        self._summarize = summarize
        self._wants = wants
        self._grace = grace
        self._gangs: dict[Key, _Gang] = {}
        self._allowance = Allowance()
        self._waker = Waker(sleepers if wants.wake else ())
        self._room = Room()
        self._fits = fits
        self._jobs = jobs
        self._changed: set[Key] = set()
        self._leads_since = float("inf")
        self._versions: dict[Key, tuple[str, str]] = {}

    def __len__(self) -> int:
        return len(self._gangs)

    # --- what happens -----------------------------------------------------------------------------

    def feed(self, change: Change, data: Mapping[str, Any], now: float) -> None:
        """Take in one object as it was seen."""
        touched = self.board.feed(change, data)
        self.agenda.put(touched, now + DEBOUNCE_SECONDS)
        self._changed |= touched
        if data.get("kind") in self._jobs:
            self._note_version(change, data)
        if self._wants.wake and self._room.grows(change, data):
            self._waker.stir(now)

    def _note_version(self, change: Change, data: Mapping[str, Any]) -> None:
        meta = data.get("metadata") or {}
        key, uid = Key(str(meta.get("namespace")), str(meta.get("name"))), str(meta.get("uid"))
        if change != "DELETED":
            self._versions[key] = (uid, str(meta.get("resourceVersion") or ""))
        elif self._versions.get(key, ("",))[0] == uid:  # else another job has its name by now
            del self._versions[key]

    def begin(self) -> None:
        """Judge gangs from now on: the first lists are in. One whose pods are yet to come would seem to have none."""
        self.complete = True

    def lead(self, now: float) -> None:
        """Begin to write: what was seen in silence so far is due, but for what another one has told of it."""
        self.leading, self._leads_since = True, now
        for gang in self._gangs.values():
            gang.fresh = True
        self.agenda.put(self._gangs, now)

    def next(self) -> float | None:
        """When ``turn`` has something to do, in seconds; None while nothing is due."""
        if not self.complete:
            return None
        times = (self.agenda.next(), self._waker.due_at() if self.leading else None)
        return min((at for at in times if at is not None), default=None)

    def turn(self, now: float, limit: int) -> list[Write]:
        """Look at the gangs that are due, no more than a limit, and return what to write of them."""
        if not self.complete:
            return []
        writes = [write for key in self.agenda.take(now, limit) for write in self._look(key, now)]
        return [*writes, *self._wake(now)]

    def done(self, write: Write, outcome: Outcome, now: float) -> None:
        """Take note of how a write went; what failed is due again, later each time."""
        gang = self._gangs.get(write.key)
        if gang is None or gang.uid != write.status.related:
            return
        gang.pending -= 1
        if outcome == "failed":
            pause = RETRY_SECONDS[min(gang.failures, len(RETRY_SECONDS) - 1)]
            gang.failures += 1
            self.agenda.put((write.key,), now + pause)
            return
        gang.failures = 0
        if write.what == "event":
            gang.told = write.status.state
            self._allowance.spend(write.key, now)
        elif write.what == "condition":
            gang.written = write.told
            gang.quiet_until = now + (REFUSED_SECONDS if outcome == "refused" else QUIET_SECONDS)
        if gang.missed and not gang.pending:
            gang.missed = False
            self.agenda.put((write.key,), now)

    # --- one gang ---------------------------------------------------------------------------------

    def _look(self, key: Key, now: float) -> Iterator[Write]:
        gang = self._gangs.get(key)
        moment = int(now)
        try:
            sight = self.board.sight(key, moment, gang.status if gang else None)
            status = self._summarize(sight) if sight is not None else None
        except Exception as error:  # noqa: BLE001 - an object that nobody foresaw must not silence all others
            self.errors.append((key, error))
            self._waker.drop(key)
            self.agenda.put((key,), now + REFUSED_SECONDS)
            return
        if sight is None or status is None:
            self._forget(key)
            return
        if gang is None or gang.uid != status.related:
            self._forget(key)
            gang = self._gangs[key] = _Gang(status.related)
            if sight.job is not None and _is_new(status, sight.job, self._leads_since):
                gang.began = sight.job.created
        self._change(gang, status, moment)
        gang.missed = bool(gang.pending)
        if self.leading and sight.job is not None and not gang.pending:
            if gang.fresh and announcing.is_old_news(status, sight.job, moment):
                gang.told = status.state
            gang.fresh = False
            yield from self._decide(gang, status, sight.job, now)

    def _change(self, gang: _Gang, status: GangStatus, now: int) -> None:
        before, gang.status = gang.status, status
        self.tally.change(before, status)
        self._waker.note(status, now)
        if before is not None and before.state is State.SUSPENDED and status.state is not State.SUSPENDED:
            gang.began = now
        elif conditions.is_whole(status) and gang.began is not None:
            if self.leading:
                self.waits.append(max(0, now - gang.began))
            gang.began = None
        elif status.state is State.SUSPENDED:
            gang.began = None
        at = look_again(status, now, self._grace, changed=status.key in self._changed)
        self._changed.discard(status.key)
        if at is not None:
            self.agenda.put((status.key,), at)

    def _decide(self, gang: _Gang, status: GangStatus, job: Job, now: float) -> Iterator[Write]:
        for write in (self._condition(gang, status, job, now), self._event(gang, status, job, now)):
            if write is not None:
                gang.pending += 1
                yield write

    def _condition(self, gang: _Gang, status: GangStatus, job: Job, now: float) -> Write | None:
        told = conditions.condition(status, job, int(now)) if self._wants.condition else None
        if told is None:
            gang.written = None
            return None
        shown = gang.written[:2] if gang.written else (job.said or ("", ""))[:2]
        if shown == told[:2] and now < gang.quiet_until:
            self.agenda.put((status.key,), gang.quiet_until)
            return None
        return Write("condition", status.key, status, job, told, self._versions.get(status.key, ("", ""))[1])

    def _event(self, gang: _Gang, status: GangStatus, job: Job, now: float) -> Write | None:
        if not self._wants.events or gang.told is status.state:
            return None
        at = max(announcing.settles_at(status, int(now)), now + self._allowance.wait(status.key, now))
        if at > now:
            self.agenda.put((status.key,), at)
            return None
        return Write("event", status.key, status, job)

    def _forget(self, key: Key) -> None:
        self._changed.discard(key)
        gang = self._gangs.pop(key, None)
        if gang is not None:
            self.tally.change(gang.status, None)
        self._waker.drop(key)
        self._allowance.drop(key)

    # --- waking -----------------------------------------------------------------------------------

    def _wake(self, now: float) -> Iterator[Write]:
        if not self.leading or not self._wants.wake:
            return
        for key in self._waker.choose(now, lambda key: self.board.sight(key, int(now)), self._fits):
            gang = self._gangs.get(key)
            if gang is not None and gang.status is not None:
                gang.pending += 1
                yield Write("wake", key, gang.status)


def _is_new(status: GangStatus, job: Job, since: float) -> bool:
    """Whether a gang that is seen for the first time has not been whole before."""
    return job.created >= since or (waits(status) and status.state is not State.DEGRADED)
