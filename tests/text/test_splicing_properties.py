"""Whatever a text looks like: after an edit it says the edited data, and only the lines that are meant differ."""

import difflib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from gangform.catalog import BACKENDS, KINDS
from gangform.contracts import Backend, Circumstances
from gangform.model.edit import ABSENT, Edit, apply
from gangform.model.plan import Plan
from gangform.model.pointer import Pointer, get
from gangform.model.source import Document
from gangform.model.workload import Workload
from gangform.overlay.marks import edits, withdrawals
from gangform.settings import read_options
from gangform.text.reading import Reading, read
from gangform.text.splicing import Refusal, Spliced, assemble, splice
from gangform.text.writing import write

WORDS = ["a", "b1", "app.kubernetes.io/name", "y", "no", "1e3", "2001-01-01", "x y", "#", "- a", "{}", "k: v", "é\U0001f600", ""]
SCALARS = st.sampled_from([None, True, 0, -7, 2.5, "two\nlines\n", *WORDS])
KEYS = st.sampled_from([word for word in WORDS if word])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12)
SHARED = st.shared(VALUES, key="shared")
OBJECTS = st.dictionaries(KEYS, VALUES | SHARED, min_size=1, max_size=4).map(lambda data: {"apiVersion": "v1", "kind": "A", **data})


class Author:
    """Writes data as people do: in blocks and braces, with odd indentation, comments and empty lines."""

    def __init__(self, draw: st.DrawFn, *, anchors: bool) -> None:
        self._draw = draw
        self._anchors: dict[str, str] | None = {} if anchors else None

    def _pick(self, *choices: str) -> str:
        return self._draw(st.sampled_from(choices))

    def document(self, data: dict[str, Any]) -> str:
        return self._pick("", "# head\n\n") + self._pick("", "---\n", "--- # start\n") + "".join(
            f"{line}\n" for line in self._map(data, 0)) + self._pick("", "# end\n")

    def _map(self, data: dict[str, Any], column: int) -> Iterator[str]:
        for key, value in data.items():
            yield from self._remark(column)
            first, rest = self._value(value, column)
            tail = self._pick("", "", "  # why", "\t# why") if not first.startswith(" |") else ""
            yield " " * column + self._flow(key) + self._pick(":", ":", " :") + first + tail
            yield from rest

    def _remark(self, column: int) -> Iterator[str]:
        yield from self._draw(st.sampled_from([[], [], [], [" " * column + "# remark"], ["# left"], [""]]))

    def _value(self, value: Any, column: int) -> tuple[str, list[str]]:
        blank = self._pick(" ", "  ", "\t")
        name = f" {shared}" if (shared := self._share(value)) else ""
        if name.startswith(" *"):
            return name, []
        first, rest = self._unshared(value, column, blank)
        return (name + first, rest) if name else (first, rest)

    def _share(self, value: Any) -> str:
        """Return an anchor for a value that shall be repeated, or the alias that repeats it, or nothing."""
        if self._anchors is None:
            return ""
        known = json.dumps(value)
        if known in self._anchors:
            return f"*{self._anchors[known]}" if self._draw(st.booleans()) else ""
        if self._draw(st.integers(0, 2)):
            return ""
        self._anchors[known] = f"x{len(self._anchors)}"
        return f"&{self._anchors[known]}"

    def _unshared(self, value: Any, column: int, blank: str) -> tuple[str, list[str]]:
        if value is None:
            return self._pick("", " null", " ~"), []
        if isinstance(value, str) and value.endswith("\n"):
            pad = " " * (column + self._draw(st.integers(1, 4)))
            return " |", [pad + line for line in value.splitlines()]
        if isinstance(value, dict) and value and self._draw(st.booleans()):
            return "", list(self._map(value, column + self._draw(st.integers(1, 5))))
        if isinstance(value, list) and value and self._draw(st.booleans()):
            return "", list(self._list(value, column + self._draw(st.integers(0, 3))))
        return blank + self._flow(value), []

    def _list(self, items: list[Any], column: int) -> Iterator[str]:
        for item in items:
            if isinstance(item, dict) and item:
                gap = self._draw(st.integers(1, 3))
                lines = list(self._map(item, column + 1 + gap))
                while not lines[0].strip() or lines[0].lstrip().startswith("#"):
                    lines.pop(0)
                yield " " * column + "-" + " " * gap + lines[0].lstrip(" ")
                yield from lines[1:]
            else:
                yield " " * column + "- " + self._flow(item)

    def _flow(self, value: Any) -> str:
        if isinstance(value, dict):
            inner = (f"{self._flow(key)}: {self._flow(item)}" for key, item in value.items())
            return self._braces("{", inner, "}")
        if isinstance(value, list):
            return self._braces("[", (self._flow(item) for item in value), "]")
        if isinstance(value, str):
            plain = write([value]).rstrip("\n")
            return plain if plain.isalnum() and self._draw(st.booleans()) else json.dumps(value, ensure_ascii=False)
        return write([value]).rstrip("\n")

    def _braces(self, opening: str, inner: Iterator[str], closing: str) -> str:
        space = self._pick("", " ")
        return opening + space + self._pick(", ", ",  ").join(inner) + space + closing


