"""Hostile and odd input through the real command line: one clear message, the right exit code, nothing half done."""

import os
import shutil

import pytest

from gangform.cli.main import main
from repository import fill, job

NOT_WINDOWS = pytest.mark.skipif(os.name == "nt", reason="the system has no such thing")
HEAD = "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: pi}\n"
IMAGE = "image: mpi"
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))

# Contents of a manifest, the rule that speaks of it, and the line.
HOSTILE: dict[str, tuple[bytes, str, int]] = {
    "broken": (b"a: [1, 2\nb: 3\n", "yaml-syntax", 2),
    "tab": (b"a:\n\tb: 1\n", "yaml-syntax", 2),
    "json cut off": (b'{"apiVersion": "kubeflow.org/v2beta1",\n "kind": "MPIJob"', "yaml-syntax", 1),
    "utf-16": (job().encode("utf-16"), "yaml-encoding", 1),
    "utf-16 without a mark": (job().encode("utf-16-le"), "yaml-encoding", 1),
    "latin-1": (job().replace(IMAGE, "image: größe").encode("latin-1"), "yaml-encoding", 14),
    "binary": (bytes(range(256)) * 50, "yaml-encoding", 3),
    "gzip": (b"\x1f\x8b\x08\0\0\0\0\0\0\3", "yaml-encoding", 1),
    "nul at the end": (job().encode() + b"\0", "yaml-encoding", 24),
    "two marks": (b"\xef\xbb\xbf\xef\xbb\xbf" + job().encode(), "yaml-encoding", 1),
    "open brackets": (b"a: " + b"[" * 200_000, "yaml-limit", 1),
    "deep flow": (b"a: " + b"[" * 100_000 + b"]" * 100_000, "yaml-limit", 1),
    "deep maps": (b"{a: " * 100_000, "yaml-limit", 1),
    "deep blocks": (b"".join(b" " * n + b"a:\n" for n in range(2000)), "yaml-limit", 101),
    "deep lists": (b"- " * 100_000, "yaml-limit", 1),
    "alias bomb": (BOMB.encode(), "yaml-limit", 6),
    "alias of itself": (f"{HEAD}spec: &a\n  b: *a\n".encode(), "yaml-syntax", 5),
    "alias of nothing": (b"a: *x\n", "yaml-syntax", 1),
    "duplicate key": (job().replace("  name: pi", "  name: pi\n  name: pj").encode(), "yaml-duplicate-key", 5),
    "text": (b"hello\n", "document-not-object", 1),
    "list": (b"- a\n- b\n", "document-not-object", 1),
    "list of no objects": (b"apiVersion: v1\nkind: List\nitems:\n- 5\n", "document-not-object", 4),
    "directive": (b"%YAML 2.0\n---\na: 1\n", "yaml-syntax", 1),
    "python tag": (b'!!python/object/apply:os.system ["touch pwned"]\n', "document-not-object", 1),
    "not a number": (job(workers=".nan").encode(), "yaml-syntax", 17),
    "endless": (job(workers=".inf").encode(), "yaml-syntax", 17),
    "number of 5,000 digits": (job(workers="9" * 5000).encode(), "wrong-type", 17),
    "number beyond floats": (job(workers="1e400").encode(), "wrong-type", 17),
    "lone surrogate": (job().replace(IMAGE, r'image: "\ud800"').encode(), "yaml-syntax", 14),
    "map as key": (job().replace(IMAGE, "? {a: b}\n            : c").encode(), "yaml-syntax", 14),
    "null as key": (job().replace("spec:\n  run", "~: 1\nspec:\n  run").encode(), "yaml-syntax", 5),
    "merge of a number": (job().replace("spec:\n  run", "<<: 5\nspec:\n  run").encode(), "yaml-syntax", 5),
    "very long line": (job().replace(IMAGE, f"image: {'x' * 5_000_000}").encode(), "yaml-limit", 1),
    "metadata as list": (f"{HEAD.replace('{name: pi}', '[]')}spec: {{mpiReplicaSpecs: {{}}}}\n".encode(), "wrong-type", 3),
    "spec as list": (f"{HEAD}spec: []\n".encode(), "wrong-type", 4),
    "roles as number": (f"{HEAD}spec: {{mpiReplicaSpecs: 5}}\n".encode(), "wrong-type", 4),
    "template as text": (f"{HEAD}spec: {{mpiReplicaSpecs: {{Launcher: {{template: x}}}}}}\n".encode(), "wrong-type", 4),
    "name as number": (job("5").encode(), "wrong-type", 4),
    "name as path": (job("../../etc/passwd").encode(), "invalid-value", 4),
    "name with a line break": (job(r'"a\nb"').encode(), "invalid-value", 4),
    "name that steers terminals": (job(r'"a\e[31mb"').encode(), "invalid-value", 4),
    "namespace as path": (job("pi\n  namespace: ..").encode(), "invalid-value", 5),
}
RENDER = ("render", "base", "-o", "out", "--backend", "volcano")
SOUND = {
    "python tag in a job": job().replace(IMAGE, "image: !!python/name:os.system mpi").encode(),
    "windows": b"\xef\xbb\xbf" + job().replace("\n", "\r\n").encode(),
    "old mac": job().replace("\n", "\r").encode(),
    "many markers": b"---\n" * 50_000 + job().encode(),
    "nul as escape": job().replace(IMAGE, r'image: "a\0b"').encode(),
}


