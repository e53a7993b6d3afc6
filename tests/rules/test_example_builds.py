"""The examples that show what kustomize makes of a source are what kustomize makes of one."""

import subprocess
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from examples import example
from gangform.catalog import CATALOG

Document = dict[str, Any]

ROLES = ("Launcher", "Worker")
MARK = "scheduling.x-k8s.io/pod-group"
REFERENCES = {"nameReference": [{"kind": "PodGroup", "group": "scheduling.x-k8s.io", "fieldSpecs": [
    {"group": "kubeflow.org", "kind": "MPIJob",
     "path": f"spec/mpiReplicaSpecs/{role}/template/metadata/labels/" + MARK.replace("/", r"\/")} for role in ROLES]}]}


def unprefixed(document: Document) -> None:
    document["metadata"]["name"] = "pi"
    for role in ROLES if document["kind"] == "MPIJob" else ():
        document["spec"]["mpiReplicaSpecs"][role]["template"]["metadata"]["labels"][MARK] = "pi"


def unlabelled(document: Document) -> None:
    document["metadata"].pop("labels", None)


def of_four_workers(document: Document) -> None:
    if document["kind"] == "MPIJob":
        document["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] = 4
    else:
        document["spec"]["minMember"] = 5


def with_an_image(document: Document) -> None:
    document["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"] = [{"name": "main", "image": "mpi"}]


SOURCES: dict[str, Callable[[Document], None]] = {
    "kustomize-rename-breaks-ref": unprefixed, "labels-include-templates-inert": unlabelled,
    "replicas-vs-min-member-drift": of_four_workers, "strategic-merge-replaces-list": with_an_image,
}
"""How the source of an example differs from what is built of it."""


def build(kustomize: str, folder: Path, objects: list[Document], kustomization: Document) -> list[Document]:
    """Write the sources where the kustomization looks for them, and build it."""
    (folder / "base").mkdir()
    (folder / "dev").mkdir()
    names = {"MPIJob": "pi.yaml", "PodGroup": "group.yaml"}
    for place in ("base", "dev"):
        for document in objects:
            (folder / place / names[document["kind"]]).write_text(yaml.safe_dump(document))
    (folder / "base" / "kustomization.yaml").write_text(yaml.safe_dump({"resources": [names[d["kind"]] for d in objects]}))
    (folder / "dev" / "references.yaml").write_text(yaml.safe_dump(REFERENCES))
    (folder / "dev" / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    done = subprocess.run([kustomize, "build", folder / "dev"], capture_output=True, text=True, check=True)
    return list(yaml.safe_load_all(done.stdout))


def test_every_error_that_shows_a_build_is_built() -> None:
    shown = {name for name, rule in CATALOG.rules.items()
             if rule.SEVERITY.word == "error" and "kind: Kustomization" in example(rule, "Bad")}
    assert shown == SOURCES.keys()


@pytest.mark.tools
@pytest.mark.parametrize("which", ["Bad", "Good"])
@pytest.mark.parametrize("rule", sorted(SOURCES))
def test_the_objects_of_an_example_are_what_is_built(kustomize: str, tmp_path: Path, rule: str, which: str) -> None:
    *objects, kustomization = yaml.safe_load_all(example(CATALOG.rules[rule], which))
    sources = deepcopy(objects)
    for document in sources:
        SOURCES[rule](document)
    made = build(kustomize, tmp_path, sources, kustomization)
    if rule == "labels-include-templates-inert":
        made = [document for document in made if document["kind"] == "MPIJob"]  # the group is labelled, too
        objects = [document for document in objects if document["kind"] == "MPIJob"]
    assert sorted(made, key=lambda one: one["kind"]) == sorted(objects, key=lambda one: one["kind"])