@st.composite
def texts(draw: st.DrawFn, *, anchors: bool = False) -> str:
    """Draw a text that is one document; some are JSON, some have foreign line ends or a byte order mark."""
    data = draw(OBJECTS)
    if draw(st.integers(0, 4)) == 0:
        text = json.dumps(data, indent=draw(st.sampled_from([None, 2, 4])))
    else:
        text = Author(draw, anchors=anchors).document(data)
    text = draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n"])))
    return text.rstrip("\r\n") if draw(st.integers(0, 3)) == 0 else text


def pointers(value: Any, at: Pointer = ()) -> Iterator[Pointer]:
    yield at
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from pointers(item, (*at, key))


@st.composite
def changes(draw: st.DrawFn, data: dict[str, Any]) -> tuple[Edit, ...]:
    """Draw some edits of maps and their values."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from([pointer for pointer in pointers(data) if isinstance(get(data, pointer), dict)]))
        keys = st.sampled_from([*get(data, at)] or ["new"])
        kind = draw(st.sampled_from(["add", "add", "deep", "set", "drop"]))
        if kind == "deep":
            at = (*at, draw(st.sampled_from(["new", "more"])))
        key = draw(KEYS | st.just("new")) if kind in ("add", "deep") else draw(keys)
        found.append(Edit((*at, key), ABSENT if kind == "drop" else draw(SCALARS)))
    return tuple(found)


def lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def differing(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines that went away, and those that came."""
    diff = [*difflib.ndiff(lines(before), lines(after))]
    return [line[2:] for line in diff if line[:2] == "- "], [line[2:] for line in diff if line[:2] == "+ "]


def one(reading: Reading) -> Document:
    assert len(reading.documents) == 1
    return reading.documents[0]


@given(st.data())
def test_the_new_text_says_the_edited_data_and_keeps_every_comment(data):
    text = data.draw(texts(anchors=True))
    reading = read("a.yaml", text)
    document = one(reading)
    wanted = data.draw(changes(document.data))
    spliced = splice(document, wanted)
    event(type(spliced).__name__)
    assert spliced == splice(document, wanted, pure=True)
    if isinstance(spliced, Refusal):
        event(spliced.reason)
        return
    new = assemble(reading.source, [(document, spliced)])
    assert one(read("a.yaml", new)).data == apply(document.data, wanted)
    assert json.dumps(one(read("a.yaml", new)).data, sort_keys=True) == json.dumps(
        apply(document.data, wanted), sort_keys=True)
    assert new.startswith("\ufeff") == text.startswith("\ufeff")
    assert ("\r" in new) == ("\r" in text) or "\n" not in text
    own = [line for line in lines(text) if line.lstrip(" ").startswith("# ")]
    assert [line for line in lines(new) if line.lstrip(" ").startswith("# ")] == own


