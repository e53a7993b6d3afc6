"""Whatever the text, reading never raises, and answers the same with and without libyaml."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gangform.text.reading import Positions, read

PIECES = [
    "a: ", "b: ", "c:", "- ", "  ", "    ", "\n", "\n  ", "\n- ", "\n    ", "{", "}", "[", "]", ", ", ": ", "&x ", "*x",
    "<<: ", "<<: *x", "'", '"', "|\n", "|-\n", ">\n", "#c", " #c", "\t", "\\n", "!!str ", "!!int ", "? ", "1", "x", "yes",
    "x y", "\r\n", "\r", "a: 1\n", "b: {c: 1}\n", "  d: 2\n", "&y {p: 1}", "*y", "\u2028", "\x85", "é", "\U0001F600", ":",
    "%", "@", "*", "&", "`", '"\\ud83d"', "''", "null", "\\", "\ufeff", "? a\n: b\n", "---\n", "--- ", "...\n", "%YAML 1.1\n",
    "{{ x }}", "{% if %}", "apiVersion: v1\nkind: X\n", "kind: List\nitems:\n", "\0", "0o17", ".inf", "2001-01-01",
]


def outcome(result):
    """What both parsers must agree on: data, spans, and which faults are where."""
    return (
        [(d.number, d.start, d.end, d.line, d.base, d.data) for d in result.documents],
        [(f.rule, f.location.line) for f in result.findings], result.templated,
    )


@given(st.binary(max_size=200))
def test_no_bytes_make_reading_raise(data):
    assert outcome(read("x", data)) == outcome(read("x", data, pure=True))


@given(st.text(max_size=100))
def test_no_text_makes_reading_raise(text):
    for pure in (False, True):
        for document in read("x", text, pure=pure).documents:
            Positions(document, pure=pure).location(("a", 0, "b"))


@settings(max_examples=400)
@example(["a: x", "\n  ", "\t", "b"])
@example(["a:", "\t", "b"])
@example(["a: 1", "\n", "\t", "\n", "b: 2"])
@example(["[", "\t", "1, ", "\t", "\n", "\t", "2", "]"])
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_both_parsers_agree(pieces):
    text = "".join(pieces)
    both = [read("x", text, pure=pure) for pure in (False, True)]
    assert [d.data for d in both[0].documents] == [d.data for d in both[1].documents]
    assert [f.rule for f in both[0].findings] == [f.rule for f in both[1].findings]
    for ours, pure in zip(*[result.documents for result in both], strict=True):
        assert Positions(ours).root.end == Positions(pure, pure=True).root.end


@pytest.mark.parametrize("text", ["\udcff", "a: \ud83d", "\ufeff\ufeffa: 1", "a: " + "1" * 5000, "a: 0x" + "f" * 5000])
def test_odd_texts_are_read_or_reported(text):
    for pure in (False, True):
        result = read("x", text, pure=pure)
        assert result.documents or result.findings
