"""A text becomes documents and every one of its problems, each at its place."""

import json

import pytest

from gangform.model.finding import Severity
from gangform.model.workload import Ref
from gangform.text import reading
from gangform.text.reading import CODES


@pytest.fixture
def read(pure):
    return lambda text, **options: reading.read("a.yaml", text, pure=pure, **options)


def shown(result) -> list[tuple[str, int, int]]:
    return [(finding.rule, finding.location.line, finding.location.column) for finding in result.findings]


def data(result) -> list:
    return [document.data for document in result.documents]


# --- documents ---

def test_reads_every_document_with_number_line_and_span(read):
    text = "# licence\n---\na: 1\n--- # second\nb: 2\n...\nc: 3\n"
    result = read(text)
    assert data(result) == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert [(d.number, d.line) for d in result.documents] == [(0, 2), (1, 4), (2, 7)]
    assert [text[d.start:d.end] for d in result.documents] == ["---\na: 1\n", "--- # second\nb: 2\n...\n", "c: 3\n"]


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "---\n# c\n---\n...\n...\n", "---\nnull\n", "~"])
def test_empty_documents_are_silently_nothing(read, text):
    assert (read(text).documents, read(text).findings) == ((), ())


def test_a_broken_document_hides_no_other(read):
    result = read("a: 1\n---\nb: [\n---\nc: 3\n---\nd: 'x\n---\ne: 5\n")
    assert data(result) == [{"a": 1}, {"c": 3}, {"e": 5}]
    assert shown(result) == [("yaml-syntax", 3, 4), ("yaml-syntax", 7, 4)]


def test_markers_inside_block_scalars_are_text(read):
    assert data(read("a: |\n  ---\n  x\n  ...\nb: '\n  --- '\n")) == [{"a": "---\nx\n...\n", "b": " --- "}]


def test_directives_belong_to_the_document_that_follows(read):
    result = read("a: 1\n...\n# c\n%YAML 1.1\n%TAG !e! tag:e.org:\n---\nb: !e!x 2\n")
    assert data(result) == [{"a": 1}, {"b": "2"}]
    assert result.documents[1].line == 3


def test_a_directive_without_a_document_is_an_error(read):
    assert shown(read("%YAML 1.1\n"))[0][0] == "yaml-syntax"


@pytest.mark.parametrize(("text", "what"), [("- a\n", "a list"), ("just words\n", "text"), ("5\n", "a single value")])
def test_a_document_that_is_no_object_is_an_error(read, text, what):
    result = read("# c\n---\n" + text)
    assert result.documents == ()
    assert shown(result) == [("document-not-object", 3, 1)]
    assert what in result.findings[0].message


# --- lists of objects ---

def test_items_of_a_list_become_documents(read):
    result = read("apiVersion: v1\nkind: List\nitems:\n- {a: 1}\n- kind: JobList\n  items: [{b: 2}]\n")
    assert [(d.data, d.base) for d in result.documents] == [
        ({"a": 1}, ("items", 0)), ({"b": 2}, ("items", 1, "items", 0))]


@pytest.mark.parametrize("text", ["kind: List\nitems:\n", "kind: List\n", "kind: List\nitems: []\n"])
def test_a_list_without_items_is_nothing(read, text):
    assert (read(text).documents, read(text).findings) == ((), ())


def test_an_object_that_merely_has_items_is_no_list(read):
    assert data(read("kind: ConfigMap\nitems: [{a: 1}]\n")) == [{"kind": "ConfigMap", "items": [{"a": 1}]}]
    assert data(read("kind: AllowList\nitems: x\n")) == [{"kind": "AllowList", "items": "x"}]


def test_items_that_are_no_objects_are_errors_at_their_place(read):
    result = read("apiVersion: v1\nkind: List\nitems:\n- a: 1\n- 5\n-\n")
    assert data(result) == [{"a": 1}]
    assert shown(result) == [("document-not-object", 5, 3), ("document-not-object", 6, 2)]


