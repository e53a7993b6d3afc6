"""Equal input gives equal bytes: in any order, at any path, for any user, after any checkout."""

import random
import shutil
from pathlib import Path

import pytest

from gangform.catalog import BACKENDS
from repository import fill, job

LABELS = 'metadata: {name: %s, labels: {team: "größe", run: "1e3"}, annotations: {a: "on", b: "", c: "名前"}}'
JOBS = {
    "alpha": job("alpha", 7).replace("metadata:\n  name: alpha", LABELS % "alpha"),
    "beta": job("beta", 2).replace("  runPolicy:\n", "  runPolicy:\n    schedulingPolicy:\n      queue: q\n      minResources: {memory: 1Gi, cpu: 3}\n"),
    "null": job('"null"', 3).replace("spec:\n  runPolicy", "spec:\n  launcherCreationPolicy: WaitForWorkersReady\n  runPolicy"),
    "zeta": job("zeta", 1).replace("  name: zeta", "  name: zeta\n  namespace: '123'"),
    "eta": job("zeta", 4).replace("  name: zeta", "  name: zeta\n  namespace: other"),
}
SETTINGS = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: settings}\ndata: {b: "yes", a: "0o17"}\n'
LAYOUTS = [(), ("--component",), ("--rendered",)]
COMBINATIONS = [(backend, layout) for backend in BACKENDS for layout in LAYOUTS]
OPTIONS = ("--option", "labels=b=2", "--option", "labels=a=1", "--option", "annotations=wave=-1")


def lay(folder: Path, names: list[str], *, one_file: bool = False, newline: str = "\n") -> Path:
    """Write a base of the jobs, listed in this order, and a team's overlay that builds on it."""
    documents = [*(JOBS[name] for name in names), SETTINGS]
    files = {"all.yaml": "---\n".join(documents)} if one_file else {
        f"{number}.yaml": text for number, text in enumerate(documents)}
    listed = "resources:\n" + "".join(f"- {name}\n" for name in files)
    files = {f"base/{name}": text for name, text in files.items()} | {
        "base/kustomization.yaml": listed,
        "team/kustomization.yaml": "nameSuffix: -x\nresources: [../base]\ncomponents: [gang]\n",
    }
    return fill(folder, {name: text.replace("\n", newline) for name, text in files.items()})


def words(backend: str, layout: tuple[str, ...], prefix: str = "") -> list[str]:
    """The command line that renders in a folder made by ``lay``; ``prefix`` leads to it."""
    source, output = ("team", "team/gang") if layout == ("--component",) else ("base", "out")
    return ["render", f"{prefix}{source}", "-o", f"{prefix}{output}", "--backend", backend, *layout, *OPTIONS]


def read(folder: Path, layout: tuple[str, ...]) -> dict[str, bytes]:
    overlay = folder / ("team/gang" if layout == ("--component",) else "out")
    return {path.name: path.read_bytes() for path in overlay.iterdir()}


@pytest.fixture(params=COMBINATIONS, ids=lambda pair: "-".join([pair[0], *pair[1]]))
def first(request, gangform, tmp_path, kustomize):
    """One overlay as it should be: backend, layout, and its files."""
    backend, layout = request.param
    done = gangform(*words(backend, layout), cwd=lay(tmp_path / "first", sorted(JOBS)))
    assert done.code == 0, done.err
    return backend, layout, read(tmp_path / "first", layout)


@pytest.mark.tools
@pytest.mark.slow
def test_an_overlay_depends_on_nothing_but_its_source(first, gangform, tmp_path) -> None:
    backend, layout, files = first
    shuffled = sorted(JOBS)
    random.Random(4).shuffle(shuffled)
    assert shuffled != sorted(JOBS)

    elsewhere = lay(tmp_path / "a b/größe/'deep'", shuffled)
    changed = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "Asia/Tokyo",
               "COLUMNS": "20", "HOME": "/nowhere", "TERM": "xterm", "FORCE_COLOR": "1", "USER": "other"}
    assert gangform(*words(backend, layout), cwd=elsewhere, env=changed).code == 0
    assert read(elsewhere, layout) == files, "in another order, at another path, for another user"

    named = lay(tmp_path / "named", shuffled, one_file=True)
    assert gangform(*words(backend, layout, f"{named}/"), cwd=Path("/")).code == 0
    assert read(named, layout) == files, "of one file, named by its whole path"

    windows = lay(tmp_path / "windows", shuffled, newline="\r\n")
    (windows / "below").mkdir()
    assert gangform(*words(backend, layout, "../"), cwd=windows / "below").code == 0
    assert read(windows, layout) == files, "of files with other line ends, from a folder below"


@pytest.mark.tools
@pytest.mark.slow
def test_a_second_render_touches_nothing_and_check_sees_no_drift(first, gangform, tmp_path) -> None:
    backend, layout, _ = first
    folder = tmp_path / "first"
    for newline in (b"\n", b"\r\n"):
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            path.write_bytes(path.read_bytes().replace(b"\n", newline))
        before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.rglob("*")}
        assert gangform(*words(backend, layout), cwd=folder).code == 0
        assert {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.rglob("*")} == before
        checked = gangform("check", *words(backend, layout)[1:], "--kubeconform", "off", cwd=folder)
        assert (checked.code, "1 overlay fresh" in checked.out) == (0, True), checked.out


@pytest.mark.tools
@pytest.mark.slow
def test_a_lost_file_and_a_changed_one_come_back_as_they_were(first, gangform, tmp_path) -> None:
    backend, layout, files = first
    overlay = tmp_path / "first" / ("team/gang" if layout == ("--component",) else "out")
    lost, changed = sorted(files)[:2]
    (overlay / lost).unlink()
    (overlay / changed).write_bytes(files[changed] + b"# by hand\n")
    assert gangform("check", *words(backend, layout)[1:], "--kubeconform", "off", cwd=tmp_path / "first").code == 1
    assert gangform(*words(backend, layout), cwd=tmp_path / "first").code == 0
    assert read(tmp_path / "first", layout) == files


@pytest.mark.tools
@pytest.mark.parametrize("backend", BACKENDS)
def test_other_words_for_the_same_value_give_the_same_overlay(gangform, tmp_path, backend: str) -> None:
    """Quotes, flow style, comments and numbers that YAML reads alike."""
    plain = lay(tmp_path / "plain", ["alpha"])
    other = lay(tmp_path / "other", ["alpha"])
    text = (other / "base/0.yaml").read_text().replace("replicas: 7", "replicas: 0x7 # seven").replace('cpu: "8"', "cpu: 8")
    assert text != (plain / "base/0.yaml").read_text()
    (other / "base/0.yaml").write_text("\ufeff" + text)
    for folder in (plain, other):
        assert gangform(*words(backend, ()), cwd=folder).code == 0
    assert read(plain, ()) == read(other, ())
    shutil.rmtree(other / "out")
    assert gangform(*words(backend, (), "./"), cwd=other).code == 0
    assert read(plain, ()) == read(other, ())
