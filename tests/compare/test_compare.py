"""What differs between two trees, and the diff that says so."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangform.compare import Change, compare, unified


def test_a_file_is_new_changed_or_deleted_and_files_come_by_path():
    changes = compare({"b": "1\n", "c": "1\n", "d": "1\n"}, {"d": "1\n", "c": "2\n", "a": "1\n"})
    assert [(change.path, change.kind) for change in changes] == [("a", "new"), ("b", "deleted"), ("c", "changed")]


@pytest.mark.parametrize("before", ["a: 1\r\nb: 2\r\n", "\ufeffa: 1\nb: 2\n", "\ufeffa: 1\r\nb: 2\n"])
def test_line_ends_and_a_byte_order_mark_are_no_difference(before):
    assert compare({"x": before}, {"x": "a: 1\nb: 2\n"}) == ()


def test_a_missing_last_line_end_is_a_difference():
    assert len(compare({"x": "a"}, {"x": "a\n"})) == 1


def test_an_empty_file_is_not_a_missing_one():
    assert [change.kind for change in compare({}, {"x": ""})] == ["new"]


def test_a_change_shows_the_lines_with_their_context():
    change = Change("pi.podgroup.yaml", "spec:\n  minMember: 4\n", "spec:\n  minMember: 5\n")
    assert unified(change, "overlays/dev") == (
        "--- a/overlays/dev/pi.podgroup.yaml\n+++ b/overlays/dev/pi.podgroup.yaml\n"
        "@@ -1,2 +1,2 @@\n spec:\n-  minMember: 4\n+  minMember: 5\n")


def test_a_new_file_comes_from_dev_null_and_a_deleted_one_goes_there():
    assert unified(Change("x", None, "a\n"), ".") == "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"
    assert unified(Change("x", "a\n", None), "./o/") == "--- a/o/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"


def test_a_last_line_without_an_end_is_marked():
    assert unified(Change("x", "a", "a\nb"), "").splitlines()[3:] == [
        "-a", "\\ No newline at end of file", "+a", "+b", "\\ No newline at end of file"]


def test_a_diff_has_no_carriage_returns_and_no_byte_order_mark():
    text = unified(Change("x", "\ufeffa\r\nb\r\n", "a\nc\n"), "o")
    assert text == "--- a/o/x\n+++ b/o/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


def test_paths_have_slashes_and_no_root():
    assert unified(Change("x", None, "a\n"), "overlays\\dev").splitlines()[1] == "+++ b/overlays/dev/x"
    assert unified(Change("x", None, "a\n"), "/tmp/dev").splitlines()[1] == "+++ b/tmp/dev/x"


def test_a_path_with_blanks_ends_with_a_tab_as_git_writes_it():
    assert unified(Change("x", "a\n", "b\n"), "team a").splitlines()[:2] == ["--- a/team a/x\t", "+++ b/team a/x\t"]


TEXTS = st.none() | st.lists(
    st.text(alphabet="ab \t\f\x1c\u2028\u00e9-+@\\", max_size=3), min_size=1, max_size=12).map("\n".join).filter(bool)


def apply(git: str, folder: Path, change: Change, below: str) -> str | None:
    """Let Git apply a change's diff to the text before it, and read what comes of it."""
    path = folder / below / change.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if change.before is not None:
        path.write_text(change.before, encoding="utf-8", newline="")
    (folder / "change.diff").write_text(unified(change, below), encoding="utf-8", newline="")
    done = subprocess.run([git, "apply", "--whitespace=nowarn", "change.diff"], cwd=folder,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path.read_bytes().decode() if path.exists() else None


@pytest.mark.tools
@settings(max_examples=60)
@given(TEXTS, TEXTS)
def test_git_gets_from_any_text_to_any_other(tool, tmp_path_factory, before, after):
    if before != after:
        folder = tmp_path_factory.mktemp("diff")
        assert apply(tool("git"), folder, Change("x", before, after), "o") == after


@pytest.mark.tools
@pytest.mark.parametrize("below", [".", "overlays/dev", "team a/gang"])
def test_git_finds_the_file_wherever_the_overlay_is(tool, tmp_path, below):
    change = Change("pi job.patch.yaml", "a\n", "b\n")
    assert apply(tool("git"), tmp_path, change, below) == "b\n"
