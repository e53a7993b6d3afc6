"""Tables on terminals of every width: names stay whole, so that they can be copied."""

import io
import sys

import pytest

from gangform.cli.output import table

NAME = "a-job-with-a-name-longer-than-what-is-left-of-the-row"
WHY = "one word after another of why " * 4


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch, columns: int, stream: io.StringIO) -> list[str]:
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("COLUMNS", str(columns))
    return table(("JOB", "STATE", "WHY"), [(NAME, "WaitingForPodGroup", WHY), ("pi", "Queued", "short")]).splitlines()


@pytest.mark.parametrize("columns", [200, 104])
def test_on_a_terminal_the_last_column_alone_is_broken_into_lines(monkeypatch, columns: int) -> None:
    lines = drawn(monkeypatch, columns, Terminal())
    at = lines[0].index("WHY")
    assert max(map(len, lines)) <= columns
    assert lines[1].split()[:2] == [NAME, "WaitingForPodGroup"]
    assert " ".join(line[at:].strip() for line in lines[1:-1]) == WHY.strip()
    assert {line[:at].strip() for line in lines[2:-1]} <= {""}


@pytest.mark.parametrize("columns", [80, 20])
def test_on_a_narrow_terminal_a_row_stays_a_row(monkeypatch, columns: int) -> None:
    lines = drawn(monkeypatch, columns, Terminal())
    assert [line.split() for line in lines[1:]] == [[NAME, "WaitingForPodGroup", *WHY.split()], ["pi", "Queued", "short"]]


def test_in_a_pipe_a_row_is_a_row(monkeypatch) -> None:
    assert len(drawn(monkeypatch, 104, Terminal())) > 3
    assert len(drawn(monkeypatch, 104, io.StringIO())) == 3
