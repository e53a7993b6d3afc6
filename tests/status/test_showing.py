"""Ages, rows and what is said of one gang."""

import pytest

from gangform.status import showing
from gangform.status.forming import PODS_HIDDEN
from gangform.status.picture import Counts, Ending, GangStatus, Key, Member, Note, Sight, State

KEY = Key("nlp", "bert")


def moment(seconds: int | None) -> str:
    return "" if seconds is None else f"@{seconds}"


def status(state: State = State.QUEUED, name: str = "bert", **more: object) -> GangStatus:
    given = {"reason": "R", "message": "m", "counts": Counts(9, 9, 0, 0, 9), **more}
    return GangStatus(Key("nlp", name), state, **given)


def pod(name: str, role: str = "Worker", **more: object) -> Member:
    return Member(KEY, name, f"uid-{name}", role, 0, **{"phase": "Pending", "node": "", "scheduler": "s", **more})


@pytest.mark.parametrize(("seconds", "spelt"), [
    (0, "0s"), (119, "119s"), (120, "2m"), (150, "2m30s"), (599, "9m59s"), (600, "10m"), (41 * 60 + 7, "41m"),
    (3 * 3600 - 1, "179m"), (3 * 3600, "3h"), (6 * 3600 + 60, "6h1m"), (8 * 3600 + 60, "8h"), (47 * 3600, "47h"),
    (48 * 3600, "2d"), (3 * 86400 + 3600, "3d1h"), (8 * 86400 + 3600, "8d"), (729 * 86400, "729d"),
    (730 * 86400, "2y"), (800 * 86400, "2y70d"), (9 * 365 * 86400, "9y"),
])
def test_ages_are_spelt_as_kubectl_spells_them(seconds: int, spelt: str) -> None:
    assert showing.age(1000, 1000 + seconds) == spelt


def test_an_age_is_never_below_nothing_and_unknown_where_it_is() -> None:
    assert showing.age(1000, 900) == "0s"
    assert showing.age(None, 900) == "-"


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("namespaced", [True, False])
def test_a_row_has_a_cell_for_each_heading(wide: bool, namespaced: bool) -> None:
    headings = showing.headings(wide=wide, namespaced=namespaced)
    row = showing.row(status(), 60, wide=wide, namespaced=namespaced)
    assert len(headings) == len(row)
    assert row[headings.index("JOB")] == "bert"
    assert ("NAMESPACE" in headings) is not namespaced


def test_pods_that_cannot_be_seen_are_not_counted() -> None:
    hidden = status(State.WAITING_FOR_PODS, reason=PODS_HIDDEN, counts=Counts(9, 0, 0, 0, 9))
    row = dict(zip(showing.headings(wide=True, namespaced=True), showing.row(hidden, 60, wide=True, namespaced=True), strict=True))
    assert (row["PODS"], row["BOUND"], row["READY"]) == ("?/9", "?/9", "?/9")
    assert showing.opening(hidden) == "nlp/bert: WaitingForPods. 9 pods wanted, 9 must start together."


def test_pods_that_wait_alike_are_one_row_and_workers_stand_in_their_order() -> None:
    waiting = [pod(f"w-{number}") for number in (10, 2, 0, 1, 11)]
    rows = list(showing.members(Sight(KEY, 0, members=(*waiting, pod("l-x7k2", "Launcher"))), moment))
    assert [row[0] for row in rows] == ["l-x7k2", "w-0 … w-11 (5)"]


def test_pods_with_nodes_are_each_a_row_with_how_they_last_ended() -> None:
    ended = Ending("OOMKilled", at=7, code=137)
    rows = list(showing.members(Sight(KEY, 0, members=tuple(
        pod(f"w-{number}", phase="Running", node="n", ready_at=1, restarts=number, ended=ended if number else None)
        for number in range(5))), moment))
    assert rows[0] == ("w-0", "Ready", "n", "0", "")
    assert rows[4] == ("w-4", "Ready", "n", "4", "OOMKilled, exit code 137 at @7")


def test_workers_that_restarted_are_said_to_be_out_of_the_run() -> None:
    members = (pod("w-1", phase="Running", node="n", restarts=1), pod("w-2", phase="Running", node="n"),
               pod("l", "Launcher", phase="Running", node="n", restarts=1))
    assert showing.strays(Sight(KEY, 0, members=members)).endswith("since restarted: w-1")
    assert showing.strays(Sight(KEY, 0, members=members[1:])) == ""


def test_events_that_say_the_same_of_several_pods_are_one() -> None:
    notes = (Note("MPIJob", "bert", "Created", "bert is created", 1), Note("Pod", "w-0", "Failed", "w-0 has no room", 2),
             Note("Pod", "w-1", "Failed", "w-1 has no\n room", 5), Note("Pod", "w-2", "Failed", "other", 3))
    assert list(showing.notes(Sight(KEY, 9, notes=notes), 9)) == [
        ("8s", "MPIJob/bert", "Created: bert is created"), ("6s", "Pod/w-2", "Failed: other"),
        ("4s", "2 pods", "Failed: … has no room")]


def test_the_log_to_read_is_the_launchers() -> None:
    members = (pod("w-0", phase="Running", node="n"), pod("l", "Launcher", phase="Running", node="n"))
    assert showing.logs(Sight(KEY, 0, members=members)) == "kubectl logs -n nlp l --tail 50"
    assert showing.logs(Sight(KEY, 0, members=members[:1])) == "kubectl logs -n nlp w-0 --tail 50"
    assert showing.logs(Sight(KEY, 0, members=(pod("w-0"),))) == ""


def test_what_is_left_over_goes_with_one_command_for_each_namespace_and_kind() -> None:
    left = [status(State.LEFT_OVER, name, advice=f"kubectl delete podgroups.scheduling.volcano.sh -n {home} {name}")
            for home, name in (("a", "x"), ("b", "y"), ("a", "z"))]
    left.append(status(State.LEFT_OVER, "w", advice="remove PodGroup w from Git; Argo CD would bring it back"))
    assert list(showing.sweep(left)) == ["kubectl delete podgroups.scheduling.volcano.sh -n a x z",
                                         "kubectl delete podgroups.scheduling.volcano.sh -n b y"]
    assert list(showing.sweep([*left, status()])) == []


def test_the_first_line_counts_pods_and_a_leftover_has_none() -> None:
    assert showing.opening(status(backend="coscheduling")) == (
        "nlp/bert: Queued. 9 pods exist, 0 bound, 0 ready, 9 must start together (coscheduling).")
    assert showing.opening(status(counts=Counts(9, 3, 1, 0, 0))) == "nlp/bert: Queued. 3 of 9 pods exist, 1 bound, 0 ready."
    assert showing.opening(status(State.LEFT_OVER)) == "nlp/bert: LeftOver."


def test_a_gang_that_runs_says_since_when_it_is_whole() -> None:
    assert showing.since(status(State.RUNNING, since=10), 70, moment) == "whole since @10 (60s)"
    assert showing.since(status(since=10), 70, moment) == "since @10 (60s)"
    assert showing.since(status(), 70, moment) == ""