def test_a_list_stays_whole_when_asked(read):
    result = read("kind: ResourceList\nfunctionConfig: {}\nitems: [{a: 1}]\n", flatten=False)
    assert data(result) == [{"kind": "ResourceList", "functionConfig": {}, "items": [{"a": 1}]}]


# --- anchors, aliases, merge keys ---

def test_aliases_are_copies(read):
    value = data(read("a: &x {l: [1]}\nb: *x\n"))[0]
    value["a"]["l"].append(2)
    assert value["b"] == {"l": [1]}


def test_an_anchor_may_be_defined_again(read):
    assert data(read("a: &x 1\nb: &x 2\nc: *x\n")) == [{"a": 1, "b": 2, "c": 2}]


def test_an_alias_into_another_document_is_an_error_with_its_line(read):
    result = read("a: &x 1\n---\nb: 1\nc: *x\n")
    assert data(result) == [{"a": 1}]
    assert shown(result) == [("yaml-syntax", 4, 4)]
    assert "*x" in result.findings[0].message


@pytest.mark.parametrize("text", ["a: &x [*x]\n", "a: &x {b: {c: *x}}\n"])
def test_an_alias_of_itself_is_an_error(read, text):
    assert [finding.rule for finding in read(text).findings] == ["yaml-syntax"]


def test_explicit_keys_win_over_merged_ones_and_earlier_maps_over_later(read):
    text = "x: &x {a: 1, b: 1}\nz: &z {b: 2, c: 2}\nm:\n  <<: [*x, *z]\n  a: 0\n"
    result = read(text)
    assert data(result)[0]["m"] == {"a": 0, "b": 1, "c": 2}
    assert result.findings == ()


def test_warns_when_kubectl_and_kustomize_merge_differently(read):
    result = read("x: &x {a: 1, b: 2}\nm:\n  a: 0\n  b: 2\n  <<: *x\n")
    assert data(result)[0]["m"] == {"a": 0, "b": 2}
    assert shown(result) == [("ambiguous-merge", 5, 3)]
    assert "line 3" in result.findings[0].message
    assert result.findings[0].location.pointer == "/m/a"


# --- duplicate keys ---

def test_a_duplicate_key_names_both_lines_and_the_last_value_counts(read):
    result = read("apiVersion: v1\nkind: X\nmetadata:\n  name: pi\nspec:\n  a: 1\n  b: 2\n  a: 3\n")
    finding = result.findings[0]
    assert shown(result) == [("yaml-duplicate-key", 8, 3)]
    assert "line 6" in finding.message
    assert (finding.location.pointer, finding.severity) == ("/spec/a", Severity.ERROR)
    assert finding.subject == Ref("v1", "X", "", "pi")
    assert data(result)[0]["spec"] == {"a": 3, "b": 2}


@pytest.mark.parametrize("text", ["1: a\n'1': b\n", "true: a\nyes: b\n", "<<: {a: 1}\n<<: {b: 1}\n", "{a: 1, a: 2}"])
def test_keys_are_the_same_when_their_json_is(read, text):
    assert "yaml-duplicate-key" in [finding.rule for finding in read(text).findings]


# --- ambiguous scalars ---

def test_reports_ambiguous_values_and_keys_of_objects_at_their_place(read):
    result = read("apiVersion: v1\nkind: X\nmetadata: {name: n1, namespace: prod}\nspec:\n  a: [1, yes]\n  on: 1\n  d: 2001-01-01\n")
    assert shown(result) == [("ambiguous-scalar", 5, 10), ("ambiguous-scalar", 6, 3), ("ambiguous-scalar", 7, 6)]
    assert [finding.location.pointer for finding in result.findings] == ["/spec/a/1", "/spec/true", "/spec/d"]
    assert {finding.subject for finding in result.findings} == {Ref("v1", "X", "prod", "n1")}
    assert result.findings[0].severity is Severity.WARNING


