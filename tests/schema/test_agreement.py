"""The quick engine, the explaining engine and kubeconform say yes and no to the same documents."""

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gangform import schema
from gangform.model.pointer import Pointer, get
from gangform.schema.acceptance import accepts
from gangform.schema.engine import faults
from gangform.schema.structure import along, knows

OBJECTS = ("kubeflow.org/mpijob_v2beta1", "scheduling.volcano.sh/podgroup_v1beta1",
           "scheduling.volcano.sh/queue_v1beta1", "scheduling.x-k8s.io/podgroup_v1alpha1")

# A fixture that is the same for every example is no danger; a batch is one example of many documents.
BATCHES = settings(max_examples=12, suppress_health_check=list(HealthCheck))
SINGLES = settings(max_examples=60, suppress_health_check=list(HealthCheck))

REPLACEMENTS = (0, -1, 5.0, 0.5, 2**31, 70000, "", "x", "500m", "1 Gi", "500mi", "a\n", "1Gi\n", "Ünï", "x" * 300,
                True, [], {}, [None], ["a", "a"], {"zz": "a"}, {"name": 1})


def _places(data: Any, pointer: Pointer = ()) -> list[Pointer]:
    steps: list[Any] = list(data) if isinstance(data, dict) else list(range(len(data))) if isinstance(data, list) else []
    return [pointer, *(place for step in steps for place in _places(data[step], (*pointer, step)))]


def _pruned_difference(data: Any) -> bool:
    """Whether the document has nulls that only the server drops."""
    return schema.prune(data) != data


@pytest.mark.parametrize("name", OBJECTS)
@given(st.data())
@SINGLES
def test_a_document_made_from_the_schema_has_no_problems(draw_documents, name, data) -> None:
    document = data.draw(draw_documents(name))
    assert schema.check(document, name) == ()
    assert list(faults(document, name)) == []


@pytest.mark.tools
@pytest.mark.parametrize("name", OBJECTS)
@given(st.data())
@BATCHES
def test_kubeconform_accepts_documents_made_from_the_schema(draw_documents, judge, name, data) -> None:
    documents = data.draw(st.lists(draw_documents(name), min_size=10, max_size=20))
    assert judge(documents) == [True] * len(documents)


@pytest.mark.parametrize("name", OBJECTS)
@given(st.data())
@SINGLES
def test_one_unknown_key_anywhere_is_found_at_its_place(draw_documents, name, data) -> None:
    document = data.draw(draw_documents(name))
    closed = [place for place in _places(document) if isinstance(get(document, place), dict)
              and not knows(list(along(place, schema.load(name)))[-1], "zzUnknown")]
    place = data.draw(st.sampled_from(closed))
    get(document, place)["zzUnknown"] = data.draw(st.sampled_from([None, 1, "x", {}, []]))
    problems = schema.check(document, name)
    assert [(p.pointer, p.on, p.code) for p in problems] == [((*place, "zzUnknown"), "key", "unknown-field")]


@pytest.mark.tools
@pytest.mark.parametrize("name", OBJECTS)
@given(st.data())
@BATCHES
def test_all_three_agree_on_documents_with_one_change(draw_documents, judge, name, data) -> None:
    changed = []
    for document in data.draw(st.lists(draw_documents(name), min_size=10, max_size=20)):
        candidates = [place for place in _places(document) if place not in {(), ("apiVersion",), ("kind",)}]
        *above, last = data.draw(st.sampled_from(candidates))
        if data.draw(st.booleans()):
            get(document, tuple(above))[last] = copy.deepcopy(data.draw(st.sampled_from(REPLACEMENTS)))
        else:
            del get(document, tuple(above))[last]
        changed.append(document)
    quick = [accepts(document, name) for document in changed]
    assert quick == [not list(faults(document, name)) for document in changed]
    assert quick == judge(changed)
    checked = [not [p for p in schema.check(document, name) if p.code != "duplicate-list-item"] for document in changed]
    assert checked == quick


@pytest.mark.parametrize(("pattern", "text"), [
    ("^a$", "a\n"), (r"^a\$$", "a$\n"), ("^[$]$", "$\n"), (r"^(a|b$)$", "b\n"),
])
def test_a_dollar_in_a_pattern_is_the_very_end(pattern, text) -> None:
    import re

    from gangform.schema.engine import anchored

    assert re.search(pattern, text), "Python's own reading lets the newline pass"
    assert not re.search(anchored(pattern), text)
    assert re.search(anchored(pattern), text.rstrip("\n"))
