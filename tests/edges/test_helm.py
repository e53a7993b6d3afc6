"""helm is told what is meant, whatever the names hold."""

from pathlib import Path

import pytest

from charts import chart
from gangform.edges import helm
from gangform.edges.helm import Release
from gangform.model.errors import InputError, ProgramError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in chart().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_the_release_is_what_templates_see(folder: Path, helm: str) -> None:
    text = template(helm, Release("x", "team-x", kube_version="1.29.3"))
    assert "name: x\n" in text
    assert "namespace: team-x\n" in text
    assert 'kube: "v1.29.3"' in text
    assert "# Source: vision/templates/job.yaml\n" in text


def test_the_cluster_of_the_user_says_nothing(folder: Path, helm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = template(helm, Release("x", "default"))
    monkeypatch.setenv("HELM_NAMESPACE", "elsewhere")
    monkeypatch.setenv("HELM_DEBUG", "true")
    assert template(helm, Release("x", "default")) == plain


@pytest.mark.parametrize("name", ["a,b.yaml", 'a"b.yaml', "-f.yaml", "a b=c.yaml", "ü.yaml", 'a,"b",c.yaml'])
def test_a_values_file_may_be_called_anything(folder: Path, helm: str, name: str) -> None:
    (folder / name).write_text("workers: 7\n")
    assert "replicas: 7" in template(helm, Release("x", "default", (name,)))


@pytest.mark.parametrize("release", [
    Release("--post-renderer=./evil", "default"), Release("", "default"), Release("a" * 54, "default"),
    Release("A", "default"), Release("x\n", "default"), Release("x", "--debug"), Release("x", ""),
    Release("x", "default", kube_version="--help"), Release("x", "default", api_versions=("-x",)),
    Release("x", "default", ("missing.yaml",)), Release("x", "default", ("chart",)),
    Release("x", "default", ("https://example.com/values.yaml",)),
])
def test_what_could_be_read_as_something_else_is_refused(folder: Path, release: Release) -> None:
    with pytest.raises(InputError):
        helm.template("chart", release, program="/nonexistent/helm")


def test_a_helm_that_does_not_exist_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GANGFORM_HELM", "/nonexistent/helm")
    with pytest.raises(ProgramError, match="GANGFORM_HELM names /nonexistent/helm"):
        helm.find()


def template(program: str, release: Release) -> str:
    return helm.template("chart", release, program=program)
