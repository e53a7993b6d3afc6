"""Edits into a text: exactly the lines that are meant change, or nothing does and the reason has a line."""

import json

import pytest

from gangform.model.edit import ABSENT, Edit, apply
from gangform.model.pointer import get, parse
from gangform.text.reading import read
from gangform.text.splicing import Refusal, Spliced, assemble, splice


@pytest.fixture
def edit(pure):
    """Edit one document of a text; answers the whole text, or the refusal."""

    def run(text: str, *edits: Edit, index: int = 0) -> str | Refusal:
        reading = read("a.yaml", text, pure=pure)
        document = reading.documents[index]
        spliced = splice(document, edits, pure=pure)
        if isinstance(spliced, Refusal):
            return spliced
        new = assemble(reading.source, [(document, spliced)])
        again = read("a.yaml", new, pure=pure).documents
        assert again[index].data == apply(document.data, edits)
        assert len(again) == len(reading.documents)
        return new

    return run


def put(place: str, value) -> Edit:
    return Edit(parse(place), value)


def drop(place: str) -> Edit:
    return put(place, ABSENT)


def move(origin: str, place: str, value) -> Edit:
    return Edit(parse(place), value, parse(origin))


@pytest.mark.parametrize(("text", "place", "value", "expected"), [
    # A block map: right after the parent key's line, at the children's column.
    ("m:\n  # of a\n  a: 1\n", "/m/b", "x", "m:\n  b: x\n  # of a\n  a: 1\n"),
    ("m:   # why\n      a: 1\n", "/m/b", "x", "m:   # why\n      b: x\n      a: 1\n"),
    ("m: &m\n  a: 1\n", "/m/b", "x", "m: &m\n  b: x\n  a: 1\n"),
    ("m:\n  &m\n  a: 1\n", "/m/b", "x", "m:\n  &m\n  b: x\n  a: 1\n"),
    ('"m" :\n  a: 1\n', "/m/b", "x", '"m" :\n  b: x\n  a: 1\n'),
    ("m:\r\n  a: 1\r\nz: 1\r\n", "/m/b", "x", "m:\r\n  b: x\r\n  a: 1\r\nz: 1\r\n"),
    ("m:\r  a: 1\rz: 1\r", "/m/b", "x", "m:\r  b: x\r  a: 1\rz: 1\r"),
    ("z: 1\nm:\r\n  a: 1\n", "/m/b", "x", "z: 1\nm:\r\n  b: x\r\n  a: 1\n"),
    ("\ufeffm:\n  a: 1\n", "/m/b", "x", "\ufeffm:\n  b: x\n  a: 1\n"),
    ("# c\n--- # d\nm:\n  a: 1\n...\n", "/m/b", "x", "# c\n--- # d\nm:\n  b: x\n  a: 1\n...\n"),
    # The root and an item have no parent key: after their last pair.
    ("a: 1\n# end\n", "/b", "x", "a: 1\nb: x\n# end\n"),
    ("a: 1", "/b", "x", "a: 1\nb: x"),
    ("a: 1\r\nb: 2", "/c", "x", "a: 1\r\nb: 2\r\nc: x"),
    ("l:\n- a: 1\n  c: 2\n- d: 3\n", "/l/0/b", "x", "l:\n- a: 1\n  c: 2\n  b: x\n- d: 3\n"),
    ("l:\n  -   a: 1\n", "/l/0/b", "x", "l:\n  -   a: 1\n      b: x\n"),
    ("l:\n- a:\t1\t# why\n", "/l/0/b", "x", "l:\n- a:\t1\t# why\n  b: x\n"),
    # Missing parents are made with the steps of the map they stand in.
    ("m:\n    a: 1\n", "/m/b/c/d", "x", "m:\n    b:\n        c:\n            d: x\n    a: 1\n"),
    ("m:\n a: 1\n", "/m/b/c", "x", "m:\n b:\n  c: x\n a: 1\n"),
    # What is there without a value gets one.
    ("m:\nz: 1\n", "/m/b", "x", "m:\n  b: x\nz: 1\n"),
    ("m: # why\nz: 1\n", "/m/b", "x", "m: # why\n  b: x\nz: 1\n"),
    ("m:", "/m/b", "x", "m:\n  b: x"),
    ("m: null # why\nz: 1\n", "/m/b", "x", "m: # why\n  b: x\nz: 1\n"),
    ("m: ~\n", "/m", "x", "m: x\n"),
    ("m:\n", "/m", "x", "m: x\n"),
    ("l:\n-\n- 1\n", "/l/0", "x", "l:\n- x\n- 1\n"),
    # Braces: first, with the space that stands there.
    ("m: {a: 1}  # why\n", "/m/b", "x", "m: {b: x, a: 1}  # why\n"),
    ("m: { a: 1 }\n", "/m/b", "x", "m: { b: x, a: 1 }\n"),
    ("m: {}\n", "/m/b", "x", "m: {b: x}\n"),
    ("m: {}\n", "/m/b/c", "x", "m: {b: {c: x}}\n"),
    ("m: {a: {}, b: 1}\n", "/m/a/c", "a, b", 'm: {a: {c: "a, b"}, b: 1}\n'),
    ("m: {\n  a: 1,  # one\n  c: 2\n}\n", "/m/b", "x", "m: {\n  b: x,\n  a: 1,  # one\n  c: 2\n}\n"),
    ('{"m": {"a": 1}}\n', "/m/b", "x", '{"m": {"b": "x", "a": 1}}\n'),
    ('{\n  "m": {\n    "a": 1\n  }\n}\n', "/m/b", "x", '{\n  "m": {\n    "b": "x",\n    "a": 1\n  }\n}\n'),
    ('{"m": {"a": "\\ud83d\\ude00"}}', "/m/b/c", None, '{"m": {"b": {"c": null}, "a": "\\ud83d\\ude00"}}'),
    # A scalar: its span alone.
    ("m:\n  a:   old   # why\n", "/m/a", "new", "m:\n  a:   new   # why\n"),
    ("m:\n  a: 'old'\n  b: 1\n", "/m/a", "1e3", 'm:\n  a: "1e3"\n  b: 1\n'),
    ("a: 0.5\n", "/a", "0.5", 'a: "0.5"\n'),
    ("a: '4'\n", "/a", 4, "a: 4\n"),
    ("a: &x old\n", "/a", "new", "a: &x new\n"),
    ("a: one\n  two\nb: 1\n", "/a", "new", "a: new\nb: 1\n"),
    ("a: |\n  one\n  two\nb: 1\n", "/a", "new", "a: new\nb: 1\n"),
    ("a: old # why\nb: 1\n", "/a", "one\ntwo\n", "a: | # why\n  one\n  two\nb: 1\n"),
    ("a: old\nb: 1\n", "/a", ["x", {"k": 1}], "a:\n- x\n- k: 1\nb: 1\n"),
    ("a: [1, old, 2]\n", "/a/1", "new", "a: [1, new, 2]\n"),
    ("- a: 1\n" and "l: [{a: 1}]\n", "/l/0/a", "new", "l: [{a: new}]\n"),
    ('{"a": "old"}', "/a", "new", '{"a": "new"}'),
])
def test_a_value_is_set_at_its_place(edit, text, place, value, expected):
    assert edit(text, put(place, value)) == expected


