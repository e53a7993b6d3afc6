"""Rules about what a real kustomize build makes of a job and its rendered group, told at the author's lines."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.catalog import BACKENDS
from gangform.settings import Cluster, Settings, Target, read_options
from gangform.workflows.render import render
from repository import job, look, quiet, told

POLICY = """\
  runPolicy:
    cleanPodPolicy: Running
    schedulingPolicy:
"""


@pytest.fixture
def rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kustomize: str) -> Callable[..., None]:
    """Write a base with job pi and render its overlay for a backend."""
    monkeypatch.chdir(tmp_path)

    def make(text: str, backend: str, **given: str) -> None:
        Path("base").mkdir()
        Path("base/pi.yaml").write_text(text, encoding="utf-8")
        Path("base/kustomization.yaml").write_text("resources: [pi.yaml]\n", encoding="utf-8")
        options, problems = read_options(given, BACKENDS[backend])
        assert not problems
        target = Target(Cluster("test", backend, options=options), "base", "overlay")
        render([target], Settings(), write=True, enlist=False, progress=quiet)

    return make


def of(prefix: str) -> list[tuple[str, str, int]]:
    """What the rules whose id begins so say of everything in the folder."""
    return [found for found in told(look()) if found[0].startswith(prefix)]


def asking(*lines: str) -> str:
    policy = POLICY + textwrap.indent("\n".join(lines) + "\n", " " * 6)
    return job().replace("  runPolicy:\n    cleanPodPolicy: Running\n", policy)


def test_a_timeout_of_the_policy_is_told_once_and_where_it_is_written(rendered: Callable[..., None]) -> None:
    rendered(asking("scheduleTimeoutSeconds: 3600"), "coscheduling")
    assert "scheduleTimeoutSeconds: 3600" in Path("overlay/pi.podgroup.yaml").read_text(encoding="utf-8")
    assert of("timeout-") == [("timeout-capped", "base/pi.yaml", 9)]


def test_a_resource_of_the_policy_is_told_at_its_own_line(rendered: Callable[..., None]) -> None:
    rendered(asking("minResources:", "  memory: 1Gi", "  requests.cpu: 99"), "coscheduling")
    assert ("min-resources-bad-key", "base/pi.yaml", 11) in of("min-resources-bad")
    assert {where[1:] for where in of("min-resources-bad")} == {("base/pi.yaml", 11)}
    assert of("min-resources-overcommit") == [("min-resources-overcommit", "base/pi.yaml", 10)]


def test_a_reservation_of_a_suspended_job_leads_to_the_policy_that_asks_for_it(rendered: Callable[..., None]) -> None:
    text = asking("minResources: {cpu: 33}").replace("runPolicy:\n", "runPolicy:\n    suspend: true\n")
    rendered(text, "volcano")
    assert of("suspend-leaks") == [("suspend-leaks-reservation", "base/pi.yaml", 10)]


@pytest.mark.parametrize("backend", sorted(BACKENDS))
@pytest.mark.parametrize("size", ["computed", "omitted"])
def test_what_is_rendered_from_a_sound_job_is_silent(
    rendered: Callable[..., None], backend: str, size: str
) -> None:
    rendered(job(), backend, **{"min-resources": size})
    assert told(look()) == []


@pytest.mark.parametrize(("backend", "severity"), [("coscheduling", "error"), ("volcano", "warning")])
def test_workers_that_a_patch_takes_away_leave_the_group_asking_too_much(
    rendered: Callable[..., None], backend: str, severity: str
) -> None:
    rendered(job(), backend, **{"min-resources": "computed"})
    Path("small").mkdir()
    Path("small/kustomization.yaml").write_text(textwrap.dedent("""\
        resources: [../overlay]
        patches:
        - target: {kind: MPIJob}
          patch: |-
            - {op: replace, path: /spec/mpiReplicaSpecs/Worker/replicas, value: 2}
        """), encoding="utf-8")
    found = [finding for finding in look().findings if finding.rule == "min-resources-overstated"]
    assert {finding.severity.word for finding in found} == {severity}
    assert {finding.builds for finding in found} == {("small",)}
    assert all("all pods of the job (1 Launcher + 2 Worker) ask for" in finding.message for finding in found)
