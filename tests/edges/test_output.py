"""Files that a user asks for, and where the working folder stands in its checkout."""

import os
import stat
from pathlib import Path

import pytest

from gangform.edges.checkout import below_root
from gangform.edges.output import write_file
from gangform.model.errors import InputError


def test_a_file_is_made_and_replaced_with_its_mode_kept(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_file(str(path), "one\n")
    path.chmod(0o640)
    write_file(str(path), "two\n")
    assert path.read_bytes() == b"two\n"
    assert os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("name", "text"), [
    ("pi.yaml", "kind: MPIJob\n"), ("kustomization.yml", ""), ("pi.json", '{"apiVersion": "v1", "kind": "Pod"}'),
])
def test_a_manifest_is_never_taken_for_a_report(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="holds manifests and is not overwritten"):
        write_file(str(tmp_path / name), "report")
    assert (tmp_path / name).read_text() == text


@pytest.mark.parametrize("text", ['{"version": 1}', "[1]", "no JSON", ""])
def test_whatever_else_is_there_is_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "report.json").write_text(text)
    write_file(str(tmp_path / "report.json"), "report")
    assert (tmp_path / "report.json").read_text() == "report"


def test_a_link_stays_a_link_to_the_file_that_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_file(str(tmp_path / "link"), "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize("path", ["nowhere/report.json", "a-file/report.json", "x\0y"])
def test_what_cannot_be_written_is_one_message_and_leaves_nothing(tmp_path: Path, monkeypatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").write_text("kept")
    with pytest.raises(InputError, match="cannot write"):
        write_file(path, "text")
    assert [one.name for one in tmp_path.iterdir()] == ["a-file"]


def test_the_working_folder_is_seen_from_the_top_of_its_checkout(tmp_path: Path, monkeypatch) -> None:
    below = tmp_path / "teams/nlp"
    below.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    assert below_root() == ""
    monkeypatch.chdir(below)
    assert below_root() == "teams/nlp"
    (tmp_path / ".git").rmdir()
    assert below_root() == ""
