"""transform and krm: streams, exit codes, where the output goes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BROKEN = b"kind: MPIJob\napiVersion: kubeflow.org/v2beta1\nmetadata: {name: x}\nspec: {}\n"


def raw(*arguments: str, stdin: bytes, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "gangform", *arguments], input=stdin, cwd=cwd, capture_output=True, check=False)


def test_standard_input_goes_to_standard_output_as_bytes(project: Path) -> None:
    text = b"\xef\xbb\xbfa: 1\r\n# caf\xe9 \x00\r\n"
    done = raw("transform", "--backend", "volcano", stdin=text, cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, text, b"")


@pytest.mark.parametrize("arguments", [("--backend", "volcano"), ("--cluster", "prod"), ("--remove",)])
def test_an_empty_input_gives_an_empty_output(project: Path, arguments: tuple[str, ...]) -> None:
    done = raw("transform", *arguments, stdin=b"", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_findings_go_to_stderr_and_nothing_to_stdout_when_one_is_an_error(project: Path) -> None:
    done = raw("transform", "--backend", "volcano", "base/pi.yaml", "-", stdin=BROKEN, cwd=project)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"<stdin>:4:" in done.stderr


def test_fail_on_holds_output_back_too(project: Path, run) -> None:
    job = (project / "base/pi.yaml").read_text().replace("    cleanPodPolicy: Running\n", "    cleanPodPolicy: Running\n    schedulingPolicy: {scheduleTimeoutSeconds: 9}\n")
    assert run("transform", "--backend", "volcano", stdin=job).stdout
    done = run("transform", "--backend", "volcano", "--fail-on", "note", stdin=job)
    assert (done.returncode, done.stdout) == (1, "")


def test_a_file_can_be_written_over_itself(project: Path, run) -> None:
    job = project / "base/pi.yaml"
    before = job.read_bytes()
    done = run("transform", "--cluster", "prod", "base/pi.yaml", "-o", "base/pi.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert b"queue: research" in job.read_bytes()
    assert run("transform", "--remove", "base/pi.yaml", "-o", "base/pi.yaml").returncode == 0
    assert job.read_bytes() == before


def test_remove_knows_the_scheduler_names_of_the_settings(project: Path, run) -> None:
    settings = project / "gangform.yaml"
    settings.write_text(settings.read_text().replace("queue: research", "queue: research, schedulerName: volcano-2"))
    before = (project / "base/pi.yaml").read_text()
    marked = run("transform", "--cluster", "prod", "base/pi.yaml").stdout
    assert "schedulerName: volcano-2" in marked
    assert run("transform", "--remove", stdin=marked).stdout == before


def test_a_failing_run_leaves_the_output_file_as_it_was(project: Path, run) -> None:
    (project / "out.yaml").write_text("as it was")
    assert run("transform", "--backend", "volcano", "-o", "out.yaml", stdin=BROKEN.decode()).returncode == 1
    assert (project / "out.yaml").read_text() == "as it was"
    assert sorted(path.name for path in project.iterdir()) == [".git", "base", "gangform.yaml", "out.yaml"]


@pytest.mark.parametrize(("arguments", "said"), [
    (("transform",), "for which scheduler"),
    (("transform", "--backend", "slurm"), "no backend slurm"),
    (("transform", "--backend", "volcano", "--option", "que=x"), "no option"),
    (("transform", "--backend", "volcano", "missing.yaml"), "no file missing.yaml"),
    (("transform", "--backend", "volcano", "base"), "is a folder"),
    (("transform", "--backend", "volcano", "-", "-"), "named twice"),
    (("transform", "--backend", "volcano", "-o", "no/where.yaml"), "cannot write"),
])
def test_wrong_usage_is_told_and_ends_with_2(run, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments, stdin="a: 1\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="no terminals of this kind")
def test_nobody_waits_for_a_terminal_by_mistake(project: Path) -> None:
    terminal, other = os.openpty()
    done = subprocess.run([sys.executable, "-m", "gangform", "transform", "--backend", "volcano"], stdin=other, cwd=project,
                          capture_output=True, text=True, timeout=60, check=False)
    os.close(terminal)
    os.close(other)
    assert (done.returncode, "which manifests?" in done.stderr) == (2, True)


@pytest.mark.skipif(os.name == "nt", reason="pipes end in another way")
def test_a_reader_that_leaves_early_is_no_defect(project: Path) -> None:
    # More than a pipe holds.
    (project / "long.yaml").write_bytes((b"a: " + b"1" * 1000 + b"\n---\n") * 4_500)
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m gangform transform --backend volcano long.yaml; echo $? >&2", "sh"],
        cwd=project, capture_output=True, text=True, check=False)
    assert done.stderr == "0\n"
    done = subprocess.run(
        ["sh", "-c", f"({sys.executable} -m gangform transform --backend volcano long.yaml; echo $? >&2) | head -c 10"],
        cwd=project, capture_output=True, text=True, check=False)
    assert done.stderr == "141\n"


@pytest.mark.parametrize("stdin", ["", "a: [\n", "kind: List\nitems: []\n", "kind: ResourceList\nitems: []\n---\n{}\n"])
def test_krm_without_a_resource_list_says_what_it_is_for(run, stdin: str) -> None:
    done = run("krm", stdin=stdin)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no ResourceList" in done.stderr
    assert "gangform transform" in done.stderr


def test_a_dash_is_standard_output(project: Path, run) -> None:
    done = run("transform", "--backend", "volcano", "base/pi.yaml", "-o", "-")
    assert (done.returncode, done.stdout) == (0, run("transform", "--backend", "volcano", "base/pi.yaml").stdout)
    assert "kind: PodGroup" in done.stdout
    assert not (project / "-").exists()


@pytest.mark.parametrize(("name", "said"), [("", "there is no file ''"), ("a\nb", "there is no file a\\nb")])
def test_an_odd_name_stays_on_one_line(project: Path, run, name: str, said: str) -> None:
    done = run("transform", "--backend", "volcano", name)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {said}\n")


@pytest.mark.skipif(os.name == "nt", reason="closes a descriptor with a POSIX shell")
@pytest.mark.parametrize("arguments", [
    "transform --backend volcano base/pi.yaml", "transform --backend volcano base/pi.yaml -o -", "schema MPIJob"])
def test_a_closed_standard_output_is_no_success(project: Path, arguments: str) -> None:
    done = subprocess.run(["sh", "-c", f'"$0" -m gangform {arguments} >&-', sys.executable], cwd=project,
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "error: cannot write to standard output: it is closed\n")
