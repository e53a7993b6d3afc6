"""What is written to an API server, and how it answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.api import Document
from cluster.plane import Plane
from cluster.programs import published_crds
from cluster.repositories import job
from gangform.edges.kubeconfig import connect
from gangform.edges.publishing import Publisher

JOBS = "/apis/kubeflow.org/v2beta1/namespaces/default/mpijobs"


@pytest.fixture
def publisher(empty_plane: Plane) -> Iterator[Publisher]:
    with connect(str(empty_plane.kubeconfig)).client as client:
        yield Publisher(client)
        client.rest_client.close()


@pytest.fixture
def made(empty_plane: Plane) -> Iterator[Document]:
    """A job with a condition of its operator's."""
    one: dict[str, Any] = empty_plane.api.create(job("one"), namespace="default")
    created = {"type": "Created", "status": "True", "reason": "MPIJobCreated", "message": "made"}
    empty_plane.api.patch("MPIJob", "one", {"status": {"conditions": [created]}}, "default", status=True)
    yield one
    empty_plane.api.delete("MPIJob", "one", "default")


def status(of: Document, message: str = "8 CPU short", **more: str) -> Document:
    return {
        "apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob",
        "metadata": {"name": of["metadata"]["name"], "namespace": "default"} | more,
        "status": {"conditions": [{"type": "GangScheduled", "status": "False", "reason": "Queued", "message": message}]},
    }


def event(name: str = "one.1") -> Document:
    return {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "default"},
        "involvedObject": {"kind": "MPIJob", "name": "one", "namespace": "default"}, "reason": "GangQueued",
        "message": "8 CPU short", "type": "Normal",
    }


@pytest.fixture
def whole_lists(empty_plane: Plane, tmp_path: Path) -> Iterator[None]:
    """The CRD of MPIJobs as somebody has it who keeps no list as a map: one manager has all the conditions."""
    crd = yaml.safe_load(published_crds()[0].read_text())
    for version in crd["spec"]["versions"]:
        conditions = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]["conditions"]
        conditions.pop("x-kubernetes-list-type", None)
        conditions.pop("x-kubernetes-list-map-keys", None)
    path = tmp_path / "crd.yaml"
    path.write_text(yaml.safe_dump(crd))
    empty_plane.add_crds(path)
    yield
    empty_plane.add_crds(published_crds()[0])


def test_a_condition_of_ours_stands_beside_the_operators_and_changes_alone(
    empty_plane: Plane, publisher: Publisher, made: Document,
) -> None:
    for message in ("8 CPU short", "4 CPU short"):
        assert publisher.apply_status("mpijobs", status(made, message)) == ("done", "")

    found = empty_plane.api.get("MPIJob", "one", "default")
    assert found is not None
    assert {c["type"]: c["message"] for c in found["status"]["conditions"]} == {
        "Created": "made", "GangScheduled": "4 CPU short"}


def test_nothing_is_written_on_a_job_that_changed_since_it_was_seen_nor_on_none(
    empty_plane: Plane, publisher: Publisher, made: Document,
) -> None:
    now = empty_plane.api.get("MPIJob", "one", "default")
    assert now is not None

    old = publisher.apply_status("mpijobs", status(made, resourceVersion=made["metadata"]["resourceVersion"]))
    none = publisher.apply_status("mpijobs", status(made, name="nobody"))
    new = publisher.apply_status("mpijobs", status(made, resourceVersion=now["metadata"]["resourceVersion"]))

    assert [old[0], none[0], new[0]] == ["failed", "gone", "done"]


def test_what_the_api_server_does_not_take_is_refused(publisher: Publisher, made: Document) -> None:
    wrong = status(made)
    wrong["status"]["conditions"][0]["status"] = "Maybe"

    outcome, why = publisher.apply_status("mpijobs", wrong)

    assert outcome == "refused"
    assert "Maybe" in why


def test_the_same_event_twice_is_one_event_and_no_fault(empty_plane: Plane, publisher: Publisher) -> None:
    assert [publisher.create_event(event())[0] for _ in range(2)] == ["done", "done"]

    assert [found["metadata"]["name"] for found in empty_plane.api.list("Event", "default")
            if found["reason"] == "GangQueued"] == ["one.1"]