@pytest.mark.parametrize(("text", "place", "expected"), [
    ("m:\n  a: 1  # one\n  b: 2\n", "/m/a", "m:\n  b: 2\n"),
    ("m:\n  # of a\n  a:\n    c: 1\n    # in a\n    d: 2\n  b: 2\n", "/m/a", "m:\n  # of a\n    # in a\n  b: 2\n"),
    ("m:\n  a: |\n    # no comment\n\n    x\n  b: 2\n", "/m/a", "m:\n  b: 2\n"),
    ("m:\n  a: 1\nz: 1\n", "/m/a", "m: {}\nz: 1\n"),
    ("m:\r\n  a: 1\r\n  b: 2\r\n", "/m/b", "m:\r\n  a: 1\r\n"),
    ("a: 1\nb: 2", "/b", "a: 1"),
    ("a: 1\r\nb: 2", "/b", "a: 1"),
    ("l:\n- a: 1\n  b: 2\n", "/l/0/a", "l:\n- b: 2\n"),
    ("l:\n- a: 1\n  b: 2\n", "/l/0/b", "l:\n- a: 1\n"),
    ("m: {a: 1, b: 2, c: 3}\n", "/m/a", "m: {b: 2, c: 3}\n"),
    ("m: {a: 1, b: 2, c: 3}\n", "/m/b", "m: {a: 1, c: 3}\n"),
    ("m: {a: 1, b: 2, c: 3}\n", "/m/c", "m: {a: 1, b: 2}\n"),
    ("m: {a: 1, b: 2,}\n", "/m/b", "m: {a: 1,}\n"),
    ("m: {a: 1}\n", "/m/a", "m: {}\n"),
    ('{\n  "a": 1,\n  "b": 2\n}\n', "/b", '{\n  "a": 1\n}\n'),
    ("m:\n  a: 1\n", "/m/x", "m:\n  a: 1\n"),
    ("m: 1\n", "/x/y", "m: 1\n"),
])
def test_a_key_is_taken_out_with_its_lines(edit, text, place, expected):
    assert edit(text, drop(place)) == expected


