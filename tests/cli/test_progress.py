"""Progress is for people who wait."""

import io
import sys

import pytest

from gangform.cli import progress as module
from gangform.cli.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *, quiet: bool = False, patience: float = -1) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "_PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    with progress(quiet=quiet) as tell:
        tell("building [x]", 0, 3)
        tell("building [x]", 2, 3)
        tell("writing", 0, 1)
    return stream.getvalue()


def test_a_terminal_sees_every_stage_of_a_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, Terminal())
    assert "building [x]" in text
    assert "2/3" in text
    assert "writing" in text


def test_a_short_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), patience=3600) == ""


def test_a_quiet_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), quiet=True) == ""


def test_a_log_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO()) == ""
