"""The documents tell the truth: their commands run and print what is shown, their links resolve.

In a fenced block that begins with ```` ```console run ```` each line ``$ gangform …`` is run, in order,
in a copy of the repository's jobs. The lines below it must be what it prints; a line ``…`` stands for
any lines. ``$ echo $?`` shows the exit code of the command before, which otherwise must be 0.
A block that begins with ```` ```yaml PATH ```` holds the text of that file.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md"), REPOSITORY / "schemas/README.md"])
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<text>.+)$", re.MULTILINE)


class Step(NamedTuple):
    command: str
    output: list[str]


class Block(NamedTuple):
    document: Path
    line: int
    info: str
    body: str

    @property
    def title(self) -> str:
        return f"{self.document.relative_to(REPOSITORY).as_posix()}:{self.line}"

    def steps(self) -> Iterator[Step]:
        for part in re.split(r"^\$ ", self.body, flags=re.MULTILINE)[1:]:
            command, *output = part.rstrip("\n").split("\n")
            yield Step(command, [line for line in output if line])


def blocks() -> Iterator[Block]:
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            yield Block(document, text.count("\n", 0, match.start()) + 1, match["info"].strip(), match["body"])


def commands(body: str) -> Iterator[list[str]]:
    """The gangform command lines of a block, whether after a prompt or on their own."""
    for line in body.replace("\\\n", " ").splitlines():
        words = line.removeprefix("$ ").strip()
        if re.match(r"gangform( |$)", words):
            yield shlex.split(words, comments=True)


RUN = [block for block in blocks() if block.info == "console run"]
FILES = [block for block in blocks() if block.info.startswith("yaml ")]
SETTINGS = [block for block in blocks() if block.info == "yaml" and block.body.startswith("clusters:")]
OTHERS = [block for block in blocks() if block.info != "console run" and list(commands(block.body))]


def run(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "gangform", *arguments], cwd=cwd, check=False,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "generator"), "COLUMNS": "120"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=120,
    )


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """A copy of the jobs, as a reader's own repository would be before the first render."""
    for name in ("base", "docs/examples", "docs/dumps"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    shutil.copy(REPOSITORY / "gangform.yaml", tmp_path)
    (tmp_path / ".git").mkdir()  # ends the search for gangform.yaml
    return tmp_path


def matches(shown: list[str], printed: list[str]) -> bool:
    pattern = "".join(r"(?:.*\n)*" if line == "…" else re.escape(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


@pytest.mark.parametrize("block", RUN, ids=lambda block: block.title)
def test_what_the_documents_show_is_what_the_commands_print(block, jobs, tool):
    tool("kustomize"), tool("kubeconform")
    code = 0
    shown_code = True
    for step in block.steps():
        if step.command == "echo $?":
            assert step.output == [str(code)], block.title
            shown_code = True
            continue
        assert shown_code or code == 0, f"{block.title}: an exit code of {code} is not shown"
        name, *arguments = shlex.split(step.command)
        assert name == "gangform", f"{block.title}: only gangform is run"
        result = run(*arguments, cwd=jobs)
        code, shown_code = result.returncode, False
        printed = [line.rstrip() for line in result.stdout.splitlines() if line.strip()]
        assert matches(step.output, printed), f"{block.title}: $ {step.command}\n{result.stdout}"
    assert shown_code or code == 0, f"{block.title}: an exit code of {code} is not shown"


@pytest.mark.parametrize("block", FILES, ids=lambda block: block.title)
def test_files_are_shown_as_they_are(block):
    assert block.body == (REPOSITORY / block.info.split(" ", 1)[1]).read_text(encoding="utf-8")


def test_the_job_to_copy_is_the_one_in_base():
    import yaml

    jobs = [
        block.body for block in blocks()
        if block.document.name == "README.md" and block.info == "yaml" and "kind: MPIJob" in block.body
    ]
    assert [yaml.safe_load(job) for job in jobs] == [yaml.safe_load((REPOSITORY / "base/pi.yaml").read_text())]


def test_the_readme_has_commands_that_run():
    assert any(block.document.name == "README.md" for block in RUN)


@pytest.mark.parametrize("block", OTHERS, ids=lambda block: block.title)
def test_other_command_lines_name_commands_and_options_that_exist(block, tmp_path):
    for _, *words in commands(block.body):
        if not words or words[0].startswith("-"):
            continue
        known = run(words[0], "--help", cwd=tmp_path)
        assert known.returncode == 0, f"{block.title}: gangform {words[0]}: {known.stdout}"
        for word in words[1:]:
            option = word.split("=", 1)[0]
            if option.startswith("-") and option != "-":
                assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", known.stdout), f"{block.title}: {option}"


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.relative_to(REPOSITORY).as_posix())
def test_every_relative_link_leads_somewhere(document):
    text = FENCE.sub("", document.read_text(encoding="utf-8"))
    for match in LINK.finditer(text):
        path, _, fragment = match["target"].partition("#")
        if "://" in path:
            continue
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), match[0]
        if fragment:
            headings = HEADING.finditer(FENCE.sub("", target.read_text(encoding="utf-8")))
            assert fragment in {anchor(heading["text"]) for heading in headings}, match[0]


@pytest.mark.parametrize("block", SETTINGS, ids=lambda block: block.title)
def test_settings_that_are_shown_are_read_without_complaint(block, jobs):
    (jobs / "gangform.yaml").write_text(block.body, encoding="utf-8")
    result = run("validate", "base", "--cluster", "dev", cwd=jobs)
    assert result.returncode == 0, result.stdout


def test_every_command_is_in_the_readme():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"^  ([a-z]+)  ", run("--help", cwd=REPOSITORY).stdout, re.MULTILINE):
        assert f"`gangform {name}" in text, name


def test_every_setting_is_in_its_reference():
    from gangform import schema

    text = (REPOSITORY / "docs" / "settings.md").read_text(encoding="utf-8")

    def keys(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            yield from node.get("properties", {})
            for value in node.values():
                yield from keys(value)
        elif isinstance(node, list):
            for value in node:
                yield from keys(value)

    assert {key for key in keys(schema.load("gangform.dev/settings_v1")) if f"`{key}`" not in text} == set()


def test_every_option_of_a_backend_is_in_the_settings_reference():
    from gangform.catalog import CATALOG

    text = (REPOSITORY / "docs" / "settings.md").read_text(encoding="utf-8")
    for backend in CATALOG.backends.values():
        for option in backend.OPTIONS:
            assert f"`{option}`" in text, f"{backend.NAME}: {option}"


def test_every_room_of_the_package_is_in_the_architecture():
    text = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {path.stem for path in (REPOSITORY / "generator" / "gangform").iterdir() if not path.name.startswith("_")}
    assert {room for room in rooms - {"py"} if f"`{room}`" not in text} == set()


def test_every_dependency_is_explained():
    import tomllib

    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=~!\[ ]", requirement, maxsplit=1)[0]
        assert f"| {name} |" in text, name
