"""Whatever job is sound: its overlay builds, forms the gang that the job asks for, and changes nothing else.

The invariants are worked out here from the built objects and the drawn jobs, with none of gangform's own sizing.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gangform import schema
from gangform.catalog import BACKENDS
from gangform.kinds import mpijob
from gangform.model.finding import Severity
from gangform.settings import Layout, Settings, Target
from gangform.text import reading
from gangform.workflows import configuration
from gangform.workflows.check import check
from gangform.workflows.outcome import Outcome
from gangform.workflows.render import render
from repository import quiet
from strategies import jobs

# A batch is big and every example builds: one that fails is shown as it is, shrinking it would take minutes.
BATCHES = settings(max_examples=4, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
SETTINGS = Settings()

Job = dict[str, Any]


class Scheduler(NamedTuple):
    """What a scheduler reads, as its own documentation says."""

    api: str
    holder: str
    mark: str
    name: str


SCHEDULERS = {
    "coscheduling": Scheduler("scheduling.x-k8s.io/v1alpha1", "labels", "scheduling.x-k8s.io/pod-group",
                              "scheduler-plugins-scheduler"),
    "volcano": Scheduler("scheduling.volcano.sh/v1beta1", "annotations", "scheduling.k8s.io/group-name", "volcano"),
}


def key(data: Mapping[str, Any]) -> tuple[str, str]:
    """Namespace and name; an object without a namespace is one of ``default``, as kustomize has it."""
    return data["metadata"].get("namespace") or "default", data["metadata"]["name"]


def is_sound(job: Job) -> bool:
    return not schema.check(job, mpijob.SCHEMA) and not list(mpijob.check(schema.prune(job)))


def batches() -> st.SearchStrategy[list[Job]]:
    """Jobs that can live in one cluster."""
    return st.lists(jobs(), min_size=10, max_size=20, unique_by=key)


def roles(job: Job) -> dict[str, Job]:
    """The replica specs by role, nulls left out."""
    found: dict[str, Job] = schema.prune(job)["spec"]["mpiReplicaSpecs"]
    return found


def pods_together(job: Job) -> int:
    """Count the pods that exist at the same time before the job has begun."""
    workers = int(roles(job)["Worker"]["replicas"]) if "Worker" in roles(job) else 0
    waits = workers > 0 and job["spec"].get("launcherCreationPolicy") == "WaitForWorkersReady"
    return workers if waits else workers + 1


def wanted_members(job: Job) -> int:
    policy = (job["spec"].get("runPolicy") or {}).get("schedulingPolicy") or {}
    return policy.get("minAvailable") or pods_together(job)


def without_marks(job: Job) -> Job:
    """A copy without what an overlay may set, and without the maps that hold nothing else."""
    bare: Job = json.loads(json.dumps(schema.prune(job)))
    for replica_spec in bare["spec"]["mpiReplicaSpecs"].values():
        template = replica_spec["template"]
        template["spec"].pop("schedulerName", None)
        metadata = template.get("metadata", {})
        for scheduler in SCHEDULERS.values():
            metadata.get(scheduler.holder, {}).pop(scheduler.mark, None)
            if not metadata.get(scheduler.holder, True):
                del metadata[scheduler.holder]
        if not metadata:
            template.pop("metadata", None)
    return bare


def write_source(documents: Sequence[Job], layout: Layout, *, one_file: bool) -> None:
    Path("base").mkdir()
    texts = [json.dumps(data, ensure_ascii=False) + "\n" for data in documents]
    files = {"all.yaml": "---\n".join(texts)} if one_file else {f"{number}.json": text for number, text in enumerate(texts)}
    for name, text in files.items():
        Path("base", name).write_text(text, encoding="utf-8")
    Path("base/kustomization.yaml").write_text(json.dumps({"resources": list(files)}))
    if layout == "component":
        Path("team").mkdir()
        Path("team/kustomization.yaml").write_text(json.dumps({"resources": ["../base"], "components": ["gang"]}))


def target(backend: str, layout: Layout) -> Target:
    cluster = configuration.select(SETTINGS, None, backend, {})
    assert cluster is not None
    return Target(cluster, *(("team", "team/gang") if layout == "component" else ("base", "out")), layout)


def errors(outcome: Outcome) -> list[tuple[str, str]]:
    return [(finding.rule, finding.message) for finding in outcome.findings if finding.severity is Severity.ERROR]


def render_here(backend: str, layout: Layout) -> dict[str, bytes]:
    where = target(backend, layout)
    rendered = render([where], SETTINGS, write=True, enlist=False, progress=quiet)
    assert errors(rendered.outcome) == []
    assert rendered.written
    return {path.name: path.read_bytes() for path in Path(where.path).iterdir()}


def build(kustomize: str, folder: str) -> list[Job]:
    done = subprocess.run([kustomize, "build", folder], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [document.data for document in reading.read("built", done.stdout).documents]


def assert_gangs(built: Sequence[Job], drawn: Sequence[Job], backend: str) -> None:
    """Every job has the gang that it asks for, whole, under its own name, and for itself alone."""
    scheduler = SCHEDULERS[backend]
    groups = {key(data): data for data in built if data["kind"] == "PodGroup"}
    assert {data["apiVersion"] for data in groups.values()} == {scheduler.api}
    wanted = {key(job): job for job in drawn}
    used: Counter[tuple[str, str]] = Counter()
    for job in (data for data in built if data["kind"] == "MPIJob"):
        namespace, name = key(job)
        named = set()
        for replica_spec in roles(job).values():
            template = replica_spec["template"]
            named.add(template["metadata"][scheduler.holder][scheduler.mark])
            assert template["spec"]["schedulerName"] == scheduler.name
            assert not {other.mark for other in SCHEDULERS.values() if other != scheduler} & {
                mark for holder in ("labels", "annotations") for mark in template["metadata"].get(holder, {})}
        assert named == {name}
        group = groups[namespace, name]
        used[namespace, name] += 1
        assert group["spec"]["minMember"] == wanted_members(wanted[namespace, name])
        assert 1 <= group["spec"]["minMember"] <= pods_together(job)
        assert group["metadata"].get("namespace") == job["metadata"].get("namespace")
    assert used == dict.fromkeys(groups, 1)


@pytest.mark.tools
@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layout", ["kustomization", "component", "rendered"])
@given(st.data())
@BATCHES
def test_sound_jobs_become_gangs_and_stay_themselves(
    kustomize: str, kubeconform: str, backend: str, layout: Layout, data: st.DataObject
) -> None:
    drawn = data.draw(batches())
    assert [job for job in drawn if not is_sound(job)] == []
    with TemporaryDirectory() as folder, chdir(folder):
        write_source(drawn, layout, one_file=False)
        first = render_here(backend, layout)
        built = build(kustomize, target(backend, layout).source if layout == "component" else "out")
        checked = check([target(backend, layout)], SETTINGS, kubeconform="require", progress=quiet)
    assert_gangs(built, drawn, backend)
    after = {key(job): without_marks(job) for job in built if job["kind"] == "MPIJob"}
    assert after == {key(job): without_marks(job) for job in drawn}
    assert errors(checked.outcome) == []
    assert (checked.overlays, checked.schema_checked) == ((), 2 * len(drawn))
    with TemporaryDirectory() as folder, chdir(folder):
        write_source(data.draw(st.permutations(drawn)), layout, one_file=True)
        assert render_here(backend, layout) == first