@pytest.mark.parametrize(("text", "change", "expected"), [
    # Into a map that is there: as its author wrote it, at the new column.
    ("a:\n  x: 'v'  # why\nm:\n    k: 1\n", move("/a/x", "/m/x", "v"), "a: {}\nm:\n    x: 'v'  # why\n    k: 1\n"),
    ("x:\n  # in x\n  - [1, 2]\n  - |\n    # text\n    a\nm:\n  k: 1\n",
     move("/x", "/m/x", [[1, 2], "# text\na\n"]),
     "m:\n  x:\n    # in x\n    - [1, 2]\n    - |\n      # text\n      a\n  k: 1\n"),
    ("m:\n    o:\n        x:\n          - 1\n        k: 2\n", move("/m/o/x", "/x", [1]),
     "m:\n    o:\n        k: 2\nx:\n  - 1\n"),
    # Into a map that is made for it.
    ("s:\n  x: 5  # why\n  z: 1\n", move("/s/x", "/s/p/q/x", 5), "s:\n  p:\n    q:\n      x: 5  # why\n  z: 1\n"),
    ("s: {x: 5, z: 1}\n", move("/s/x", "/s/p/x", 5), "s: {p: {x: 5}, z: 1}\n"),
    # Under another name in the same map: the key alone.
    ("s:\n  x:   5  # why\n  z: 1\n", move("/s/x", "/s/w", 5), "s:\n  w:   5  # why\n  z: 1\n"),
    ("s:\n  x:\n    # in x\n    a: 1\n", move("/s/x", "/s/w", {"a": 1}), "s:\n  w:\n    # in x\n    a: 1\n"),
    ('{"s": {"x": 5}}', move("/s/x", "/s/w", 5), '{"s": {"w": 5}}'),
    ("s: {x: 5}\n", move("/s/x", "/s/true", 5), 's: {"true": 5}\n'),
])
def test_a_moved_value_keeps_the_form_its_author_gave_it(edit, text, change, expected):
    assert edit(text, change) == expected


def test_several_edits_are_made_at_once(edit):
    text = "m:\n  a: 1\n  b: old  # why\n  c: {d: 1}\nz:\n"
    assert edit(text, put("/m/x", "1"), put("/m/w", "2"), drop("/m/a"), put("/m/b", "new"), put("/m/c/e", "3"),
                put("/z/q", "4")) == \
        'm:\n  x: "1"\n  w: "2"\n  b: new  # why\n  c: {e: "3", d: 1}\nz:\n  q: "4"\n'


def test_other_documents_of_the_file_are_left_alone(edit):
    text = "# one\na: 1\n---\n# two\nm:\n  a: 1\n--- # three\nm: 3\n"
    assert edit(text, put("/m/b", "x"), index=1) == text.replace("  a: 1\n", "  b: x\n  a: 1\n")


def test_an_item_of_a_list_object_is_edited_in_its_place(edit):
    text = "apiVersion: v1\nkind: List\nitems:\n- kind: A\n  m:\n    a: 1\n- kind: B\n  m:\n    a: 1\n"
    assert edit(text, put("/m/b", "x"), index=1) == text[:-len("    a: 1\n")] + "    b: x\n    a: 1\n"


def test_json_stays_json(edit):
    text = json.dumps({"kind": "A", "m": {"a": 1}, "p": {}, "o": None}, indent=4)
    new = edit(text, put("/m/b", "yes"), put("/p/x/w", "1"), put("/o/z", True), put("/kind", "B"))
    assert json.loads(new) == {"kind": "B", "m": {"a": 1, "b": "yes"}, "p": {"x": {"w": "1"}}, "o": {"z": True}}


