"""Answers for one question: how long does a user wait?

Prints medians of interleaved pairs, each the wall-clock time of a whole process. Both sides of a
pair are the same interpreter, started plainly: the installed console script ``gangform``, and
``python -c 'import …'`` as the floor below which no such program can go.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
GANGFORM = str(Path(PYTHON).with_name("gangform"))
JOB = REPOSITORY / "base" / "pi.yaml"


class Pair(NamedTuple):
    """A command and the floor it is held against.

    Attributes:
        goal: how many times the floor's median the command's may be.
    """

    title: str
    command: Sequence[str]
    floor: Sequence[str]
    goal: float


PAIRS = (
    Pair("gangform --version", [GANGFORM, "--version"], [PYTHON, "-c", "import click"], 1.3),
    Pair(
        "gangform validate base/pi.yaml",
        [GANGFORM, "validate", str(JOB)], [PYTHON, "-c", "import click, yaml"], 2.0,
    ),
)


def measure(command: Sequence[str]) -> float:
    """Run a command to its end; answer seconds.

    Raises:
        CalledProcessError: the command failed, so its time says nothing.
    """
    begin = time.perf_counter()
    subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.perf_counter() - begin


def compare(pair: Pair, runs: int) -> tuple[float, float]:
    """Medians in seconds of the command and of its floor, run in turns after one warm run of each."""
    measure(pair.command)
    measure(pair.floor)
    times = [(measure(pair.command), measure(pair.floor)) for _ in range(runs)]
    return statistics.median(t for t, _ in times), statistics.median(t for _, t in times)


def weigh_rules(size: int, runs: int) -> tuple[float, float]:
    """Medians in seconds of validating so many jobs with their groups: every rule on, and none."""
    from gangform.catalog import OFF

    with tempfile.TemporaryDirectory() as folder:
        measure([GANGFORM, "render", "base", "--backend", "volcano", "--rendered", "-o", f"{folder}/rendered"])
        pair = Path(folder, "rendered", "pi.yaml").read_text(encoding="utf-8")
        text = "---\n".join(pair.replace(": pi\n", f": pi-{number}\n") for number in range(size))
        jobs = Path(folder, "jobs.yaml")
        jobs.write_text(text, encoding="utf-8")
        every = [GANGFORM, "validate", str(jobs), "--preview", "--select", ",".join(["*", *sorted(OFF)])]
        none = [GANGFORM, "validate", str(jobs), "--ignore", "*"]
        return compare(Pair("", every, none, 1.5), runs)


def scale(sizes: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Seconds that validating a folder of so many jobs takes, one file each."""
    text = JOB.read_text(encoding="utf-8")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            for number in range(size):
                job = text.replace("name: pi\n", f"name: pi-{number}\n", 1)
                Path(folder, f"pi-{number:05}.yaml").write_text(job, encoding="utf-8")
            yield size, measure([GANGFORM, "validate", folder])


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a start and a validation take.")
    parser.add_argument("--runs", type=int, default=31, help="pairs per comparison (default: %(default)s)")
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 10000], help="jobs validated at once")
    arguments = parser.parse_args()

    print(f"Python {sys.version.split()[0]}, medians of {arguments.runs} interleaved pairs, whole processes")
    for pair in PAIRS:
        command, floor = compare(pair, arguments.runs)
        floor_title = " ".join(["python", *pair.floor[1:-1], repr(pair.floor[-1])])
        print(f"{pair.title:32} {command * 1000:6.1f} ms   {floor_title:34} {floor * 1000:6.1f} ms   "
              f"{command / floor:.2f}x (goal: at most {pair.goal}x)")
    on, off = weigh_rules(1000, max(1, arguments.runs // 6))
    print(f"{'1,000 jobs, every rule on':32} {on * 1000:6.0f} ms   {'none on':34} {off * 1000:6.0f} ms   "
          f"{on / off:.2f}x (goal: at most 1.5x)")
    for size, seconds in scale(arguments.sizes):
        title = f"gangform validate, {size:,} jobs"
        print(f"{title:32} {seconds:6.2f} s    {seconds / size * 1000:.2f} ms per job")


if __name__ == "__main__":
    main()
