"""What a watch missed is found, without a list of everything now and then."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from gangform.controller.auditing import (
    DEAF_SECONDS,
    FIRST_SECONDS,
    PATIENCE_ROUNDS,
    ROUND_SECONDS,
    Asking,
    Audit,
    Findings,
)
from gangform.controller.roll import Roll
from gangform.controller.watching import EVENT, NODE, POD


def pod(uid: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "nlp", "name": f"pod-{uid}", "uid": uid}}


class Server:
    """What the API server holds, and how often all of it was asked for."""

    def __init__(self, *uids: str) -> None:
        self.pods: set[str] | None = set(uids)
        self.calls: list[str] = []

    async def number(self, path: str) -> int | None:
        return None if self.pods is None or "pods" not in path else len(self.pods)

    async def uids(self, path: str) -> frozenset[str]:
        self.calls.append(path)
        return frozenset(self.pods or ())


class Scene:
    def __init__(self, there: Iterable[str], seen: Iterable[str], namespaces: tuple[str, ...] = ()) -> None:
        self.server = Server(*there)
        self.roll = Roll()
        for uid in seen:
            self.roll.feed("ADDED", pod(uid))
        self.audit = Audit([POD], namespaces, self.roll)
        self.now = 1000.0

    def round(self) -> list[Findings]:
        self.now += ROUND_SECONDS
        return asyncio.run(self.audit.round(Asking(self.server.number, self.server.uids), self.now))

    def gone(self, rounds: int) -> list[str]:
        return [data["metadata"]["name"] for _ in range(rounds) for found in self.round() for data in found.gone]


def test_no_kind_counts_as_overlooked_before_its_first_list_is_in() -> None:
    scene = Scene(there="ab", seen="")
    for _ in range(3):
        scene.round()
    assert scene.audit.arrivals.overlooked(scene.now) == []

    for uid in "ab":
        scene.roll.feed("ADDED", pod(uid))
    scene.round()
    for uid in "ab":
        scene.roll.feed("DELETED", pod(uid))
    for _ in range(2):
        scene.round()

    assert scene.audit.arrivals.overlooked(scene.now) == ["pods"]


def test_it_looks_often_until_it_is_ready_and_seldom_from_then_on() -> None:
    scene = Scene(there="ab", seen="a")
    scene.round()
    assert scene.audit.due(scene.now + FIRST_SECONDS)

    scene.roll.feed("ADDED", pod("b"))
    scene.round()

    assert not scene.audit.due(scene.now + ROUND_SECONDS - 1)
    assert scene.audit.due(scene.now + ROUND_SECONDS)


def test_it_is_ready_when_as_much_was_seen_as_there_is() -> None:
    scene = Scene(there="abc", seen="ab")
    scene.round()
    assert not scene.audit.ready

    scene.roll.feed("ADDED", pod("c"))
    scene.round()

    assert scene.audit.ready


def test_kinds_that_are_not_installed_do_not_keep_it_from_being_ready() -> None:
    audit = Audit([NODE, EVENT], (), Roll())
    server = Server()
    server.pods = None

    asyncio.run(audit.round(Asking(server.number, server.uids), 0.0))

    assert audit.ready


def test_as_long_as_the_numbers_agree_nothing_is_listed() -> None:
    scene = Scene(there="abc", seen="abc")
    for _ in range(100):
        scene.round()

    assert scene.server.calls == []


def test_what_went_while_the_watch_was_away_is_found_in_the_next_round() -> None:
    scene = Scene(there="a", seen="abc")
    scene.round()
    scene.audit.suspect()

    assert sorted(scene.gone(1)) == ["pod-b", "pod-c"]


def test_without_a_suspicion_it_is_found_too_after_some_rounds() -> None:
    scene = Scene(there="a", seen="ab")

    assert scene.gone(PATIENCE_ROUNDS) == []
    assert scene.gone(2) == ["pod-b"]


def test_it_looks_soon_while_something_is_suspected_and_seldom_else() -> None:
    scene = Scene(there="a", seen="a")
    scene.round()
    assert not scene.audit.due(scene.now + 10)

    scene.audit.suspect()

    assert scene.audit.due(scene.now + 10)


def test_a_watch_that_never_brings_what_is_there_is_deaf() -> None:
    scene = Scene(there="ab", seen="ab")
    scene.round()
    assert scene.server.pods is not None
    scene.server.pods.add("c")
    rounds = PATIENCE_ROUNDS + DEAF_SECONDS // ROUND_SECONDS + 3

    found = [scene.round() for _ in range(rounds)]

    assert scene.audit.deaf(scene.now) == ["Pod"]
    assert found[-1][0].unseen == 1


def test_where_pods_come_and_go_all_the_time_the_watch_is_not_taken_for_deaf() -> None:
    scene = Scene(there="", seen="")
    scene.round()
    for number in range(100):
        scene.server.pods = {f"new-{number}"}
        scene.round()
        assert scene.audit.deaf(scene.now) == []


def test_namespaces_are_counted_together() -> None:
    scene = Scene(there="ab", seen="abcd", namespaces=("nlp", "vision"))
    scene.round()

    assert scene.audit.ready
    assert scene.server.calls == []


def test_an_api_server_that_does_not_answer_is_no_finding() -> None:
    async def silent(path: str) -> Any:
        raise OSError("connection refused")

    scene = Scene(there="a", seen="a")
    with pytest.raises(OSError, match="refused"):
        asyncio.run(scene.audit.round(Asking(silent, silent), 0.0))

    assert not scene.audit.ready


def test_the_roll_tells_what_it_knew_of_an_object_that_is_gone() -> None:
    roll = Roll()
    assert roll.feed("ADDED", pod("a")) is False
    assert roll.feed("ADDED", pod("a")) is True
    assert list(roll.objects("v1", "Pod", ["a", "unknown"])) == [pod("a")]

    roll.feed("DELETED", pod("a"))

    assert roll.count("v1", "Pod") == 0
