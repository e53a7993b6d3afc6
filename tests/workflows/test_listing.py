"""A kustomization that is read without kustomize is read as strictly as kustomize would, and never from elsewhere."""

import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from gangform.model.errors import InputError, ProgramError
from gangform.settings import Layout, Settings, Target
from gangform.text import reading
from gangform.workflows import configuration
from gangform.workflows.outcome import Rendered
from gangform.workflows.render import render
from repository import job, look, quiet, told

Repo = Callable[[dict[str, str]], Path]


def write(source: str, path: str = "out", layout: Layout = "kustomization") -> Rendered:
    cluster = configuration.select(Settings(), None, "volcano", {}, None)
    assert cluster is not None
    return render([Target(cluster, source, path, layout)], Settings(), write=True, enlist=False, progress=quiet)


REFUSED = {
    "a file that is not there": ({}, "[pi.yaml, gone.yaml]", 22),
    "a folder that is not there": ({}, "[pi.yaml, ../gone]", 22),
    "an entry without a name": ({}, "[pi.yaml, '']", 22),
    "a file that is listed twice": ({}, "[pi.yaml, ./pi.yaml]", 22),
    "a folder without a kustomization": ({"base/empty/readme": ""}, "[pi.yaml, empty]", 22),
    "the folder itself": ({}, "[pi.yaml, ../base]", 22),
    "a file of another folder": ({"jobs/other.yaml": job("other")}, "[pi.yaml, ../jobs/other.yaml]", 22),
    "a folder that is listed by two others": ({
        "one/kustomization.yaml": "resources: [../jobs]\n", "two/kustomization.yaml": "resources: [../jobs]\n",
        "jobs/kustomization.yaml": "resources: [other.yaml]\n", "jobs/other.yaml": job("other"),
    }, "[../one, ../two]", 0),
}


@pytest.mark.parametrize(("files", "entries", "column"), REFUSED.values(), ids=REFUSED)
def test_what_kustomize_refuses_is_a_finding_and_no_overlay(
    repo: Repo, kustomize: str, files: dict[str, str], entries: str, column: int
) -> None:
    root = repo({"base/pi.yaml": job(), "base/kustomization.yaml": f"resources: {entries}\n", **files})
    assert subprocess.run([kustomize, "build", "base"], capture_output=True, check=False).returncode != 0
    found = [finding for finding in look("base").findings if finding.rule == "kustomize-build-failed"]
    assert [finding.location.line for finding in found] == [1]
    assert not column or [finding.location.column for finding in found] == [column]
    with pytest.raises(InputError, match=r"kustomization\.yaml:1:"):
        write("base")
    assert not (root / "out").exists()


def test_kustomizations_that_are_made_from_each_other_are_told(repo: Repo) -> None:
    repo({"a/pi.yaml": job(), "a/kustomization.yaml": "resources: [pi.yaml, ../b]\n",
          "b/kustomization.yaml": "resources: [../a]\n"})
    assert [place[:2] for place in told(look())] == [
        ("kustomize-build-failed", "a/kustomization.yaml"), ("kustomize-build-failed", "b/kustomization.yaml")]


def test_a_long_chain_of_kustomizations_is_followed_to_its_end(repo: Repo) -> None:
    chain = {f"d{number}/kustomization.yaml": f"resources: [../d{number + 1}]\n" for number in range(1100)}
    root = repo({**chain, "d1100/kustomization.yaml": "resources: [pi.yaml]\n", "d1100/pi.yaml": job()})
    assert write("d0").written
    assert (root / "out/pi.podgroup.yaml").exists()


def test_a_link_to_a_file_of_another_folder_is_refused_as_by_kustomize(repo: Repo, kustomize: str) -> None:
    root = repo({"jobs/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n"})
    (root / "base/pi.yaml").symlink_to(root / "jobs/pi.yaml")
    assert subprocess.run([kustomize, "build", "base"], capture_output=True, check=False).returncode != 0
    with pytest.raises(InputError, match="lies outside of base"):
        write("base")


def test_no_namespace_and_default_are_one_place(repo: Repo, kustomize: str) -> None:
    twins = job() + "---\n" + job().replace("  name: pi\n", "  name: pi\n  namespace: default\n")
    repo({"base/pi.yaml": twins, "base/kustomization.yaml": "resources: [pi.yaml]\n"})
    assert subprocess.run([kustomize, "build", "base"], capture_output=True, check=False).returncode != 0
    with pytest.raises(InputError, match=r"base/pi\.yaml:28:9: MPIJob pi is at base/pi\.yaml:4 already"):
        write("base")


def test_equal_names_in_other_namespaces_are_fine(repo: Repo, kustomize: str) -> None:
    jobs = [job().replace("  name: pi\n", f"  name: pi\n  namespace: {name}\n") for name in ("a", "b")]
    repo({"base/pi.yaml": "---\n".join(jobs), "base/kustomization.yaml": "resources: [pi.yaml]\n"})
    assert write("base").written
    assert subprocess.run([kustomize, "build", "out"], capture_output=True, check=False).returncode == 0


