"""Lists page by page: a page is asked for once what the one before brought has been handed on.

kopf reads a list as fast as it comes and keeps what is not handed on yet, which for the pods of a large cluster would
be most of them, whole.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable

from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

from gangform.controller.watching import Watched

TICK_SECONDS = 0.02
STALL_SECONDS = 1.0
"""A page that brings less than was asked for is not waited for any longer than this."""


class Pace:
    """A middleware of the HTTP client."""

    def __init__(self, kinds: Iterable[Watched]) -> None:
        self._kinds = tuple(kinds)
        self._handed: Counter[Watched] = Counter()
        self._awaited: Counter[Watched] = Counter()

    def note(self, kind: Watched) -> None:
        """Take note that an object was handed on."""
        self._handed[kind] += 1

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Send a request, that for a further page of a list after a while."""
        query, kind = request.url.query, self._kind(request.url.path)
        if kind is not None and "limit" in query and "watch" not in query:
            if "continue" in query:
                await self._catch_up(kind)
            self._awaited[kind] = self._handed[kind] + int(query["limit"])
        return await handler(request)

    def _kind(self, path: str) -> Watched | None:
        return next((kind for kind in self._kinds
                     if path.endswith(f"/{kind.plural}") and f"{kind.path().removesuffix(kind.plural)}" in path), None)

    async def _catch_up(self, kind: Watched) -> None:
        loop = asyncio.get_running_loop()
        last, since = self._handed[kind], loop.time()
        while self._handed[kind] < self._awaited[kind] and loop.time() - since < STALL_SECONDS:
            await asyncio.sleep(TICK_SECONDS)
            if self._handed[kind] != last:
                last, since = self._handed[kind], loop.time()
