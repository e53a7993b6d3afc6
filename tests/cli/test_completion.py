"""Shell completion."""

import pytest


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_calls_gangform_back(run, shell: str) -> None:
    done = run("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_GANGFORM_COMPLETE={shell}_complete" in done.stdout


def test_another_shell_lists_those_that_work(run) -> None:
    done = run("completion", "csh")
    assert done.returncode == 2
    assert "'bash', 'zsh', 'fish'" in done.stderr


@pytest.mark.parametrize(("words", "position", "offered"), [
    ("gangform va", "1", ["validate"]), ("gangform render --back", "2", ["--backend"]),
    ("gangform validate --format ", "3", ["auto", "text", "json", "sarif", "junit", "github", "gitlab", "markdown"]),
])
def test_the_shell_is_offered_commands_options_and_values(run, words: str, position: str, offered: list[str]) -> None:
    done = run(env={"_GANGFORM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": position})
    assert [line.partition(",")[2] for line in done.stdout.split()] == offered
