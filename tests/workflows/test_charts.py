"""Helm charts as sources, rendered by the real helm."""

from collections.abc import Callable
from pathlib import Path

import pytest

from charts import chart
from gangform.model.errors import InputError, ProgramError
from gangform.model.finding import Severity
from gangform.settings import Layout, Settings, Target
from gangform.text import reading
from gangform.workflows import configuration
from gangform.workflows.check import check
from gangform.workflows.outcome import Outcome, Rendered
from gangform.workflows.render import render
from repository import look, quiet, told

Repo = Callable[[dict[str, str]], Path]

SETTINGS = """\
    clusters:
      prod: {backend: volcano, versions: {kubernetes: "1.30"}}
    overlays:
    - {cluster: prod, source: "teams/{team}/chart", values: ["values-prod.yaml"], release: "{team}",
       namespace: "team-{team}", path: "gang/prod/{team}"}
    """


@pytest.fixture(autouse=True)
def _helm(helm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GANGFORM_HELM", helm)


def target(*values: str, layout: Layout = "rendered", source: str = "chart") -> Target:
    cluster = configuration.select(Settings(), None, "volcano", {})
    assert cluster is not None
    return Target(cluster, source, "out", layout, values=values)


def write(*targets: Target) -> Rendered:
    return render(targets, Settings(), write=True, enlist=False, progress=quiet)


def objects(folder: Path) -> dict[str, dict[str, object]]:
    found = [document.data for path in sorted(folder.glob("*.yaml")) if path.name != "kustomization.yaml"
             for document in reading.read(path.name, path.read_bytes()).documents]
    return {f"{data['kind']}/{data['metadata']['name']}": data for data in found}


def settled(repo: Repo, extra: dict[str, str] | None = None) -> Settings:
    repo({**chart("teams/a/chart"), "gangform.yaml": SETTINGS, **(extra or {})})
    return configuration.load(None, need=True)


def seen(outcome: Outcome) -> list[tuple[str, Severity, str]]:
    return [(finding.rule, finding.severity, finding.location.path) for finding in outcome.findings]


def test_every_object_of_the_chart_is_written_and_the_job_gets_its_gang(repo: Repo) -> None:
    root = repo(chart())
    assert write(target("chart/values-prod.yaml")).written
    found = objects(root / "out")
    assert set(found) == {"ConfigMap/vision-config", "CustomResourceDefinition/things.example.com", "MPIJob/vision",
                          "Pod/vision-before", "PodGroup/vision"}
    assert found["PodGroup/vision"]["spec"] == {"minMember": 9}
    assert found["ConfigMap/vision-config"]["data"]["revision"] == "1e3"  # type: ignore[index]


def test_later_values_files_win(repo: Repo) -> None:
    root = repo({**chart(), "more.yaml": "workers: 3\n"})
    write(target("chart/values-prod.yaml", "more.yaml"))
    assert objects(root / "out")["PodGroup/vision"]["spec"] == {"minMember": 4}


def test_settings_render_each_chart_that_a_line_stands_for(repo: Repo) -> None:
    settings = settled(repo, chart("teams/b/chart"))
    assert render(configuration.targets(settings), settings, write=True, enlist=False, progress=quiet).written
    for team in ("a", "b"):
        job = objects(Path("gang/prod") / team)
        assert job[f"PodGroup/{team}"]["metadata"]["namespace"] == f"team-{team}"  # type: ignore[index]
        assert job[f"ConfigMap/{team}-config"]["data"]["kube"] == "v1.30.0"  # type: ignore[index]


def test_check_renders_the_chart_again(repo: Repo, kustomize: str, kubeconform: str) -> None:
    settings = settled(repo)
    targets = configuration.targets(settings)
    render(targets, settings, write=True, enlist=False, progress=quiet)

    def drifted() -> list[str]:
        checked = check(targets, settings, kubeconform="off", progress=quiet)
        return [change.path for overlay in checked.overlays for change in overlay.changes]

    assert drifted() == []
    Path("teams/a/chart/values-prod.yaml").write_text("workers: 5\n")
    assert drifted() == ["a.yaml"]


@pytest.mark.parametrize("layout", ["kustomization", "component"])
def test_no_other_layout_can_be_made_of_a_chart(repo: Repo, layout: Layout) -> None:
    root = repo(chart())
    with pytest.raises(InputError, match="chart is a Helm chart") as raised:
        write(target(layout=layout))
    assert "--rendered" in raised.value.hint
    assert not (root / "out").exists()


def test_values_for_what_is_no_chart_are_refused(repo: Repo) -> None:
    repo({"chart/kustomization.yaml": "resources: []\n", "v.yaml": "a: 1\n"})
    with pytest.raises(InputError, match="chart is no Helm chart, so it takes no values"):
        write(target("v.yaml"))


def test_a_finding_names_the_template(repo: Repo) -> None:
    repo(chart() | {"chart/templates/job.yaml": chart()["chart/templates/job.yaml"].replace(
        "{cleanPodPolicy: Running}", "{cleanPodPolicy: Never}")})
    rendered = write(target())
    assert not rendered.written
    [finding] = [finding for finding in rendered.outcome.findings if finding.severity is Severity.ERROR]
    where = finding.location
    assert (where.path, where.line, where.pointer) == (
        "chart/templates/job.yaml", 0, "/spec/runPolicy/cleanPodPolicy")


def test_a_finding_in_a_packed_chart_names_the_outer_one(repo: Repo, tmp_path: Path) -> None:
    import tarfile

    repo(chart() | {"sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
                    "sub/templates/job.yaml": chart()["chart/templates/job.yaml"].replace("Running", "Never").replace(
                        "{{ .Values.workers }}", "2").replace("{{ .Release.Name }}", "other"),
                    "chart/Chart.yaml": chart()["chart/Chart.yaml"]
                    + "dependencies: [{name: sub, version: 0.1.0, repository: 'https://charts.example.com'}]\n"})
    (tmp_path / "chart/charts").mkdir()
    with tarfile.open(tmp_path / "chart/charts/sub-0.1.0.tgz", "w:gz") as archive:
        archive.add("sub")
    outcome = write(target()).outcome
    assert {finding.location.path for finding in outcome.findings if finding.severity is Severity.ERROR} == {
        "chart/Chart.yaml"}


def test_missing_dependencies_are_one_clear_error_and_nothing_is_fetched(repo: Repo) -> None:
    root = repo(chart() | {"chart/Chart.yaml": chart()["chart/Chart.yaml"]
                           + "dependencies: [{name: sub, version: 0.1.0, repository: 'https://charts.invalid'}]\n"})
    with pytest.raises(InputError) as raised:
        write(target())
    assert raised.value.message == "chart/Chart.yaml names dependencies that are not in chart/charts: sub"
    assert "helm dependency build chart" in raised.value.hint
    assert not (root / "out").exists()


def test_what_helm_says_against_a_chart_is_told_without_paths_of_the_machine(repo: Repo) -> None:
    root = repo(chart() | {"chart/templates/bad.yaml": '{{ fail "no workers" }}\n'})
    with pytest.raises(InputError, match=r"helm cannot render chart: .*no workers") as raised:
        write(target())
    assert str(root) not in raised.value.message


def test_a_chart_without_jobs_is_not_rendered(repo: Repo) -> None:
    repo({name: text for name, text in chart().items() if not name.endswith("job.yaml")})
    with pytest.raises(InputError, match="chart builds to no MPIJob"):
        write(target())


def test_without_helm_a_chart_cannot_be_rendered(
    repo: Repo, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo(chart())
    monkeypatch.delenv("GANGFORM_HELM")
    monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))
    with pytest.raises(ProgramError, match="chart is a Helm chart, but helm is not on PATH"):
        write(target())


