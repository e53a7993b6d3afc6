"""Jobs inside other objects: checked for their own shape, at their own lines, and apart from the scene."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.model.finding import Finding, Severity
from gangform.text import reading
from repository import job, look, told
from scenes import judge

Repo = Callable[[dict[str, str]], Path]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(tmp_path)

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def config_map(text: str, header: str = "|") -> str:
    return (f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: jobs}}\ndata:\n  job.yaml: {header}\n"
            + textwrap.indent(text, "    "))


def rules(findings: list[Finding]) -> list[tuple[str, int]]:
    return [(finding.rule, finding.location.line) for finding in findings if finding.severity > Severity.NOTE]


def notes(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings if finding.severity is Severity.NOTE]


def test_a_schema_error_in_a_held_job_is_told_at_its_line() -> None:
    text = config_map(job().replace("replicas: 4", "replica: 4"))
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "replica:" in line)
    assert ("unknown-field", line) in rules(judge(text))


def test_a_gang_that_a_held_job_asks_for_and_cannot_have_is_told_at_its_line() -> None:
    text = config_map(job().replace("  runPolicy:\n", "  runPolicy:\n    schedulingPolicy: {minAvailable: 9}\n"))
    assert rules(judge(text)) == [("min-member-exceeds-pods", 12)]


def test_a_held_job_of_an_old_api_is_told_at_its_line() -> None:
    text = config_map(job().replace("v2beta1", "v1alpha2"))
    assert rules(judge(text)) == [("api-version-unsupported", 6)]


@pytest.mark.parametrize("name", ["JOB_NAME_PLACEHOLDER", "mpi-{{workflow.name}}", "$NAME", "${NAME}-x"])
def test_a_name_that_is_filled_in_at_run_time_is_no_fault(name: str) -> None:
    assert rules(judge(config_map(job(name)))) == []
    assert rules(judge(config_map(job().replace("metadata:\n  name: pi\n", "")))) == []


def test_a_name_that_is_written_out_is_checked() -> None:
    assert rules(judge(config_map(job("x" * 60)))) == [("job-name-too-long", 9)]


def test_a_job_that_is_made_at_run_time_is_noted_on_its_holder() -> None:
    both = config_map(job("one") + "---\n" + job("two"))
    third = "  third.yaml: |\n" + textwrap.indent(job("three"), "    ")
    findings = [finding for finding in judge(both + third) if finding.rule == "runtime-job-unmarked"]
    assert [(finding.subject.kind, finding.location.line) for finding in findings if finding.subject] == [
        ("ConfigMap", 5), ("ConfigMap", both.count("\n") + 1)]
    assert "one and MPIJob two in this ConfigMap are" in findings[0].message
    assert "three in this ConfigMap is" in findings[1].message


def test_a_held_job_that_bears_a_mark_is_not_noted_and_needs_no_group_at_hand() -> None:
    marked = job().replace("        spec:\n", (
        "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
        "        spec:\n          schedulerName: scheduler-plugins-scheduler\n"))
    findings = judge(config_map(marked))
    assert rules(findings) == []
    assert "runtime-job-unmarked" not in notes(findings)


def test_a_group_that_only_a_held_job_names_is_no_orphan() -> None:
    group = "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: pi}\nspec: {minMember: 5}\n---\n"
    marked = job().replace("        spec:\n", (
        "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
        "        spec:\n          schedulerName: scheduler-plugins-scheduler\n"))
    assert rules(judge(group + config_map(marked))) == []
    assert rules(judge(group + config_map(job()))) == [("pod-group-orphan", 3)]


@pytest.mark.parametrize("workers", ["{{workflow.parameters.n}}", '"{{workflow.parameters.n}}"', "$WORKERS", "$$N"])
def test_a_templated_number_makes_a_note_that_is_counted(repo: Repo, workers: str) -> None:
    repo({"jobs.yaml": config_map(job(workers=workers))})
    outcome = look()
    assert "templated" in notes(list(outcome.findings))
    assert rules(list(outcome.findings)) == []
    assert (outcome.counts.jobs, outcome.counts.templated) == (1, 1)


def test_held_jobs_are_no_objects_of_their_own() -> None:
    documents = reading.read("x.yaml", config_map(job())).documents
    inspection = pipeline.inspect(documents, CATALOG, embedded=True)
    assert inspection.jobs == ()
    assert [item.subject.holder for item in inspection.held] == [inspection.objects[0].subject.ref]
    assert pipeline.inspect(documents, CATALOG).held == ()


def test_a_fault_of_a_held_job_is_told_once_and_in_the_authors_file_when_built(repo: Repo, kustomize: str) -> None:
    bad = job().replace("  runPolicy:\n", "  runPolicy:\n    schedulingPolicy: {minAvailable: 9}\n")
    repo({
        "base/jobs.yaml": config_map(bad), "base/kustomization.yaml": "resources: [jobs.yaml]\n",
        "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\n",
    })
    outcome = look()
    faults = [place for place, finding in zip(told(outcome), outcome.findings, strict=True)
              if finding.severity is Severity.ERROR]
    assert faults == [("min-member-exceeds-pods", "base/jobs.yaml", 12)]
    assert told(outcome).count(("runtime-job-unmarked", "base/jobs.yaml", 5)) == 1


def test_a_fault_of_a_held_job_in_a_patch_is_told_at_the_patch(repo: Repo, kustomize: str) -> None:
    bad = job().replace("  runPolicy:\n", "  runPolicy:\n    schedulingPolicy: {minAvailable: 9}\n")
    repo({
        "base/jobs.yaml": config_map(job()), "base/kustomization.yaml": "resources: [jobs.yaml]\n",
        "dev/kustomization.yaml": "resources: [../base]\npatches: [{path: jobs.yaml}]\n",
        "dev/jobs.yaml": config_map(bad),
    })
    outcome = look()
    faults = [place for place, finding in zip(told(outcome), outcome.findings, strict=True)
              if finding.severity is Severity.ERROR]
    assert faults == [("min-member-exceeds-pods", "dev/jobs.yaml", 5)]


def test_real_workflows_and_trials_hold_no_false_alarm(shared: Path) -> None:
    outcome = look(str(shared / "corpus" / "embedded"))
    assert {finding.rule for finding in outcome.findings if finding.severity > Severity.NOTE} == {
        "api-version-unsupported"}
    assert (outcome.counts.jobs, outcome.counts.templated) == (13, 4)


@pytest.mark.parametrize(("rule", "text"), [
    ("argo-tracking-in-template", job().replace("        spec:\n", (
        "        metadata: {annotations: {argocd.argoproj.io/tracking-id: x}}\n        spec:\n"))),
    ("quantity-needs-quotes", job().replace('cpu: "8"', "cpu: 0.5")),
])
def test_nothing_inside_another_text_is_offered_as_an_edit(rule: str, text: str) -> None:
    def edits(whole: str) -> list[bool]:
        return [finding.edit is not None for finding in judge(whole) if finding.rule == rule]

    assert edits(text)
    assert all(edits(text))
    assert not any(edits(config_map(text)))
