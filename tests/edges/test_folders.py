"""What an overlay folder holds after a write, and what is refused."""

import os
import stat
import subprocess
import sys

import pytest

from gangform.edges import exchange, folders, locking, staging
from gangform.model.errors import GangformError, InputError
from gangform.model.tree import GENERATED_LINE

LINE = GENERATED_LINE + "\n"
TREE = {"kustomization.yaml": LINE + "resources: []\n", "pi.patch.yaml": LINE + "a: 1\n"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def look(folder) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def stamps(folder) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in [folder, *folder.rglob("*")]}


@pytest.fixture(params=["exchange", "rename", "in place"])
def way(request, monkeypatch):
    """Each of the three ways to write; all must give the same folder."""
    if request.param == "exchange" and not exchange.is_known():
        pytest.skip("this system cannot exchange folders")
    if request.param == "rename":
        monkeypatch.setattr(exchange, "is_known", lambda: False)
    if request.param == "in place":
        monkeypatch.setattr(staging, "CARRY_LIMIT", -1)
    return request.param


def test_makes_a_folder_with_its_parents(here):
    assert folders.write("a/b/dev", TREE) is True
    assert look(here) == {f"a/b/dev/{name}": text for name, text in TREE.items()}
    assert os.listdir(here / "a/b") == ["dev"]


def test_new_files_have_the_usual_modes(here, way):
    before = os.umask(0o027)
    try:
        folders.write("dev", TREE)
        folders.write("dev", {**TREE, "new.yaml": LINE})
    finally:
        os.umask(before)
    assert stat.S_IMODE((here / "dev").stat().st_mode) == 0o750
    assert {stat.S_IMODE((here / "dev" / name).stat().st_mode) for name in [*TREE, "new.yaml"]} == {0o640}


def test_changes_deletes_and_leaves_a_humans_files(here, way):
    human = {"notes.md": "mine", "sub/x.yaml": "mine", ".gitkeep": "", "bin": "\0"}
    for name, text in {**human, "pi.patch.yaml": LINE + "old\n", "stale.yaml": LINE, "sub/stale.yaml": LINE}.items():
        (here / "dev" / name).parent.mkdir(parents=True, exist_ok=True)
        (here / "dev" / name).write_text(text)
    (here / "dev" / "link").symlink_to("notes.md")
    (here / "dev" / "loop").symlink_to("../dev")
    (here / "dev" / "empty").mkdir()
    kept = {name: (here / "dev" / name).stat().st_ino for name in human}
    assert folders.write("dev", TREE) is True
    assert {name: (here / "dev" / name).stat().st_ino for name in human} == kept
    assert os.readlink(here / "dev" / "link") == "notes.md"
    assert os.readlink(here / "dev" / "loop") == "../dev"
    assert sorted(os.listdir(here / "dev")) == sorted(
        [*TREE, "notes.md", "sub", ".gitkeep", "bin", "link", "loop", "empty"])
    assert os.listdir(here / "dev/sub") == ["x.yaml"]
    assert {name: (here / "dev" / name).read_text() for name in TREE} == TREE
    assert os.listdir(here) == ["dev"]


def test_equal_files_are_not_touched_while_others_change(here, way):
    folders.write("dev", TREE)
    before = stamps(here / "dev")[str(here / "dev/pi.patch.yaml")]
    assert folders.write("dev", {**TREE, "kustomization.yaml": LINE + "new"}) is True
    assert stamps(here / "dev")[str(here / "dev/pi.patch.yaml")] == before


def test_modes_of_changed_files_and_of_folders_stay(here, way):
    folders.write("dev", TREE)
    (here / "dev/kustomization.yaml").chmod(0o600)
    (here / "dev/sub").mkdir(mode=0o700)
    (here / "dev").chmod(0o2755)
    folders.write("dev", {**TREE, "kustomization.yaml": LINE + "new"})
    modes = [stat.S_IMODE((here / name).stat().st_mode) for name in ("dev/kustomization.yaml", "dev", "dev/sub")]
    assert modes == [0o600, 0o2755, 0o700]


@pytest.mark.skipif(getattr(os, "geteuid", int)() != 0, reason="only root may give files away")
def test_owners_stay(here, way):
    folders.write("dev", TREE)
    for path in ("dev", "dev/kustomization.yaml"):
        os.chown(path, 12345, 54321)
    inode = (here / "dev").stat().st_ino
    folders.write("dev", {**TREE, "kustomization.yaml": LINE + "new"})
    assert ((here / "dev").stat().st_ino == inode) is (way == "in place")
    for path in ("dev", "dev/kustomization.yaml"):
        assert (os.stat(path).st_uid, os.stat(path).st_gid) == (12345, 54321)


