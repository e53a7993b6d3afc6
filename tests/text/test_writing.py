"""What is written reads back as the same data, whoever reads it, and looks as people expect."""

import math

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from gangform.text.reading import read
from gangform.text.writing import write

AMBIGUOUS = [
    "", "~", "null", "Null", "y", "Y", "N", "yes", "No", "on", "OFF", "true", "False", "1", "-1", "+1", "1_000", "0644", "08",
    "0o17", "0x1F", "0b1", "1e3", "25921e05", "1.5e3", ".5", "5.", ".inf", "-.Inf", ".nan", "NaN", "Infinity", "12:30:45", "1:2",
    "2001-01-01", "2001-01-01T00:00:00Z", "=", "<<", "-", ".", "._", "1,000", " x", "x ", "\t", "a\tb", "\x07", "\x7f", "\x85",
    "\u2028", "\ufeffx", "\ufffe", "\U0001F600", "a: b", "a #b", "#x", "*x", "&x", "!x", "%x", "@x", "`x", "? x", "?", ":", "x:",
    "- x", "---", "...", "|", ">", "[a", "{a}", "'q'", '"q"', "\n", "a\r\nb", "1E", "12e4",
]
PLAIN = [
    "kubeflow.org/v2beta1", "mpioperator/mpi-pi:openmpi", "-n", "--allow-run-as-root", "-De", "1Gi", "500m", "30s", "100M",
    "/root/.ssh", "$(HOST)", "v1.2", "a,b", "café", "scheduling.x-k8s.io/pod-group", "a b", "it's", "yess", "nullable", "<x>", "true-ish",
]


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_quotes_what_any_reader_could_take_for_something_else(text):
    written = write([{text: [text]}])
    key, item = written.split(":\n- ") if not text.endswith("\n-") else (written, written)
    assert key.startswith('"')
    assert item.startswith(('"', "|"))
    assert [document.data for document in read("x", written).documents] == [{text: [text]}]


@pytest.mark.parametrize("text", PLAIN)
def test_leaves_ordinary_strings_plain(text):
    assert write([{text: text}]) == f"{text}: {text}\n"


def test_writes_block_style_as_kustomize_does():
    assert write([{"b": {"a": [{"x": 1, "y": []}, "z"], "e": {}}, "n": None, "t": True, "l": [[1, 2]]}]) == """\
b:
  a:
  - x: 1
    "y": []
  - z
  e: {}
"n": null
t: true
l:
- - 1
  - 2
"""


def test_separates_documents_and_puts_the_header_first():
    assert write([{"a": 1}, {"b": 2}], header="# Generated") == "# Generated\na: 1\n---\nb: 2\n"
    assert write([], header="# Generated") == "# Generated\n"


def test_never_folds_long_lines_nor_writes_anchors():
    shared = {"k": "word " * 100 + "end"}
    written = write([{"a": shared, "b": shared, "x" * 300: 1}])
    assert written.count("\n") == 5
    assert "&" not in written
    assert f"{'x' * 300}: 1\n" in written


def test_overlong_keys_are_still_read():
    for key in ("k" * 2000, "\U0001F600" * 150):
        assert read("x", write([{key: 1}])).documents[0].data == {key: 1}


@pytest.mark.parametrize(("value", "text"), [
    (5, "5"), (-0, "0"), (0.5, "0.5"), (5.0, "5.0"), (1e30, "1.0e+30"), (1.5e-7, "1.5e-07"), (True, "true"), (None, "null"),
    (2**63, "9223372036854775808"),
])
def test_spells_numbers_so_that_all_readers_agree(value, text):
    assert write([{"a": value}]) == f"a: {text}\n"


@pytest.mark.parametrize(("text", "body"), [
    ("a\nb\n", "|\n  a\n  b\n"), ("a\nb", "|-\n  a\n  b\n"), ("#!/bin/sh\n\n  x: 1\n", "|\n  #!/bin/sh\n\n    x: 1\n"),
])
def test_scripts_become_literals(text, body):
    assert write([{"s": text, "z": 1}]) == f"s: {body}z: 1\n"


def test_a_literal_at_the_end_keeps_its_newline_when_tools_cut_at_the_next_document():
    assert write([{"s": "a\nb\n"}, {"z": 1}]) == "s: |\n  a\n  b\n\n---\nz: 1\n"


@pytest.mark.parametrize("text", ["a \nb", "a\n\n", "\na", " a\nb", "a\tb\nc", "a\r\nb", "a\n b\x07", "a\n\U0001F600"])
def test_lines_that_a_literal_could_change_are_quoted(text):
    assert write([{"s": text}]).startswith('s: "')


@pytest.mark.parametrize(("data", "error"), [
    ({"a": math.inf}, ValueError), ({"a": math.nan}, ValueError), ({"a": object()}, TypeError), ({1: 2}, TypeError),
    ({"a": b"x"}, TypeError), ({"a": {1}}, TypeError),
])
def test_refuses_what_json_cannot_hold(data, error):
    with pytest.raises(error):
        write([data])


texts = st.text(max_size=12) | st.sampled_from(AMBIGUOUS + PLAIN) | st.text("01ex_.:+-\n a", max_size=8)
scalars = st.none() | st.booleans() | st.integers(-2**63, 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=15)
objects = st.dictionaries(texts, values, max_size=5).map(lambda data: {**data, "kind": "X"})


def typed(value):
    """The value with the types of its numbers, so that 5 and 5.0 differ."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    return [typed(item) for item in value] if isinstance(value, list) else (type(value), value)


@given(st.lists(objects, max_size=3))
@example([{"kind": "X", "a": {"": [{"": None}]}}])
def test_what_is_written_reads_back_as_the_same_data(documents):
    written = write(documents)
    for pure in (False, True):
        result = read("x", written, pure=pure)
        assert [typed(document.data) for document in result.documents] == [typed(data) for data in documents]
        assert [list(document.data) for document in result.documents] == [list(data) for data in documents]
        assert result.findings == ()


@given(objects)
def test_pyyaml_reads_the_same_data(data):
    for loader in (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        assert typed(yaml.load(write([data]), Loader=loader)) == typed(data)


@given(objects)
def test_ruamel_reads_the_same_data_as_yaml_1_2(data):
    from ruamel.yaml import YAML

    assert typed(YAML(typ="safe", pure=True).load(write([data]))) == typed(data)


@given(st.lists(objects, max_size=3))
def test_writing_what_was_read_gives_equal_bytes(documents):
    written = write(documents)
    assert write([document.data for document in read("x", written).documents]) == written


def test_every_real_manifest_survives_writing(shared):
    for path in sorted((shared / "corpus").rglob("*.yaml")):
        documents = [document.data for document in read(path.name, path.read_bytes()).documents]
        assert [document.data for document in read("x", write(documents)).documents] == documents, path
