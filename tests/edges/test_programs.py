"""The runner, with real small programs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gangform.edges import programs
from gangform.model.errors import ProgramError


@pytest.fixture
def script(tmp_path):
    def write(text: str, name: str = "program") -> str:
        path = tmp_path / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)

    return write


def run(*argv: str, timeout: float = 30.0, **more):
    return programs.run(argv, cwd=more.pop("cwd", "/"), timeout=timeout, what="the program", **more)


def test_answers_exit_code_and_both_outputs(script):
    done = run(script('printf "out $1"; printf err >&2; exit 7'), "a b;c")
    assert done == (7, b"out a b;c", b"err")


def test_gives_the_folder_and_nothing_to_read(script, tmp_path):
    done = run(script("pwd; cat; echo end"), cwd=str(tmp_path))
    assert done.stdout.decode() == f"{os.path.realpath(tmp_path)}\nend\n"


def test_what_we_are_given_to_read_is_not_the_programs():
    ours = "from gangform.edges.programs import run; print(run(['cat'], cwd='/', timeout=30, what='cat').stdout)"
    done = subprocess.run([sys.executable, "-c", ours], input=b"ours", capture_output=True, check=True)
    assert done.stdout.strip() == b"b''"


def test_passes_only_the_given_environment(script):
    program = script('echo "$GANG ${HOME-none}"')
    assert run(program, env={"GANG": "g"}).stdout == b"g none\n"
    assert run(program).stdout == f" {os.environ.get('HOME', 'none')}\n".encode()


def test_large_outputs_on_both_pipes_are_read_whole(script):
    done = run(script("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero"))
    assert (len(done.stdout), len(done.stderr)) == (3_000_000, 3_000_000)


def test_output_beyond_the_limit_stops_the_program(script):
    with pytest.raises(ProgramError, match=r"^the program printed more than 1000 bytes"):
        run(script("while :; do echo yes; done"), output_limit=1000)


def test_output_of_exactly_the_limit_is_allowed(script):
    assert len(run(script("head -c 1000 /dev/zero"), output_limit=1000).stdout) == 1000


def test_missing_program_is_named():
    with pytest.raises(ProgramError, match="there is no program /nonexistent/tool"):
        run("/nonexistent/tool")


def test_missing_folder_is_named_and_not_the_program(script):
    with pytest.raises(ProgramError, match="cannot run in the folder /nonexistent/folder: No such file"):
        run(script("exit 0"), cwd="/nonexistent/folder")


def test_file_without_the_execute_bit_is_refused(script):
    path = script("exit 0")
    Path(path).chmod(0o644)
    with pytest.raises(ProgramError, match="program cannot be started: Permission denied"):
        run(path)


def test_file_that_is_no_program_is_refused(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"\x00\x01\x02")
    path.chmod(0o755)
    with pytest.raises(ProgramError, match="cannot be started: "):
        run(str(path))


def test_argument_with_a_nul_is_refused(script):
    with pytest.raises(ProgramError, match="cannot be started: "):
        run(script("exit 0"), "a\0b")


def test_killed_program_names_the_signal(script):
    with pytest.raises(ProgramError, match=r"was killed by signal 15 \(SIGTERM\)") as caught:
        run(script("kill -TERM $$"))
    assert caught.value.hint == ""
    with pytest.raises(ProgramError, match=r"was killed by signal 9 \(SIGKILL\)") as caught:
        run(script("kill -KILL $$"))
    assert "memory" in caught.value.hint


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that was killed and waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> bool:
    for _ in range(500):
        if not is_alive(pid):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_timeout_kills_the_whole_group(script, tmp_path):
    pids = tmp_path / "pids"
    program = script(f"sleep 600 & echo $! $$ > {pids}; wait")
    with pytest.raises(ProgramError, match=r"timed out after 0.5 s"):
        run(program, timeout=0.5)
    assert all(wait_until_gone(int(pid)) for pid in pids.read_text().split())


def test_child_that_keeps_the_pipe_open_counts_as_running(script):
    with pytest.raises(ProgramError, match="timed out"):
        run(script("sleep 600 & exit 0"), timeout=0.5)


def test_program_that_closed_its_output_still_times_out(script):
    with pytest.raises(ProgramError, match="timed out"):
        run(script("exec >&- 2>&-; sleep 600"), timeout=0.5)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_interrupt_kills_the_program(script, tmp_path):
    pids = tmp_path / "pids"
    program = script(f"echo $$ > {pids}.new; mv {pids}.new {pids}; sleep 0.5; kill -INT $PPID; sleep 600")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(program)
    finally:
        signal.signal(signal.SIGINT, before)
    assert wait_until_gone(int(pids.read_text()))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_termination_kills_the_program_and_is_told_to_the_shell(script, tmp_path):
    pids = tmp_path / "pids"
    program = script(f"echo $$ > {pids}.new; mv {pids}.new {pids}; sleep 600")
    runner = subprocess.Popen([sys.executable, "-c", (
        "import sys; from gangform.edges import programs\n"
        "programs.run(sys.argv[1:], cwd='/', timeout=600, what='it')\n"), program])
    deadline = time.monotonic() + 30
    while not pids.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    runner.terminate()
    assert runner.wait() == 128 + signal.SIGTERM
    assert wait_until_gone(int(pids.read_text()))


def test_a_handler_of_the_caller_stays(script):
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        assert run(script("kill -TERM $PPID; exit 3")).code == 3
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_find_answers_absolute_paths(script, tmp_path, monkeypatch):
    script("exit 0", "tool")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert programs.find("tool") == str(tmp_path / "tool")
    assert programs.find("./tool") == str(tmp_path / "tool")
    assert programs.find("other") is None
