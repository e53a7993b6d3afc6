"""Ends a writer at every one of its system calls in turn and prints what is on disk, before and after the next run.

Run as a program: ``killed_writer.py FOLDER MODE``; MODE is exchange, rename or place. One JSON
object a line.
"""

import json
import os
import shutil
import sys
from itertools import count
from pathlib import Path

from gangform.edges import exchange, folders
from gangform.model.tree import GENERATED_LINE

LINE = GENERATED_LINE + "\n"
OLD = {"kustomization.yaml": LINE + "old", "a.yaml": LINE + "old", "stale.yaml": LINE, "same.yaml": LINE}
NEW = {"kustomization.yaml": LINE + "new", "a.yaml": LINE + "new", "new.yaml": LINE, "same.yaml": LINE}
HUMAN = {"notes.md": "mine", "sub/deep/x.yaml": "mine", ".hidden": "mine"}


def prepare(place: Path, mode: str) -> None:
    shutil.rmtree(place.parent, ignore_errors=True)
    place.parent.mkdir()
    if mode == "missing":
        return
    for name, text in {**OLD, **HUMAN}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    (place / "link").symlink_to("notes.md")


def look(place: Path) -> dict[str, str]:
    found = {}
    for path in sorted(place.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(place))] = "-> " + os.readlink(path)
        elif path.is_file():
            found[str(path.relative_to(place))] = path.read_text()
    return found


def write(place: Path, mode: str, last_call: int | None) -> int:
    """Write in a child that ends without a word at its n-th call; return its exit code."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        if mode == "rename":
            exchange.is_known = lambda: False
        if mode == "place":
            os.chdir(place)
        calls = count(1)

        def hook(event: str, _: tuple) -> None:
            if (event == "open" or event.startswith(("os.", "shutil."))) and next(calls) == last_call:
                os._exit(9)

        sys.addaudithook(hook)
        code = 1
        try:
            folders.write(str(place), NEW, root=str(place.parent))
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(folder: str, mode: str) -> None:
    place = Path(folder) / "overlays" / "dev"
    for call in count(1):
        prepare(place, mode)
        code = write(place, mode, call)
        killed = look(place)
        beside = sorted(os.listdir(place.parent)) if place.parent.exists() else []
        again = write(place, mode, None)
        json.dump({
            "call": call, "code": code, "killed": killed, "beside": beside, "again": again,
            "finished": look(place), "left": sorted(os.listdir(place.parent)),
        }, sys.stdout)
        sys.stdout.write("\n")
        if code != 9:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
