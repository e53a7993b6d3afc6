"""Full disks, closed streams, interruptions and other programs that go wrong: how a run ends then."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repository import fill, job

NOT_WINDOWS = pytest.mark.skipif(os.name == "nt", reason="the system has no such thing")
RENDER = ("render", "base", "-o", "out", "--backend", "volcano")


@NOT_WINDOWS
@pytest.mark.parametrize("arguments", [
    ("validate", "base"), ("validate", "base", "--format", "json"), ("plan", "base", "--backend", "volcano"),
    ("render", "base", "-o", "out", "--backend", "volcano", "--diff"), ("explain",), ("schema", "mpijob"), ("--help",), ("--version",),
])
def test_a_full_disk_behind_stdout_is_said_once(project, arguments) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", "gangform", *arguments], cwd=project, stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if line.startswith("error: ")] == [
        "error: cannot write to standard output: No space left on device"]
    assert "Traceback" not in done.stderr


def start(arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run gangform in a shell, which can close and connect streams."""
    return subprocess.run(["sh", "-c", f'"$0" -m gangform {arguments}', sys.executable], cwd=cwd, capture_output=True,
                          text=True, check=False, timeout=60)


@NOT_WINDOWS
def test_closed_streams_end_no_run_with_a_traceback(project) -> None:
    closed = start("validate - <&-", project)
    assert (closed.returncode, closed.stdout) == (2, "")
    assert closed.stderr == "error: standard input is closed\n"
    unseen = start("validate base/pi.yaml >&-", project)
    assert (unseen.returncode, unseen.stderr) in {(0, ""), (2, "error: cannot write to standard output: it is closed\n")}
    mute = start("validate nowhere.yaml 2>&-", project)
    assert (mute.returncode, mute.stdout) == (2, "")
    full = start("validate nowhere.yaml 2>/dev/full", project)
    assert (full.returncode, full.stdout) == (2, "")


@NOT_WINDOWS
def test_a_reader_that_has_gone_is_no_error(project) -> None:
    fill(project, {f"many/{number}.yaml": job(workers=0) for number in range(300)})
    done = start("validate many --format json | head -c 10", project)
    assert (done.returncode, done.stdout, done.stderr) == (0, '{\n  "versi', "")


# Says that it runs only when whoever started it has come to wait for it.
SLOW = """#!/bin/sh
sleep 1
echo $$ > "$STARTED.new"
mv "$STARTED.new" "$STARTED"
exec sleep 60
"""


def wait_for(path: Path) -> str:
    for _ in range(600):
        if path.exists():
            return path.read_text()
        time.sleep(0.05)
    raise AssertionError(f"{path} never came")


@NOT_WINDOWS
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_leaves_no_child_and_writes_nothing(project, tmp_path, ending: signal.Signals) -> None:
    fill(tmp_path, {"slow": SLOW})
    (tmp_path / "slow").chmod(0o755)
    (project / "base/kustomization.yaml").write_text("namePrefix: a-\nresources: [pi.yaml]\n")
    environment = {**os.environ, "GANGFORM_KUSTOMIZE": str(tmp_path / "slow"), "STARTED": str(tmp_path / "started"),
                   "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-m", "gangform", *RENDER], cwd=project, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        child = int(wait_for(tmp_path / "started"))
        running.send_signal(ending)
        out, err = running.communicate(timeout=30)
    assert out == ""
    said = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "")}
    assert (running.returncode, err.strip()) == said[ending]
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert not (project / "out").exists()


@NOT_WINDOWS
@pytest.mark.parametrize(("script", "code", "words"), [
    ("exit 1", 2, ["base"]), ("kill -9 $$", 3, ["base"]), ("printf '\\377\\376garbage: ['", 3, ["base", "no stream of objects"]),
    ("printf ''", 2, ["no MPIJob"]), ("echo 'a: ['", 3, ["base", "no stream of objects"]),
])
def test_a_kustomize_that_goes_wrong_is_told_in_one_message(gangform, project, tmp_path, script, code, words) -> None:
    fill(tmp_path, {"odd": f"#!/bin/sh\n{script}\n"})
    (tmp_path / "odd").chmod(0o755)
    (project / "base/kustomization.yaml").write_text("namePrefix: a-\nresources: [pi.yaml]\n")
    done = gangform(*RENDER, cwd=project, env={"GANGFORM_KUSTOMIZE": str(tmp_path / "odd")})
    done.assert_refused(code, *words)
    assert not (project / "out").exists()


def test_a_missing_kustomize_is_told_with_what_to_install(gangform, project, tmp_path) -> None:
    (project / "base/kustomization.yaml").write_text("namePrefix: a-\nresources: [pi.yaml]\n")
    gangform(*RENDER, cwd=project, env={"PATH": str(tmp_path)}).assert_refused(3, "kustomize", "install")
    assert not (project / "out").exists()
