"""A stream that is larger than the memory it may take."""

import subprocess
import sys
from pathlib import Path

import pytest

from streams import CONFIG, JOB

pytestmark = [
    pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the peak is counted in other units elsewhere")]

MEBIBYTE = 2**20
PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.parametrize("shape", ["many documents", "one long document"])
def test_two_hundred_megabytes_stay_below_three_hundred_resident(tmp_path: Path, shape: str) -> None:
    source, target = tmp_path / "in.yaml", tmp_path / "out.yaml"
    config = CONFIG.replace(b"MPIJob", b"nothing")
    with source.open("wb") as stream:
        for number in range(100):
            stream.write(b"---\n" + JOB.replace(b"name: pi", b"name: pi-%d" % number))
            filler = config + b"  long: " + b"x" * 2000 + b"\n"
            if shape == "many documents":
                stream.write((b"---\n" + filler) * (2 * MEBIBYTE // len(filler)))
        if shape != "many documents":
            stream.write(b"---\n" + CONFIG.replace(b"MPIJob", b"nothing"))
            for _ in range(200):
                stream.write(b"  # x" * (MEBIBYTE // 5) + b"\n")
    assert source.stat().st_size > 195 * MEBIBYTE
    done = subprocess.run(
        [sys.executable, "-c", PEAK, sys.executable, "-m", "gangform", "transform", "--backend", "volcano", "-q",
         str(source), "-o", str(target)], capture_output=True, text=True, check=True)
    code, kibibytes = map(int, done.stdout.split())
    assert code == 0, done.stderr
    assert kibibytes < 300 * 1024
    assert target.stat().st_size > source.stat().st_size