def alarms(text: str) -> list[str]:
    return [line for line in text.splitlines() if ": error: " in line]


def names(text: str, place: str, rule: str) -> bool:
    """Whether the first alarm is of this rule at this place."""
    first = alarms(text)[0]
    return first.startswith(place) and rule in first


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_manifests_are_told_at_their_line_and_never_rendered(
    gangform, project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    content, rule, line = HOSTILE[name]
    (project / "base/pi.yaml").write_bytes(content)
    told = f"base/pi.yaml:{line}:", f"[{rule}]"

    done = gangform("validate", "base/pi.yaml", cwd=project)
    assert (done.code, done.err, names(done.out, *told)) == (1, "", True), done.out
    assert max(map(len, done.out.splitlines())) < 500
    done = gangform(*RENDER, cwd=project)
    assert (done.code, done.out, names(done.err, *told)) == (1, "", True), done.err

    monkeypatch.chdir(project)
    for arguments in (("validate", "base"), ("plan", "base", "--backend", "volcano"), ("plan", "base/pi.yaml", "--backend", "volcano")):
        code, captured = main(arguments), capsys.readouterr()
        assert (code, captured.err, names(captured.out, *told)) == (1, "", True), captured.out
    code, captured = main([*RENDER, "--rendered"]), capsys.readouterr()
    assert (code, captured.out, names(captured.err, *told)) == (1, "", True), captured.err
    assert sorted(path.name for path in project.rglob("*")) == ["base", "kustomization.yaml", "pi.yaml"]


@pytest.mark.parametrize("name", SOUND)
def test_odd_but_sound_manifests_are_rendered(gangform, project, name: str) -> None:
    (project / "base/pi.yaml").write_bytes(SOUND[name])
    done = gangform("validate", "base", cwd=project)
    assert (done.code, done.err) == (0, ""), done.out
    assert gangform(*RENDER, cwd=project).code == 0
    assert (project / "out/pi.podgroup.yaml").exists()


@pytest.mark.parametrize("command", ["validate", "plan"])
@pytest.mark.parametrize(("path", "word"), [
    ("nowhere.yaml", "nowhere.yaml"), ("base/pi.yaml/x", "base/pi.yaml/x"), ("x" * 300, "xxx"),
    ("a/" * 3000 + "b", "a/a/a"), ("no\nsuch\x1b[31m", r"no\nsuch\x1b[31m"), ("größe 名前.yaml", "größe 名前.yaml"),
    ("", "path"), (b"\xff.yaml", ".yaml"), ("dangling.yaml", "dangling.yaml"), ("loop/x", "loop/x"),
])
def test_a_path_that_is_nowhere_is_named(gangform, project, command: str, path: str | bytes, word: str) -> None:
    (project / "dangling.yaml").symlink_to("nothing")
    (project / "loop").symlink_to("loop")
    backend = ("--backend", "volcano") if command == "plan" else ()
    gangform(command, *backend, "--", path, cwd=project).assert_refused(2, word)


@pytest.mark.parametrize("name", [
    "with blank.yaml", "größe 名前.yaml", "-dash.yaml", "line\nbreak.yaml", "quote'\".yaml", "{{x}}.yaml", "$HOME.yaml",
    "*.yaml", "a#b.yaml", "a: b.yaml", "\x1b[31mred.yaml", "con.yaml", b"byte\xff.yaml",
])
@NOT_WINDOWS
def test_files_of_any_name_are_read(gangform, tmp_path, name: str | bytes) -> None:
    folder = tmp_path / "jobs"
    folder.mkdir()
    with open(os.path.join(os.fsencode(folder), os.fsencode(name)), "w") as stream:  # noqa: PTH118, PTH123
        stream.write(job(workers=0))
    for arguments in (("validate", "jobs"), ("validate", "--", os.path.join(b"jobs", os.fsencode(name)))):  # noqa: PTH118
        done = gangform(*arguments, cwd=tmp_path)
        assert (done.code, done.err, len(alarms(done.out))) == (1, "", 1), done
        assert "worker-replicas" in done.out
        assert "\x1b" not in done.out
    done = gangform("render", "jobs", "-o", "out", "--backend", "volcano", "--rendered", cwd=tmp_path)
    assert (done.code, done.out, len(alarms(done.err))) == (1, "", 1)


@NOT_WINDOWS
def test_what_is_no_file_in_a_folder_is_passed_by(gangform, project) -> None:
    os.mkfifo(project / "base/pipe.yaml")
    (project / "base/loop").symlink_to(".")
    (project / "base/dangling.yaml").symlink_to("nothing")
    (project / "base/folder.yaml").mkdir()
    done = gangform("validate", ".", cwd=project)
    assert (done.code, done.err) == (0, "")
    assert "1 MPIJob in 1 file" in done.out


@pytest.mark.parametrize(("arguments", "words"), [
    (("render", "base/pi.yaml", "-o", "out", "--backend", "volcano"), ["base/pi.yaml", "--rendered"]),
    (("render", "nowhere", "-o", "out", "--backend", "volcano"), ["nowhere"]),
    (("render", "base", "-o", "base/pi.yaml", "--backend", "volcano"), ["base/pi.yaml"]),
    (("render", "base", "-o", "blocked/out", "--backend", "volcano"), ["blocked"]),
    (("render", "base", "-o", "blocked", "--backend", "volcano"), ["blocked"]),
    (("render", "base", "-o", "linked", "--backend", "volcano"), ["linked", "real", "symbolic link"]),
    (("render", "base", "-o", "linked/out", "--backend", "volcano"), ["linked", "real", "symbolic link"]),
    (("render", "base", "-o", "human", "--backend", "volcano"), ["human/kustomization.yaml"]),
    (("render", "base", "-o", "", "--backend", "volcano"), ["-o is empty"]),
    (("render", "", "-o", "out", "--backend", "volcano"), ["source is empty"]),
    (("render", "base", "-o", "out", "--backend", "kueue"), ["kueue", "volcano"]),
    (("render", "base", "-o", "out", "--backend", "volcano", "--option", "queue=a", "--option", "quue=b"), ["quue", "queue"]),
    (("render", "base", "-o", "/proc/gangform", "--backend", "volcano"), ["/proc/gangform"]),
    (("render", "base", "-o", "x" * 300, "--backend", "volcano"), ["too long"]),
    (("validate", "base", "--config", "base"), ["base", "folder"]),
    (("validate", "base", "--config", "nowhere.yaml"), ["nowhere.yaml"]),
    (("check",), ["gangform.yaml"]),
])
def test_wrong_sources_and_outputs_are_refused_and_nothing_is_touched(gangform, project, arguments, words) -> None:
    fill(project, {"blocked": "a file", "human/kustomization.yaml": "resources: []\n", "real/keep.txt": ""})
    (project / "linked").symlink_to("real")
    before = sorted(project.rglob("*"))
    gangform(*arguments, cwd=project).assert_refused(2, *words)
    assert sorted(project.rglob("*")) == before


@pytest.fixture
def bound() -> list[str]:
    """What makes a run obey the permissions of files, also where root runs the tests."""
    if os.name == "nt":
        pytest.skip("Windows has other permissions")
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root may do everything, and there is no program setpriv")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search"]


