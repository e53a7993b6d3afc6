"""Replacing one file, whole or not at all."""

import os
import stat

import pytest

from gangform.edges import replacing
from gangform.model.errors import InputError, ProgramError


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def make(folder, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def test_write_file_replaces_the_text_and_keeps_the_mode(here):
    make(here, "kustomization.yaml")
    (here / "kustomization.yaml").chmod(0o640)
    replacing.write_file("kustomization.yaml", "\ufeffa: é\r\n")
    assert (here / "kustomization.yaml").read_bytes() == "\ufeffa: é\r\n".encode()
    assert stat.S_IMODE((here / "kustomization.yaml").stat().st_mode) == 0o640
    assert os.listdir(here) == ["kustomization.yaml"]


def test_write_file_refuses_a_link_and_names_its_target(here):
    make(here, "real.yaml")
    (here / "k.yaml").symlink_to("real.yaml")
    with pytest.raises(InputError) as caught:
        replacing.write_file("k.yaml", "new")
    assert "symbolic link" in caught.value.message
    assert "real.yaml" in caught.value.hint
    assert (here / "real.yaml").read_text() == "real.yaml"


def test_write_file_refuses_what_is_missing(here):
    with pytest.raises(InputError, match=r"there is no file k\.yaml"):
        replacing.write_file("k.yaml", "new")
    assert os.listdir(here) == []


def test_write_file_sweeps_what_a_killed_run_left_of_this_file_only(here):
    make(here, "k.yaml", ".gangform-tmp-0123-k.yaml", ".gangform-tmp-0123-other.yaml")
    replacing.write_file("k.yaml", "new")
    assert sorted(os.listdir(here)) == [".gangform-tmp-0123-other.yaml", "k.yaml"]


def test_a_stream_that_breaks_off_leaves_the_file_as_it_was(here):
    def blocks():
        yield b"half"
        raise ProgramError("no room")

    make(here, "out.yaml")
    with pytest.raises(ProgramError, match="no room"):
        replacing.write_stream("out.yaml", blocks())
    assert os.listdir(here) == ["out.yaml"]
    assert (here / "out.yaml").read_text() == "out.yaml"
