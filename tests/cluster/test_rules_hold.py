"""What rules say of coscheduling, on coscheduling: each rule's Bad example fails as its page says, its Good one runs.

Where an example shows no group, the operator makes it: its own gang scheduling is on for those. What an example says
for Volcano is said for coscheduling in the same words. So are the jobs tried that the operator is said to refuse.
"""

from collections.abc import Iterator

import pytest
import yaml

from cluster.cluster import Bound, Cluster
from cluster.plane import COSCHEDULER, Plane
from cluster.programs import built
from cluster.trials import Seen, Trial, watched
from examples import example
from faulty_jobs import FAULTS, edited
from gangform.catalog import CATALOG, ONLY
from gangform.model.finding import Severity
from scenes import judge

# What else an error can be than a job that never starts where there is room for all of it.
OTHERWISE = {
    "multi-profile-queue-sort": "a scheduler that does not start; see below",
    "sync-order": "an order that the webhook of Volcano refuses, and that coscheduling takes",
}
# No gang is formed: the job starts in part where there is no room for all of it.
STARTS_IN_PART = {
    "labels-include-templates-inert", "min-member-missing-or-zero", "pod-group-api-deprecated", "pod-group-shared",
    "scheduler-name-not-backend", "wrong-key",
}
# Why a job never starts, in the words of whoever holds it up.
NEVER = {
    "kustomize-rename-breaks-ref": "PodGroup not found",
    "label-value-invalid": "must be no more than 63 bytes",
    "min-member-exceeds-pods": "cannot find enough sibling pods, current pods number: 5, minMember of group: 9",
    "min-resources-bad-key": "resource gap: map[requests.cpu:",
    "min-resources-overstated": "resource gap: map[cpu:",
    "operator-gang-flag": 'ErrResourceExists: Resource "pi" of Kind "PodGroup" already exists and is not managed by MPIJob',
    "partial-binding": "cannot find enough sibling pods, current pods number: 2, minMember of group: 3",
    "pod-group-backend-mismatch": "PodGroup not found",
    "pod-group-missing": "PodGroup not found",
    "pod-resources-refused": "Limit must be set for non overcommitable resources",
    "quota-too-small": "exceeded quota: team, requested: requests.cpu=1, used: requests.cpu=16, limited: requests.cpu=16",
    "replicas-vs-min-member-drift": "cannot find enough sibling pods, current pods number: 3, minMember of group: 5",
    "scheduler-name-mixed": "rejected due to timeout after waiting 10s at plugin Coscheduling",
    "strategic-merge-replaces-list": "spec.containers[0].image: Required value",
    "timeout-negative": "rejected due to timeout after waiting -1s at plugin Coscheduling",
    "wait-for-workers-deadlock": "cannot find enough sibling pods, current pods number: 2, minMember of group: 3",
}
ERRORS = {name for name, rule in CATALOG.rules.items()
          if rule.SEVERITY is Severity.ERROR and ONLY.get(name) != "volcano"} - OTHERWISE.keys()
# Warnings and notes whose pages say what becomes of the job.
PART_WARNINGS = {"gang-scheduler-unmarked", "min-member-below-total"}
HARMLESS = {"mixed-priority", "multi-key", "pod-group-orphan", "timeout-capped", "timeout-zero-or-short"}

HIGH = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n---\n"
IN_COSCHEDULING = {
    "scheduling.volcano.sh/v1beta1": "scheduling.x-k8s.io/v1alpha1",
    "schedulerName: volcano": f"schedulerName: {COSCHEDULER}",
    "annotations: {scheduling.k8s.io/group-name": "labels: {scheduling.x-k8s.io/pod-group",
    "scheduling.volcano.sh/group-name": "scheduling.x-k8s.io/pod-group",
}


def said(rule: str, which: str) -> str:
    """The text of an example, as it is said of coscheduling."""
    text = example(CATALOG.rules[rule], which)
    if "schedulerName: volcano" in text:
        for theirs, ours in IN_COSCHEDULING.items():
            text = text.replace(theirs, ours)
    return HIGH + text if "priorityClassName: high" in text else text


