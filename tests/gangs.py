"""A marked job and its group as data, and what the rules say about them."""

import json
from collections.abc import Mapping
from typing import Any

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.model.finding import Finding
from gangform.model.pointer import render
from gangform.provenance import locate_written
from gangform.settings import Cluster
from gangform.text import reading

Data = dict[str, Any]

ASKED = {"cpu": "1", "memory": "2Gi"}
QUEUED = {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "research"}}}


def group(backend: str, members: int | None = 3, **spec: Any) -> Data:
    """A PodGroup called pi."""
    api_version, kind = CATALOG.backends[backend].GROUP_API
    size = {} if members is None else {"minMember": members}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "pi"}, "spec": {**size, **spec}}


def pod(backend: str = "", requests: Mapping[str, Any] | None = ASKED, **spec: Any) -> Data:
    """A pod template, marked for group pi of a backend."""
    container: Data = {"name": "main", "image": "mpi"}
    if requests is not None:
        exact = {name: amount for name, amount in requests.items() if "/" in name or name.startswith("hugepages-")}
        container["resources"] = {"requests": dict(requests)} | ({"limits": exact} if exact else {})
    template: Data = {"spec": {"containers": [container], **spec}}
    if backend:
        mark = CATALOG.backends[backend].MARK
        template["metadata"] = {mark.holder: {mark.key: "pi"}}
        template["spec"]["schedulerName"] = min(CATALOG.backends[backend].SCHEDULER_NAMES)
    return template


def job(
    backend: str = "", *, launcher: Data | None = None, worker: Data | None = None, workers: int = 2,
    run: Data | None = None, more: Data | None = None, **spec: Any,
) -> Data:
    """An MPIJob called pi: one Launcher and two Workers unless said; ``more`` is merged into the top."""
    data: Data = {
        "apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "pi"},
        "spec": {
            "runPolicy": {"cleanPodPolicy": "Running", **(run or {})},
            "mpiReplicaSpecs": {
                "Launcher": {"template": launcher or pod(backend)},
                "Worker": {"replicas": workers, "template": worker or pod(backend)},
            },
            **spec,
        },
    }
    for key, value in (more or {}).items():
        data[key] = {**data.get(key, {}), **value}
    return data


def judge(*objects: Data, cluster: Cluster | None = None) -> list[Finding]:
    """All that the schemas, the kinds and the rules say, in the order in which they say it."""
    read = reading.read("gang.yaml", "\n---\n".join(json.dumps(data) for data in objects))
    assert not read.findings
    inspection = pipeline.inspect(read.documents, CATALOG)
    scene = pipeline.assemble(inspection, CATALOG, whole=True, cluster=cluster)
    statements = (*inspection.statements, *pipeline.judge(inspection, scene, CATALOG))
    return list(pipeline.settle(statements, locate_written))


def said(*objects: Data, cluster: Cluster | None = None) -> list[tuple[str, str, str]]:
    """Rule, severity and pointer of all that is said, rules that are off left out."""
    findings = judge(*objects, cluster=cluster)
    return [(finding.rule, finding.severity.word, finding.location.pointer) for finding in findings
            if finding.rule not in CATALOG.off]


def message(rule: str, *objects: Data, cluster: Cluster | None = None) -> str:
    """The one message of a rule."""
    (found,) = [finding for finding in judge(*objects, cluster=cluster) if finding.rule == rule]
    return found.message


def edits(rule: str, *objects: Data) -> list[tuple[str, Any]]:
    """Pointer and value of each safe mend that a rule offers."""
    return [(render(finding.edit.pointer), finding.edit.value) for finding in judge(*objects)
            if finding.rule == rule and finding.edit is not None]


def at(versions: Mapping[str, str], backend: str = "volcano") -> Cluster:
    """A cluster of these versions."""
    return Cluster("test", backend, versions=versions)

