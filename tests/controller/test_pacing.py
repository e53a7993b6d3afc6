"""A page of a list waits for what the one before brought."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from yarl import URL

from gangform.controller.pacing import STALL_SECONDS, TICK_SECONDS, Pace
from gangform.controller.watching import NODE, POD, Watched

SERVER = "https://127.0.0.1:6443"
PODS = f"{SERVER}/api/v1/pods?limit=3"


class Requests:
    """What was asked for, by what a client sends through the pace."""

    def __init__(self) -> None:
        self.pace = Pace([POD, NODE])
        self.sent: list[str] = []

    async def send(self, url: str) -> None:
        async def handler(request: Any) -> Any:
            self.sent.append(str(request.url))

        await self.pace(SimpleNamespace(url=URL(url)), handler)  # type: ignore[arg-type]

    def hand_on(self, number: int, kind: Watched = POD) -> None:
        for _ in range(number):
            self.pace.note(kind)


def play(act: Callable[[Requests], Any]) -> Requests:
    requests = Requests()
    asyncio.run(act(requests))
    return requests


@pytest.mark.parametrize("collection", ["/api/v1/pods", "/api/v1/namespaces/nlp/pods", "/behind/a/proxy/api/v1/pods"])
def test_the_next_page_waits_until_all_of_the_one_before_was_handed_on(collection: str) -> None:
    async def act(requests: Requests) -> None:
        await requests.send(f"{SERVER}{collection}?limit=3")
        second = asyncio.create_task(requests.send(f"{SERVER}{collection}?limit=3&continue=x"))
        requests.hand_on(2)
        requests.hand_on(9, NODE)
        await asyncio.sleep(3 * TICK_SECONDS)
        assert len(requests.sent) == 1
        requests.hand_on(1)
        await second

    assert len(play(act).sent) == 2


def test_a_page_that_brings_less_than_was_asked_for_is_not_waited_for_without_end() -> None:
    async def act(requests: Requests) -> None:
        await requests.send(PODS)
        requests.hand_on(1)
        await asyncio.wait_for(requests.send(f"{PODS}&continue=x"), 10 * STALL_SECONDS)

    assert len(play(act).sent) == 2


@pytest.mark.parametrize("url", [
    f"{SERVER}/api/v1/pods?watch=true&limit=3&continue=x", f"{SERVER}/apis/apps/v1/deployments?limit=3&continue=x",
    f"{SERVER}/apis/metrics.k8s.io/v1beta1/pods?limit=3&continue=x", f"{SERVER}/api/v1/pods",
])
def test_everything_else_goes_at_once(url: str) -> None:
    async def act(requests: Requests) -> None:
        await requests.send(PODS)
        await asyncio.wait_for(requests.send(url), STALL_SECONDS / 2)

    assert len(play(act).sent) == 2
