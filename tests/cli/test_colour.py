"""Colour comes to terminals only, and is refused or forced by the usual variables."""

import os
import sys

import pytest

from gangform.cli.output import wants_colour

pty = pytest.importorskip("pty", reason="no pseudo terminals here")

ESCAPE = "\x1b["


def on_terminal(project, *arguments: str, env: dict[str, str] | None = None) -> str:
    """What a terminal receives on both streams."""
    received = bytearray()

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 4096)
        received.extend(data)
        return data

    child, descriptor = pty.fork()
    if child == 0:
        os.chdir(project)
        os.execve(sys.executable, [sys.executable, "-m", "gangform", *arguments],
                  {**os.environ, "TERM": "xterm", **(env or {})})
    try:
        while read(descriptor):
            pass
    except OSError:  # how Linux says that the other side has closed
        pass
    os.waitpid(child, 0)
    os.close(descriptor)
    return received.decode()


def test_a_terminal_gets_colour(bad) -> None:
    assert ESCAPE in on_terminal(bad, "validate", "base/pi.yaml")


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_a_terminal_may_refuse_colour(bad, env: dict[str, str]) -> None:
    assert ESCAPE not in on_terminal(bad, "validate", "base/pi.yaml", env=env)


def test_an_option_refuses_colour(bad) -> None:
    assert ESCAPE not in on_terminal(bad, "validate", "base/pi.yaml", "--no-color")


def test_an_error_message_heeds_the_option_too(bad) -> None:
    assert ESCAPE in on_terminal(bad, "validate", "nowhere")
    assert ESCAPE not in on_terminal(bad, "validate", "nowhere", "--no-color")


def test_a_pipe_gets_none_unless_forced(bad, run) -> None:
    assert ESCAPE not in run("validate", "base/pi.yaml").stdout
    assert ESCAPE in run("validate", "base/pi.yaml", env={"FORCE_COLOR": "1"}).stdout
    assert ESCAPE not in run("validate", "base/pi.yaml", env={"FORCE_COLOR": "0"}).stdout
    assert ESCAPE not in run("validate", "base/pi.yaml", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout


def test_json_is_never_coloured(bad, run) -> None:
    assert ESCAPE not in run("validate", "base/pi.yaml", "--format", "json", env={"FORCE_COLOR": "1"}).stdout


def test_a_missing_stream_gets_none(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert not wants_colour(no_color=False, err=False)