def trial(rule: str, which: str, room: str) -> Trial:
    return Trial(f"{rule}-{which}-{room}".lower(), said(rule, which), tight=room == "tight")


def faulty(number: int, *, tight: bool = False) -> Trial:
    return Trial(f"fault-{number}" + ("-tight" if tight else ""), yaml.safe_dump(edited(**FAULTS[number][0])), tight)


def trials() -> Iterator[Trial]:
    for rule in sorted(NEVER):
        yield from (trial(rule, which, "roomy") for which in ("Bad", "Good"))
    for rule in sorted(STARTS_IN_PART | PART_WARNINGS):
        yield from (trial(rule, which, "tight") for which in ("Bad", "Good"))
        yield trial(rule, "Good", "roomy")
    for rule in sorted(HARMLESS):
        yield from (trial(rule, "Bad", room) for room in ("roomy", "tight"))
    for number, (_, code, *_) in enumerate(FAULTS):
        yield faulty(number, tight=code == "min-available-zero")


def asks_the_operator(one: Trial) -> bool:
    if one.name.startswith("fault"):
        return "minAvailable" in one.text
    return "--gang-scheduling=" in one.text or not ("kind: PodGroup" in one.text or "schedulerName:" in one.text)


@pytest.fixture(scope="module")
def seen(plane: Plane) -> dict[str, Seen]:
    """What became of every trial: first those whose groups are in the example, then those whose groups the operator makes."""
    found = watched(plane, (one for one in trials() if not asks_the_operator(one)))
    plane.stop("mpi-operator")
    plane.start_operator(COSCHEDULER)
    try:
        found |= watched(plane, (one for one in trials() if asks_the_operator(one)))
    finally:
        plane.stop("mpi-operator")
        plane.start_operator()
    assert plane.ended() == {}, plane.tails()
    return found


def test_every_error_about_coscheduling_is_judged() -> None:
    assert NEVER.keys() | STARTS_IN_PART == ERRORS
    assert OTHERWISE.keys() <= CATALOG.rules.keys()


@pytest.mark.parametrize("rule", sorted({*ERRORS, *PART_WARNINGS, *HARMLESS}))
def test_the_examples_that_are_applied_are_told_apart_by_the_rule(rule: str) -> None:
    assert rule in {finding.rule for finding in judge(said(rule, "Bad"))}
    assert rule not in {finding.rule for finding in judge(said(rule, "Good"))}


@pytest.mark.parametrize("rule", sorted(ERRORS - STARTS_IN_PART))
def test_a_job_that_never_starts_says_why_and_starts_once_it_is_mended(seen: dict[str, Seen], rule: str) -> None:
    bad, good = seen[f"{rule}-bad-roomy"], seen[f"{rule}-good-roomy"]
    assert bad.whole == [], bad
    assert bad.says(NEVER[rule]), bad
    assert good.whole == [*good.wanted], good


@pytest.mark.parametrize("rule", sorted(STARTS_IN_PART | PART_WARNINGS))
def test_a_job_without_a_whole_gang_starts_in_part_where_a_gang_would_wait(seen: dict[str, Seen], rule: str) -> None:
    assert seen[f"{rule}-bad-tight"].in_part != [], seen[f"{rule}-bad-tight"]
    assert seen[f"{rule}-good-tight"].in_part == [], seen[f"{rule}-good-tight"]
    assert seen[f"{rule}-good-roomy"].whole == [*seen[f"{rule}-good-roomy"].wanted], seen[f"{rule}-good-roomy"]


@pytest.mark.parametrize("rule", sorted(HARMLESS))
def test_what_is_only_fragile_starts_whole_or_waits(seen: dict[str, Seen], rule: str) -> None:
    roomy, tight = seen[f"{rule}-bad-roomy"], seen[f"{rule}-bad-tight"]
    assert roomy.whole == [*roomy.wanted], roomy
    assert tight.whole == tight.in_part == [], tight


@pytest.mark.parametrize(("name", "api"), [
    ("pod-group-api-deprecated-bad-tight", "scheduling.sigs.k8s.io/v1alpha1"),
    ("pod-group-backend-mismatch-bad-roomy", "scheduling.volcano.sh/v1beta1"),
])
def test_a_group_of_an_api_that_the_cluster_does_not_serve_is_refused(seen: dict[str, Seen], name: str, api: str) -> None:
    assert seen[name].says(f"{api} PodGroup: 404 page not found")


