"""One controller from its start to its end: everything is made here and joined."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from time import time
from typing import Any, NamedTuple, TypeVar

import aiohttp
import kopf

from gangform.catalog import CATALOG
from gangform.controller import serving, watching
from gangform.controller.auditing import Asking, Audit
from gangform.controller.keeper import Keeper, Wants
from gangform.controller.looping import Loop
from gangform.controller.metrics import Metrics
from gangform.controller.pacing import Pace
from gangform.controller.roll import Roll
from gangform.controller.watching import Watched
from gangform.edges import electing
from gangform.edges.kubeconfig import Connection
from gangform.edges.publishing import Publisher
from gangform.model.errors import GangformError, ProgramError
from gangform.status.board import Board
from gangform.status.capacity import fits
from gangform.status.summary import summarize

LOG = logging.getLogger("gangform")
COMPARE_SECONDS = 1
T = TypeVar("T")


class Options(NamedTuple):
    """What the command line asks for.

    Attributes:
        namespaces: to watch; all when empty.
        host: address to listen on.
        port: to listen on.
        wants: what to write.
        grace: how long a normal start may take, in seconds.
        lease_namespace: where the lease is; empty for no election.
    """

    namespaces: tuple[str, ...] = ()
    host: str = "0.0.0.0"  # noqa: S104 - probes and scrapes come from outside the pod
    port: int = 8080
    wants: Wants = Wants()
    grace: int = 30
    lease_namespace: str = ""


def run(connection: Connection, options: Options) -> None:
    """Run a controller until it is told to stop.

    Raises:
        ProgramError: the cluster is out of reach at the start, the lease was lost, or the watch cannot go on.
        InputError: the address to listen on cannot be had.
    """
    asyncio.run(Controller(connection, options).run())


class Controller:
    """All parts of one controller."""

    def __init__(self, connection: Connection, options: Options) -> None:
        self._connection = connection
        self._options = options
        self._publisher = Publisher(connection.client)
        self._board = Board(CATALOG, grace=options.grace)
        self._keeper = Keeper(
            self._board, summarize, wants=options.wants, grace=options.grace, jobs=_jobs(),
            sleepers=_sleepers(), fits=fits)
        self._metrics = Metrics(self._keeper.tally, lambda: int(time()))
        self._roll = Roll()
        self._loop = Loop(self._keeper, self._publisher, self._metrics, {
            name: Watched(*backend.GROUP_API) for name, backend in CATALOG.backends.items()})
        self._stop = asyncio.Event()
        self._overlooked: list[str] = []
        self._lost = False
        self._ended: GangformError | None = None

    async def run(self) -> None:
        """Run until a signal comes, or a part of it cannot go on."""
        kinds = await self._visible()
        self._audit = Audit(kinds, self._options.namespaces, self._roll)
        server = await serving.serve(
            self._options.host, self._options.port, self._metrics.registry,
            health=self._health, readiness=self._readiness)
        own = [asyncio.create_task(self._guard(work)) for work in (self._loop.run, self._compare)]
        self._elect()
        try:
            await self._watch(kinds)
        finally:
            for task in own:
                task.cancel()
            await server.cleanup()
        if self._ended is not None:
            raise self._ended

    # --- parts ------------------------------------------------------------------------------------

    async def _visible(self) -> list[Watched]:
        """The kinds that may be listed; the board is told of the others."""
        kinds = watching.watched(CATALOG)
        first = next(iter(self._options.namespaces), None)
        hidden = [kind for kind in kinds if await self._ask(self._publisher.is_hidden, kind.path(first))]
        self._board.hide(f"{kind.api}/{kind.kind}" for kind in hidden)
        for kind in hidden:
            LOG.warning("may not list %s: what needs them is not told", kind.plural)
        return [kind for kind in kinds if kind not in hidden]

    async def _may_scan(self) -> bool:
        """Whether kinds that come later can be noticed; kopf looks for namespaces in the same breath."""
        needed = [watching.CRD, *([watching.NAMESPACE] if self._options.namespaces else [])]
        hidden = [kind.plural for kind in needed if await self._ask(self._publisher.is_hidden, kind.path())]
        if hidden:
            LOG.warning("may not list %s: kinds that are installed later are noticed late", ", ".join(hidden))
        return not hidden

    async def _watch(self, kinds: list[Watched]) -> None:
        scan = await self._may_scan()
        try:
            await self._watch_once(kinds, scan=scan)
            while (self._overlooked or self._lost) and self._ended is None:
                if self._overlooked:
                    LOG.info("%s came without the watch's notice: it begins anew", ", ".join(self._overlooked))
                self._overlooked, self._lost = [], False
                self._stop.clear()
                await self._watch_once(kinds, scan=scan)
        except Exception as error:
            raise ProgramError(f"watching {self._connection.server} cannot go on: {error}") from error

    async def _watch_once(self, kinds: list[Watched], *, scan: bool) -> None:
        pace = Pace(kinds)
        registry = watching.registry(kinds, _jobs(), self._feed, lambda: self._login(pace), pace.note)
        try:
            await kopf.operator(
                registry=registry, settings=watching.settings(scan=scan), standalone=True, stop_flag=self._stop,
                clusterwide=not self._options.namespaces, namespaces=self._options.namespaces)
        except Exception as error:
            # A kind may be gone before kopf is told of its CRD's end.
            if getattr(error, "status", None) != HTTPStatus.NOT_FOUND:
                raise
            LOG.info("a kind that was watched is gone: the watch begins anew")
            self._lost = True
            await asyncio.sleep(COMPARE_SECONDS)

    def _login(self, pace: Pace) -> kopf.AiohttpSession:
        settings: Any = self._connection.client.configuration
        scheme, _, token = (settings.get_api_key_with_prefix("BearerToken") or "").rpartition(" ")
        known = kopf.ConnectionInfo(
            server=settings.host, ca_path=settings.ssl_ca_cert, insecure=not settings.verify_ssl,
            scheme=scheme or None, token=token or None, certificate_path=settings.cert_file,
            private_key_path=settings.key_file, username=settings.username or None, password=settings.password or None)
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=known.as_ssl_context()), headers=known.as_http_headers(),
            middlewares=(pace,))
        return kopf.AiohttpSession(server=settings.host, aiohttp_session=session)

    def _elect(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._options.lease_namespace:
            self._lead()
            return
        LOG.info("who holds the lease %s/%s writes; others watch", self._options.lease_namespace, electing.LEASE)
        electing.elect(
            self._connection.client, self._options.lease_namespace,
            won=lambda: loop.call_soon_threadsafe(self._lead),
            lost=lambda: loop.call_soon_threadsafe(self._lose))

    # --- what happens -----------------------------------------------------------------------------

    def _feed(self, word: str | None, data: Mapping[str, Any]) -> None:
        self._metrics.changes.labels(str(data.get("kind"))).inc()
        change = watching.change(word)
        # Events go by themselves, and nothing is told of one that is gone.
        known = data.get("kind") != watching.EVENT.kind and self._roll.feed(change, data)
        if known and word is None:
            self._audit.suspect()
        self._keeper.feed(change, data, time())

    def _lead(self) -> None:
        LOG.info("this controller writes from now on")
        self._metrics.leading.set(1)
        self._keeper.lead(time())

    def _lose(self) -> None:
        self._end(ProgramError("the lease was lost to another controller or could not be renewed"))

    def _end(self, why: GangformError) -> None:
        self._ended = self._ended or why
        self._stop.set()

    async def _compare(self) -> None:
        ask = Asking(
            number=lambda path: self._ask(self._publisher.count, path),
            uids=lambda path: self._ask(self._publisher.uids, path))
        while True:
            try:
                findings = await self._audit.round(ask, time()) if self._audit.due(time()) else []
            except OSError as error:
                LOG.debug("not compared: %s", error)
                findings = []
            for found in findings:
                self._metrics.unseen.labels(found.kind.kind).set(found.unseen)
                for data in found.gone:
                    self._feed("DELETED", data)
            if self._audit.ready and not self._keeper.complete:
                LOG.info("the first lists are in")
                self._keeper.begin()
            if overlooked := self._audit.arrivals.overlooked(time()):
                self._overlooked = overlooked
                self._stop.set()
            await asyncio.sleep(COMPARE_SECONDS)

    async def _guard(self, work: Callable[[], Awaitable[None]]) -> None:
        """End the whole controller when a part of it does: half of one would look alive."""
        try:
            await work()
        except Exception as error:
            LOG.exception("a part of the controller ended")
            self._end(ProgramError(f"a part of the controller ended: {error}"))

    @staticmethod
    async def _ask(call: Callable[[str], T], path: str) -> T:
        return await asyncio.get_running_loop().run_in_executor(None, call, path)

    def _health(self) -> str:
        if self._loop.stuck:
            return "the loop is stuck"
        deaf = self._audit.deaf(time())
        return f"the watch brings nothing of {', '.join(deaf)}" if deaf else ""

    def _readiness(self) -> str:
        return "" if self._audit.ready else "the first lists are not in"


def _jobs() -> frozenset[str]:
    return frozenset(kind for _, kind in CATALOG.kinds)


def _sleepers() -> frozenset[str]:
    return frozenset(name for name, backend in CATALOG.backends.items() if "sleeps-until-event" in backend.TRAITS)
