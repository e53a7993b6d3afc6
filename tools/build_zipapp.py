"""Builds one file that runs gangform, the client for clusters included, on a machine that has Python and no pip.

Usage: ``python tools/build_zipapp.py WHEELS FILE``. Everything in it comes from the folder WHEELS, checked against
requirements/cluster.txt; nothing is fetched. It runs on the version of Python and the platform that built it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
LOCK = REPOSITORY / "requirements" / "cluster.txt"


def build(wheels: Path, target: Path) -> None:
    """Install gangform into an environment of its own, and pack that."""
    with tempfile.TemporaryDirectory(prefix="gangform-zipapp-") as folder:
        made, environment = Path(folder, "dist"), Path(folder, "environment")
        _run("-m", "build", "--no-isolation", "--wheel", "--outdir", made, REPOSITORY)
        (wheel,) = made.iterdir()
        _run("-m", "venv", "--without-pip", environment)
        install = ("-m", "pip", "--disable-pip-version-check", "--python", environment / _PYTHON, "install", "--quiet",
                   "--no-index", "--find-links", wheels)
        _run(*install, "--require-hashes", "--requirement", LOCK)
        _run(*install, "--no-deps", wheel)
        target.parent.mkdir(parents=True, exist_ok=True)
        _run("-m", "pex", "--venv-repository", environment, "gangform[cluster]", "--console-script", "gangform",
             "--no-compile", "--python-shebang", "/usr/bin/env python3", "--pex-root", Path(folder, "pex"),
             "--runtime-pex-root", "~/.cache/gangform", "--output-file", target)


_PYTHON = "Scripts/python.exe" if os.name == "nt" else "bin/python"


def _run(*words: str | Path) -> None:
    subprocess.run([sys.executable, *words], check=True, cwd=REPOSITORY)


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
