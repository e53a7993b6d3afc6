"""A pointer leads to the author's line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform.model.finding import Location
from gangform.model.source import Place
from gangform.text.reading import Positions, locate, location, read

TEXT = """\
# a job
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
spec:
  mpiReplicaSpecs:
    Launcher:
      template: &template
        spec:
          containers:
          - name: "mpi"   # the launcher
            args: [-n, '2',
                   "é\U0001F600", {x: 1}]
    Worker:
      replicas: 2
      template: *template
  script: |
    a
    b

  empty:
  yes: 1
"""


@pytest.fixture
def positions(pure):
    def make(text: str, index: int = 0) -> Positions:
        return Positions(read("a.yaml", text, pure=pure).documents[index], pure=pure)
    return make


CONTAINER = ("spec", "mpiReplicaSpecs", "Launcher", "template", "spec", "containers", 0)


@pytest.mark.parametrize(("pointer", "on", "place"), [
    (("kind",), "value", Place(3, 7, 3, 13)),
    (("kind",), "key", Place(3, 1, 3, 5)),
    ((*CONTAINER, "name"), "value", Place(10, 19, 10, 24)),
    ((*CONTAINER, "args", 1), "value", Place(11, 24, 11, 27)),
    ((*CONTAINER, "args", 2), "value", Place(12, 20, 12, 24)),
    ((*CONTAINER, "args", 3, "x"), "key", Place(12, 27, 12, 28)),
    ((*CONTAINER, "args"), "value", Place(11, 19, 12, 33)),
    (CONTAINER, "value", Place(10, 13, 12, 33)),
    (CONTAINER, "key", Place(10, 13, 12, 33)),
    (("spec", "script"), "value", Place(16, 11, 18, 6)),
    (("spec", "empty"), "value", Place(20, 9, 20, 9)),
    (("spec", "true"), "key", Place(21, 3, 21, 6)),
    ((), "value", Place(2, 1, 21, 9)),
])
def test_points_at_keys_and_values(positions, pointer, on, place):
    assert positions(TEXT).place(pointer, on) == place


@pytest.mark.parametrize("pointer", [
    ("spec", "mpiReplicaSpecs", "Worker", "missing"), ("spec", "mpiReplicaSpecs", "Worker", "replicas", "x", 0),
])
def test_a_missing_pointer_points_at_the_key_of_its_nearest_ancestor(positions, pointer):
    assert positions(TEXT).place(pointer) in {Place(13, 5, 13, 11), Place(14, 7, 14, 15)}
    assert positions(TEXT).node(pointer) is None


def test_a_missing_key_at_the_root_points_at_the_begin_of_the_document(positions):
    assert positions("# c\n---\na: 1\n").place(("metadata", "name")) == Place(3, 1, 3, 5)


def test_an_alias_points_at_itself_and_what_is_inside_at_the_anchor(positions):
    worker = ("spec", "mpiReplicaSpecs", "Worker", "template")
    assert positions(TEXT).place(worker) == Place(15, 17, 15, 26)
    assert positions(TEXT).place((*worker, *CONTAINER[4:], "name")) == Place(10, 19, 10, 24)


def test_merged_keys_point_at_the_map_that_brings_them(positions):
    made = positions("x: &x {a: 1, b: 1}\nz: &z {b: 2, c: 2}\nm:\n  <<: [*x, *z]\n  a: 0\nk:\n  <<: {d: 4}\n")
    assert made.place(("m", "a")) == Place(5, 6, 5, 7)
    assert made.place(("m", "b")) == Place(1, 17, 1, 18)
    assert made.place(("m", "c")) == Place(2, 17, 2, 18)
    assert made.place(("k", "d"), "key") == Place(7, 8, 7, 9)


def test_a_reused_anchor_points_at_its_latest_definition(positions):
    assert positions("a: &x {v: 1}\nb: &x {v: 2}\nc: *x\n").place(("c", "v")) == Place(2, 11, 2, 12)


def test_an_alias_may_be_a_key(positions):
    assert positions("a: &k yes\n*k : v\n").place(("true",)) == Place(2, 6, 2, 7)


def test_items_of_lists_are_located_from_their_own_root(positions):
    made = positions("kind: List\nitems:\n- {a: 1}\n- b: {c: 2}\n", 1)
    assert made.place(("b", "c")) == Place(4, 10, 4, 11)
    assert made.location(("b", "c")).pointer == "/b/c"


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_byte_order_mark_and_ends_of_lines_move_nothing(positions, eol, bom):
    text = bom + eol.join(["a: 1", "---", "", "b:", "- x: 1", "- w: 2", ""])
    assert positions(text, 1).place(("b", 1, "w")) == Place(6, 6, 6, 7)


def test_json_is_located_too(positions):
    made = positions('{\n\t"a": "\\ud83d\\ude00", "\\ud83d\\ude00": [1]}')
    assert made.place(("a",)) == Place(2, 7, 2, 21)
    assert made.place(("\U0001F600", 0)) == Place(2, 40, 2, 41)


def test_a_location_carries_path_pointer_and_the_line():
    document = read("base/a.yaml", TEXT).documents[0]
    assert location(document, ("spec", "script"), "key") == Location(
        "base/a.yaml", 16, 3, 16, 9, "/spec/script", "  script: |")
    assert locate(document, ("kind",)) == Place(3, 7, 3, 13)


def test_a_built_text_has_no_lines_of_an_author():
    document = read("base (built)", TEXT, built=True).documents[0]
    assert location(document, ("kind",)) == Location("base (built)", pointer="/kind")


def test_overlong_lines_are_not_shown():
    document = read("a.yaml", "a: 1\nb: " + "x" * 5000 + "\n").documents[0]
    assert location(document, ("b",)).excerpt == ""
    assert location(document, ("a",)).excerpt == "a: 1"


names = st.text("abcxyz-", min_size=1, max_size=6).filter(lambda name: name not in ("y", "n"))
trees = st.recursive(
    st.integers(0, 99), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12)


def spell(value, indent: int = 0) -> str:
    """An author's YAML, with flow and block style mixed."""
    if isinstance(value, dict) and value and indent % 3 < 2:
        pad = "\n" + "  " * indent
        return pad + pad.join(f"{key}: {spell(item, indent + 1).lstrip(' ')}" for key, item in value.items())
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {spell(item, 2)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(spell(item, 2) for item in value) + "]"
    return str(value)


def pointers(value, pointer=()):
    yield pointer, value
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in children:
        yield from pointers(item, (*pointer, key))


@given(st.dictionaries(names, trees, min_size=1, max_size=4))
def test_every_value_is_found_where_it_is_written(tree):
    text = spell(tree).lstrip("\n") + "\n"
    document = read("a.yaml", text).documents[0]
    assert document.data == tree
    lines = text.splitlines()
    positions = Positions(document)
    for pointer, value in pointers(tree):
        if isinstance(value, int):
            place = positions.place(pointer)
            assert lines[place.line - 1][place.column - 1:place.end_column - 1] == str(value)
        if pointer and isinstance(pointer[-1], str):
            place = positions.place(pointer, "key")
            assert lines[place.line - 1][place.column - 1:place.end_column - 1] == pointer[-1]
