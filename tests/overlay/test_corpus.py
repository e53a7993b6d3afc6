"""Jobs that real repositories hold, marked by the real kustomize."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from gangform.catalog import BACKENDS
from gangform.overlay.layout import lay_out
from gangform.overlay.marks import apply
from gangform.schema import check, prune

SCHEMA = "kubeflow.org/mpijob_v2beta1"


def read_jobs(folder: Path) -> list[dict[str, Any]]:
    """Read the sound MPIJobs, each into a namespace of its own: many bear the same name."""
    jobs = []
    for path in sorted(folder.glob("*.yaml")):
        try:
            documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        except yaml.YAMLError:
            continue
        for data in documents:
            if isinstance(data, dict) and (data.get("apiVersion"), data.get("kind")) == (
                    "kubeflow.org/v2beta1", "MPIJob") and not list(check(data, SCHEMA, {})):
                data["metadata"]["namespace"] = f"n{len(jobs)}"
                jobs.append(prune(data))
    return jobs


@pytest.mark.tools
@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_but_the_marks_changes_in_real_jobs(shared, planned, build, placed, backend):
    jobs = [planned(data, backend) for data in read_jobs(shared / "corpus") if data["metadata"].get("name")]
    assert len(jobs) > 30
    source = {f"base/{number}.yaml": yaml.safe_dump(each.data) for number, each in enumerate(jobs)}
    source["base/kustomization.yaml"] = yaml.safe_dump({"resources": sorted(name[5:] for name in source)})
    over = placed("over", lay_out(jobs, "kustomization", source="../base"))
    built = {data["metadata"]["namespace"]: data for data in build(source | over, "over") if data["kind"] == "MPIJob"}
    assert built == {each.workload.ref.namespace: apply(*each[:3]) for each in jobs}
