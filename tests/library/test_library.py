"""The face for programs."""

import subprocess
import sys
from pathlib import Path

import pytest

import gangform
from gangform.model.errors import InputError
from repository import job


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "pi.yaml").write_text(job())
    (folder / "kustomization.yaml").write_text("resources: [pi.yaml]\n")
    return folder


def test_validate_answers_findings_and_counts(base: Path) -> None:
    (base / "pi.yaml").write_text(job(workers=0))
    outcome = gangform.validate("base")
    assert [finding.rule for finding in outcome.findings] == ["worker-replicas"]


def test_render_writes_an_overlay_or_only_says_what_it_would(base: Path) -> None:
    assert not gangform.render("base", "out", backend="volcano", write=False).written
    assert not Path("out").exists()
    assert gangform.render("base", "out", backend="volcano").written
    assert Path("out/pi.podgroup.yaml").exists()


def test_render_needs_to_know_the_scheduler(base: Path) -> None:
    with pytest.raises(InputError, match="scheduler"):
        gangform.render("base", "out")


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import gangform, sys; print([m for m in sys.modules if m.startswith('gangform.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = gangform.nothing  # type: ignore[attr-defined]


def test_transform_marks_a_text_and_takes_it_back(base: Path) -> None:
    text = job().replace("\n", "\r\n")
    marked = gangform.transform(text, backend="volcano").text
    assert marked is not None
    assert "kind: PodGroup\r\n" in marked
    assert gangform.transform(marked, remove=True).text == text


def test_transform_answers_findings_instead_of_a_text(base: Path) -> None:
    marked = gangform.transform(job(workers=0), backend="volcano")
    assert (marked.text, [finding.rule for finding in marked.outcome.findings]) == (None, ["worker-replicas"])


def test_transform_needs_to_know_the_scheduler(base: Path) -> None:
    with pytest.raises(InputError, match="scheduler"):
        gangform.transform(job())
