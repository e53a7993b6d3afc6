"""Names of files and reading them."""

import os
import subprocess
import sys

import pytest

from gangform.edges import disk
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


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no/job.yaml", "there is no file no/job.yaml"),
        ("folder", "folder is a folder, not a file"),
        ("loop", "cannot read loop: too many levels of symbolic links"),
        ("a\0b", "cannot read a"),
        ("x" * 300, "file name too long"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_message(here, path, message):
    (here / "folder").mkdir()
    (here / "loop").symlink_to("loop")
    with pytest.raises(InputError) as caught:
        disk.read_bytes(path)
    assert message in caught.value.message


def test_reads_bytes_as_they_are(here):
    (here / "a.yaml").write_bytes(b"\xef\xbb\xbfa: 1\r\n")
    assert disk.read_bytes("a.yaml") == b"\xef\xbb\xbfa: 1\r\n"


def test_reads_a_pipe(here):
    reading, writing = os.pipe()
    os.write(writing, b"a: 1\n")
    os.close(writing)
    try:
        assert disk.read_bytes(f"/dev/fd/{reading}") == b"a: 1\n"
    finally:
        os.close(reading)


def test_too_large_a_file_is_refused(here, monkeypatch):
    make(here, "a.yaml")
    monkeypatch.setattr(disk, "READ_LIMIT", 5)
    with pytest.raises(InputError, match=r"^a.yaml is larger than"):
        disk.read_bytes("a.yaml")


@pytest.mark.parametrize(("limit", "code"), [(3, 2), (4, 0)])
def test_standard_input_is_read_whole_or_refused(limit, code):
    program = (
        f"from gangform.edges import disk; from gangform.model.errors import InputError; disk.READ_LIMIT = {limit}\n"
        "import sys\n"
        "try: sys.stdout.buffer.write(disk.read_stdin())\n"
        "except InputError as error: sys.exit(error.exit_code)"
    )
    done = subprocess.run([sys.executable, "-c", program], input=b"\xff\x00\r\n", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (code, b"" if code else b"\xff\x00\r\n")


def test_closed_standard_input_is_said(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        disk.read_stdin()


def test_a_link_that_leads_out_of_a_folder_is_not_within_it(here):
    make(here, "in/a.yaml", "out/b.yaml")
    os.symlink(here / "out/b.yaml", here / "in/link.yaml")
    assert [disk.is_within(path, "in") for path in ("in", "in/a.yaml", "in/link.yaml", "in/../out/b.yaml", "inside")] == [
        True, True, False, False, False]


def test_temporary_folder_vanishes_and_is_a_real_path(tmp_path, monkeypatch):
    import tempfile

    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "link"))
    with disk.temporary_folder() as folder:
        assert folder.startswith(str(tmp_path / "real"))
        disk.write_new(os.path.join(folder, "x"), "x")
        with pytest.raises(ProgramError, match="temporary file"):
            disk.write_new(os.path.join(folder, "x"), "x")
    assert os.listdir(tmp_path / "real") == []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(ProgramError, match="temporary folder"), disk.temporary_folder():
        pass


def test_a_kustomization_is_found_under_any_of_its_names(here):
    make(here, "kustomization.yaml", "b/kustomization.yml", "b/c/Kustomization", "d/x.yaml")
    assert disk.find_kustomization(".") == "kustomization.yaml"
    assert disk.find_kustomization("b/c") == "b/c/Kustomization"
    assert disk.find_kustomization("d") is None
