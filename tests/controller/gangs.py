"""Statuses, jobs and a scripted board, for tests of what the controller makes of them."""

from collections.abc import Mapping
from typing import Any

from gangform.status.picture import Counts, GangStatus, Job, Key, Sight, State

START = 1_000_000
KEY = Key("nlp", "train")
WHOLE, NOTHING = Counts(5, 5, 5, 5, 5), Counts(5, 5, 0, 0, 5)


def status(state: State = State.QUEUED, *, key: Key = KEY, since: int | None = START, **more: Any) -> GangStatus:
    counts = WHOLE if state in (State.RUNNING, State.STARTING) else NOTHING
    return GangStatus(key, state, **({
        "reason": f"{state}Reason", "message": f"it is {state}", "counts": counts, "since": since,
        "backend": "coscheduling", "group": key.name, "queue": "", "related": "uid-1",
    } | more))


def job(*, key: Key = KEY, said: tuple[str, str, str, int | None] | None = None, **more: Any) -> Job:
    return Job(key, **({
        "uid": "uid-1", "created": START, "api_version": "kubeflow.org/v2beta1", "kind": "MPIJob",
        "acknowledged": True, "said": said,
    } | more))


class ScriptedBoard:
    """Says of each gang what a test put there; a condition that was written is shown as the API server would."""

    def __init__(self) -> None:
        self.now: dict[Key, tuple[GangStatus, Job | None]] = {}
        self.broken: set[Key] = set()

    def put(self, said: GangStatus, of: Job | None) -> Key:
        self.now[said.key] = (said, of)
        return said.key

    def feed(self, change: str, data: Mapping[str, Any]) -> frozenset[Key]:
        assert change in ("ADDED", "MODIFIED", "DELETED")
        return frozenset({Key(data["metadata"]["namespace"], data["metadata"]["name"])} & self.now.keys())

    def sight(self, key: Key, now: int, previous: GangStatus | None = None) -> Sight | None:
        if key in self.broken:
            raise KeyError("an odd object")
        return Sight(key, now, job=self.now[key][1], previous=previous) if key in self.now else None

    def summarize(self, sight: Sight) -> GangStatus:
        return self.now[sight.key][0]


def change(key: Key = KEY, kind: str = "MPIJob", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"namespace": key.namespace, "name": key.name}, **more}
