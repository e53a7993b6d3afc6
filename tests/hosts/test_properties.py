"""Whatever a stream holds: foreign documents pass, a second time changes nothing, and what is put in comes out."""

from pathlib import Path

import pytest
import yaml
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from gangform.text import writing
from strategies import jobs
from streams import CONFIG, aim, mark, run, unmark

BACKENDS = ("coscheduling", "volcano")
FOREIGN = st.sampled_from([
    CONFIG, b"# only a comment\n", b"", b"a: {{ b }}\n", b"key: [\n", b"kind: List\nitems: []\n", b"\t- x\n", b"caf\xe9: 1\n",
    b"kind: CustomResourceDefinition\nspec: {names: {kind: Widget}}\n", b"a: |\n  --- no marker\n   MPIJob\n"])
MARKERS = st.sampled_from([b"---\n", b"--- # c\n", b"---\n# Source: a/b.yaml\n", b"---\n---\n", b"...\n---\n"])


@st.composite
def streams(draw: st.DrawFn, documents: st.SearchStrategy[bytes]) -> bytes:
    text = b"".join(part for _ in range(draw(st.integers(0, 5))) for part in (draw(MARKERS), draw(documents)))
    if draw(st.booleans()):
        text = text.removeprefix(b"---\n")
    if draw(st.booleans()):
        text = text.replace(b"\n", b"\r\n")
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + (text.rstrip(b"\r\n") if draw(st.booleans()) else text)


@given(streams(FOREIGN))
def test_streams_without_jobs_pass_to_the_byte(text: bytes) -> None:
    assert mark(text) == text
    assert unmark(text) == text


@st.composite
def job_streams(draw: st.DrawFn) -> bytes:
    made = draw(st.lists(jobs(), min_size=1, max_size=2, unique_by=lambda data: data["metadata"]["name"]))
    written = iter([writing.write([data]).encode() for data in made])
    text = b"".join(part for one in written for part in (
        draw(MARKERS), draw(FOREIGN.filter(lambda part: b"\t" not in part)), draw(MARKERS), one))
    return text.replace(b"\n", b"\r\n") if draw(st.booleans()) else text


def load(text: bytes) -> list[object]:
    return [_bare(document) for part in text.replace(b"\r\n", b"\n").split(b"\n---") for document in _read(part)]


def _read(part: bytes) -> list[object]:
    try:
        return list(yaml.load_all(part.removeprefix(b"---").lstrip(), yaml.BaseLoader))
    except (yaml.YAMLError, UnicodeDecodeError):
        return [part]


def _bare(value: object) -> object:
    """Leave out maps that are empty or null: taking the last key out of one may leave either."""
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if _bare(item) not in ({}, None, "", "null")}
    return [_bare(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=50)
@given(job_streams(), st.sampled_from(BACKENDS))
def test_twice_is_as_once_and_remove_gives_the_data_back(text: bytes, backend: str) -> None:
    done = run(text, to=aim(backend))
    event("marked" if done.result else "refused")
    assume(done.result is not None)
    marked = mark(text, to=aim(backend))
    assert mark(marked, to=aim(backend)) == marked
    # An author's own mark or scheduler cannot be told from ours once it says the same.
    if not any(word in text for word in (b"schedulerName", b"pod-group", b"group-name")):
        assert load(unmark(marked)) == load(text)
        assert mark(unmark(marked), to=aim(backend)) == marked


@pytest.mark.parametrize("backend", BACKENDS)
def test_real_jobs_are_marked_by_adding_lines_and_come_back_to_the_byte(shared: Path, backend: str) -> None:
    changed = 0
    other = next(name for name in BACKENDS if name != backend)
    for path in sorted((shared / "corpus").rglob("*.yaml")):
        text = path.read_bytes()
        done = run(text, to=aim(backend))
        if done.result is None or b"".join(done.result.blocks()) == text:
            continue
        marked = mark(text, to=aim(backend))
        changed += 1
        assert mark(marked, to=aim(backend)) == marked, path.name
        assert set(text.splitlines()) - set(marked.splitlines()) <= _changed_lines(text), path.name
        moved = mark(marked, to=aim(other))
        assert unmark(marked) == text, path.name
        assert moved == mark(text, to=aim(other)), path.name
        assert mark(moved, to=aim(backend)) == marked, path.name
    assert changed > 30


def _changed_lines(text: bytes) -> set[bytes]:
    """Lines that already say what a mark says: they are replaced, or moved with their map."""
    return {line for line in text.splitlines() if any(word in line for word in (
        b"schedulerName", b"pod-group", b"group-name", b"metadata: {}", b"labels: {}", b"{", b"minMember"))}
