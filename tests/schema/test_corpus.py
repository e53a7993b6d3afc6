"""Real manifests: what the index calls a mistake is found, null fields pass, kubeconform agrees."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gangform import schema
from gangform.model.pointer import render

JOB = "kubeflow.org/mpijob_v2beta1"


def jobs(file: Path) -> list[dict[str, Any]]:
    """The objects of a file that one of our schemas is for; none when it is no YAML."""
    try:
        documents = list(yaml.safe_load_all(file.read_text(encoding="utf-8")))
    except yaml.YAMLError:
        return []
    return [d for d in documents if isinstance(d, dict) and schema.name_of(str(d.get("apiVersion")), str(d.get("kind")))]


def name_of(data: dict[str, Any]) -> str:
    return str(schema.name_of(data["apiVersion"], data["kind"]))


@pytest.fixture(scope="module")
def marked(shared) -> dict[str, list[str]]:
    """File to the mistakes that the index names, in its own shorthand."""
    rows = re.findall(r"^\| (\S+\.yaml) \|.*?CRD: (.*?) \| yes \|$", (shared / "corpus/INDEX.md").read_text(), re.MULTILINE)
    return {file: mistakes.split(" / ") for file, mistakes in rows}


def expected(mistake: str) -> str:
    """The pointer that a mistake of the index is at."""
    place, what = mistake.split(": ", 1)
    place = re.sub(r"^(Launcher|Worker)", r"spec/mpiReplicaSpecs/\1", place).replace("/c/0/", "/template/spec/containers/0/")
    if place.endswith("nvidia.com/gpu"):
        place = place.removesuffix("nvidia.com/gpu") + "nvidia.com~1gpu"
    field = re.match(r"unknown field '(\w+)'", what)
    return f"/{place}/{field[1]}" if field else f"/{place}"


def test_the_mistakes_of_the_index_are_found_at_their_places(shared, marked) -> None:
    assert len(marked) >= 13
    for file, mistakes in marked.items():
        problems = [p for data in jobs(shared / "corpus" / file) for p in schema.check(data, name_of(data))]
        if [p.code for p in problems] == ["templated"]:
            assert "$" in problems[0].message, file
            continue
        places = {render(p.pointer[:-1] if p.code == "missing-field" else p.pointer) for p in problems}
        assert places >= {expected(m) for m in mistakes}, file


def test_files_without_a_mark_have_no_mistake_but_templates(shared, marked) -> None:
    seen = 0
    for file in sorted((shared / "corpus").glob("*.yaml")):
        for data in jobs(file):
            seen += 1
            codes = {p.code for p in schema.check(data, name_of(data))}
            assert file.name in marked or codes <= {"templated"}, file.name
    assert seen > 40


def test_null_fields_pass_as_on_the_server(shared) -> None:
    for file in ("kubeflow__mpi-operator__pi-intel.yaml", "kubernetes-sigs__kueue__workload-priority-mpijob.yaml"):
        (data,) = jobs(shared / "corpus" / file)
        assert schema.prune(data) != data, "the file has null fields"
        assert schema.check(data, JOB) == ()


@pytest.mark.tools
def test_kubeconform_agrees_on_every_object(shared, judge) -> None:
    objects = [data for file in sorted((shared / "corpus").rglob("*.yaml")) for data in jobs(file)]
    pruned = [schema.prune(data) for data in objects]
    ours = [schema.check(data, name_of(data)) == () for data in pruned]
    assert judge(pruned) == ours
    assert True in ours
    assert False in ours