def test_an_annotation_is_added_to_those_that_are_there(empty_plane: Plane, publisher: Publisher) -> None:
    group = {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "spec": {"minMember": 2},
             "metadata": {"name": "touched", "annotations": {"mine": "yes"}}}
    empty_plane.api.create(group, namespace="default")

    done = publisher.annotate("scheduling.x-k8s.io/v1alpha1", "podgroups", "default", "touched", "gangform.dev/woken", "now")

    found = empty_plane.api.get("PodGroup", "touched", "default")
    assert done == ("done", "")
    assert found is not None
    assert found["metadata"]["annotations"] == {"mine": "yes", "gangform.dev/woken": "now"}


def test_objects_are_counted_without_listing_them_and_listed_without_reading_them(
    empty_plane: Plane, publisher: Publisher,
) -> None:
    path = "/api/v1/namespaces/default/configmaps"
    before = publisher.count(path)
    assert before is not None
    made = [
        empty_plane.api.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"count-{number}"}}, namespace="default")
        for number in range(7)
    ]

    assert publisher.count(path) == before + 7
    assert {one["metadata"]["uid"] for one in made} <= publisher.uids(path)


def test_a_kind_that_is_not_there_is_no_number_and_nothing_hidden(publisher: Publisher) -> None:
    path = "/apis/nobody.example/v1/things"

    assert publisher.count(path) is None
    assert not publisher.is_hidden(path)


def test_what_an_account_may_not_list_is_hidden(empty_plane: Plane) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "nobody"}}
    empty_plane.api.create(account, namespace="default")
    kubeconfig = empty_plane.write_kubeconfig("nobody", empty_plane.api.token("nobody", "default"))
    with connect(str(kubeconfig)).client as client:
        nobody = Publisher(client)
        assert nobody.is_hidden("/api/v1/nodes")
        assert nobody.create_event(event("one.2"))[0] == "refused"
        assert nobody.count("/api/v1/nodes") is None
        with pytest.raises(OSError, match="forbidden"):  # not: that there are none
            nobody.uids("/api/v1/nodes")
        client.rest_client.close()


def test_an_api_server_that_is_away_is_a_failure_that_passes(empty_plane: Plane, publisher: Publisher) -> None:
    empty_plane.stop("kube-apiserver", kill=True)
    try:
        assert publisher.create_event(event("one.3"))[0] == "failed"
        with pytest.raises(OSError, match=r"refused|reset|closed|Connection"):
            publisher.count(JOBS)
    finally:
        empty_plane.start_api_server()

    assert publisher.create_event(event("one.3")) == ("done", "")


def test_conditions_that_can_only_be_taken_whole_are_left_to_the_operator(
    empty_plane: Plane, publisher: Publisher, whole_lists: None, made: Document,
) -> None:
    outcome, why = publisher.apply_status("mpijobs", status(made))

    assert outcome == "refused"
    assert "x-kubernetes-list-type" in why
    assert ".status.conditions" in why
    found = empty_plane.api.get("MPIJob", "one", "default")
    assert found is not None
    assert [c["type"] for c in found["status"]["conditions"]] == ["Created"]


def test_what_somebody_edited_of_our_condition_is_put_right(
    empty_plane: Plane, publisher: Publisher, made: Document,
) -> None:
    assert publisher.apply_status("mpijobs", status(made)) == ("done", "")
    found = empty_plane.api.get("MPIJob", "one", "default")
    assert found is not None
    conditions = [one | {"message": "edited"} for one in found["status"]["conditions"]]
    empty_plane.api.patch("MPIJob", "one", {"status": {"conditions": conditions}}, "default", status=True)

    assert publisher.apply_status("mpijobs", status(made)) == ("done", "")
    found = empty_plane.api.get("MPIJob", "one", "default")
    assert found is not None
    assert {c["type"]: c["message"] for c in found["status"]["conditions"]} == {
        "Created": "edited", "GangScheduled": "8 CPU short"}