def test_templates_of_a_chart_are_one_note(repo: Repo) -> None:
    repo(chart("teams/a/chart") | chart("teams/b/chart") | {
        "teams/c/chart/Chart.yaml": "name: c\n", "teams/c/chart/templates/web.yaml": "kind: {{ .Values.kind }}\n"})
    outcome = look()
    assert told(outcome) == [("templated", "teams/a/chart/Chart.yaml", 1), ("templated", "teams/b/chart/Chart.yaml", 1)]
    assert (outcome.counts.charts, outcome.counts.templated, outcome.counts.jobs) == (2, 0, 0)


def test_charts_inside_a_chart_are_parts_of_it(repo: Repo) -> None:
    repo(chart() | chart("chart/charts/sub"))
    assert told(look()) == [("templated", "chart/Chart.yaml", 1)]


def test_a_template_that_is_named_is_told_of(repo: Repo) -> None:
    repo(chart())
    assert [rule for rule, path, _ in told(look("chart/templates/job.yaml")) if path == "chart/templates/job.yaml"] == [
        "templated"]


def test_a_plain_manifest_in_a_chart_is_judged(repo: Repo) -> None:
    plain = chart()["chart/templates/job.yaml"].replace("{{ .Values.workers }}", "2").replace(
        "{{ .Values.image }}", "mpi").replace("{{ .Release.Name }}", "pi").replace(
        "{{ .Release.Namespace }}", "default").replace("Running", "Never")
    repo(chart() | {"chart/templates/plain.yaml": plain})
    assert ("chart/templates/plain.yaml", Severity.ERROR) in {
        (path, severity) for _, severity, path in seen(look())}


def test_settings_that_name_values_let_a_chart_be_judged(repo: Repo) -> None:
    settings = settled(repo, {"teams/a/chart/values-prod.yaml": "workers: 0\nimage: mpi\n"})
    outcome = look(settings=settings)
    assert outcome.counts.jobs == 1
    assert outcome.counts.charts == 0
    assert {path for _, severity, path in seen(outcome) if severity is Severity.ERROR} == {
        "teams/a/chart/templates/job.yaml"}


def test_settings_count_in_a_folder_below_them_too(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    settled(repo)
    monkeypatch.chdir("teams/a")
    outcome = look(settings=configuration.load(None, need=True))
    assert (outcome.counts.jobs, outcome.counts.charts, outcome.findings) == (1, 0, ())


def test_a_chart_that_cannot_be_rendered_is_a_finding(repo: Repo) -> None:
    settings = settled(repo)
    Path("teams/a/chart/values-prod.yaml").unlink()
    assert ("chart-render-failed", Severity.ERROR, "teams/a/chart/Chart.yaml") in seen(look(settings=settings))


def test_validate_needs_no_helm(
    repo: Repo, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settled(repo)
    monkeypatch.delenv("GANGFORM_HELM")
    monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))
    outcome = look(settings=settings)
    assert outcome.findings == ()
    assert outcome.notes == ("helm is not on PATH: 1 chart not rendered",)
