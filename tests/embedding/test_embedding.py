"""Objects inside other objects are found, and everything in them keeps its own place in the file."""

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform import embedding
from gangform.embedding import Embedded
from gangform.model.pointer import Pointer
from gangform.text import reading, writing

JOBS = frozenset({("kubeflow.org", "MPIJob")})
REPLICAS: Pointer = ("spec", "mpiReplicaSpecs", "Worker", "replicas")
JOB = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: pi
spec:
  mpiReplicaSpecs:
    Worker:
      replicas: 4
"""


def find(text: str, apis: frozenset[tuple[str, str]] = JOBS) -> list[Embedded]:
    read = reading.read("file.yaml", text)
    assert read.documents, read.findings
    return [item for document in read.documents for item in embedding.find(document, apis)]


def config_map(text: str, header: str = "|") -> str:
    return (f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: jobs}}\ndata:\n  job.yaml: {header}\n"
            + textwrap.indent(text, "    "))


def shown(item: Embedded, pointer: Pointer = REPLICAS) -> tuple[int, int, str]:
    where = reading.location(item.document, pointer)
    return where.line, where.column, where.excerpt.strip()


@pytest.mark.parametrize(("header", "deeper"), [("|", ""), ("|-", ""), ("|+", ""), ("| # a job", ""), ("|-2", "  ")])
def test_a_value_in_a_block_scalar_has_its_own_line_and_column(header: str, deeper: str) -> None:
    text = config_map(textwrap.indent(JOB, deeper), header)
    (item,) = find(text)
    assert shown(item) == (13, 21 + len(deeper), "replicas: 4")
    assert item.document.held_at == ("data", "job.yaml")


def test_every_document_of_a_string_is_read_at_its_own_lines() -> None:
    stream = f"---  # first\n{JOB}---\nkind: Other\napiVersion: v1\n---\n{JOB.replace('4', '5')}"
    text = config_map(stream)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if "replicas:" in line]
    assert [shown(item)[0] for item in find(text)] == lines
    assert [shown(item)[2] for item in find(text)] == ["replicas: 4", "replicas: 5"]


def test_a_list_inside_a_string_is_flattened() -> None:
    items = "apiVersion: v1\nkind: List\nitems:\n" + textwrap.indent(JOB, "  ").replace("  apiV", "- apiV", 1)
    text = config_map(items)
    (item,) = find(text)
    assert shown(item)[0] == text.splitlines().index("            replicas: 4") + 1


def test_a_nested_block_scalar_with_an_indentation_of_its_own_keeps_its_text() -> None:
    script = JOB + "  script: |2\n      indented\n    less\n"
    (item,) = find(config_map(script))
    assert item.document.data["spec"]["script"] == "  indented\nless\n"
    assert shown(item)[2] == "replicas: 4"


def test_crlf_line_ends_do_not_move_lines() -> None:
    text = config_map(JOB)
    assert shown(find(text.replace("\n", "\r\n"))[0]) == shown(find(text)[0])


def test_folded_json_is_placed_by_its_lines() -> None:
    lines = json.dumps(reading.read("", JOB).documents[0].data, indent=1)
    text = config_map("\n".join(line.strip() for line in lines.splitlines()) + "\n", ">-")
    (item,) = find(text)
    assert shown(item)[2] == '"replicas": 4'


def test_a_quoted_string_is_placed_as_a_whole() -> None:
    text = ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: jobs}\ndata:\n  other: x\n"
            f"  job.json: {json.dumps(JOB)}\n")
    (item,) = find(text)
    assert item.document.data["metadata"] == {"name": "pi"}
    assert shown(item)[:2] == (6, 3)


def test_an_alias_of_a_string_is_placed_as_a_whole() -> None:
    text = config_map(JOB, "&job |") + "  again: *job\n"
    assert [item.document.held_at[-1] for item in find(text)] == ["job.yaml", "again"]
    assert shown(find(text)[1])[0] == len(text.splitlines())


def test_a_katib_trial_is_a_map_of_its_experiment() -> None:
    text = ("apiVersion: kubeflow.org/v1beta1\nkind: Experiment\nmetadata: {name: x}\nspec:\n  trialTemplate:\n"
            "    trialSpec:\n" + textwrap.indent(JOB, "      "))
    (item,) = find(text)
    assert shown(item)[2] == "replicas: 4"
    assert item.document.held_at == ("spec", "trialTemplate", "trialSpec")


@pytest.mark.parametrize("kind", ["Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"])
def test_a_manifest_of_argo_workflows_is_read(kind: str) -> None:
    text = (f"apiVersion: argoproj.io/v1alpha1\nkind: {kind}\nmetadata: {{name: x}}\nspec:\n  templates:\n"
            "  - name: a\n  - name: b\n    resource:\n      action: create\n      manifest: |\n"
            + textwrap.indent(JOB, "        "))
    (item,) = find(text)
    assert shown(item)[2] == "replicas: 4"
    assert item.document.held_at == ("spec", "templates", 1, "resource", "manifest")


def test_a_here_document_of_a_cron_job_is_read() -> None:
    script = f"set -e\ncat <<'EOF' | kubectl create -f -\n{JOB}EOF\necho done\n"
    text = ("apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: x}\nspec:\n  jobTemplate:\n    spec:\n"
            "      template:\n        spec:\n          containers:\n          - name: main\n            args:\n"
            "            - -c\n            - |\n" + textwrap.indent(script, "              "))
    (item,) = find(text)
    assert shown(item)[2] == "replicas: 4"


def test_unquoted_template_expressions_make_a_template_of_a_job() -> None:
    text = config_map(JOB.replace("replicas: 4", 'replicas: {{inputs.parameters["n"]}}'))
    (item,) = find(text)
    assert item.templated
    assert shown(item)[:2] == (5, 3)


def test_a_template_beside_a_sound_job_hides_neither() -> None:
    text = config_map(JOB + "---\n" + JOB.replace("replicas: 4", "replicas: {{n}}"))
    assert [item.templated for item in find(text)] == [False, True]


def test_a_job_of_another_group_or_in_another_kind_is_left_alone() -> None:
    assert find(config_map(JOB.replace("kubeflow.org", "training.kubedl.io"))) == []
    assert find(config_map(JOB).replace("ConfigMap", "Secret")) == []
    assert find(config_map("echo kubectl get MPIJob {}\n")) == []


def test_a_scheduler_configuration_in_a_config_map_is_read() -> None:
    text = config_map("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: []\n")
    (item,) = find(text, embedding.CONFIGURATIONS)
    assert shown(item, ("profiles",)) == (8, 15, "profiles: []")


def test_the_jobs_of_real_repositories_are_found_at_their_lines(shared: Path) -> None:
    found: dict[str, list[str]] = {}
    for path in sorted((shared / "corpus" / "embedded").glob("*.yaml")):
        found[path.name.split("__")[0]] = [shown(item)[2] for item in find(path.read_text(encoding="utf-8"))]
    assert found["ROCm"] == ["replicas: $$WORKER_REPLICAS # Dynamically set based on number of passed nodes"]
    assert found["kubeflow"] == ["replicas: 2"]
    assert found["oracle-quickstart"] == ["replicas: 2"] * 8
    assert found["coreweave"] == ["manifest: |"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["MPIJob", JOB, "{{x}}", "kind: MPIJob\n{{", "<<EOF\n"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["data", "spec", "templates", "resource", "manifest", "trialTemplate", "trialSpec"]), inner),
    max_leaves=12)


@given(VALUES, st.sampled_from(sorted(embedding.PLACES)))
def test_any_shape_of_a_holder_is_read_without_an_error(value: object, api: tuple[str, str]) -> None:
    version = f"{api[0]}/v1" if api[0] else "v1"
    text = json.dumps({"apiVersion": version, "kind": api[1], "metadata": {"name": "x"}, "spec": value, "data": value})
    for item in find(text):
        assert item.document.data["kind"] == "MPIJob"


TEXTS = st.text("ab: #-|>{}'\"\\\n\tä", max_size=12)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), TEXTS | st.lists(TEXTS, max_size=2), max_size=4),
       st.sampled_from(["|", "|-", "|+"]))
def test_every_value_of_a_written_job_is_found_at_its_line(values: dict[str, Any], header: str) -> None:
    data = {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "values": values, "zzz": "end"}
    text = config_map(writing.write([data]), header)
    (item,) = find(text)
    assert item.document.data == data
    assert shown(item, ("zzz",))[2] == "zzz: end"
    for key in (key for key, value in values.items() if isinstance(value, str)):
        assert shown(item, ("values", key))[2].startswith(f"{key}:")
