"""What is watched, and that nothing of it makes kopf write."""

import itertools
from typing import Any

import kopf
import pytest

from gangform.catalog import CATALOG
from gangform.controller import watching
from gangform.controller.watching import EVENT, NODE, POD, Watched
from gangform.status import selectors


def test_the_process_is_not_killed_some_time_after_a_watch_has_ended() -> None:
    # kopf sets a timer when it ends by an error, and that timer outlives it.
    assert watching.settings().process.ultimate_exiting_timeout is None


def test_jobs_and_groups_of_every_known_api_are_watched() -> None:
    kinds = watching.watched(CATALOG)

    assert set(CATALOG.kinds) <= {(kind.api, kind.kind) for kind in kinds}
    assert {backend.GROUP_API for backend in CATALOG.backends.values()} <= {(kind.api, kind.kind) for kind in kinds}
    assert {POD, NODE, EVENT} <= set(kinds)


@pytest.mark.parametrize(("kind", "namespace", "path"), [
    (POD, None, "/api/v1/pods"), (POD, "nlp", "/api/v1/namespaces/nlp/pods"), (NODE, "nlp", "/api/v1/nodes"),
    (watching.PRIORITY, "nlp", "/apis/scheduling.k8s.io/v1/priorityclasses"),
    (Watched("kubeflow.org/v2beta1", "MPIJob"), "nlp", "/apis/kubeflow.org/v2beta1/namespaces/nlp/mpijobs"),
])
def test_where_the_objects_of_a_kind_stand(kind: Watched, namespace: str | None, path: str) -> None:
    assert kind.path(namespace) == path


def test_a_watch_never_gives_up() -> None:
    pauses = watching.settings().networking.error_backoffs
    assert not isinstance(pauses, float)

    for _ in range(2):
        assert list(itertools.islice(iter(pauses), 10_000))[-1] == watching.BACKOFFS[-1]


@pytest.mark.parametrize(("fields", "taken"), [
    ({"type": "Warning", "reason": "FailedScheduling", "source": "scheduler-plugins-scheduler"}, True),
    ({"type": "Warning", "reason": "MPIJobFailed", "source": "mpi-job-controller"}, True),
    ({"type": "Warning", "reason": "FailedCreate", "source": "job-controller"}, True),
    ({"type": "Normal", "reason": "Unschedulable", "source": "volcano"}, True),
    ({"type": "Normal", "reason": "Scheduled", "source": "default-scheduler"}, False),
    ({"type": "Normal", "reason": "SuccessfulCreate", "source": "replicaset-controller"}, False),
    ({"type": "Warning", "reason": "BackOff", "source": "kubelet"}, False),
    ({"type": "Warning", "reason": "GangPartial", "source": "gangform"}, False),
])
def test_of_all_events_the_watch_brings_what_schedulers_and_makers_of_pods_refuse(fields: dict[str, str], taken: bool) -> None:
    assert selectors.matches(selectors.parse(watching.EVENTS), fields) is taken


def handlers(seen: list[tuple[str | None, Any]]) -> kopf.OperatorRegistry:
    return watching.registry(
        [EVENT, POD], frozenset({"MPIJob"}), lambda word, data: seen.append((word, data)),
        lambda: kopf.ConnectionInfo(server="https://nobody"))


def test_nothing_is_handled_in_a_way_that_stores_progress_or_finalizers() -> None:
    made = handlers([])

    assert len(made._watching.get_all_handlers()) == 2
    assert not list(made._changing.get_all_handlers())
    assert not list(made._spawning.get_all_handlers())


@pytest.mark.parametrize(("event", "taken"), [
    ({"involvedObject": {"kind": "MPIJob"}, "reportingComponent": "mpi-job-controller"}, True),
    ({"involvedObject": {"kind": "Pod"}, "source": {"component": "default-scheduler"}}, True),
    ({"involvedObject": {"kind": "PodGroup"}}, True),
    ({"involvedObject": {"kind": "Node"}}, False),
    ({"involvedObject": {"kind": "MPIJob"}, "reportingComponent": "gangform"}, False),
    ({"involvedObject": {"kind": "MPIJob"}, "source": {"component": "gangform"}}, False),
    ({}, False),
])
def test_of_events_those_are_taken_that_may_tell_of_a_gang_and_are_not_ours(event: dict[str, Any], taken: bool) -> None:
    assert watching._tells(event, frozenset({"MPIJob"})) is taken


@pytest.mark.parametrize(("word", "change"), [
    (None, "ADDED"), ("ADDED", "ADDED"), ("MODIFIED", "MODIFIED"), ("DELETED", "DELETED"),
])
def test_what_a_list_brings_is_there(word: str | None, change: str) -> None:
    assert watching.change(word) == change
