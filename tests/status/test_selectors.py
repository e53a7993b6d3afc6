"""Label selectors choose what kubectl would choose."""

import pytest

from gangform.status.selectors import matches, parse

LABELS = {"team": "nlp", "tier": "gold", "app.kubernetes.io/name": "bert"}


@pytest.mark.parametrize(("text", "chosen"), [
    ("", True), ("team=nlp", True), ("team==nlp", True), ("team=cv", False), ("team!=cv", True), ("team!=nlp", False),
    ("zone!=a", True), ("team", True), ("zone", False), ("!zone", True), ("!team", False),
    ("team in (cv, nlp)", True), ("team in (cv)", False), ("team notin (cv)", True), ("zone notin (a)", True),
    ("team notin (nlp,cv)", False), ("app.kubernetes.io/name=bert", True), ("team=nlp,tier=gold", True),
    ("team=nlp, tier!=gold", False), ("team in (nlp),!zone", True), ("empty=", False), (" team = nlp ", True),
])
def test_a_selector_chooses(text: str, chosen: bool) -> None:
    assert matches(parse(text), LABELS) is chosen


@pytest.mark.parametrize("text", ["=a", "a=b,", ",a", "a b", "a in b", "a in (b", "a>1", "a=b c", "a=b=c", "!", "a=ü"])
def test_what_is_none_is_refused_with_what_would_be_one(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no label selector; write KEY=VALUE"):
        parse(text)
