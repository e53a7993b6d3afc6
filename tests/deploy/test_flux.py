"""What deploy/flux gives to Flux: its shape, and its expressions evaluated.

The published schemas of Flux are not part of the repository; what is asserted here is the structure.
"""

import json
from collections.abc import Callable
from typing import Any

import celpy
import pytest

Deployed = Callable[[str], list[Any]]
FILES = ["git.yaml", "oci.yaml"]


def syncs(deployed: Deployed, name: str) -> list[dict[str, Any]]:
    return [data for data in deployed(f"flux/{name}") if data["kind"] == "Kustomization"]


@pytest.mark.parametrize("name", FILES)
def test_jobs_have_a_kustomization_that_waits_for_them(deployed: Deployed, name: str) -> None:
    [sync] = syncs(deployed, name)
    assert sync["apiVersion"] == "kustomize.toolkit.fluxcd.io/v1"
    spec = sync["spec"]
    # Expressions are evaluated only for what is waited for.
    assert (spec["wait"], spec["prune"]) == (True, True)
    assert {"interval", "timeout", "path", "sourceRef", "healthCheckExprs"} <= set(spec)
    # MPIJob has no immutable field, so this could not make a job anew.
    assert "force" not in spec


def test_the_artifact_is_what_the_kustomization_takes(deployed: Deployed) -> None:
    artifact, sync = deployed("flux/oci.yaml")
    assert artifact["apiVersion"] == "source.toolkit.fluxcd.io/v1"
    assert sync["spec"]["sourceRef"] == {"kind": artifact["kind"], "name": artifact["metadata"]["name"]}
    assert artifact["spec"]["url"].startswith("oci://")


def evaluate(expression: str, obj: dict[str, Any]) -> bool | None:
    """Evaluate as Flux does, over the object's fields; None where that is an error, which keeps Flux waiting."""
    program = celpy.Environment()
    try:
        answer = program.program(program.compile(expression)).evaluate(celpy.json_to_cel(obj))  # type: ignore[arg-type]
    except celpy.CELEvalError:
        return None
    return bool(answer)


def state(expressions: dict[str, str], obj: dict[str, Any]) -> str:
    """Mirrors fluxcd/pkg runtime/cel/status_evaluator.go: in progress, then failed, then current."""
    failed = evaluate(expressions["failed"], obj)
    if failed is None:
        return "waiting"
    if failed:
        return "failed"
    return "current" if evaluate(expressions["current"], obj) else "waiting"


def job(*conditions: tuple[str, str]) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": kind, "status": status} for kind, status in conditions]}}


@pytest.mark.parametrize(("obj", "wanted"), [
    ({"spec": {}}, "waiting"),
    ({"status": {}}, "waiting"),
    (job(("Created", "True")), "waiting"),
    (job(("Created", "True"), ("Running", "True")), "current"),
    (job(("Created", "True"), ("Running", "False"), ("Succeeded", "True")), "current"),
    (job(("Created", "True"), ("Running", "False"), ("Failed", "True")), "failed"),
    (job(("Created", "True"), ("Running", "False"), ("Restarting", "True")), "waiting"),
    (job(("Created", "True"), ("Suspended", "True"), ("Running", "False")), "waiting"),
    (job(("Created", "True"), ("Running", "True"), ("GangScheduled", "False")), "waiting"),
    (job(("Created", "True"), ("GangScheduled", "False"), ("Running", "True")), "waiting"),
    (job(("Created", "True"), ("GangScheduled", "True")), "waiting"),
    (job(("Created", "True"), ("Running", "True"), ("GangScheduled", "True")), "current"),
    (job(("Created", "True"), ("Running", "True"), ("GangScheduled", "Unknown")), "current"),
    (job(("Created", "True"), ("Running", "False"), ("Succeeded", "True"), ("GangScheduled", "False")), "current"),
    (job(("Created", "True"), ("Running", "False"), ("Failed", "True"), ("GangScheduled", "True")), "failed"),
])
@pytest.mark.parametrize("name", FILES)
def test_a_job_counts_as_ready_when_it_runs(
    deployed: Deployed, name: str, obj: dict[str, Any], wanted: str
) -> None:
    [expressions] = syncs(deployed, name)[0]["spec"]["healthCheckExprs"]
    assert (expressions["apiVersion"], expressions["kind"]) == ("kubeflow.org/v2beta1", "MPIJob")
    assert state(expressions, json.loads(json.dumps(obj))) == wanted