def test_an_ambiguous_value_in_a_list_names_its_item_and_points_inside_it(read):
    result = read("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: q}, x: no}\n")
    assert result.findings[0].subject == Ref("v1", "A", "", "q")
    assert result.findings[0].location.pointer == "/x"


@pytest.mark.parametrize("text", [
    "name: workflow\non: [push]\n", "apiVersion: v1\nkind: X\na: 'yes'\nb: \"no\"\nc: !!bool yes\nd: true\n",
])
def test_says_nothing_where_nothing_is_ambiguous_or_ours(read, text):
    assert read(text).findings == ()


# --- templates ---

@pytest.mark.parametrize("text", [
    "a: {{ .Values.x }}\n", "{{- if .Values.on }}\na: 1\n{{- end }}\n", "{% if x %}\na: 1\n{% endif %}\n",
    'name: "{{ include "x" . }}"\n', '{{ include "x" . }}\n', "a:\n  {{- toYaml .x | nindent 2 }}\n",
])
def test_templates_are_left_alone_with_one_note(read, text):
    result = read("b: 1\n---\n" + text + "---\n" + text)
    assert data(result) == [{"b": 1}]
    assert [(f.rule, f.severity) for f in result.findings] == [("templated", Severity.NOTE)]
    assert result.templated == 2
    assert result.findings[0].location.line >= 3


def test_braces_in_sound_quotes_and_comments_make_no_template(read):
    text = "# {{ x }}\na: '{{inputs.parameters.n}}'\nb: \"{{item}}\"\n"
    assert data(read(text)) == [{"a": "{{inputs.parameters.n}}", "b": "{{item}}"}]
    assert [finding.rule for finding in read(text + "c: [\n").findings] == ["yaml-syntax"]


# --- encodings and characters ---

def test_a_byte_order_mark_is_taken_off_and_positions_are_right(read):
    result = read(b"\xef\xbb\xbfapiVersion: v1\nkind: X\na: yes\n")
    assert result.source.bom
    assert result.source.text.startswith("apiVersion")
    assert shown(result) == [("ambiguous-scalar", 3, 4)]
    assert not read("a: 1").source.bom


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_other_unicode_encodings_are_named_with_the_way_to_convert(read, encoding):
    result = read("apiVersion: v1\n".encode(encoding))
    assert result.documents == ()
    assert shown(result) == [("yaml-encoding", 1, 1)]
    assert encoding.upper().replace("-LE", "LE").replace("-BE", "BE")[:6] in result.findings[0].message
    assert "iconv" in result.findings[0].hint


def test_invalid_utf8_is_named_with_line_column_and_byte(read):
    result = read("é: 1\r\nb: ".encode() + b"\xe9\n")
    assert shown(result) == [("yaml-encoding", 2, 4)]
    assert "byte 10 (0xe9)" in result.findings[0].message


@pytest.mark.parametrize(("char", "name"), [("\0", "NUL"), ("\x07", "U+0007"), ("\x7f", "U+007F"), ("\ufffe", "U+FFFE")])
def test_forbidden_characters_are_named_and_spare_other_documents(read, char, name):
    result = read(f"a: 1\n---\nb: 2\nc: x{char}\n---\nd: 4\n")
    assert data(result) == [{"a": 1}, {"d": 4}]
    assert shown(result) == [("yaml-encoding", 4, 5)]
    assert name in result.findings[0].message


def test_a_byte_order_mark_in_the_middle_is_an_error_except_inside_a_line(read):
    assert shown(read("a: 1\n---\n\ufeffb: 2\n")) == [("yaml-encoding", 3, 1)]
    assert data(read('a: "x\ufeffy"\n')) == [{"a": "x\ufeffy"}]


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_every_end_of_line_counts_once(read, eol):
    result = read(eol.join(["apiVersion: v1", "kind: X", "", "a:", "  b: yes", "c: |", "  x", "  y", ""]))
    assert shown(result) == [("ambiguous-scalar", 5, 6)]
    assert result.findings[0].location.excerpt == "  b: yes"
    assert data(result)[0]["c"] == "x\ny\n"


