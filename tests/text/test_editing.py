"""One entry more in ``components:``, and not a byte else."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform.model.errors import InputError
from gangform.text.editing import enlist
from gangform.text.reading import read


@pytest.mark.parametrize(("before", "after"), [
    ("resources:\n- a\n", "resources:\n- a\ncomponents:\n- gang\n"),
    ("resources:\n  - a\n", "resources:\n  - a\ncomponents:\n  - gang\n"),
    ("resources: [a]", "resources: [a]\ncomponents:\n- gang\n"),
    ("components:\n- a # c\n# d\nresources: [b]\n", "components:\n- a # c\n- gang\n# d\nresources: [b]\n"),
    ("components:\n    - 'a'\nx: 1\n", "components:\n    - 'a'\n    - gang\nx: 1\n"),
    ("components:\n- a\n- b", "components:\n- a\n- b\n- gang\n"),
    ("components:\nresources: [a]\n", "components:\n- gang\nresources: [a]\n"),
    ("components: []  # none\n", "components: [gang]  # none\n"),
    ("components: [a, b ,] # c\n", "components: [a, b, gang ,] # c\n"),
    ("components: [\n  a, # c\n  b\n]\n", "components: [\n  a, # c\n  b, gang\n]\n"),
    ("\ufeff# licence\r\n---\r\ncomponents:\r\n- a\r\n", "\ufeff# licence\r\n---\r\ncomponents:\r\n- a\r\n- gang\r\n"),
    ("a: &x 1\nb: &x 2\n", "a: &x 1\nb: &x 2\ncomponents:\n- gang\n"),
    ("a: |+\n  x\n\n", "a: |+\n  x\n\ncomponents:\n- gang\n"),
])
def test_adds_the_entry_and_leaves_every_other_byte(before, after):
    assert enlist(before, "gang") == after


@pytest.mark.parametrize("entry", ["gang", "./gang", "gang/", "'gang'", "./gang/"])
def test_an_entry_that_is_there_already_leaves_the_text_alone(entry):
    text = f"components:\r\n- a\r\n- {entry}"
    assert enlist(text, "gang") == text
    assert enlist(f"components: [{entry}]", "./gang/") == f"components: [{entry}]"


@pytest.mark.parametrize("entry", ["gang, x", "[gang]", "1e3", "../a b/#c"])
def test_an_entry_that_yaml_would_misread_is_quoted(entry):
    for text in ("components:\n- a\n", "components: [a]\n", "a: 1\n"):
        assert read("x", enlist(text, entry)).documents[0].data["components"][-1] == entry


@pytest.mark.parametrize(("text", "word"), [
    ("{resources: [a]}", "braces"), ("components: null\n", "list"), ("components: x\n", "list"), ("components:\n- {a: 1}\n", "list"),
    ("x: &c [a]\ncomponents: *c\n", "no place"), ("a: 1\n...\n", "no place"), ("", "0 documents"), ("a: 1\n---\nb: 2\n", "2 documents"),
    ("- a\n", "line 1"), ("a: 1\nb: [\n", "line 2"), ("a: 1\na: 2\n", "line 2"), ("a: {{ x }}\n", "template"),
    ("b: &b {components: [c]}\n<<: *b\n", "no place"),
])
def test_refuses_what_it_cannot_edit_safely_and_says_how_to_mend(text, word):
    with pytest.raises(InputError) as caught:
        enlist(text, "gang")
    assert word in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code == 2


keys = st.sampled_from(["resources", "patches", "namePrefix", "images"])
entries = st.text("ab./-", min_size=1, max_size=6)
comments = st.sampled_from(["", " # c", "\n# own line", "\n"])
blocks = st.tuples(keys, st.lists(entries, min_size=1, max_size=3), st.booleans(), comments)


def spell(block, quote: str = "'") -> str:
    key, items, flow, comment = block
    if flow:
        return f"{key}: [{', '.join(quote + item + quote for item in items)}]{comment}\n"
    return f"{key}:{comment}\n" + "".join(f"  - {quote}{item}{quote}\n" for item in items)


@given(st.lists(blocks, min_size=1, max_size=4, unique_by=lambda block: block[0]),
       st.none() | st.tuples(st.just("components"), st.lists(entries, max_size=3, min_size=1), st.booleans(), comments),
       st.integers(0, 4), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_result_holds_the_old_text_and_the_entry(others, components, at, eol, final):
    parts = [spell(block) for block in others]
    if components:
        parts.insert(at, spell(components))
    text = "".join(parts).replace("\n", eol)
    text = text if final else text.rstrip("\r\n")
    result = enlist(text, "gang")
    before, after = read("x", text).documents[0].data, read("x", result).documents[0].data
    assert after == {**before, "components": [*before.get("components", []), "gang"]}
    kept = iter(result)
    assert all(char in kept for char in text), "the old text is no subsequence of the new one"
    assert enlist(result, "gang") == result


@pytest.mark.tools
def test_kustomize_builds_what_was_enlisted(kustomize, tmp_path):
    gang = tmp_path / "gang"
    gang.mkdir()
    (gang / "kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ncommonAnnotations: {seen: here}\n")
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    (tmp_path / "kustomization.yaml").write_text(enlist("# mine\r\nresources:\r\n  - a.yaml\r\n", "gang"), newline="")
    result = subprocess.run([kustomize, "build", tmp_path], capture_output=True, text=True, check=True)
    assert "seen: here" in result.stdout


def test_real_kustomizations_get_only_added_lines(shared):
    paths = sorted((shared / "corpus").rglob("kustomization.yaml"))
    assert paths
    for path in paths:
        text = path.read_bytes().decode()
        lines = iter(enlist(text, "gang").splitlines(keepends=True))
        assert all(line in lines for line in text.splitlines(keepends=True)), path