SHARED = "l: &t\n  m: {a: 1}\nw: *t\n"
MERGED = "x: &x\n  m:\n    a: 1\nl:\n  <<: *x\nw:\n  <<: *x\n"


def test_a_shared_map_is_edited_once_when_all_who_share_it_ask_for_the_same(edit):
    assert edit(SHARED, put("/l/m/b", "x"), put("/w/m/b", "x")) == "l: &t\n  m: {b: x, a: 1}\nw: *t\n"
    assert edit(MERGED, put("/l/m/b", "x"), put("/w/m/b", "x"), put("/x/m/b", "x")) == MERGED.replace(
        "    a: 1\n", "    b: x\n    a: 1\n")


@pytest.mark.parametrize(("text", "edits", "reason", "line"), [
    (SHARED, [put("/l/m/b", "x")], "other places share this value through the anchor &t", 1),
    (SHARED, [put("/w/m/b", "x")], "other places share this value through the anchor &t", 3),
    (SHARED, [put("/l/m/b", "x"), put("/w/m/b", "y")], "other places share this value through the anchor &t", 1),
    (MERGED, [put("/l/m/b", "x")], "m comes from another map through <<", 5),
    (MERGED, [drop("/l/m")], "m comes from another map through <<", 5),
    ("m:\n  a: 1\n  a: 2\n", [put("/m/b", "x")], "a key stands twice in the same map", 3),
    ("%YAML 1.1\n---\nm:\n  a: 1\n", [put("/m/b", "x")], "the document begins with a % directive", 1),
    ("i: repo/{{ .image }}\nm:\n  a: 1\n", [put("/m/b", "x")], "the text is a template", 1),
    ("l: [a: 1]\n", [put("/l/0/b", "x")], "a pair without braces stands in a list", 1),
    ("m:\n  a: 1\n", [put("/m", "x")], "a whole block would have to be written anew", 2),
    ("l: [1]\n", [put("/l", [1, 2])], "items of a list are not added or taken out", 1),
    ("l:\n- a: 1\n", [drop("/l/0/a")], "nothing would be left of the map", 2),
    ("l:\n- a: 1\n  # why\n  b: 2\n", [drop("/l/0/a")], "a comment would be lost", 2),
    ("m: {a: 1, # why\n  b: 2}\n", [drop("/m/a")], "a comment would be lost", 1),
    ("? a\n: 1\nb: 2\n", [drop("/a")], "the key stands on the line of another value", 1),
    ("# c\n---\nz: 1\n---\n# d\nm:\n  a: 1\n  a: 2\n", [put("/z", 2)], None, None),
])
def test_what_cannot_be_edited_safely_is_refused_with_its_line(edit, text, edits, reason, line):
    done = edit(text, *edits)
    if reason is None:
        assert isinstance(done, str)
    else:
        assert done == Refusal(reason, line)


def test_a_refusal_counts_lines_of_the_file(pure):
    reading = read("a.yaml", "a: 1\n---\nm:\n  b: 1\n  b: 2\n", pure=pure)
    assert splice(reading.documents[1], [put("/m/c", "x")], pure=pure) == Refusal("a key stands twice in the same map", 5)


@pytest.mark.parametrize("text", [
    "a: 'it is {{ quoted }}'\nm:\n  a: 1\n", "# {{ a comment }}\nm:\n  a: 1\n", "s: |\n  docker -f {{.State}}\nm:\n  a: 1\n",
])
def test_words_that_are_no_template_do_not_stand_in_the_way(edit, text):
    assert edit(text, put("/m/b", "x")) == text.replace("  a: 1\n", "  b: x\n  a: 1\n")


def test_an_edit_that_changes_nothing_leaves_every_byte(edit):
    text = "a:   1 # x\r\nm: { b : [ 2 ] }"
    assert edit(text, put("/a", 1), put("/m/b", [2]), drop("/q")) == text


def test_a_value_of_another_type_is_another_value(edit):
    assert edit("a: 1\n", put("/a", True)) == "a: true\n"
    assert edit("a: 1\n", put("/a", 1.0)) == "a: 1.0\n"


def test_only_spliced_texts_hold_the_new_data():
    document = read("a.yaml", "m: {a: 1}\n").documents[0]
    spliced = splice(document, [put("/m/a", 2)])
    assert spliced == Spliced("m: {a: 2}\n")
    assert get(document.data, ("m", "a")) == 1
