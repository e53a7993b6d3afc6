"""Reading, listing, and replacing one file."""

import os
import stat
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


def test_walk_lists_manifests_and_kustomizations_apart_and_sorted(here):
    make(here, "b/job.yaml", "b/kustomization.yaml", "a.yml", "c.json", "notes.md", "d/Kustomization",
         "d/kustomization.yml", "B/x.yaml", "e/readme")
    assert disk.walk(".") == (
        ("B/x.yaml", "a.yml", "b/job.yaml", "c.json"),
        ("b/kustomization.yaml", "d/kustomization.yml"), (),
    )


def test_walk_names_the_folders_of_charts_those_inside_others_too(here):
    make(here, "c/Chart.yaml", "c/templates/job.yaml", "c/charts/sub/Chart.yaml", "chart.yaml")
    assert disk.walk(".").charts == ("c", "c/charts/sub")
    assert (disk.is_chart("c"), disk.is_chart("c/templates"), disk.is_chart("missing")) == (True, False, False)


def test_a_link_that_leads_out_of_a_folder_is_not_within_it(here):
    make(here, "in/a.yaml", "out/b.yaml")
    os.symlink(here / "out/b.yaml", here / "in/link.yaml")
    assert [disk.is_within(path, "in") for path in ("in", "in/a.yaml", "in/link.yaml", "in/../out/b.yaml", "inside")] == [
        True, True, False, False, False]


def test_walk_names_paths_relative_to_the_working_folder(here):
    make(here, "base/job.yaml")
    make(here.parent, "outside/job.yaml")
    assert disk.walk(str(here / "base")).files == ("base/job.yaml",)
    assert disk.walk("./base//").files == ("base/job.yaml",)
    assert disk.walk("../outside").files == ("../outside/job.yaml",)
    assert disk.walk(str(here.parent / "outside")).files == (f"{here.parent}/outside/job.yaml",)


def test_walk_leaves_hidden_files_and_folders_out(here):
    make(here, ".git/a.yaml", ".ci.yaml", "x/.cache/b.yaml", "x/c.yaml")
    assert disk.walk(".").files == ("x/c.yaml",)


def test_walk_of_a_hidden_folder_that_was_named_lists_it(here):
    make(here, ".kube/a.yaml")
    assert disk.walk(".kube").files == (".kube/a.yaml",)


def test_walk_survives_links_and_lists_each_file_once(here):
    make(here, "a/job.yaml", "..data/mounted.yaml", "../far/lost.yaml")
    (here / "a" / "up").symlink_to("..")
    (here / "same.yaml").symlink_to("a/job.yaml")
    (here / "mounted.yaml").symlink_to("..data/mounted.yaml")
    (here / "z-mounted.yaml").symlink_to("..data/mounted.yaml")
    (here / "gone.yaml").symlink_to("nowhere")
    (here / "far").symlink_to("../far")
    assert disk.walk(".").files == ("a/job.yaml", "mounted.yaml")


def test_walk_of_a_file_lists_it_whatever_its_name(here):
    make(here, "job.txt", "k/Kustomization")
    assert disk.walk("job.txt") == (("job.txt",), (), ())
    assert disk.walk("k/Kustomization") == ((), ("k/Kustomization",), ())


def test_walk_of_nothing_is_an_error():
    with pytest.raises(InputError, match="there is no file or folder nothing"):
        disk.walk("nothing")


def test_kustomization_folders_are_listed(here):
    make(here, "kustomization.yaml", "b/kustomization.yml", "b/c/Kustomization", "d/x.yaml")
    assert disk.kustomization_folders(".") == [".", "b", "b/c"]
    assert disk.find_kustomization("b/c") == "b/c/Kustomization"
    assert disk.find_kustomization("d") is None


def test_write_file_replaces_the_text_and_keeps_the_mode(here):
    make(here, "kustomization.yaml")
    (here / "kustomization.yaml").chmod(0o640)
    disk.write_file("kustomization.yaml", "\ufeffa: é\r\n")
    assert (here / "kustomization.yaml").read_bytes() == "\ufeffa: é\r\n".encode()
    assert stat.S_IMODE((here / "kustomization.yaml").stat().st_mode) == 0o640
    assert os.listdir(here) == ["kustomization.yaml"]


def test_write_file_refuses_a_link_and_names_its_target(here):
    make(here, "real.yaml")
    (here / "k.yaml").symlink_to("real.yaml")
    with pytest.raises(InputError) as caught:
        disk.write_file("k.yaml", "new")
    assert "symbolic link" in caught.value.message
    assert "real.yaml" in caught.value.hint
    assert (here / "real.yaml").read_text() == "real.yaml"


def test_write_file_refuses_what_is_missing(here):
    with pytest.raises(InputError, match=r"there is no file k\.yaml"):
        disk.write_file("k.yaml", "new")
    assert os.listdir(here) == []


def test_write_file_sweeps_what_a_killed_run_left_of_this_file_only(here):
    make(here, "k.yaml", ".gangform-tmp-0123-k.yaml", ".gangform-tmp-0123-other.yaml")
    disk.write_file("k.yaml", "new")
    assert sorted(os.listdir(here)) == [".gangform-tmp-0123-other.yaml", "k.yaml"]


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