# --- JSON ---

@pytest.mark.parametrize("value", [
    {"a": "\U0001F600 \u2028", "b": ["\\", "/", "\ttab", "\n"]}, [{"a": "\\ud83d"}], {"k\U0001F600": {"x": 1.5e3}},
])
def test_json_reads_as_json_does(read, value):
    text = json.dumps({"v": value}, indent="\t").replace("/", "\\/")
    assert data(read(text)) == [{"v": json.loads(json.dumps(value))}]
    assert read(text).findings == ()


def test_half_a_surrogate_pair_reads_as_in_go(read):
    assert data(read('{"a": "\\ud83d"}')) == [{"a": "\ufffd"}]
    assert [finding.rule for finding in read('a: "\\ud83d"').findings] == ["yaml-syntax"]


# --- syntax errors in plain words ---

@pytest.mark.parametrize(("text", "place", "word"), [
    ("a:\n\tb: 1\n", (2, 1), "tab"),
    ("a: 1\n\tb: 2\n", (2, 1), "tab"),
    ("a:\n  b: |\n\tx\n", (3, 1), "tab"),
    ("a: b: c\n", (1, 5), "`:`"),
    ("a: 1\n b: 2\n", (2, 3), "`:`"),
    ("a:\n  - x\n  y: 1\n", (3, 3), "line 2"),
    ("a:\n  b: 1\n c: 2\n", (3, 2), "line 1"),
    ("a: [1,\nb: 2\n", (1, 4), "never closed"),
    ("a: {x: 1\n", (1, 4), "never closed"),
    ("a: [1 }\n", (1, 7), "square brackets"),
    ('b: 1\na: "x\nc: 1\n', (2, 4), "never closed"),
    ('a: "C:\\dir"\n', (1, 7), "backslash"),
    ('a: "\\uD83D"\n', (1, 5), "names no character"),
    ('a: "\\xZ0"\n', (1, 5), "names no character"),
    ("a: *.log\n", (1, 4), "`*`"),
    ("a: @x\n", (1, 4), "cannot begin"),
    ("a: - b\n", (1, 4), "`- `"),
    ("a: 1\nb\nc: 1\n", (2, 1), "`key: value`"),
    ("{}\nfoo: 1\n", (2, 1), "end of the document"),
    ("a: !<x b\n", (1, 4), "tag"),
    ("a: .inf\n", (1, 4), "infinity"),
    ("~: x\n", (1, 1), "empty"),
    ("? [a]\n: b\n", (1, 3), "key"),
    ("<<: 5\n", (1, 5), "merges"),
])
def test_syntax_errors_say_what_is_there_and_how_to_mend_it(read, text, place, word):
    result = read(text)
    finding = result.findings[0]
    assert result.documents == ()
    assert (finding.rule, finding.location.line, finding.location.column) == ("yaml-syntax", *place)
    assert word in finding.message
    assert finding.hint
    assert finding.location.excerpt == text.splitlines()[place[0] - 1]


def test_all_problems_of_a_text_come_in_one_go(read):
    result = read("apiVersion: v1\nkind: X\na: yes\na: .inf\nb: !!int x\n---\n[\n---\n- 1\n")
    assert [finding.rule for finding in result.findings] == [
        "ambiguous-scalar", "yaml-duplicate-key", "yaml-syntax", "yaml-syntax", "yaml-syntax", "document-not-object"]


def test_findings_of_built_texts_carry_no_lines(read):
    result = read("apiVersion: v1\nkind: X\na: yes\n", built=True)
    assert (result.findings[0].location.line, result.findings[0].location.excerpt) == (0, "")
    assert result.findings[0].location.pointer == "/a"


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_a_summary_a_reason_and_a_mend(code):
    lines = CODES[code].text.splitlines()
    assert len(lines) >= 3
    assert lines[0].endswith(".")