def test_an_equal_folder_is_not_touched(here):
    folders.write("dev", TREE)
    before = stamps(here)
    assert folders.write("dev", TREE) is False
    assert stamps(here) == before


@pytest.mark.parametrize("change", [lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text])
def test_line_ends_and_byte_order_marks_are_no_difference(here, change):
    (here / "dev").mkdir()
    for name, text in TREE.items():
        (here / "dev" / name).write_bytes(change(text).encode())
    before = stamps(here)
    assert folders.write("dev", TREE) is False
    assert stamps(here) == before


def test_an_empty_tree_removes_our_files_and_keeps_the_folder(here, way):
    folders.write("dev", TREE)
    (here / "dev/notes.md").write_text("mine")
    assert folders.write("dev", {}) is True
    assert look(here / "dev") == {"notes.md": "mine"}


def test_sub_folders_of_a_tree_are_made(here, way):
    tree = {**TREE, "sub/x.yaml": LINE}
    folders.write("dev", TREE)
    folders.write("dev", tree)
    assert look(here / "dev") == tree
    assert folders.write("dev", tree) is False


@pytest.mark.parametrize("first", ["a: 1", "", GENERATED_LINE + " Really.", " " + GENERATED_LINE, "x\n" + LINE])
@pytest.mark.parametrize("call", [folders.write, folders.require_writable])
def test_a_humans_file_is_never_overwritten(here, first, call):
    folders.write("dev", {"other.yaml": LINE})
    (here / "dev/kustomization.yaml").write_text(first)
    before = stamps(here)
    with pytest.raises(InputError) as caught:
        call("dev", TREE)
    assert "not made by gangform" in caught.value.message
    assert "dev/kustomization.yaml" in caught.value.message
    assert caught.value.exit_code == 2
    assert stamps(here) == before


@pytest.mark.parametrize("name", ["kustomization.yaml/x", "sub"])
def test_other_things_of_a_human_that_stand_in_the_way_are_named(here, name):
    (here / "dev" / name).mkdir(parents=True)
    with pytest.raises(InputError, match="not made by gangform"):
        folders.write("dev", {"kustomization.yaml": LINE, "sub": LINE})
    assert sorted(os.listdir(here)) == ["dev"]


@pytest.mark.parametrize("link", ["overlays", "overlays/dev", "overlays/dev/sub", "overlays/dev/kustomization.yaml"])
def test_links_are_not_written_through(here, link):
    (here / "elsewhere").mkdir()
    (here / "elsewhere/kustomization.yaml").write_text(LINE)
    target = here / "elsewhere" / ("kustomization.yaml" if link.endswith("yaml") else "")
    (here / link).parent.mkdir(parents=True, exist_ok=True)
    (here / link).symlink_to(target)
    before = look(here / "elsewhere")
    with pytest.raises(InputError) as caught:
        folders.write("overlays/dev", {**TREE, "sub/x.yaml": LINE})
    assert link in caught.value.message
    assert look(here / "elsewhere") == before


def test_a_link_above_the_root_is_the_users_own_business(here):
    (here / "real").mkdir()
    (here / "link").symlink_to("real")
    folders.write(str(here / "link/dev"), TREE, root=str(here / "link"))
    assert look(here / "real/dev") == TREE
    with pytest.raises(InputError, match="symbolic link to real"):
        folders.write("link/dev", TREE, root=".")


def test_a_folder_outside_of_the_root_may_not_be_a_link_itself(here):
    (here / "real").mkdir()
    (here / "root").mkdir()
    (here / "link").symlink_to("real")
    with pytest.raises(InputError, match="symbolic link to real"):
        folders.write("link", TREE, root="root")
    folders.write("real", TREE, root="root")
    assert look(here / "real") == TREE


def test_a_file_in_the_place_of_the_folder_is_refused(here):
    (here / "dev").write_text(LINE)
    with pytest.raises(InputError, match="dev is a file, not a folder"):
        folders.write("dev", TREE)
    with pytest.raises(InputError, match="cannot make the folder dev/sub"):
        folders.write("dev/sub/x", TREE)
    assert look(here) == {"dev": LINE}


