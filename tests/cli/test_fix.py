"""``gangform fix`` as users run it: what it writes, says and returns."""

import json
import subprocess
from pathlib import Path

import pytest

BAD = ("cpu: 500m", "cpu: 0.5")


@pytest.fixture
def broken(project: Path) -> Path:
    """The repository with a quantity that needs quotes."""
    job = project / "base/pi.yaml"
    job.write_text(job.read_text().replace(*BAD))
    return project


def test_a_file_is_mended_and_the_code_is_0(broken: Path, run) -> None:
    done = run("fix", "base")
    assert (done.returncode, done.stdout) == (0, "mended   base/pi.yaml (1 finding)\n")
    assert "1 finding mended in 1 file." in done.stderr
    assert 'cpu: "0.5"' in (broken / "base/pi.yaml").read_text()
    again = run("fix", "base")
    assert (again.returncode, again.stdout) == (0, "")
    assert "Nothing to mend." in again.stderr


def test_a_diff_can_be_applied_and_the_code_says_that_there_is_one(broken: Path, run) -> None:
    before = (broken / "base/pi.yaml").read_text()
    done = run("fix", "base", "--diff")
    assert done.returncode == 1
    assert "1 finding would be mended in 1 file." in done.stderr
    assert (broken / "base/pi.yaml").read_text() == before
    subprocess.run(["git", "apply", "-"], input=done.stdout, text=True, cwd=broken, check=True)
    assert (broken / "base/pi.yaml").read_text() == before.replace("0.5", '"0.5"')
    assert run("fix", "base", "--diff").returncode == 0


def test_errors_that_nobody_can_mend_safely_are_shown_and_the_code_is_1(bad: Path, run) -> None:
    done = run("fix", "base")
    assert (done.returncode, done.stdout) == (1, "")
    assert "[min-member-exceeds-pods]" in done.stderr
    assert done.stderr.endswith("Nothing to mend by itself: what is left needs your choice.\n")


def test_a_mend_that_would_change_more_than_it_should_is_shown(broken: Path, run) -> None:
    job = broken / "base/pi.yaml"
    job.write_text(job.read_text().replace("image: mpioperator/mpi-pi:openmpi", "image: mpi-{{ tag }}", 1))
    done = run("fix", "base")
    assert done.returncode == 1
    assert ("base/pi.yaml:16: not mended, the text is a template [quantity-needs-quotes]: set "
            '/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0/resources/requests/cpu to "0.5"') in done.stderr
    assert "cpu: 0.5" in job.read_text()


def test_json_tells_what_was_mended_and_what_is_left(broken: Path, run) -> None:
    done = run("fix", "base", "--format", "json")
    told = json.loads(done.stdout)
    assert told["mended"] == [{"path": "base/pi.yaml", "findings": 1}]
    assert (told["left"], told["written"], told["findings"]) == ([], True, [])


def test_ids_can_be_chosen(broken: Path, run) -> None:
    assert run("fix", "base", "--ignore", "quantity-*").returncode == 0
    assert "cpu: 0.5" in (broken / "base/pi.yaml").read_text()
    assert run("fix", "base", "--select", "quantity-needs-quotes").returncode == 0
    assert "cpu: 0.5" not in (broken / "base/pi.yaml").read_text()


def test_quiet_prints_only_what_matters(broken: Path, run) -> None:
    done = run("fix", "base", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("argument", "said"), [
    ("-", "standard input cannot be mended in place"), ("nowhere", "nowhere"),
])
def test_what_cannot_be_mended_is_one_message_and_2(project: Path, run, argument: str, said: str) -> None:
    done = run("fix", argument)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_link_is_not_written_through(broken: Path, run) -> None:
    (broken / "base/pi.yaml").rename(broken / "real.yml")
    (broken / "base/pi.yaml").symlink_to("../real.yml")
    before = (broken / "real.yml").read_text()
    done = run("fix", "base/pi.yaml")
    assert done.returncode == 2
    assert "symbolic link" in done.stderr
    assert (broken / "real.yml").read_text() == before
