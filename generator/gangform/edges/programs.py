"""The one runner of other programs: argument lists, no input, bounded time and output."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple, NoReturn

from gangform.model.errors import ProgramError

if TYPE_CHECKING:
    from subprocess import Popen
    from threading import Thread

OUTPUT_LIMIT = 512 * 2**20
"""Bytes that a program may print unless the caller says otherwise."""

_CHUNK = 64 * 2**10
_REAP_SECONDS = 5.0
_SHELLS_BASE = 128
"""What shells add to the number of the signal that ended a program."""


class Completed(NamedTuple):
    """A program that ended by itself; any exit code, judged by the caller."""

    code: int
    stdout: bytes
    stderr: bytes


class _Capture:
    """Collects what two pipes give until one of them exceeds the limit in bytes."""

    def __init__(self, process: "Popen[bytes]", limit: int) -> None:
        self.process = process
        self.limit = limit
        self.exceeded = False
        self.stdout = bytearray()
        self.stderr = bytearray()

    def drain(self, pipe: IO[bytes], into: bytearray) -> None:
        """Read a pipe to its end, keeping no more than the limit."""
        while chunk := os.read(pipe.fileno(), _CHUNK):
            into += chunk
            if len(into) > self.limit:
                self.exceeded = True
                _kill(self.process)
                return


def find(name: str) -> str | None:
    """Return the absolute path of a program on PATH, or of a named executable file, or None."""
    from shutil import which

    path = which(name)
    return path and os.path.abspath(path)


def run(
    argv: Sequence[str],
    *,
    cwd: str,
    timeout: float,
    what: str,
    env: Mapping[str, str] | None = None,
    output_limit: int = OUTPUT_LIMIT,
) -> Completed:
    """Run a program to its end and return its exit code and output.

    Its standard input is empty. It gets a process group of its own, which is killed as a whole
    when time or output exceed their limits and when the run is interrupted or terminated.

    Args:
        argv: the program and its arguments; no shell reads them.
        cwd: its working folder.
        timeout: seconds.
        what: how messages call this run, such as ``kustomize build``.
        env: its whole environment; None passes ours on.
        output_limit: bytes, for standard output and standard error each.

    Raises:
        ProgramError: it cannot be started, was killed by a signal, or exceeded a limit.
    """
    with _unwound_by_termination():
        process = _start(argv, cwd, env, what)
        capture = _Capture(process, output_limit)
        late = not _wait(process, capture, timeout)
    if capture.exceeded:
        raise ProgramError(f"{what} printed more than {output_limit} bytes and was stopped")
    if late:
        raise ProgramError(f"{what} timed out after {timeout:g} s and was stopped")
    if process.returncode < 0:
        raise _killed(what, -process.returncode)
    return Completed(process.returncode, bytes(capture.stdout), bytes(capture.stderr))


@contextmanager
def _unwound_by_termination() -> Iterator[None]:
    """Let SIGTERM end us through the stack: in its own group the program would outlive us."""
    import signal
    from threading import current_thread, main_thread

    # Only the main thread may, and whoever handles or ignores the signal already knows better.
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(number: int, _frame: object) -> NoReturn:
    raise SystemExit(_SHELLS_BASE + number)


def _start(argv: Sequence[str], cwd: str, env: Mapping[str, str] | None, what: str) -> "Popen[bytes]":
    import subprocess

    try:
        return subprocess.Popen(
            list(argv), cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, process_group=None if sys.platform == "win32" else 0,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        if isinstance(error, OSError) and error.filename == cwd:
            raise ProgramError(f"{what} cannot run in the folder {cwd}: {reason}") from error
        if isinstance(error, FileNotFoundError):
            raise ProgramError(f"{what}: there is no program {argv[0]}", "install it and put it on PATH") from error
        raise ProgramError(f"{what}: {argv[0]} cannot be started: {reason}", "check its permissions") from error


def _readers(process: "Popen[bytes]", capture: _Capture) -> "list[Thread]":
    from threading import Thread

    outputs = ((process.stdout, capture.stdout), (process.stderr, capture.stderr))
    readers = [Thread(target=capture.drain, args=output, daemon=True) for output in outputs]
    for reader in readers:
        reader.start()
    return readers


def _wait(process: "Popen[bytes]", capture: _Capture, timeout: float) -> bool:
    """Collect the output until the program has ended and return True, or stop it when time is up."""
    import subprocess
    import time

    deadline = time.monotonic() + timeout
    readers: list[Thread] = []
    try:
        readers += _readers(process, capture)
        for reader in readers:
            reader.join(max(0.0, deadline - time.monotonic()))
        process.wait(max(0.0, deadline - time.monotonic()))
        return not any(reader.is_alive() for reader in readers)
    except subprocess.TimeoutExpired:
        return False
    finally:
        _close(process, readers)


def _close(process: "Popen[bytes]", readers: "list[Thread]") -> None:
    """Kill what is left of the group, reap the program and close the pipes that nobody reads."""
    if process.returncode is None or any(reader.is_alive() for reader in readers):
        _kill(process)
        process.wait()
    for reader in readers:
        reader.join(_REAP_SECONDS)
    # A process that left the group may hold a pipe for ever; its reader is a daemon and keeps the pipe.
    for reader, pipe in zip(readers, (process.stdout, process.stderr), strict=False):
        if pipe is not None and not reader.is_alive():
            pipe.close()


def _kill(process: "Popen[bytes]") -> None:
    if sys.platform == "win32":
        process.kill()
        return
    import signal
    from contextlib import suppress

    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _killed(what: str, number: int) -> ProgramError:
    import signal

    name = next((known.name for known in signal.Signals if known == number), "unknown")
    hint = "the system may have run out of memory" if name == "SIGKILL" else ""
    return ProgramError(f"{what} was killed by signal {number} ({name})", hint)