@given(st.data())
def test_a_key_that_is_added_to_a_block_only_adds_lines_and_is_taken_out_to_the_byte(data):
    text = data.draw(texts())
    reading = read("a.yaml", text)
    document = one(reading)
    at = data.draw(st.sampled_from([p for p in pointers(document.data) if isinstance(get(document.data, p), dict)]))
    addition = Edit((*at, "new"), data.draw(st.sampled_from([1, "x", "1e3"])))
    spliced = splice(document, [addition])
    assert isinstance(spliced, Spliced), spliced
    new = assemble(reading.source, [(document, spliced)])
    gone, came = differing(text, new)
    if not gone:
        value = write([addition.value]).strip()
        assert len(came) == 1
        assert came[0].strip() in {f"new: {value}", f'"new": {json.dumps(addition.value)},'}
    else:
        assert len(gone) == 1
        assert "{" in gone[0]
    if get(document.data, at):
        again = read("a.yaml", new)
        back = splice(one(again), [Edit(addition.pointer, ABSENT)])
        assert isinstance(back, Spliced), back
        assert assemble(again.source, [(one(again), back)]) == text


@given(st.data())
def test_a_scalar_that_is_replaced_by_another_changes_its_own_line_alone(data):
    text = data.draw(texts())
    reading = read("a.yaml", text)
    document = one(reading)
    scalars = [p for p in pointers(document.data) if not isinstance(get(document.data, p), dict | list)
               and "\n" not in str(get(document.data, p))]
    spliced = splice(document, [Edit(data.draw(st.sampled_from(scalars)), data.draw(st.sampled_from(["new", 77])))])
    assert isinstance(spliced, Spliced), spliced
    gone, came = differing(text, assemble(reading.source, [(document, spliced)]))
    assert (len(gone), len(came)) == (1, 1)


def corpus(shared: Path) -> Iterator[tuple[Path, Reading]]:
    for path in sorted((shared / "corpus").rglob("*")):
        if path.suffix in {".yaml", ".yml"} and path.is_file():
            yield path, read(path.name, path.read_bytes())


def jobs(reading: Reading) -> Iterator[Document]:
    """The MPIJobs with pod templates, whether or not their schema likes them."""
    for document in reading.documents:
        specs = get(document.data, ("spec", "mpiReplicaSpecs"))
        if document.data.get("kind") == "MPIJob" and isinstance(specs, dict) and "Launcher" in specs:
            yield document


def planned(document: Document, backend: Backend) -> tuple[Workload, Plan]:
    """The plan of a job, whose numbers may be templated: they say nothing about its marks."""
    replicas = ("spec", "mpiReplicaSpecs", "Worker", "replicas")
    numbered = apply(document.data, [Edit(replicas, 1)] if get(document.data, replicas[:-1]) else [])
    workload = next(iter(KINDS.values())).read(numbered)
    options = {**read_options({}, backend)[0], "min-resources": "omitted"}
    return workload, backend.plan(workload, Circumstances(options))


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=lambda backend: backend.NAME)
def test_marks_only_add_lines_to_real_jobs_and_are_taken_out_to_the_byte(shared, backend):
    marked = set()
    for path, reading in corpus(shared):
        for document in jobs(reading):
            wanted = edits(*planned(document, backend))
            spliced = splice(document, wanted)
            assert isinstance(spliced, Spliced), (path, spliced)
            new = assemble(reading.source, [(document, spliced)])
            again = read(path.name, new)
            after = next(found for found in again.documents if (found.number, found.base) == (document.number, document.base))
            assert after.data == apply(document.data, wanted), path
            held = {edit.pointer: get(document.data, edit.pointer) for edit in wanted}
            gone, came = differing(reading.source.text, new.removeprefix("\ufeff"))
            assert len(gone) <= sum(value is not None for value in held.values()), path
            assert len(came) <= 4 * 4, path
            marked.add(path)
            if any(value is not None for value in held.values()):
                continue
            back = splice(after, withdrawals(after.data, *planned(after, backend)))
            assert isinstance(back, Spliced), (path, back)
            assert assemble(again.source, [(after, back)]).removeprefix("\ufeff") == reading.source.text, path
    assert len(marked) >= 49