@pytest.mark.parametrize(("locked", "arguments"), [
    ("base/pi.yaml", ("validate", "base")), ("base/pi.yaml", ("validate", "base/pi.yaml")), ("base/pi.yaml", RENDER),
    ("base", ("validate", ".")), ("base", RENDER), ("base/kustomization.yaml", RENDER),
    ("base/kustomization.yaml", ("validate", "base")), ("gangform.yaml", ("validate", "base")),
    ("out/kustomization.yaml", RENDER), ("out", RENDER),
])
def test_a_file_or_folder_that_may_not_be_read_is_named(gangform, project, bound, locked: str, arguments) -> None:
    assert gangform(*RENDER, cwd=project).code == 0
    fill(project, {"gangform.yaml": "clusters: {a: {backend: volcano}}\n", "base/pi.yaml": job(workers=7)})
    before = (project / "out/pi.podgroup.yaml").read_bytes()
    (project / locked).chmod(0)
    try:
        done = gangform(*arguments, cwd=project, before=bound)
    finally:
        (project / locked).chmod(0o755)
    done.assert_refused(2, locked, "ermission denied")
    assert (project / "out/pi.podgroup.yaml").read_bytes() == before


@pytest.mark.parametrize("locked", ["out", "."])
def test_a_folder_that_may_not_be_written_stays_whole(gangform, project, bound, locked: str) -> None:
    if locked == "out":
        assert gangform(*RENDER, cwd=project).code == 0
        fill(project, {"base/pi.yaml": job(workers=7)})
    before = {path: path.is_file() and path.read_bytes() for path in project.rglob("*")}
    (project / locked).chmod(0o555)
    try:
        done = gangform(*RENDER, cwd=project, before=bound)
    finally:
        (project / locked).chmod(0o755)
    done.assert_refused(2, "out")
    assert {path: path.is_file() and path.read_bytes() for path in project.rglob("*")} == before
