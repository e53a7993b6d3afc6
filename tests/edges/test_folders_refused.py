"""Writers that the system stops: full disks, read-only folders, mount points. One message, nothing lost."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gangform.edges import folders
from gangform.model.errors import InputError
from gangform.model.tree import GENERATED_LINE

LINE = GENERATED_LINE + "\n"
OLD = {"kustomization.yaml": LINE + "old", "stale.yaml": LINE}
NEW = {"a.yaml": LINE, "kustomization.yaml": LINE + "new", "large.yaml": LINE + "x" * 300_000}
NOBODY = 65534

WRITER = """
import ctypes, fcntl, json, os, re, shutil, sys, time  # an ordinary user may be unable to read them
folder, tree, limit, user = json.load(sys.stdin)
if limit:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from gangform.edges import folders
from gangform.model.errors import InputError
if user is not None:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
try:
    print(folders.write(folder, tree))
except InputError as error:
    print("refused:", error.message)
"""


def look(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def fill(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def write_elsewhere(cwd: Path, folder: str, tree: dict[str, str], *, limit: int = 0, user: int | None = None) -> str:
    """Write in a process of its own, as an ordinary user or with a limit of bytes for each file."""
    done = subprocess.run([sys.executable, "-c", WRITER], input=json.dumps([folder, tree, limit, user]),
                          cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def ordinary():
    """A folder of an ordinary user, and who that is (None: the one who runs the tests)."""
    folder = Path(tempfile.mkdtemp(prefix="gangform-test-"))
    user = NOBODY if os.geteuid() == 0 else None
    if user is not None:
        folder.chmod(0o755)
        os.chown(folder, user, user)
    yield folder, user
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(folder)


def give(folder: Path, user: int | None) -> None:
    if user is not None:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, user, user)


@pytest.mark.parametrize("folder", ["dev", "new/dev"])
def test_a_file_too_large_for_the_system_changes_nothing(tmp_path, folder):
    fill(tmp_path / "dev", {**OLD, "notes.md": "mine"})
    answer = write_elsewhere(tmp_path, folder, NEW, limit=100_000)
    assert answer == f"refused: cannot write {folder}/large.yaml: file too large"
    assert look(tmp_path) == {f"dev/{name}": text for name, text in {**OLD, "notes.md": "mine"}.items()}
    assert os.listdir(tmp_path) == ["dev"]


@pytest.fixture
def mounted(tmp_path):
    """A small file system of its own; only root can make one."""
    point = tmp_path / "point"
    point.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", point], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("may not mount a file system")
    yield point
    subprocess.run(["umount", point], check=True)


def test_a_full_disk_changes_nothing(mounted):
    fill(mounted / "dev", {**OLD, "notes.md": "mine"})
    answer = write_elsewhere(mounted, "dev", NEW)
    assert answer == "refused: cannot write dev/large.yaml: no space left on device"
    assert look(mounted) == {f"dev/{name}": text for name, text in {**OLD, "notes.md": "mine"}.items()}
    assert os.listdir(mounted) == ["dev"]


def test_a_mount_point_is_written_file_by_file(mounted, monkeypatch):
    monkeypatch.chdir(mounted.parent)
    fill(mounted, {**OLD, "notes.md": "mine"})
    tree = {"a.yaml": LINE, "kustomization.yaml": LINE + "new"}
    assert folders.write("point", tree) is True
    assert look(mounted) == {**tree, "notes.md": "mine"}
    assert os.listdir(mounted.parent) == ["point"]
    assert os.path.ismount(mounted)


@pytest.mark.parametrize("files", [{}, {"data": "mine"}])
def test_a_mount_point_inside_of_the_folder_stays_with_its_files(tmp_path, monkeypatch, mounted, files):
    monkeypatch.chdir(tmp_path.parent)
    fill(tmp_path, OLD)
    fill(mounted, files)
    tree = {"kustomization.yaml": LINE + "new"}
    assert folders.write(str(tmp_path), tree) is True
    assert look(tmp_path) == {**tree, **{f"point/{name}": text for name, text in files.items()}}
    assert os.path.ismount(mounted)


def test_a_read_only_folder_is_named_and_left(ordinary):
    folder, user = ordinary
    fill(folder / "dev", OLD)
    give(folder, user)
    (folder / "dev").chmod(0o555)
    assert write_elsewhere(folder, "dev", NEW, user=user) == "refused: dev is read-only"
    assert look(folder / "dev") == OLD
    assert write_elsewhere(folder, "dev", OLD, user=user) == "False"


def test_a_parent_that_may_not_be_written_does_not_hinder_an_existing_folder(ordinary):
    folder, user = ordinary
    fill(folder / "overlays/dev", OLD)
    give(folder, user)
    (folder / "overlays").chmod(0o555)
    assert write_elsewhere(folder, "overlays/dev", NEW, user=user) == "True"
    assert look(folder / "overlays/dev") == NEW


@pytest.mark.parametrize(("path", "named"), [("dev", "dev"), ("a/b/dev", "a/b")])
def test_a_parent_that_may_not_be_written_is_named_for_a_new_folder(ordinary, path, named):
    folder, user = ordinary
    folder.chmod(0o555)
    assert write_elsewhere(folder, path, NEW, user=user) == f"refused: cannot make the folder {named}: permission denied"
    assert os.listdir(folder) == []


def test_a_human_file_that_may_not_be_linked_or_read_stays(ordinary):
    folder, user = ordinary
    fill(folder / "dev", {**OLD, "notes.md": "mine"})
    give(folder, user)
    if user is not None:
        os.chown(folder / "dev/notes.md", 0, 0)
    (folder / "dev/notes.md").chmod(0o600)
    if user is None:
        pytest.skip("needs a file of another user")
    answer = write_elsewhere(folder, "dev", NEW, user=user)
    assert answer == "refused: cannot read dev/notes.md: permission denied"
    assert look(folder / "dev") == {**OLD, "notes.md": "mine"}


def test_an_unreadable_parent_needs_no_lock(ordinary):
    folder, user = ordinary
    fill(folder / "overlays/dev", OLD)
    give(folder, user)
    (folder / "overlays").chmod(0o311)
    assert write_elsewhere(folder, "overlays/dev", NEW, user=user) == "True"
    assert look(folder / "overlays/dev") == NEW


def test_a_name_that_the_system_refuses_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "x" * 300 + ".yaml"
    with pytest.raises(InputError, match="file name too long"):
        folders.write("dev", {name: LINE})
    assert os.listdir(tmp_path) == []
