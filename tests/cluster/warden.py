"""Runs beside a test and outlives it: starts programs when told to, and ends them all when nobody tells it anything more.

Usage: ``python warden.py FOLDER``. Every line of standard input is one request in JSON, every line of standard output
one answer. When standard input ends, for whatever reason (the test is done, was interrupted, was killed), every
program that still runs is ended by its process id, and FOLDER is deleted.
"""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 5.0
PR_SET_PDEATHSIG = 1  # prctl(2)


def die_with_parent() -> None:
    """Let Linux end this program when the warden itself is killed; other systems have nothing of the kind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Warden:
    def __init__(self) -> None:
        self.running: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, argv: list[str], log: str) -> int:
        with Path(log).open("ab") as out:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 -- the warden has one thread
            )
        self.running[process.pid] = process
        return process.pid

    def stop(self, pid: int, number: int = signal.SIGTERM) -> int:
        process = self.running.pop(pid)
        if process.poll() is None:
            process.send_signal(number)
        try:
            return process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def ended(self) -> dict[int, int]:
        """The exit status of each program that ended without being told to."""
        return {pid: status for pid, process in self.running.items() if (status := process.poll()) is not None}

    def answer(self, request: dict[str, Any]) -> Any:
        match request.pop("verb"):
            case "start":
                return self.start(**request)
            case "stop":
                return self.stop(**request)
            case _:
                return self.ended()

    def stop_all(self) -> None:
        """End them at once: nothing that they could still write is ever read."""
        for process in self.running.values():
            process.kill()
        for process in self.running.values():
            process.wait()


def main(folder: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the end of standard input is the only sign that counts
    warden = Warden()
    try:
        for line in sys.stdin:
            try:
                reply = {"answer": warden.answer(json.loads(line))}
            except OSError as error:
                reply = {"error": str(error)}
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()
    finally:
        warden.stop_all()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    os.chdir("/")
    main(sys.argv[1])
