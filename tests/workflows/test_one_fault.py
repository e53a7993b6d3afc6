"""One fault is told once, at the place where it is mended."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.cli.main import main
from gangform.model.finding import Severity
from gangform.settings import Settings, Target
from gangform.workflows import configuration
from gangform.workflows.render import render
from repository import job, look, place, quiet

Repo = Callable[[dict[str, str]], Path]
ONE = "resources: [pi.yaml]\n"
MARKED = job().replace("        spec:\n", """\
        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}
        spec:
          schedulerName: scheduler-plugins-scheduler
""")


def errors(outcome) -> list[tuple[str, str, int]]:
    return [place(finding) for finding in outcome.findings if finding.severity is Severity.ERROR]


def test_a_group_with_a_fault_is_not_also_called_missing(repo: Repo) -> None:
    repo({"base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\n", "base/pi.yaml": MARKED, "base/group.yaml": """\
        apiVersion: scheduling.x-k8s.io/v1alpha1
        kind: PodGroup
        metadata: {name: pi}
        spec: {minMember: 5, minMembers: 5}
        """})
    assert errors(look("base")) == [("unknown-field", "base/group.yaml", 4)]


def test_a_group_that_is_not_there_is_called_missing(repo: Repo) -> None:
    repo({"base/kustomization.yaml": ONE, "base/pi.yaml": MARKED})
    assert [rule for rule, _, _ in errors(look("base"))] == ["pod-group-missing"]


def test_a_value_that_the_group_cannot_hold_is_told_at_the_jobs_own_line(repo: Repo) -> None:
    root = repo({"base/kustomization.yaml": ONE, "base/pi.yaml": job().replace(
        "  runPolicy:\n", "  runPolicy:\n    schedulingPolicy:\n      queue: no~queue\n")})
    cluster = configuration.select(Settings(), None, "volcano", {})
    assert cluster is not None
    rendered = render([Target(cluster, "base", "out", "kustomization")], Settings(), write=True, enlist=False, progress=quiet)
    assert errors(rendered.outcome) == [("invalid-value", "base/pi.yaml", 8)]
    assert not (root / "out").exists()


def test_a_broken_file_of_a_build_is_told_whatever_it_holds(repo: Repo) -> None:
    repo({"base/kustomization.yaml": "resources: [pi.yaml, other.yaml]\n", "base/pi.yaml": job(), "base/other.yaml": "a: [\n",
          "loose/other.yaml": "a: [\n"})
    assert errors(look("base")) == [("yaml-syntax", "base/other.yaml", 1)]
    assert errors(look("loose")) == []


def test_a_plan_of_one_file_takes_it_for_no_build(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo({"pi.yaml": MARKED})
    assert main(["plan", "pi.yaml", "--backend", "coscheduling"]) == 0
    assert "build" not in capsys.readouterr().out
    repo({"pi.yaml": job(workers=0)})
    assert main(["plan", "pi.yaml", "--backend", "coscheduling"]) == 1
    assert "build" not in capsys.readouterr().out
