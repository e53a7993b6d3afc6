"""The entry: version, help, verbs that were not meant, and every way a run can end."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gangform import __version__
from gangform.cli import main as entry

ON_WINDOWS = os.name == "nt"


def test_version_is_one_line(run) -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"gangform {__version__}\n", "")


def test_the_version_path_imports_click_and_the_entry_only() -> None:
    script = ("import sys, click; before = set(sys.modules)\n"
              "from gangform.cli.main import main; main(['--version'])\n"
              "print(*sorted(set(sys.modules) - before))")
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    imported = {name for name in shown.splitlines()[1].split() if name.startswith("gangform")}
    assert imported == {"gangform", "gangform.cli", "gangform.cli.group", "gangform.cli.main",
                        "gangform.model", "gangform.model.errors"}
    assert not {"yaml", "rich", "jsonschema", "subprocess"} & set(shown.split())


def test_without_a_command_help_goes_to_stderr_and_the_code_says_wrong_usage(run) -> None:
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: gangform" in done.stderr


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command_and_goes_to_stdout(run, flag: str) -> None:
    done = run(flag)
    assert (done.returncode, done.stderr) == (0, "")
    assert [name for name in entry.COMMANDS if f"\n  {name} " not in done.stdout] == []
    assert "..." not in re.sub(r"\[ARGS\]\.\.\.", "", done.stdout)


@pytest.mark.parametrize("name", [*entry.COMMANDS, *entry.ALIASES])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_teaches_by_example(run, name: str, flag: str) -> None:
    done = run(name, flag)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n  Examples:\n    gangform " in done.stdout


@pytest.mark.parametrize(("typed", "meant"), [
    ("diff", "render --diff"), ("generate", "render"), ("build", "render"), ("apply", "render"), ("why", "status"),
    ("Diff", "render --diff"), ("dif", "render --diff"), ("validat", "validate"), ("chek", "check"),
    ("genrate", "render"), ("explian", "explain"), ("lnit", "lint"),
])
def test_a_verb_that_was_not_meant_is_answered_in_one_line(run, typed: str, meant: str) -> None:
    done = run(typed)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: there is no command {typed!r}; you want: gangform {meant}\n"


def test_a_verb_like_no_other_is_answered_with_the_list(run) -> None:
    done = run("xyzzy")
    assert done.returncode == 2
    assert done.stderr == ("error: there is no command 'xyzzy'; the commands are: "
                           f"{', '.join(entry.COMMANDS)}\n")


@pytest.mark.parametrize(("arguments", "said"), [
    (("validate", "--fomat", "x"), "--format"), (("validate", "--format", "xml"), "'xml' is not one of"),
    (("schema", "a", "b"), "unexpected extra argument"), (("completion",), "missing argument"),
    (("validate", "--fail-on"), "requires an argument"),
])
def test_wrong_usage_is_told_in_one_voice(run, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    error, hint = done.stderr.splitlines()
    assert error.startswith("error: ")
    assert said in error
    assert not error.endswith(".")
    assert hint == f"hint: see gangform {arguments[0]} --help"


def test_a_defect_ends_with_70_and_a_report_between_fences(monkeypatch, capsys) -> None:
    def fail() -> None:
        raise RuntimeError("boom \x1b ```")

    from gangform.workflows import explain

    monkeypatch.setattr(explain, "listing", fail)
    assert entry.main(["explain"]) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: a defect in gangform: RuntimeError: boom \\x1b ```\nhint: ")
    assert "\x1b" not in err
    report = re.search(r"^````text\n(.*)^````\n\Z", err, re.MULTILINE | re.DOTALL)
    assert report
    assert f"gangform {__version__}\n" in report[1]
    assert "\ngangform explain\n" in report[1]
    assert "Traceback (most recent call last):" in report[1]


@pytest.mark.skipif(ON_WINDOWS, reason="Windows has no SIGINT to send to one process")
def test_ctrl_c_ends_with_130_and_no_traceback(project: Path) -> None:
    script = ("import sys, threading, _thread, time\n"
              "from gangform.cli.main import main\n"
              "import gangform.edges.disk, gangform.workflows.validate\n"
              "print('ready', flush=True)\n"
              "sys.exit(main(['validate', '-']))")
    with subprocess.Popen([sys.executable, "-c", script], cwd=project, text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("#\n" * 50_000)  # more than a pipe holds: the reader is at work when this returns
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err


@pytest.mark.skipif(ON_WINDOWS, reason="pipes end differently there")
@pytest.mark.parametrize("arguments", [("schema", "mpijob"), ("explain",), ("--help",)])
def test_a_reader_that_leaves_ends_the_run_quietly(project: Path, arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([sys.executable, "-m", "gangform", *arguments], cwd=project, stdout=writing,
                              stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writing)
    assert done.stderr == ""
    assert done.returncode != 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_output_that_is_full_is_said_once(project: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-m", "gangform", "schema"], cwd=project, stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write to standard output: ")
    assert done.stderr.count("\n") == 1


def test_names_that_the_terminal_cannot_show_do_not_end_the_run(run) -> None:
    done = run("explain", "名前", env={"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"})
    assert done.returncode == 2
    assert "\\u540d\\u524d" in done.stderr
