"""The real programs read what is written as the same data. Many objects go through one run each."""

import json
import re
import subprocess

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gangform.text.reading import read
from gangform.text.writing import write
from text.test_writing import AMBIGUOUS, PLAIN, texts

pytestmark = pytest.mark.tools

LITERALS = ["a\nb\n", "a\nb", "#!/bin/sh\nset -e\n\n  x: 1\n", "a\n\n", " a\nb", "a \nb", "a\tb\nc\n"]
# kustomize hands objects about as JSON that it reads as YAML, where these characters cannot stand unescaped.
UNWRITABLE = re.compile("[\x7f-\x9f\ufffe\uffff]")
NUMBERS = [0, 5, -1, 2**63 - 1, -2**63, 0.5, -2.25, 1e30, 1e-7]


def wrap(index: int, values: list) -> dict:
    """A custom resource, whose values kustomize hands through as they are, except the key ``<<``, quoted or not."""
    keys = {value: "x" for value in values if isinstance(value, str) and value != "<<"}
    return {"apiVersion": "example.org/v1", "kind": "Bag", "metadata": {"name": f"bag-{index}"},
            "spec": {"values": values, "keys": keys}}


def build(kustomize: str, folder, objects: list[dict]) -> list[dict]:
    (folder / "kustomization.yaml").write_text(
        write([{"resources": ["objects.yaml"], "sortOptions": {"order": "fifo"}}]), encoding="utf-8")
    (folder / "objects.yaml").write_text(write(objects), encoding="utf-8", newline="")
    result = subprocess.run([kustomize, "build", folder], capture_output=True, check=False)
    assert result.returncode == 0, result.stderr.decode()
    return [document.data for document in read("built", result.stdout).documents]


def test_kustomize_reads_every_known_pitfall_as_written(kustomize, tmp_path):
    objects = [wrap(index, [value]) for index, value in enumerate(
        [*AMBIGUOUS, *PLAIN, *LITERALS, *NUMBERS, None, True, {}, []]) if not UNWRITABLE.search(str(value))]
    assert build(kustomize, tmp_path, objects) == objects


@settings(max_examples=4, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(texts.filter(lambda text: not UNWRITABLE.search(text)), max_size=10, unique=True), min_size=40, max_size=40))
def test_kustomize_reads_any_string_as_written(kustomize, tmp_path, bags):
    objects = [wrap(index, values) for index, values in enumerate(bags)]
    assert build(kustomize, tmp_path, objects) == objects


def test_kubeconform_reads_every_value_as_the_type_written(kubeconform, tmp_path):
    """Each object's schema names the very value, so a reader that saw another would refuse it."""
    values = [*AMBIGUOUS, *PLAIN, *LITERALS, True, None, 5]
    schemas = tmp_path / "schemas"
    schemas.mkdir()
    objects = [{"apiVersion": "example.org/v1", "kind": f"Bag{index}", "metadata": {"name": "bag"}, "value": value}
               for index, value in enumerate(values)]
    for index, value in enumerate(values):
        schema = {"type": "object", "properties": {"value": {"enum": [value]}}, "required": ["value"]}
        (schemas / f"bag{index}.json").write_text(json.dumps(schema), encoding="utf-8")
    (tmp_path / "objects.yaml").write_text(write(objects), encoding="utf-8", newline="")
    result = subprocess.run(
        [kubeconform, "-summary", "-output", "json", "-schema-location", str(schemas / "{{.ResourceKind}}.json"),
         str(tmp_path / "objects.yaml")], capture_output=True, text=True, check=False)
    report = json.loads(result.stdout)
    assert report["resources"] in (None, [])
    assert report["summary"]["valid"] == len(values)
