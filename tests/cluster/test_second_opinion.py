"""The API server and the schemas say yes and no to the same documents, under strict field validation."""

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cluster.api import ApiException, Document
from cluster.mutations import Change, changes
from cluster.plane import Plane
from examples import example
from gangform import schema
from gangform.catalog import CATALOG
from gangform.kinds import mpijob
from gangform.model.quantity import Quantity
from strategies import documents

JOB, GROUP = mpijob.SCHEMA, "scheduling.x-k8s.io/podgroup_v1alpha1"
VOLCANO_GROUP, QUEUE = "scheduling.volcano.sh/podgroup_v1beta1", "scheduling.volcano.sh/queue_v1beta1"
OBJECTS = (JOB, GROUP, VOLCANO_GROUP, QUEUE)
SPACE = "default"

Ask = Callable[[Document], str]
"""A document to what the API server says against it, or nothing."""


@pytest.fixture(scope="module")
def server(empty_plane: Plane) -> Ask:
    """A dry run of a creation, with strict field validation."""

    def ask(document: Document) -> str:
        try:
            empty_plane.api.create(document, namespace=SPACE, dry_run=True)
        except ApiException as refused:
            return f"{refused.status} {refused.body}"
        return ""

    return ask


@pytest.fixture
def served(empty_plane: Plane, request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Let the API server have the API of a schema; Volcano's CRDs come from the folder beside the repository."""

    def serve(name: str) -> None:
        if name.startswith("scheduling.volcano.sh/"):
            crds: Path = request.getfixturevalue("shared") / "crds"
            empty_plane.add_crds(*sorted(crds.glob("scheduling.volcano.sh_*.yaml")))

    return serve


def name_of(document: Any) -> str:
    """The schema of a document, or nothing."""
    if not isinstance(document, dict):
        return ""
    return schema.name_of(str(document.get("apiVersion")), str(document.get("kind"))) or ""


def disagreement(document: Document, server: Ask) -> str:
    """What the two say of a document when it is not the same."""
    ours, theirs = schema.check(document, name_of(document)), server(document)
    if bool(ours) == bool(theirs):
        return ""
    return f"gangform: {[problem.message for problem in ours]}, the API server: {theirs}"


# Every field of every schema


def expected(name: str, change: Change, said: str) -> str:
    """Why the two differ where they are known to."""
    place = change.place
    if place[0] == "status" and name != VOLCANO_GROUP and said.endswith("the API server: "):
        return "a status that has its own address is dropped before it is validated"
    if isinstance(change.to, float) and change.to >= 2**53 and said.startswith("gangform: []"):
        return "a number with a point is whole to the server below 2**53, to the schemas below 2**63"
    if "type date-time" in said:
        return "dates are text to the schemas"
    if place[-1] == "lastTransitionTime" and "is an empty list" in said:
        return "an empty list passes for a date"
    if place[0] != "metadata":
        return ""
    match place[1:]:
        case ("namespace",) if name == QUEUE:
            return "what belongs to the cluster loses its namespace before it is validated"
        case ("namespace",) if "does not match the namespace sent on the request" in said:
            return "a request names one namespace"
        case ("creationTimestamp" | "deletionTimestamp",) | ("managedFields", _, "time") if "parsing time" in said:
            return "dates are text to the schemas"
        case ("managedFields", *_) if said.endswith("the API server: "):
            return "managedFields that make no sense are dropped"
    return ""


@pytest.mark.parametrize("name", OBJECTS)
def test_the_two_agree_on_every_field_and_on_what_must_not_be_there(
    server: Ask, served: Callable[[str], None], name: str,
) -> None:
    served(name)
    count, differ = 0, []
    for change in changes(name):
        count += 1
        said = disagreement(change.document, server)
        if said and not expected(name, change, said):
            differ.append(f"{change}: {said}")
    assert differ == []
    assert count > 300


@pytest.mark.parametrize(("metadata", "ours"), [
    ({"name": "a", "namespace": ""}, True), ({"name": "a", "labels": {"team": None}}, True),
    ({"name": "a", "uid": "x", "resourceVersion": "1", "generation": 3}, True),
    ({"generateName": "a-"}, True), ({"name": ""}, False), ({"labels": {}}, False), ({"name": "A"}, False),
])
def test_the_two_agree_on_what_metadata_must_have(server: Ask, metadata: Document, ours: bool) -> None:
    assert schema.check(group(metadata), GROUP) == () if ours else schema.check(group(metadata), GROUP)
    assert disagreement(group(metadata), server) == ""


@pytest.mark.parametrize(("metadata", "words"), [
    ({"name": "a", "labels": {"team": "my team"}}, "a valid label must be"),
    ({"name": "a", "labels": {"my team": "a"}}, "name part must consist of"),
    ({"name": "a", "annotations": {"a note": "a"}}, "name part must consist of"),
    ({"name": "a", "finalizers": [""]}, "name part must be non-empty"),
    ({"name": "a", "creationTimestamp": "today"}, "parsing time"),
    ({"generateName": "A-"}, "RFC 1123 subdomain"),
])
def test_the_schemas_leave_it_to_the_server_what_the_texts_of_metadata_say(
    server: Ask, metadata: Document, words: str,
) -> None:
    assert schema.check(group(metadata), GROUP) == ()
    assert words in server(group(metadata))


def group(metadata: Document) -> Document:
    return {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": metadata, "spec": {"minMember": 1}}


# Documents that somebody wrote


def read(texts: Iterable[str]) -> Iterator[Document]:
    """The documents in texts that one of the schemas is for."""
    for text in texts:
        try:
            found = list(yaml.safe_load_all(text))
        except yaml.YAMLError:
            continue  # a template
        yield from (document for document in found if name_of(document))


def at_home(document: Document) -> Document:
    """The document in the namespace that is there."""
    moved = deepcopy(document)
    moved["metadata"].pop("namespace", None)
    return moved


def compare(found: list[Document], server: Ask, served: Callable[[str], None]) -> tuple[int, list[str]]:
    """How many documents both refuse, and what they say where they differ."""
    for name in {name_of(document) for document in found}:
        served(name)
    moved = [at_home(document) for document in found]
    said = [disagreement(document, server) for document in moved]
    return sum(schema.check(document, name_of(document)) != () for document in moved), [one for one in said if one]


def test_the_two_agree_on_the_jobs_of_this_repository(
    server: Ask, served: Callable[[str], None], repository: Path,
) -> None:
    found = list(read(file.read_text() for file in sorted(repository.glob("base/**/*.yaml"))))
    assert found
    assert compare(found, server, served) == (0, [])


def test_the_two_agree_on_the_jobs_of_others(server: Ask, served: Callable[[str], None], shared: Path) -> None:
    found = list(read(file.read_text() for file in sorted((shared / "corpus").rglob("*.yaml"))))
    refused, differ = compare(found, server, served)
    assert differ == []
    assert 0 < refused < len(found) - 40


def test_the_two_agree_on_the_examples_of_the_rules(server: Ask, served: Callable[[str], None]) -> None:
    found = list(read(example(rule, which) for rule in CATALOG.rules.values() for which in ("Bad", "Good")))
    refused, differ = compare(found, server, served)
    assert differ == []
    assert refused < len(found) - 100


# Documents that nobody wrote

DRAWS = settings(max_examples=40, suppress_health_check=list(HealthCheck), database=None)


@pytest.mark.parametrize("name", OBJECTS)
@given(st.data())
@DRAWS
def test_the_two_agree_on_documents_made_from_the_schema(
    server: Ask, served: Callable[[str], None], name: str, data: st.DataObject,
) -> None:
    served(name)
    document = data.draw(documents(name))
    document["metadata"] = {"name": "a"}
    document.pop("status", None)
    assert schema.check(document, name) == ()
    assert server(document) == ""


# What is no matter of fields


@pytest.mark.parametrize("version", sorted(mpijob.LEGACY))
def test_an_older_api_has_no_address(server: Ask, version: str) -> None:
    assert server({"apiVersion": version, "kind": "MPIJob", "metadata": {"name": "a"}, "spec": {}}).startswith("404 ")


READ = ("1", "500m", "1.5Gi", "2e3", "2E-3", ".5", "5.", "+1k", "-1", "10u", "3Ei", "0", "1E", "0e99", "1e3", "-.5e-3")
UNREAD = ("", "1e1.5", "1e.5", "-2E+.5", "1 Gi", "1GB", "500mi", "1,5", "0x10", "1_000", "1e")


@pytest.mark.parametrize("text", [*READ, *UNREAD])
def test_a_quantity_is_one_to_gangform_when_it_is_one_in_a_pod(server: Ask, text: str) -> None:
    container = {"name": "a", "image": "a", "resources": {"limits": {"memory": text}}}
    refused = server({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [container]}})
    if text in READ:
        Quantity.parse(text)
        assert refused == "" or "must be greater than or equal to 0" in refused
    else:
        with pytest.raises(ValueError, match="no quantity"):
            Quantity.parse(text)
        assert "quantities must match the regular expression" in refused or "unable to parse quantity" in refused
