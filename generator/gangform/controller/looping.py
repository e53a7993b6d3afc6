"""The keeper's clock and hands: looks at what is due, and sends what it decides through a few threads."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from time import monotonic, time

from gangform.controller import announcing, conditions
from gangform.controller.keeper import Keeper, Outcome, Write
from gangform.controller.metrics import Metrics
from gangform.controller.watching import Watched
from gangform.edges.publishing import Publisher

WOKEN = "gangform.dev/woken"
TICK_SECONDS = 0.1
BATCH = 50
"""Gangs that are looked at before others have their turn: changes, probes, answers to writes."""

WRITERS = 8
ON_THEIR_WAY = 100
"""Writes that may wait for a writer: what would wait longer is decided later, when it is sent as things are then."""

STUCK_SECONDS = 60
_STATUS = 3
"""Characters of an HTTP status, with which a refusal begins."""

LOG = logging.getLogger("gangform")


class Loop:
    """Turns the keeper as long as the process lives."""

    def __init__(self, keeper: Keeper, publisher: Publisher, metrics: Metrics, groups: Mapping[str, Watched]) -> None:
        """Take the kind of each backend's group object, too."""
        self._keeper = keeper
        self._publisher = publisher
        self._metrics = metrics
        self._groups = groups
        self._pool = ThreadPoolExecutor(WRITERS, thread_name_prefix="write")
        self._on_their_way: set[asyncio.Task[None]] = set()
        self._beat = monotonic()
        self._refused: set[tuple[str, str]] = set()

    @property
    def stuck(self) -> bool:
        """Whether it has not turned for a minute."""
        return monotonic() - self._beat > STUCK_SECONDS

    async def run(self) -> None:
        """Turn for ever."""
        while True:
            self._beat = monotonic()
            now = time()
            due = self._keeper.next()
            if due is None or due > now or len(self._on_their_way) > ON_THEIR_WAY:
                await asyncio.sleep(TICK_SECONDS)
                continue
            for write in self._keeper.turn(now, BATCH):
                task = asyncio.create_task(self._send(write))
                self._on_their_way.add(task)
                task.add_done_callback(self._on_their_way.discard)
            self._report()
            await asyncio.sleep(0)

    async def _send(self, write: Write) -> None:
        try:
            outcome, why = await asyncio.get_running_loop().run_in_executor(self._pool, self._publish, write)
        except asyncio.CancelledError:  # by kopf, which ends what it finds running when a watch begins anew
            self._keeper.done(write, "failed", time())
            raise
        self._metrics.writes.labels(write.what, outcome).inc()
        if outcome == "refused" and (write.what, why[:_STATUS]) not in self._refused:
            # Said once: a right that is missing is missing for every gang.
            self._refused.add((write.what, why[:_STATUS]))
            LOG.warning("refused: %s of %s/%s: %s", write.what, *write.key, why)
        elif outcome == "failed":
            LOG.debug("failed: %s of %s/%s: %s", write.what, *write.key, why)
        self._keeper.done(write, outcome, time())

    def _publish(self, write: Write) -> tuple[Outcome, str]:
        now = _instant(time())
        if write.what == "wake":
            group = self._groups[write.status.backend]
            return self._publisher.annotate(
                group.api, group.plural, write.key.namespace, write.status.group, WOKEN, now)
        if write.job is None:
            return "gone", ""
        if write.told is not None:
            return self._publisher.apply_status(
                Watched(write.job.api_version, write.job.kind).plural,
                conditions.as_object(write.told, write.job, write.version, now, _instant(write.told.since)))
        since = write.status.since if write.status.since is not None else write.job.created
        return self._publisher.create_event(announcing.as_object(write.status, write.job, now, _instant(since)))

    def _report(self) -> None:
        while self._keeper.waits:
            self._metrics.waited.observe(self._keeper.waits.pop())
        while self._keeper.errors:
            key, error = self._keeper.errors.pop()
            self._metrics.errors.inc()
            LOG.error("%s/%s cannot be judged: %s: %s", *key, type(error).__name__, error, exc_info=error)


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
