"""When Flux substitutes in a job, and when it leaves it alone."""

import pytest

from repository import job, look
from scenes import judge

ID = "flux-substitution-unescaped"

SYNC = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec: {path: ./jobs, postBuild: %s}
"""
SUBSTITUTE = "{substitute: {region: eu}}"


def script(text: str) -> str:
    return job().replace("            image: mpi\n", f"            image: mpi\n            args: ['{text}']\n", 1)


def fires(text: str, post_build: str = SUBSTITUTE) -> list[str]:
    found = judge(f"{SYNC % post_build}---\n{script(text)}")
    return [finding.message.split("replaces ")[1].split(" before")[0] for finding in found if finding.rule == ID]


@pytest.mark.parametrize(("text", "named"), [
    ("${HOME}/x", "${HOME}"), ("a ${A:-b} ${B} ${A}", "${A}, ${B}"), ("$$${HOME}", "${HOME}"),
])
def test_variables_that_flux_would_take_are_named(text: str, named: str) -> None:
    assert fires(text) == [named]


@pytest.mark.parametrize("text", ["$${HOME}", "$$$${HOME}", "$HOME", "$(HOME)", "${region}", "{HOME}"])
def test_what_flux_leaves_or_was_meant_for_it_is_silent(text: str) -> None:
    assert fires(text) == []


def test_variables_from_elsewhere_are_not_known() -> None:
    assert fires("${HOME}", "{substituteFrom: [{kind: ConfigMap, name: vars}]}") == ["${HOME}"]
    assert fires("${HOME}", "{}") == []


@pytest.mark.parametrize("holder", ["labels", "annotations"])
def test_a_job_can_be_left_out(holder: str) -> None:
    text = script("${HOME}").replace(
        "  name: pi\n", f"  name: pi\n  {holder}: {{kustomize.toolkit.fluxcd.io/substitute: disabled}}\n", 1)
    assert [finding for finding in judge(f"{SYNC % SUBSTITUTE}---\n{text}") if finding.rule == ID] == []


@pytest.mark.parametrize(("path", "found"), [("./jobs", 1), ("jobs", 1), ("./other", 0)])
def test_the_kustomization_that_applies_the_folder_counts(tmp_path, monkeypatch, path: str, found: int) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "clusters/apps.yaml": (SYNC % SUBSTITUTE).replace("./jobs", path),
        "jobs/kustomization.yaml": "resources: [pi.yaml]\n", "jobs/pi.yaml": script("${HOME}"),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    told = [finding.location for finding in look().findings if finding.rule == ID]
    assert [(where.path, where.excerpt.strip()) for where in told] == [("jobs/pi.yaml", "args: ['${HOME}']")] * found


@pytest.mark.parametrize(("path", "found"), [("./all", 1), ("./other", 0)])
def test_a_kustomization_in_the_same_build_counts_only_for_its_own_folder(
    tmp_path, monkeypatch, path: str, found: int
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all").mkdir()
    for name, text in {"sync.yaml": (SYNC % SUBSTITUTE).replace("./jobs", path), "pi.yaml": script("${HOME}"),
                       "kustomization.yaml": "resources: [sync.yaml, pi.yaml]\n"}.items():
        (tmp_path / "all" / name).write_text(text)
    assert sum(finding.rule == ID for finding in look().findings) == found
