"""Progress on a terminal, for runs that take a while."""

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from gangform.workflows.outcome import Progress

_PATIENCE = 2.0
"""Seconds after which a user begins to wonder."""


@contextmanager
def progress(*, quiet: bool) -> "Iterator[Progress]":
    """Give a workflow something to report to; shown on stderr, when that is a terminal, after two seconds."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    shown = _Shown(time.monotonic() + _PATIENCE, [], {})
    try:
        yield shown.tell
    finally:
        for bar in shown.bars:
            bar.stop()


class _Shown(NamedTuple):
    """One run's bar, once there is one, and its line per stage."""

    due: float
    bars: "list[Bar]"
    stages: "dict[str, TaskID]"

    def tell(self, stage: str, done: int, total: int) -> None:
        """Move the line of a stage."""
        if not self.bars:
            if time.monotonic() < self.due:
                return
            self.bars.append(_start())
        bar = self.bars[0]
        if stage not in self.stages:
            self.stages[stage] = bar.add_task(stage, total=total)
        bar.update(self.stages[stage], completed=done, total=total)


def _start() -> "Bar":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
                   console=Console(stderr=True), transient=True)
    bar.start()
    return bar
