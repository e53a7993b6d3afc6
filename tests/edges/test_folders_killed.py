"""A writer that is killed at any of its system calls leaves a whole folder, and the next run finishes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from edges.killed_writer import HUMAN, NEW, OLD

pytestmark = pytest.mark.slow

KEPT = {**HUMAN, "link": "-> notes.md"}


@pytest.fixture(scope="module")
def kill_everywhere(tmp_path_factory):
    def run(mode: str) -> list[dict]:
        program = Path(__file__).with_name("killed_writer.py")
        folder = tmp_path_factory.mktemp(mode)
        done = subprocess.run([sys.executable, program, folder, mode], capture_output=True, text=True, check=True)
        states = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(states) > 20
        assert [state["call"] for state in states] == list(range(1, len(states) + 1))
        assert [state["code"] for state in states] == [9] * (len(states) - 1) + [0]
        assert all(state["again"] == 0 and state["left"] == ["dev"] for state in states)
        return states

    return run


def test_exchanged_folders_are_old_or_new_at_every_moment(kill_everywhere):
    states = kill_everywhere("exchange")
    whole = [{**OLD, **KEPT}, {**NEW, **KEPT}]
    assert all(state["killed"] in whole for state in states)
    assert {json.dumps(state["killed"], sort_keys=True) for state in states} == {
        json.dumps(one, sort_keys=True) for one in whole}
    assert all(state["finished"] == {**NEW, **KEPT} for state in states)


def test_a_first_render_is_there_whole_or_not_at_all(kill_everywhere):
    states = kill_everywhere("missing")
    assert all(state["killed"] in ({}, NEW) for state in states)
    assert all(state["finished"] == NEW for state in states)


def test_renamed_folders_are_whole_or_beside_until_the_next_run(kill_everywhere):
    states = kill_everywhere("rename")
    assert all(state["killed"] in ({**OLD, **KEPT}, {**NEW, **KEPT}, {}) for state in states)
    absent = [state for state in states if not state["killed"]]
    assert absent
    assert all(any("-old-" in name for name in state["beside"]) for state in absent)
    assert all(state["finished"] == {**NEW, **KEPT} for state in states)


def test_files_replaced_in_place_are_each_whole_and_named_only_when_there(kill_everywhere):
    states = kill_everywhere("place")
    for state in states:
        files = {name: text for name, text in state["killed"].items() if ".gangform-tmp-" not in name}
        assert files.items() >= KEPT.items()
        assert all(text in (OLD.get(name), NEW.get(name), KEPT.get(name)) for name, text in files.items())
        if files["kustomization.yaml"] == NEW["kustomization.yaml"]:
            assert files.items() >= NEW.items()
        else:
            assert files.keys() >= OLD.keys()
    assert all(state["finished"] == {**NEW, **KEPT} for state in states)
