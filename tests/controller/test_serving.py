"""The probes and the metrics over HTTP."""

import asyncio
import socket
import urllib.error
import urllib.request

import pytest
from prometheus_client import CollectorRegistry, Gauge

from gangform.controller import serving
from gangform.model.errors import InputError


def ask(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(*paths: str, health: str = "", readiness: str = "") -> list[tuple[int, str]]:
    registry = CollectorRegistry()
    Gauge("colour", "A colour.", registry=registry).set(3)

    async def run() -> list[tuple[int, str]]:
        port = free_port()
        runner = await serving.serve("127.0.0.1", port, registry, health=lambda: health, readiness=lambda: readiness)
        try:
            return [await asyncio.to_thread(ask, port, path) for path in paths]
        finally:
            await runner.cleanup()

    return asyncio.run(run())


def test_a_controller_that_is_well_and_ready_says_so() -> None:
    assert answers("healthz", "readyz") == [(200, "ok\n"), (200, "ok\n")]


def test_what_is_wrong_is_said_with_503() -> None:
    assert answers("healthz", "readyz", health="the loop is stuck", readiness="the first lists are not in") == [
        (503, "the loop is stuck\n"), (503, "the first lists are not in\n")]


def test_metrics_are_in_the_format_of_prometheus() -> None:
    (status, text), = answers("metrics")

    assert status == 200
    assert "# TYPE colour gauge\ncolour 3.0\n" in text


def test_a_port_that_is_taken_is_named() -> None:
    async def run() -> None:
        await serving.serve("127.0.0.1", port, CollectorRegistry(), health=str, readiness=str)

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = int(taken.getsockname()[1])
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port}: "):
            asyncio.run(run())
