"""A keeper, its board and a clock, told step by step."""

from typing import Any

from controller.gangs import KEY, START, ScriptedBoard, change, job, status
from gangform.controller.keeper import DEBOUNCE_SECONDS, Keeper, Outcome, Wants, Write
from gangform.status.picture import State


class Scene:
    """A keeper, its board and a clock."""

    def __init__(
        self, wants: Wants | None = None, *, leading: bool = True, complete: bool = True, **more: Any,
    ) -> None:
        self.board = ScriptedBoard()
        self.keeper = Keeper(self.board, self.board.summarize, wants=wants or Wants(), grace=30, jobs=frozenset({"MPIJob"}), **more)  # type: ignore[arg-type]
        self.now = float(START)
        if complete:
            self.keeper.begin()
        if leading:
            self.keeper.lead(self.now)

    def see(self, state: State, *, after: float = 1, said: Any = None, acknowledged: bool = True, **more: Any) -> list[Write]:
        """The gang comes into a state and is looked at."""
        self.now += after
        since = more.pop("since", int(self.now))
        shown = said if said is not None else self.said()
        self.board.put(status(state, since=since, **more), job(said=shown, acknowledged=acknowledged))
        self.keeper.feed("MODIFIED", change(), self.now)
        return self.turn(DEBOUNCE_SECONDS)

    def said(self) -> Any:
        of = self.board.now[KEY][1] if KEY in self.board.now else None
        return of.said if of else None

    def turn(self, after: float = 0) -> list[Write]:
        self.now += after
        return self.keeper.turn(self.now, 100)

    def end(self, writes: list[Write], outcome: Outcome = "done") -> None:
        """The writes come to an end; a condition that was written is shown on the job."""
        for write in writes:
            if outcome == "done" and write.told is not None and write.key == KEY:
                said, of = self.board.now[KEY]
                assert of is not None
                self.board.put(said, of._replace(said=tuple(write.told)))
            self.keeper.done(write, outcome, self.now)

    def live(self, seconds: int, outcome: Outcome = "done") -> list[Write]:
        """Let time go on, second by second, and end what is written."""
        written: list[Write] = []
        for _ in range(seconds):
            writes = self.turn(1)
            self.end(writes, outcome)
            written += writes
        return written


def whats(writes: list[Write]) -> list[str]:
    return [write.what for write in writes]