def test_a_folder_behind_a_link_goes_up_from_where_it_really_is(repo: Repo, kustomize: str) -> None:
    root = repo({"teams/a/kustomization.yaml": "resources: [../jobs]\n",
                 "teams/jobs/kustomization.yaml": "resources: [pi.yaml]\n", "teams/jobs/pi.yaml": job()})
    (root / "link").symlink_to("teams/a", target_is_directory=True)
    assert look("link").counts.jobs == 1
    assert write("link").written
    assert subprocess.run([kustomize, "build", "out"], capture_output=True, check=False).returncode == 0


def test_an_overlay_behind_a_link_leads_back_to_its_source(repo: Repo, kustomize: str, tmp_path: Path) -> None:
    (tmp_path / "far/away/place").mkdir(parents=True)
    (tmp_path / "near").symlink_to("far/away/place", target_is_directory=True)
    repo({"work/base/pi.yaml": job(), "work/base/kustomization.yaml": "resources: [pi.yaml]\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path / "work")
        assert write("base", str(tmp_path / "near/out")).written
    built = subprocess.run([kustomize, "build", str(tmp_path / "near/out")], capture_output=True, check=False)
    assert built.returncode == 0, built.stderr


def test_what_kustomize_reads_otherwise_is_left_to_kustomize(repo: Repo, kustomize: str) -> None:
    axes = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: axes}\ndata: {y: up}\n"
    repo({"base/pi.yaml": job(), "base/axes.yaml": axes, "base/kustomization.yaml": "resources: [pi.yaml, axes.yaml]\n"})
    write("base", layout="rendered")
    built = [reading.read("built", subprocess.run([kustomize, "build", folder], capture_output=True, check=True).stdout)
             for folder in ("base", "out")]
    axes_of = [[one.data["data"] for one in found.documents if one.data["kind"] == "ConfigMap"] for found in built]
    assert axes_of == [[{"y": "up"}]] * 2 or axes_of[0] == axes_of[1]


class _Counting(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_error(404)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing on standard error."""


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """An address that answers, and what it was asked for."""
    asked: list[str] = []
    handler = type("Counting", (_Counting,), {"asked": asked})
    with HTTPServer(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/x.yaml", asked
        finally:
            http.shutdown()
            thread.join()


REMOTE = {
    "resources": "resources: [pi.yaml, '{}']",
    "bases": "resources: [pi.yaml]\nbases: ['{}']",
    "components": "resources: [pi.yaml]\ncomponents: ['{}']",
    "patches": "resources: [pi.yaml]\npatches: [{{path: '{}'}}]",
    "patchesStrategicMerge": "resources: [pi.yaml]\npatchesStrategicMerge: ['{}']",
    "replacements": "resources: [pi.yaml]\nreplacements: [{{path: '{}'}}]",
    "configurations": "resources: [pi.yaml]\nconfigurations: ['{}']",
    "crds": "resources: [pi.yaml]\ncrds: ['{}']",
    "openapi": "resources: [pi.yaml]\nopenapi: {{path: '{}'}}",
    "generators": "resources: [pi.yaml]\ngenerators: ['{}']",
    "transformers": "resources: [pi.yaml]\ntransformers: ['{}']",
    "validators": "resources: [pi.yaml]\nvalidators: ['{}']",
    "files": "resources: [pi.yaml]\nconfigMapGenerator: [{{name: a, files: ['{}']}}]",
    "files under a key": "resources: [pi.yaml]\nconfigMapGenerator: [{{name: a, files: ['key={}']}}]",
    "envs": "resources: [pi.yaml]\nsecretGenerator: [{{name: a, envs: ['{}']}}]",
}


@pytest.mark.parametrize("text", REMOTE.values(), ids=REMOTE)
def test_nothing_is_fetched(repo: Repo, kustomize: str, server: tuple[str, list[str]], text: str) -> None:
    url, asked = server
    root = repo({"base/pi.yaml": job(), "base/kustomization.yaml": text.format(url) + "\n",
                 "prod/kustomization.yaml": "resources: [../base]\nnamePrefix: prod-\n"})
    outcome = look()
    assert (told(outcome), outcome.counts.jobs) == ([], 1)
    assert [note for note in outcome.notes if url in note and "prod was not built" in note]
    for source in ("base", "prod"):
        with pytest.raises(InputError, match="fetches nothing"):
            write(source)
    assert not (root / "out").exists()
    assert asked == []


def test_addresses_that_are_no_paths_do_not_count(repo: Repo, kustomize: str) -> None:
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": (
        "resources: [pi.yaml]\ncommonAnnotations: {docs: https://example.com/a}\n"
        "configMapGenerator: [{name: a, literals: ['url=https://example.com/b']}]\n"
        "patches:\n- target: {kind: MPIJob}\n  patch: |\n    - {op: add, path: /metadata/labels, value: {u: git@c}}\n")})
    outcome = look()
    assert (told(outcome), outcome.counts.builds, outcome.notes) == ([], 1, ())


@pytest.mark.parametrize("printed", ["just words", "a: [", r"a: \001", "- a"])
def test_a_program_that_prints_no_objects_is_named(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, printed: str
) -> None:
    fake = tmp_path / "bin/kustomize"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\nprintf -- '{printed}\\n'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("GANGFORM_KUSTOMIZE", str(fake))
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\nnamePrefix: a-\n"})
    with pytest.raises(ProgramError, match="no stream of objects"):
        look("base")
    with pytest.raises(ProgramError, match="no stream of objects"):
        write("base")