@pytest.mark.parametrize("name", ["../x.yaml", "/x.yaml", "a//x.yaml", "a/./x.yaml", "a\\x.yaml", "", "a\0"])
def test_a_tree_cannot_leave_the_folder(here, name):
    with pytest.raises(GangformError, match="a tree may not hold the name"):
        folders.write("dev", {name: LINE})
    assert os.listdir(here) == []


def test_a_tree_without_the_line_is_a_defect(here):
    with pytest.raises(GangformError, match=r"the text of a.yaml lacks the line") as caught:
        folders.write("dev", {"a.yaml": "a: 1\n"})
    assert caught.value.exit_code == 70


def test_read_owned_tells_our_files_from_a_humans(here):
    files = {
        "lf.yaml": LINE + "a", "crlf.yaml": LINE.replace("\n", "\r\n"), "bom.yaml": "\ufeff" + LINE,
        "bare.yaml": GENERATED_LINE, "other.yaml": "a: 1\n", "longer.yaml": GENERATED_LINE + "!\n",
        "second.yaml": "\n" + LINE, "sub/ours.yaml": LINE, ".git/x.yaml": LINE,
        "below/kustomization.yaml": LINE, "below/x.yaml": LINE,
    }
    for name, text in files.items():
        (here / "dev" / name).parent.mkdir(parents=True, exist_ok=True)
        (here / "dev" / name).write_bytes(text.encode())
    (here / "dev/link.yaml").symlink_to("lf.yaml")
    texts, foreign, _ = folders.read_owned("dev")
    ours = ["bare.yaml", "bom.yaml", "crlf.yaml", "lf.yaml", "sub/ours.yaml"]
    assert texts == {name: files[name] for name in ours}
    assert list(texts) == ours
    assert foreign == ("link.yaml", "longer.yaml", "other.yaml", "second.yaml")
    assert folders.read_owned("nothing") == ({}, (), ())


def test_an_overlay_below_the_overlay_keeps_its_files(here, way):
    folders.write("dev/gang", TREE)
    folders.write("dev", TREE)
    assert look(here / "dev/gang") == TREE


def test_garbage_after_the_line_is_replaced(here, way):
    (here / "dev").mkdir()
    (here / "dev/kustomization.yaml").write_bytes(LINE.encode() + b"\xff\xfe\0")
    folders.write("dev", TREE)
    assert look(here / "dev") == TREE


def test_a_shell_that_stands_in_the_folder_is_not_left_in_a_removed_one(here, monkeypatch):
    folders.write("dev", {"kustomization.yaml": LINE})
    monkeypatch.chdir(here / "dev")
    inode = (here / "dev").stat().st_ino
    assert folders.write(".", TREE) is True
    assert (here / "dev").stat().st_ino == inode
    assert look(here / "dev") == TREE


def test_leftovers_of_killed_runs_are_cleared_and_lose_nothing(here):
    folders.write("dev", TREE)
    (here / "dev/notes.md").write_text("mine")
    leftover = here / ".dev.gangform-new-0123456789ab"
    (leftover / "sub").mkdir(parents=True)
    (leftover / "kustomization.yaml").write_text(LINE + "half")
    (leftover / ".gangform-tmp-12-a.yaml").write_text("# Gen")
    os.link(here / "dev/notes.md", leftover / "notes.md")
    (leftover / "sub/only.md").write_text("the last copy")
    (here / "dev" / ".gangform-tmp-12-a.yaml").write_text("# Gen")
    (here / ".dev.gangform-new-notours").mkdir()
    (here / ".other.gangform-new-0123456789ab").mkdir()
    assert folders.write("dev", TREE) is False
    assert look(here / "dev") == {**TREE, "notes.md": "mine", "sub/only.md": "the last copy"}
    assert sorted(os.listdir(here)) == [".dev.gangform-new-notours", ".other.gangform-new-0123456789ab", "dev"]


def test_a_humans_file_that_has_another_name_by_now_does_not_come_back(here):
    folders.write("dev", TREE)
    (here / "dev/README.md").write_text("mine")
    leftover = here / ".dev.gangform-new-0123456789ab"
    leftover.mkdir()
    os.link(here / "dev/README.md", leftover / "notes.md")
    folders.write("dev", TREE)
    assert look(here) == {f"dev/{name}": text for name, text in {**TREE, "README.md": "mine"}.items()}


