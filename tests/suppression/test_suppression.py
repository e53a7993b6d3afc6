"""Annotations that exempt one object from one id, in files and in builds."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.selection import Selection
from gangform.settings import RulesAt, Settings
from gangform.workflows import configuration
from gangform.workflows.check import check
from gangform.workflows.outcome import Outcome
from gangform.workflows.render import render
from gangform.workflows.validate import validate
from repository import job, look, quiet, told

Repo = Callable[[dict[str, str]], Path]
RULE = "min-member-exceeds-pods"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(tmp_path)

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return tmp_path

    return write


def annotated(text: str, rule: str = RULE, reason: str = "a test of failure") -> str:
    return text.replace("spec:\n", f'  annotations:\n    ignore.gangform.dev/{rule}: "{reason}"\nspec:\n', 1)


def greedy(text: str | None = None, members: int = 9) -> str:
    return (text or job()).replace("  runPolicy:\n", f"  runPolicy:\n    schedulingPolicy: {{minAvailable: {members}}}\n")


def select(*paths: str, selection: Selection) -> Outcome:
    return validate(paths or (".",), Settings(), None, read_stdin=bytes, progress=quiet, selection=selection)


def suppressed(outcome: Outcome) -> list[tuple[str, str, int, str]]:
    return [(one.finding.rule, one.finding.location.path, one.finding.location.line, one.reason)
            for one in outcome.suppressed]


def test_an_annotation_exempts_its_object_and_keeps_the_reason(repo: Repo) -> None:
    repo({"a/pi.yaml": annotated(greedy()), "b/pi.yaml": greedy()})
    outcome = look()
    assert told(outcome) == [(RULE, "b/pi.yaml", 7)]
    assert suppressed(outcome) == [(RULE, "a/pi.yaml", 9, "a test of failure")]


def test_an_annotation_exempts_from_its_own_id_only(repo: Repo) -> None:
    repo({"pi.yaml": annotated(greedy(), "wait-for-workers-deadlock")})
    assert told(look()) == [("ignore-unused", "pi.yaml", 6), (RULE, "pi.yaml", 9)]


@pytest.mark.parametrize("rule", [RULE, "worker-replicas", "wait-for-workers-deadlock"])
def test_an_annotation_that_exempts_from_nothing_is_reported(repo: Repo, rule: str) -> None:
    repo({"pi.yaml": annotated(job(), rule)})
    assert told(look()) == [("ignore-unused", "pi.yaml", 6)]


def test_an_annotation_is_not_called_unused_where_its_rule_did_not_run(repo: Repo) -> None:
    repo({"pi.yaml": annotated(job())})
    assert told(select(selection=Selection(("wait-for-workers-deadlock",)))) == []
    assert told(select(selection=Selection(ignore=(RULE,)))) == []


@pytest.mark.parametrize("rule", ["pod-group-missing", "scheduler-name-not-backend"])
def test_an_annotation_is_not_called_unused_where_the_rule_may_speak_elsewhere(repo: Repo, rule: str) -> None:
    """One file alone lacks the group that would be missing, and no scheduler was chosen."""
    marked = job().replace("        spec:\n", (
        "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
        "        spec:\n          schedulerName: scheduler-plugins-scheduler\n"))
    repo({"pi.yaml": annotated(marked, rule)})
    assert [one for one in told(look("pi.yaml")) if one[0].startswith("ignore")] == []


def test_an_unknown_id_is_reported_with_the_nearest_one(repo: Repo) -> None:
    repo({"pi.yaml": annotated(job(), "min-member-exceeds-pod")})
    (finding,) = look().findings
    assert finding.rule == "ignore-unknown"
    assert RULE in finding.hint


@pytest.mark.parametrize("reason", ["", "   "])
def test_a_missing_reason_is_reported_and_the_exemption_holds(repo: Repo, reason: str) -> None:
    repo({"pi.yaml": annotated(greedy(), reason=reason)})
    assert told(look()) == [("ignore-without-reason", "pi.yaml", 6)]


def test_a_finding_of_the_text_is_exempted_as_well(repo: Repo) -> None:
    text = job().replace("    cleanPodPolicy: Running\n", "    cleanPodPolicy: Running\n    suspend: no\n")
    repo({"pi.yaml": text})
    assert [finding.rule for finding in look().findings] == ["ambiguous-scalar"]
    repo({"pi.yaml": annotated(text, "ambiguous-scalar")})
    outcome = look()
    assert told(outcome) == []
    assert [rule for rule, *_ in suppressed(outcome)] == ["ambiguous-scalar"]


def test_a_patch_may_exempt_one_build_while_the_other_one_is_told(repo: Repo, kustomize: str) -> None:
    exempt = f'metadata: {{name: pi, annotations: {{ignore.gangform.dev/{RULE}: "only here"}}}}\n'
    head = "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\n"
    repo({
        "base/pi.yaml": greedy(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "dev/kustomization.yaml": "resources: [../base]\npatches: [{path: exempt.yaml}]\n",
        "dev/exempt.yaml": head + exempt,
        "prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\n",
    })
    outcome = look()
    assert [(finding.location.line, finding.builds) for finding in outcome.findings] == [(7, ("prod",))]
    assert [(one.finding.builds, one.reason) for one in outcome.suppressed] == [(("dev",), "only here")]


def test_an_annotation_that_one_of_many_builds_needs_is_not_unused(repo: Repo, kustomize: str) -> None:
    more = "resources: [../base]\npatches:\n- target: {kind: MPIJob}\n  patch: |-\n"
    repo({
        "base/pi.yaml": annotated(greedy(members=5)), "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "dev/kustomization.yaml":
            more + "    - {op: replace, path: /spec/mpiReplicaSpecs/Worker/replicas, value: 2}\n",
        "prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\n",
    })
    assert told(look()) == []
    (one,) = look().suppressed
    assert one.finding.builds == ("dev",)


def overlay(repo: Repo, source: str) -> tuple[Settings, object]:
    repo({"base/pi.yaml": source, "base/kustomization.yaml": "resources: [pi.yaml]\n", "gangform.yaml":
          "clusters: {dev: {backend: coscheduling}}\noverlays: [{cluster: dev, source: base, path: out}]\n"})
    settings = configuration.load(None)
    return settings, configuration.targets(settings)


def test_a_job_that_is_exempted_is_rendered_and_its_generated_group_is_exempted_too(
    repo: Repo, kustomize: str, kubeconform: str
) -> None:
    settings, targets = overlay(repo, annotated(greedy()))
    rendered = render(targets, settings, write=True, enlist=False, progress=quiet)
    assert (rendered.written, told(rendered.outcome)) == (True, [])
    checked = check(targets, settings, kubeconform="require", progress=quiet)
    assert [one for one in told(checked.outcome) if one[0] in {RULE, "ignore-unused"}] == []
    assert RULE in {rule for rule, *_ in suppressed(checked.outcome)}


def test_an_error_of_the_source_itself_still_stops_a_render(repo: Repo) -> None:
    settings, targets = overlay(repo, annotated(job(workers=0), "worker-replicas"))
    rendered = render(targets, settings, write=True, enlist=False, progress=quiet)
    assert not rendered.written
    assert [finding.rule for finding in rendered.outcome.findings] == ["worker-replicas"]


def test_a_rule_that_is_off_for_the_build_does_not_stop_a_render(repo: Repo, kustomize: str) -> None:
    settings, targets = overlay(repo, greedy())
    assert not render(targets, settings, write=True, enlist=False, progress=quiet).written
    off = settings._replace(rules=(RulesAt(("base/**",), frozenset({RULE})),))
    rendered = render(targets, off, write=True, enlist=False, progress=quiet)
    assert (rendered.written, told(rendered.outcome)) == (True, [])


def test_settings_by_path_reach_findings_on_built_values(repo: Repo, kustomize: str) -> None:
    repo({
        "base/pi.yaml": greedy(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\n",
        "prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\n",
    })
    off_in_dev = Settings(rules=(RulesAt(("dev/**",), frozenset({RULE})),))
    assert [finding.builds for finding in look(settings=off_in_dev).findings] == [("prod",)]
    off_in_base = Settings(rules=(RulesAt(("base/**",), frozenset({RULE})),))
    assert told(look(settings=off_in_base)) == []


def test_kubeconforms_opinion_of_an_object_is_exempted_like_any_other(
    repo: Repo, tmp_path: Path, kustomize: str, kubeconform: str
) -> None:
    """A schema location of the user refuses a ConfigMap that gangform itself has no opinion of."""
    configured = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n{}data: {{x: "1"}}\n'
    schema = '{"type": "object", "properties": {"data": {"maxProperties": 0}}}'
    settings, targets = overlay(repo, job())
    repo({"schemas/configmap_v1.json": schema, "base/kustomization.yaml": "resources: [pi.yaml, map.yaml]\n",
          "base/map.yaml": configured.format("")})
    settings = settings._replace(schema_locations=(f"{tmp_path}/schemas/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json",))
    assert render(targets, settings, write=True, enlist=False, progress=quiet).written

    def opinions() -> tuple[list[str], list[str]]:
        checked = check(targets, settings, kubeconform="require", progress=quiet).outcome
        return ([one.rule for one in checked.findings if one.rule == "kubeconform"],
                [one.reason for one in checked.suppressed if one.finding.rule == "kubeconform"])

    assert opinions() == (["kubeconform"], [])
    exempt = '  annotations: {ignore.gangform.dev/kubeconform: "ours is newer"}\n'
    repo({"base/map.yaml": configured.format(exempt)})
    assert opinions() == ([], ["ours is newer"])
