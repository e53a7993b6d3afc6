"""What hooks and CI steps need of the command line: nothing to do is no fault, and a change can be one."""

import pytest


@pytest.mark.parametrize("command", ["check", "render"])
@pytest.mark.parametrize("settings", [None, "clusters:\n  dev: {backend: volcano}\n"])
def test_if_configured_is_quiet_without_overlays(project, run, command: str, settings: str | None) -> None:
    (project / "gangform.yaml").unlink()
    if settings:
        (project / "gangform.yaml").write_text(settings)
    done = run(command, "--if-configured")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert run(command).returncode == 2


def test_if_configured_does_its_work_where_there_are_overlays(project, run) -> None:
    assert run("render", "--if-configured").returncode == 0
    assert (project / "overlays/volcano/pi.podgroup.yaml").exists()


def test_if_configured_does_not_hide_wrong_settings(project, run) -> None:
    (project / "gangform.yaml").write_text("clusters: 1\n")
    assert run("check", "--if-configured").returncode == 2


def test_exit_code_tells_a_changed_file_once(project, run) -> None:
    assert run("render", "--diff", "--exit-code").returncode == 1
    assert not (project / "overlays").exists()
    assert [run("render", "--exit-code").returncode for _ in range(2)] == [1, 0]
    assert run("render", "--diff", "--exit-code").returncode == 0


def test_check_can_do_without_a_program_to_build_with(project, run, bare) -> None:
    assert run("render").returncode == 0
    assert run("check", env=bare).returncode == 3
    done = run("check", "--build", "auto", env=bare)
    assert done.returncode == 0, done.stderr
    assert "compared and not built" in done.stderr
    (project / "overlays/volcano/pi.podgroup.yaml").unlink()
    assert run("check", "--build", "auto", env=bare).returncode == 1


def test_a_hook_without_files_of_ours_says_nothing(project, run) -> None:
    (project / "values.yaml").write_text("- 1\n")
    for command in ("validate", "fix"):
        done = run(command, "--hook", "--quiet", "values.yaml")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert run(command, "--hook", "--quiet").returncode == 0


@pytest.mark.parametrize("words", [
    ("check", "--changed-since", "HEAD"), ("validate", "--changed-since", "HEAD"), ("validate", "--hook"),
])
def test_a_baseline_of_a_part_is_refused(project, run, words: tuple[str, ...]) -> None:
    done = run(*words, "--write-baseline")
    assert done.returncode == 2
    assert f"--write-baseline needs all findings: leave {words[1]} out" in done.stderr