def test_unfinished_files_of_a_staging_folder_do_not_move_into_the_folder(here):
    (here / "dev").mkdir()
    leftover = here / ".dev.gangform-new-0123456789ab"
    leftover.mkdir()
    (leftover / ".gangform-tmp-12-a.yaml").write_text("# Gen")
    staging.retire(str(leftover), str(here / "dev"))
    assert look(here) == {}
    assert os.listdir(here) == ["dev"]


def test_a_folder_that_was_moved_away_comes_back_as_it_was(here):
    folders.write("dev", TREE)
    (here / "dev/empty").mkdir()
    (here / "dev").chmod(0o700)
    (here / "dev").rename(here / ".dev.gangform-old-0123456789ab")
    assert folders.write("dev", TREE) is False
    assert os.listdir(here) == ["dev"]
    assert (here / "dev/empty").is_dir()
    assert stat.S_IMODE((here / "dev").stat().st_mode) == 0o700


def test_of_two_versions_of_a_humans_file_the_newer_one_stays(here):
    folders.write("dev", TREE)
    leftover = here / ".dev.gangform-old-0123456789ab"
    leftover.mkdir()
    for name, ours, theirs in (("a.md", 1, 2), ("b.md", 2, 1)):
        (here / "dev" / name).write_text("folder")
        (leftover / name).write_text("leftover")
        os.utime(here / "dev" / name, (ours, ours))
        os.utime(leftover / name, (theirs, theirs))
    folders.write("dev", TREE)
    assert [(here / "dev" / name).read_text() for name in ("a.md", "b.md")] == ["leftover", "folder"]
    assert os.listdir(here) == ["dev"]


def test_runs_at_the_same_time_leave_one_whole_result(here):
    program = (
        "import sys; from gangform.edges import folders\n"
        f"line = {LINE!r}\n"
        "for _ in range(15):\n"
        "    for mine in sys.argv[1:]:\n"
        "        folders.write('dev', {'kustomization.yaml': line + mine, f'{mine}.yaml': line})\n"
    )
    (here / "dev").mkdir()
    (here / "dev/notes.md").write_text("mine")
    runs = [subprocess.Popen([sys.executable, "-c", program, f"x{n}", f"y{n}"], cwd=here) for n in range(3)]
    assert [run.wait() for run in runs] == [0, 0, 0]
    found = look(here / "dev")
    assert found.pop("notes.md") == "mine"
    last = found["kustomization.yaml"].removeprefix(LINE)
    assert found == {"kustomization.yaml": LINE + last, f"{last}.yaml": LINE}
    assert os.listdir(here) == ["dev"]


def test_a_run_that_does_not_end_is_not_waited_for_for_ever(here, monkeypatch):
    monkeypatch.setattr(locking, "PATIENCE", 0.1)
    with locking.hold(str(here)), pytest.raises(InputError, match="another gangform is writing in"):
        folders.write("dev", TREE)
    assert os.listdir(here) == []
    assert folders.write("dev", TREE) is True


@pytest.mark.parametrize("name", ["kustomization.yml", "Kustomization"])
def test_a_kustomization_under_another_name_is_in_the_way(here, name):
    (here / "dev").mkdir()
    (here / "dev" / name).write_text("resources: []\n")
    with pytest.raises(InputError, match=f"not overwritten: dev/{name}"):
        folders.write("dev", TREE)
    assert look(here) == {f"dev/{name}": "resources: []\n"}
    (here / "dev" / name).write_text(LINE + "resources: []\n")
    assert folders.write("dev", TREE) is True
    assert look(here / "dev") == TREE


def test_files_that_are_replaced_do_not_count_as_carried_over(here, monkeypatch):
    monkeypatch.setattr(staging, "CARRY_LIMIT", 1)
    folders.write("dev", TREE)
    (here / "dev/notes.md").write_text("mine")
    before = (here / "dev").stat().st_ino
    folders.write("dev", {name: text + "# more\n" for name, text in TREE.items()})
    assert (here / "dev").stat().st_ino != before
    assert (here / "dev/notes.md").read_text() == "mine"


def test_files_of_ours_that_came_since_the_folder_was_read_are_no_obstacle(here):
    folders.write("dev", TREE)
    folders.refuse_obstacles("dev", TREE, ())
    (here / "dev/kustomization.yaml").write_text("mine")
    with pytest.raises(InputError, match=r"dev/kustomization\.yaml"):
        folders.refuse_obstacles("dev", TREE, ())
