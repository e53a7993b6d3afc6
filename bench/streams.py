"""How long does a stream of jobs take, and how much memory, beside programs that do less with as many?

Each number is one run of a whole process: seconds by the wall clock, and the largest resident set.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
GANGFORM = str(Path(sys.executable).with_name("gangform"))
TOOLS = os.pathsep.join([str(REPOSITORY / ".tools"), os.environ.get("PATH", os.defpath)])
PEAK = """
import os, resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


class Cost(NamedTuple):
    """Seconds, and mebibytes of the largest resident set."""

    seconds: float
    memory: float


def measure(command: Sequence[str], folder: Path) -> Cost:
    """Run a command to its end.

    Raises:
        CalledProcessError: it failed, so its cost says nothing.
    """
    begin = time.perf_counter()
    watched = [sys.executable, "-c", PEAK, *command]
    done = subprocess.run(watched, cwd=folder, check=True, capture_output=True, text=True)
    return Cost(time.perf_counter() - begin, int(done.stdout) / 1024)


def make_stream(size: int, folder: Path) -> Path:
    """Write so many jobs into one file, with a kustomization beside it."""
    job = (REPOSITORY / "base" / "pi.yaml").read_text(encoding="utf-8")
    path = folder / f"jobs-{size}.yaml"
    with path.open("w", encoding="utf-8") as stream:
        for number in range(size):
            stream.write("---\n" + job.replace("name: pi\n", f"name: pi-{number}\n", 1))
    (folder / "kustomization.yaml").write_text(f"resources: [{path.name}]\n", encoding="utf-8")
    return path


def show(title: str, size: int, cost: Cost) -> None:
    print(f"{title:34} {size:6,} jobs {cost.seconds:8.2f} s {cost.seconds / size * 1000:8.2f} ms per job "
          f"{cost.memory:8.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a stream of jobs takes, beside other programs.")
    parser.add_argument("--size", type=int, default=10_000, help="jobs of the stream (default: %(default)s)")
    parser.add_argument("--build", type=int, default=1_000, help="jobs that kustomize builds (default: %(default)s)")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jobs, marked = make_stream(arguments.size, folder), folder / "marked.yaml"
        transform = [GANGFORM, "transform", "--backend", "coscheduling", "-q"]
        show("gangform transform", arguments.size, measure([*transform, str(jobs), "-o", str(marked)], folder))
        show("gangform transform, again", arguments.size, measure([*transform, str(marked)], folder))
        remove = [GANGFORM, "transform", "--remove", "-q", str(marked), "-o", f"{marked}.back"]
        show("gangform transform --remove", arguments.size, measure(remove, folder))
        kubeconform, kustomize = (shutil.which(program, path=TOOLS) for program in ("kubeconform", "kustomize"))
        if kubeconform:
            location = subprocess.run([GANGFORM, "schema", "--location"], check=True, capture_output=True, text=True)
            command = [kubeconform, "-strict", "-schema-location", location.stdout.strip(), str(marked)]
            show("kubeconform", arguments.size, measure(command, folder))
        if kustomize:
            make_stream(arguments.build, folder)
            show("kustomize build", arguments.build, measure([kustomize, "build", "."], folder))


if __name__ == "__main__":
    main()
