"""What the repository holds speaks of the project alone: no path of a machine, no package index."""

import re
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def tracked(repository: Path) -> dict[str, str]:
    """Every text file under version control, or about to be."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=repository, capture_output=True, text=True, check=False,
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    texts = {}
    for name in filter(None, listing.stdout.split("\0")):
        path = repository / name
        if path.is_file():
            texts[name] = path.read_bytes().decode("utf-8", errors="replace")
    return texts


def test_no_file_names_a_folder_of_this_machine(repository, tracked):
    folders = {repository, repository.parent / "shared", Path.home()} - {Path("/")}
    # The default of sshAuthMountPath lies in root's home; it is the operator's, not ours.
    pattern = re.compile("|".join(rf"(?<![\w.]){re.escape(str(folder))}(?![\w.-])(?!/\.ssh)" for folder in folders))
    found = {name: match[0] for name, text in tracked.items() if (match := pattern.search(text))}
    assert found == {}


def test_no_file_names_a_package_index(tracked):
    # Spelt so that this file does not name one either.
    pattern = re.compile(r"pyp[i]\.org|python[h]osted\.org|proxy\.[g]olang\.org|sum\.[g]olang\.org")
    assert {name: match[0] for name, text in tracked.items() if (match := pattern.search(text))} == {}


def test_the_lock_files_hold_names_and_hashes_alone(tracked):
    for name in ("requirements/run.txt", "requirements/dev.txt", "requirements/build.txt"):
        for line in tracked[name].splitlines():
            assert re.fullmatch(r"[\w.-]+==\S+( ; [^\\]+?)?( \\)?|    --hash=sha256:[0-9a-f]{64}( \\)?|    #.*", line), line
        assert "://" not in tracked[name]


def test_every_text_ends_its_lines_alike(tracked):
    kept = {name for name in tracked if name.startswith("tests/golden/")}
    assert {name for name, text in tracked.items() if "\r\n" in text} - kept == set()
