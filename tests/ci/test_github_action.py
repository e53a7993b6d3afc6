"""The GitHub Action: linted, its scripts run as a runner runs them, its comment written to an HTTP server."""

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from repository import fill, job

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def action(repository: Path) -> dict[str, Any]:
    return dict(yaml.safe_load((repository / "action.yml").read_text()))


class Ran(NamedTuple):
    code: str
    output: str
    summary: str


@pytest.fixture
def run(repository: Path, tmp_path: Path, checkout: Path, environment: dict[str, str]) -> Callable[..., Ran]:
    """Run the action's main script in the checkout; its variables are given by name."""

    def step(folder: str = ".", **variables: str) -> Ran:
        files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        (tmp_path / "temp").mkdir(exist_ok=True)
        done = subprocess.run(
            ["bash", repository / "deploy/github/run.sh"], cwd=checkout / folder, text=True, check=False,
            env={**environment, "RUNNER_TEMP": str(tmp_path / "temp"), "GITHUB_ACTIONS": "true", "ARGS": "",
                 **{name: str(file) for name, file in files.items()}, **variables},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
        output = files["GITHUB_OUTPUT"].read_text()
        return Ran(output.strip().removeprefix("exit-code="), done.stdout, files["GITHUB_STEP_SUMMARY"].read_text())

    return step


def test_the_metadata_is_what_github_takes(repository: Path) -> None:
    program = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run([program, "--builtin-schema", "vendor.github-actions", "action.yml"], cwd=repository,
                          check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_steps_are_what_actionlint_takes_in_a_workflow(
    tmp_path: Path, action: dict[str, Any], tool: Callable[[str], str]
) -> None:
    inputs = {name: {"type": "string", "default": str(given["default"])} for name, given in action["inputs"].items()}
    inputs["token"]["default"] = ""
    workflow = {"name": "wrapped", "on": {"workflow_call": {"inputs": inputs}},
                "jobs": {"gangform": {"runs-on": "ubuntu-latest", "steps": action["runs"]["steps"]}}}
    place = tmp_path / ".github/workflows/wrapped.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(yaml.safe_dump(workflow, sort_keys=False))
    done = subprocess.run([tool("actionlint"), "-no-color", place], cwd=tmp_path, check=False, capture_output=True,
                          text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_no_input_becomes_a_part_of_a_script(action: dict[str, Any]) -> None:
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"], step["name"]


@pytest.mark.slow
def test_the_install_step_takes_the_locked_packages(
    repository: Path, tmp_path: Path, action: dict[str, Any], environment: dict[str, str], pip: dict[str, str]
) -> None:
    place = tmp_path / "action"
    for name in ("requirements", "generator", "schemas"):
        shutil.copytree(repository / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(repository / name, place)
    done = subprocess.run(
        ["bash", "-e", "-c", action["runs"]["steps"][0]["run"]], cwd=tmp_path, check=False, capture_output=True,
        text=True, env={**environment, "RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": str(place),
                        "PYTHON": sys.executable, **pip})
    assert done.returncode == 0, done.stderr
    version = subprocess.run([tmp_path / "gangform/bin/gangform", "--version"], check=True, capture_output=True)
    assert version.stdout.startswith(b"gangform ")


def test_a_clean_repository_is_0_with_a_summary(run: Callable[..., Ran]) -> None:
    ran = run(MODE="check")
    assert ran.code == "0", ran.output
    assert ran.summary.startswith("<!-- gangform -->\n### gangform: no findings\n")
    assert "::error" not in ran.output


def test_drift_is_1_with_annotations_and_a_summary(run: Callable[..., Ran], checkout: Path) -> None:
    fill(checkout, {"base/pi.yaml": job(workers=8)})
    ran = run(MODE="check")
    assert ran.code == "1"
    assert "::error file=overlays/dev/pi.podgroup.yaml," in ran.output
    assert "overlay-drifted" in ran.summary


def test_words_and_a_revision_reach_the_check(run: Callable[..., Ran], checkout: Path) -> None:
    ran = run(MODE="check", ARGS="--kubeconform  off --fail-on note", CHANGED_SINCE="HEAD")
    assert ran.code == "0", ran.output
    assert "1 of 1 overlay left out" in ran.output
    assert run(MODE="check", CHANGED_SINCE="origin/nowhere").code == "2"


def test_words_on_several_lines_all_reach_the_check(run: Callable[..., Ran]) -> None:
    ran = run(MODE="check", ARGS="--kubeconform off\n--fail-on\nnonsense\n")
    assert (ran.code, "nonsense" in ran.output) == ("2", True)


@pytest.mark.parametrize("name", [
    "a\n::error::pwned", "a\n ::add-mask::e", "a\n\t\n::stop-commands::x", "##[error]pwned", "a\n##[add-mask]e"])
def test_names_in_messages_are_no_commands_of_the_runner(
    run: Callable[..., Ran], checkout: Path, name: str
) -> None:
    fill(checkout, {"base/kustomization.yaml": f"resources: [pi.yaml, {json.dumps(name)}]\n"})
    ran = run(MODE="check")
    assert ran.code == "2", ran.output
    commands = [line for line in ran.output.splitlines() if line.lstrip().startswith("::") or "##[" in line]
    assert commands == []


@pytest.mark.parametrize("branch", ["-x", "tagged", "x$(touch${IFS}hacked);`id`&\"y'", "refs/heads/x"])
def test_render_pushes_to_the_branch_whatever_its_name(
    run: Callable[..., Ran], checkout: Path, git: Callable[..., str], branch: str
) -> None:
    git("update-ref", f"refs/heads/{branch}", "HEAD")
    git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    git("update-ref", f"refs/tags/{branch}", "HEAD")
    git("push", "--quiet", "origin", f"refs/heads/{branch}", f"refs/tags/{branch}")
    tag = git("rev-parse", f"refs/tags/{branch}")
    fill(checkout, {"base/pi.yaml": job(workers=8)})
    ran = run(MODE="render", COMMIT_MESSAGE="Render")
    assert ran.code == "0", ran.output
    head = git("rev-parse", "HEAD").strip()
    shown = git("ls-remote", "origin")
    assert f"{head}\trefs/heads/{branch}" in shown
    assert f"{tag.strip()}\trefs/tags/{branch}" in shown
    assert not list(checkout.rglob("hacked"))


def test_words_are_no_shell(run: Callable[..., Ran], checkout: Path) -> None:
    assert run(MODE="check", ARGS="; touch hacked $(touch hacked)").code == "2"
    assert not (checkout / "hacked").exists()


def test_an_unknown_mode_is_2(run: Callable[..., Ran]) -> None:
    ran = run(MODE="chek")
    assert (ran.code, "known: check, render" in ran.output) == ("2", True)


def test_render_commits_and_pushes_what_it_wrote_and_nothing_else(
    run: Callable[..., Ran], checkout: Path, git: Callable[..., str], tmp_path: Path
) -> None:
    fill(checkout, {"base/pi.yaml": job(workers=8)})
    git("commit", "--quiet", "--all", "-m", "more workers")
    fill(checkout, {"left/over.txt": "x\n", "overlays/dev/notes.txt": "x\n"})
    ran = run(MODE="render", COMMIT_MESSAGE="Render")
    assert ran.code == "0", ran.output
    assert git("show", "--name-only", "--format=%s", "work", cwd=tmp_path / "remote").split() == [
        "Render", "overlays/dev/pi.podgroup.yaml"]
    assert run(MODE="check").code == "0"


def test_render_in_a_folder_of_the_repository_commits_files_and_entries(
    run: Callable[..., Ran], checkout: Path, git: Callable[..., str], tmp_path: Path
) -> None:
    fill(checkout / "jobs", {
        "gangform.yaml": "clusters:\n  dev: {backend: volcano}\noverlays:\n"
                         "- {cluster: dev, source: prod, layout: component, path: prod/gang}\n",
        "prod/kustomization.yaml": "resources: [pi.yaml]\n", "prod/pi.yaml": job()})
    git("add", ".")
    git("commit", "--quiet", "-m", "jobs")
    ran = run("jobs", MODE="render", ARGS="--enlist", COMMIT_MESSAGE="Render")
    assert ran.code == "0", ran.output
    names = git("show", "--name-only", "--format=%s", "work", cwd=tmp_path / "remote").split()
    assert {"jobs/prod/gang/pi.podgroup.yaml", "jobs/prod/kustomization.yaml"} < set(names)
    assert run("jobs", MODE="check").code == "0"


def test_render_of_fresh_overlays_commits_nothing(run: Callable[..., Ran], git: Callable[..., str]) -> None:
    before = git("rev-parse", "HEAD")
    ran = run(MODE="render", COMMIT_MESSAGE="Render")
    assert (ran.code, git("rev-parse", "HEAD")) == ("0", before)
    assert "The overlays are fresh." in ran.output


def test_render_of_a_broken_job_fails_and_commits_nothing(
    run: Callable[..., Ran], checkout: Path, git: Callable[..., str]
) -> None:
    fill(checkout, {"base/pi.yaml": job(workers='"4"')})
    before = git("rev-parse", "HEAD")
    assert run(MODE="render", COMMIT_MESSAGE="Render").code == "1"
    assert git("rev-parse", "HEAD") == before


def test_render_without_a_branch_is_refused_before_anything_is_written(
    run: Callable[..., Ran], checkout: Path, git: Callable[..., str]
) -> None:
    git("checkout", "--quiet", "--detach")
    fill(checkout, {"base/pi.yaml": job(workers=8)})
    ran = run(MODE="render", COMMIT_MESSAGE="Render")
    assert (ran.code, "No branch is checked out" in ran.output) == ("2", True)
    assert git("status", "--porcelain").split() == ["M", "base/pi.yaml"]


def test_a_push_that_is_refused_fails(run: Callable[..., Ran], checkout: Path, tmp_path: Path) -> None:
    fill(checkout, {"base/pi.yaml": job(workers=8)})
    shutil.rmtree(tmp_path / "remote")
    assert run(MODE="render", COMMIT_MESSAGE="Render").code not in {"0", ""}


class Issue:
    """A pull request's comments, served as GitHub serves them."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.refusal = 0
        self.author = "Bot"
        self.page: bytes | None = None
        self.requests: list[str] = []


@pytest.fixture
def issue() -> Iterator[tuple[Issue, str]]:
    state = Issue()

    class Handler(BaseHTTPRequestHandler):
        def answer(self, code: int, body: object) -> None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def take(self) -> Any:
            state.requests.append(self.command)
            length = int(self.headers.get("Content-Length") or 0)
            return json.loads(self.rfile.read(length)) if length else None

        def serve(self) -> None:
            body, address = self.take(), urlsplit(self.path)
            if state.page is not None:
                self.answer(200, state.page)
            elif state.refusal or self.headers["Authorization"] != "Bearer secret":
                self.answer(state.refusal or 401, {})
            elif self.command == "GET" and address.path == "/repos/o/r/issues/7/comments":
                asked = parse_qs(address.query)
                size, page = int(asked["per_page"][0]), int(asked["page"][0])
                self.answer(200, state.comments[(page - 1) * size:page * size])
            elif self.command == "POST" and address.path == "/repos/o/r/issues/7/comments":
                state.comments.append({"id": 1000 + len(state.comments), "user": {"type": state.author}, **body})
                self.answer(201, {})
            elif self.command == "PATCH" and address.path.startswith("/repos/o/r/issues/comments/"):
                number = int(address.path.rpartition("/")[2])
                next(one for one in state.comments if one["id"] == number).update(body)
                self.answer(200, {})
            else:
                self.answer(404, {})

        do_GET = do_POST = do_PATCH = serve  # noqa: N815 - the names that http.server looks for

        def log_message(self, *_: Any) -> None:
            """Nobody reads the log."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield state, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def comment(repository: Path, tmp_path: Path, issue: tuple[Issue, str], environment: dict[str, str]) -> Callable[..., str]:
    """Run the comment script with a report, and answer what it prints."""

    def write(report: str | None, token: str = "secret") -> str:
        if report is not None:
            (tmp_path / "report.md").write_text(report)
        done = subprocess.run(
            [sys.executable, repository / "deploy/github/comment.py", tmp_path / "report.md"], check=False, text=True,
            env={**environment, "GITHUB_API_URL": issue[1], "GITHUB_REPOSITORY": "o/r", "GITHUB_TOKEN": token,
                 "PULL_REQUEST": "7", "no_proxy": "127.0.0.1"}, capture_output=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return write


BAD = "<!-- gangform -->\n### gangform: 1 error\n"
CLEAN = "<!-- gangform -->\n### gangform: no findings\n"


def test_the_comment_is_written_once_and_then_kept_up_to_date(issue: tuple[Issue, str], comment) -> None:
    state = issue[0]
    state.comments = [{"id": number, "body": f"> <!-- gangform -->\n{number}"} for number in range(250)]
    assert comment(BAD) == "comment: written\n"
    assert comment(BAD) == "comment: unchanged\n"
    assert comment(CLEAN) == "comment: updated\n"
    assert [one["body"] for one in state.comments[250:]] == [CLEAN]
    assert state.requests.count("POST") == 1


@pytest.mark.parametrize("author", [
    {"user": {"type": "User"}, "author_association": "NONE"},
    {"user": {"type": "User"}, "author_association": "CONTRIBUTOR"},
    {"user": None, "author_association": "NONE"},
    {},
])
def test_a_comment_of_somebody_else_does_not_become_the_report(
    issue: tuple[Issue, str], comment, author: dict[str, Any]
) -> None:
    state = issue[0]
    state.comments = [{"id": 1, "body": CLEAN, **author}]
    assert comment(BAD) == "comment: written\n"
    assert comment(BAD) == "comment: unchanged\n"
    assert [one["body"] for one in state.comments] == [CLEAN, BAD]


def test_the_comment_of_a_person_of_the_repository_is_kept_up_to_date(issue: tuple[Issue, str], comment) -> None:
    state = issue[0]
    state.comments = [{"id": 1, "body": BAD, "user": {"type": "User"}, "author_association": "MEMBER"}]
    assert comment(CLEAN) == "comment: updated\n"
    assert len(state.comments) == 1


@pytest.mark.parametrize("page", [b"<html>", b"", b"\xff", b"[1]", b'{"message": "hello"}', b"7"])
def test_what_is_not_githubs_answer_is_a_warning(issue: tuple[Issue, str], comment, page: bytes) -> None:
    issue[0].page = page
    printed = comment(BAD)
    assert printed.startswith("::warning title=gangform::The comment was not written: ")
    assert printed.count("\n") == 1


def test_a_clean_pull_request_gets_no_comment(issue: tuple[Issue, str], comment) -> None:
    assert comment(CLEAN) == "comment: left out\n"
    assert issue[0].comments == []


def test_the_action_writes_the_reports_marker(run: Callable[..., Ran], comment, issue: tuple[Issue, str]) -> None:
    assert comment(run(MODE="check").summary) == "comment: left out\n"


def test_without_a_report_nobody_is_asked(issue: tuple[Issue, str], comment) -> None:
    assert comment(None) == ""
    assert issue[0].requests == []


@pytest.mark.parametrize(("refusal", "said"), [(403, "pull-requests: write"), (500, "500")])
def test_a_refusal_is_a_warning(issue: tuple[Issue, str], comment, refusal: int, said: str) -> None:
    issue[0].refusal = refusal
    printed = comment(BAD)
    assert printed.startswith("::warning title=gangform::The comment was not written: ")
    assert said in printed
