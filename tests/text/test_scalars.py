"""Scalars mean what kubectl reads; the vectors were written by kubectl's own library."""

import json
from pathlib import Path

import pytest

from gangform.text.composing import compose
from gangform.text.scalars import is_ambiguous, resolve

VECTORS = [json.loads(line) for line in
           Path(__file__).with_name("kubectl_reading.jsonl").read_text(encoding="utf-8").splitlines()]



def same(ours, theirs) -> bool:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, int | float) and isinstance(theirs, int | float):
        return float(ours) == float(theirs)  # the library prints whole floats without a point
    return type(ours) is type(theirs) and ours == theirs


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: repr(vector["text"]))
def test_reads_what_kubectl_reads(vector, pure):
    composition = compose(vector["text"], pure=pure)
    assert composition.usable == ("value" in vector), composition.faults
    if composition.usable:
        assert same(composition.data, vector["value"]), composition.data


@pytest.mark.parametrize(("text", "value"), [("5.0", 5.0), ("0.5", 0.5), ("1e3", 1000.0), ("5", 5), ("0644", 420)])
def test_keeps_floats_and_integers_apart(text, value):
    assert (resolve(text), type(resolve(text))) == (value, type(value))


@pytest.mark.parametrize("text", [
    "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF",
    "2001-01-01", "2001-1-1", "2001-12-14 21:59:43", "2001-12-14t21:59:43Z", "2001-12-14T21:59:43.10Z",
])
def test_knows_what_kubectl_and_kustomize_read_differently(text):
    assert is_ambiguous(text)


@pytest.mark.parametrize("text", [
    "true", "False", "null", "~", "yEs", "yess", "1", "0o17", "1_000", "12:30:45", "2001-13-01", "2001-01",
    "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5+02:00", "",
])
def test_knows_what_kubectl_and_kustomize_read_alike(text):
    assert not is_ambiguous(text)