REFUSED = [number for number, (changes, code, *_) in enumerate(FAULTS)
           if code not in {"managed-by", "min-available-zero", "mpi-implementation", "replica-type-unknown"}
           and "minAvailable" not in str(changes)]


def faults(code: str) -> list[int]:
    return [number for number, fault in enumerate(FAULTS) if fault[1] == code]


@pytest.mark.parametrize("number", REFUSED)
def test_the_operator_makes_no_pod_of_what_it_refuses_and_says_so(seen: dict[str, Seen], number: int) -> None:
    one = seen[faulty(number).name]
    assert one.pods == set(), FAULTS[number]
    assert one.says("ValidationError: Found validation errors: "), FAULTS[number]


def test_a_job_of_another_manager_is_left_alone_without_a_word(seen: dict[str, Seen]) -> None:
    for number in faults("managed-by"):
        assert (seen[faulty(number).name].pods, seen[faulty(number).name].said) == (set(), set())


def test_the_api_server_refuses_an_mpi_that_the_operator_does_not_know(seen: dict[str, Seen]) -> None:
    for number in faults("mpi-implementation"):
        assert seen[faulty(number).name].says("spec.mpiImplementation: Unsupported value")


def test_a_replica_type_that_is_none_is_passed_over(seen: dict[str, Seen]) -> None:
    for number in faults("replica-type-unknown"):
        assert seen[faulty(number).name].whole == ["pi"]
        assert not seen[faulty(number).name].says("Error")


def test_a_least_number_of_pods_below_zero_makes_no_group_and_no_pod(seen: dict[str, Seen]) -> None:
    for number in set(faults("negative-number")) - set(REFUSED):
        assert seen[faulty(number).name].pods == set()
        assert not seen[faulty(number).name].says("Error")


def test_a_least_number_of_no_pods_starts_them_one_by_one(seen: dict[str, Seen]) -> None:
    for number in faults("min-available-zero"):
        assert seen[faulty(number, tight=True).name].in_part == ["pi"]


def test_a_gang_that_overstates_what_it_asks_for_waits_until_the_cluster_has_all_of_it_free(cluster: Cluster) -> None:
    cluster.nodes(3, cpu="16")
    cluster.apply(said("min-resources-overstated", "Bad"))
    cluster.until(lambda: any("resource gap" in why for why in cluster.reasons("pi").values()), "it waits")
    cluster.nodes(1, prefix="more", cpu="16")
    cluster.wake("pi")
    cluster.until(lambda: cluster.bound("pi") == Bound(1, 2), "it runs, and uses 3 of 64 CPU")


def start_scheduler(plane: Plane, example_text: str) -> None:
    """Start a scheduler with the configuration that an example shows, and who to talk to."""
    config = yaml.safe_load(yaml.safe_load(example_text)["data"]["scheduler-config.yaml"])
    config |= {"clientConnection": {"kubeconfig": str(plane.kubeconfig)}, "leaderElection": {"leaderElect": False}}
    path = plane.folder / "example-scheduler.yaml"
    path.write_text(yaml.safe_dump(config))
    plane.start("example-scheduler", [
        built("scheduler-plugins", "scheduler"), "--config", str(path), "--secure-port", "0",
    ])


@pytest.mark.parametrize(("which", "ends", "words"), [
    ("Bad", True, "only one queue sort plugin required"), ("Good", False, "Starting Kubernetes Scheduler"),
])
def test_a_queue_that_is_sorted_in_two_ways_starts_no_scheduler(
    empty_plane: Plane, which: str, ends: bool, words: str,
) -> None:
    start_scheduler(empty_plane, said("multi-profile-queue-sort", which))
    try:
        cluster = Cluster(empty_plane, "default")
        cluster.until(lambda: words in empty_plane.logs()["example-scheduler"], words)
        cluster.until(lambda: ("example-scheduler" in empty_plane.ended()) is ends, f"ended: {ends}")
    finally:
        empty_plane.stop("example-scheduler")
