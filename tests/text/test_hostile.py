"""Texts made to stop a reader are refused with one clear message, and quickly.

No clock is read here: without the limits these texts would take hours or gigabytes, or overflow the stack.
"""

import pytest

from gangform.text import composing, reading
from gangform.text.reading import Positions, read

LAUGHS = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 40))
MERGE_LAUGHS = "a0: &a0 {k0: 1}\n" + "".join(
    f"a{i}: &a{i}\n  k{i}: 1\n  <<: [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
MERGE_CHAIN = "m0: &m0 {k: 1}\n" + "".join(f"m{i}: &m{i}\n  <<: *m{i - 1}\n" for i in range(1, 300))


@pytest.mark.parametrize("text", [
    "[" * 100_000, "[\n" * 100_000, "- " * 100_000, '{"a":' * 50_000, '{"\\ud83d\\ude00":' * 50_000, "[" * 50 + "{a: " * 60,
    "".join(" " * i + "a:\n" for i in range(1000)), "x: &x " + "[" * 60 + "]" * 60 + "\nz: " + "[" * 60 + "*x" + "]" * 60,
    LAUGHS, MERGE_LAUGHS, "- 1\n" * (composing.MAX_NODES + 1),
], ids=["brackets", "bracket-lines", "dashes", "json", "json-escapes", "mixed", "indentation", "nested-alias", "laughs",
        "merge-laughs", "values"])
def test_limits_are_one_clear_error(text):
    result = read("x", text)
    assert [finding.rule for finding in result.findings] == ["yaml-limit"]
    assert result.documents == ()


def test_an_overlong_document_is_one_clear_error_and_spares_the_others(monkeypatch):
    monkeypatch.setattr(reading, "MAX_CHARACTERS", 1000)
    result = read("x", "a: 1\n---\nb: '" + "x" * 1000 + "'\n---\nc: 1\n")
    assert [(finding.rule, finding.location.line) for finding in result.findings] == [("yaml-limit", 2)]
    assert [document.data for document in result.documents] == [{"a": 1}, {"c": 1}]


@pytest.mark.parametrize("depth", [composing.MAX_DEPTH, composing.MAX_DEPTH + 1])
def test_depth_is_counted_exactly(depth, pure):
    result = read("x", "a: " + "[" * (depth - 1) + "]" * (depth - 1), pure=pure)
    assert bool(result.documents) == (depth <= composing.MAX_DEPTH)


def test_a_long_chain_of_merges_is_neither_deep_nor_slow():
    document = read("x", MERGE_CHAIN).documents[0]
    assert document.data["m299"] == {"k": 1}
    assert Positions(document).place(("m299", "k")).line == 1


def test_an_alias_that_repeats_little_is_no_attack():
    text = "a: &a {x: 1, y: 2}\n" + "".join(f"b{i}: *a\n" for i in range(1000))
    assert len(read("x", text).documents[0].data) == 1001


@pytest.mark.parametrize("text", [
    "#\r\n" * 300_000 + "x: 1", "---\n" * 100_000, "...\n" * 100_000, "%\n" * 100_000, "\r" * 1_000_000, "\0" * 1_000_000,
    "\n\ufeff" * 200_000, 'a: "' + "{{x}}" * 200_000, "a: ' {{" * 100_000, "a: 0" + "7" * 500_000, "a: 1" + "_" * 500_000,
    "a: !<" + "%41" * 100_000 + "> b", 'a: "' + "\\" * 500_001, "{" + "a: 1, " * 20_000 + "}", "!" * 500_000, "&a " * 100_000,
], ids=lambda text: repr(text[:8]))
def test_long_texts_are_read_in_one_pass(text):
    result = read("x", text)
    for document in result.documents:
        Positions(document).location(("a", "b"))
    assert all(len(finding.location.excerpt) <= 1000 for finding in result.findings)
