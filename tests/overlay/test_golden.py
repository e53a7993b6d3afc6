"""Golden overlays: ``tests/golden/<case>/`` holds gangform.yaml, the source it names and the expected overlay.

``--bless`` rewrites the expected files and prints what changed. The real kustomize judges them too.
"""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gangform.compare import compare, unified
from gangform.overlay.layout import lay_out

CASES = sorted(path.parent for path in (Path(__file__).parents[1] / "golden").glob("*/gangform.yaml"))
MARKS = {"coscheduling": ("labels", "scheduling.x-k8s.io/pod-group"),
         "volcano": ("annotations", "scheduling.k8s.io/group-name")}

golden = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


class Case:
    """What a case's gangform.yaml says."""

    def __init__(self, folder: Path) -> None:
        settings = yaml.safe_load((folder / "gangform.yaml").read_text(encoding="utf-8"))
        (overlay,) = settings["overlays"]
        self.cluster = settings["clusters"][overlay["cluster"]]
        self.backend, self.groups = self.cluster["backend"], self.cluster.get("groups", "git")
        self.layout = overlay.get("layout", "kustomization")
        self.source, self.path = folder / overlay["source"], folder / overlay["path"]
        # A component does not build alone; the overlay that lists it does.
        self.built = self.source if self.layout == "component" else self.path

    def render(self, objects: list[dict[str, Any]], planned) -> dict[str, str]:
        jobs = [data for data in objects if data["kind"] == "MPIJob"]
        others = [data for data in objects if data["kind"] != "MPIJob"]
        options = self.cluster.get("options", {})
        plans = [planned(data, self.backend, self.groups, others, **options) for data in jobs]
        assert not [each.adoption.conflicts for each in plans if each.adoption.conflicts]
        return dict(lay_out(plans, self.layout, source="../input", others=others))


def read(folder: Path) -> list[dict[str, Any]]:
    """Read a source as a component in it would meet it: patched, not renamed; kustomize judges this below."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))
    objects: list[dict[str, Any]] = []
    for name in kustomization["resources"]:
        path = folder / name
        objects += read(path) if path.is_dir() else yaml.safe_load_all(path.read_text(encoding="utf-8"))
    for entry in kustomization.get("patches", ()):
        patch = yaml.safe_load((folder / entry["path"]).read_text(encoding="utf-8"))
        (target,) = [data for data in objects if data["metadata"] == patch["metadata"]]
        merge(target, patch)
    return objects


def merge(data: dict[str, Any], patch: dict[str, Any]) -> None:
    for key, value in patch.items():
        if isinstance(value, dict):
            merge(data[key], value)
        else:
            data[key] = value


def build(kustomize: str, folder: Path) -> list[dict[str, Any]]:
    done = subprocess.run([kustomize, "build", str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def on_disk(folder: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().decode() for path in sorted(folder.glob("*"))}


@golden
def test_an_overlay_is_rendered_as_expected(case: Path, planned, request, capsys):
    told = Case(case)
    tree = told.render(read(told.source), planned)
    changes = compare(on_disk(told.path), tree)
    diff = "".join(unified(change, f"{case.name}/expected") for change in changes)
    if request.config.getoption("--bless"):
        told.path.mkdir(exist_ok=True)
        for change in changes:
            (told.path / change.path).unlink(missing_ok=True)
            if change.after is not None:
                (told.path / change.path).write_text(change.after, encoding="utf-8", newline="")
        with capsys.disabled():
            sys.stdout.write(diff)
    assert on_disk(told.path) == tree, diff


@golden
def test_the_order_of_the_input_and_a_second_run_change_no_byte(case: Path, planned):
    told = Case(case)
    first = told.render(read(told.source), planned)
    for seed in range(5):
        objects = read(told.source)
        random.Random(seed).shuffle(objects)
        again = told.render(objects, planned)
        assert list(again.items()) == list(first.items())


@pytest.mark.tools
@golden
def test_kustomize_builds_gangs_from_the_expected_overlay(case: Path, kustomize):
    told = Case(case)
    built = build(kustomize, told.built)
    holder, key = MARKS[told.backend]
    groups = {(data["metadata"].get("namespace"), data["metadata"]["name"]): data["spec"]
              for data in built if data["kind"] == "PodGroup"}
    jobs = [data for data in built if data["kind"] == "MPIJob"]
    for data in jobs:
        place = (data["metadata"].get("namespace"), data["metadata"]["name"])
        assert told.groups == "operator" or groups[place]["minMember"] == gang(data["spec"])
        for role in data["spec"]["mpiReplicaSpecs"].values():
            metadata, spec = role["template"]["metadata"], role["template"]["spec"]
            assert metadata[holder][key] == place[1]
            assert spec["schedulerName"] not in ("", "default-scheduler")
            assert spec["containers"][0]["image"]
            assert not any(other in metadata.get(where, {}) for name, (where, other) in MARKS.items()
                           if name != told.backend)
    assert jobs
    assert len(groups) == (0 if told.groups == "operator" else len(jobs))


def gang(spec: dict[str, Any]) -> int:
    """The pods that must start together, worked out anew."""
    asked = spec.get("runPolicy", {}).get("schedulingPolicy", {}).get("minAvailable")
    workers = spec["mpiReplicaSpecs"].get("Worker", {}).get("replicas", 0)
    waits = spec.get("launcherCreationPolicy") == "WaitForWorkersReady"
    return int(asked or (workers if waits else workers + 1))


@pytest.mark.tools
@golden
def test_kubeconform_accepts_what_is_built(case: Path, kustomize, kubeconform, repository, tmp_path):
    ours = [data for data in build(kustomize, Case(case).built) if data["kind"] in ("MPIJob", "PodGroup")]
    (tmp_path / "built.yaml").write_text(yaml.safe_dump_all(ours), encoding="utf-8")
    schemas = f"{repository}/schemas/{{{{.Group}}}}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json"
    done = subprocess.run(
        [kubeconform, "-strict", "-summary", "-output", "json", "-schema-location", schemas, str(tmp_path / "built.yaml")],
        capture_output=True, text=True, check=False)
    said = json.loads(done.stdout)
    assert (done.returncode, said["summary"]["valid"]) == (0, len(ours)), said


@pytest.mark.tools
@golden
def test_the_overlay_takes_nothing_away_from_its_source(case: Path, kustomize):
    told = Case(case)
    objects = {(data["kind"], data["metadata"]["name"].removeprefix("dev-"), data["metadata"].get("namespace"))
               for data in build(kustomize, told.built)}
    if told.layout == "component":
        assert ("MPIJob", "pi", "hpc") in objects
    else:
        assert objects >= {(data["kind"], data["metadata"]["name"], data["metadata"].get("namespace"))
                           for data in build(kustomize, told.source)}
