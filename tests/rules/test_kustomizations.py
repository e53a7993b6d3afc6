"""Faults that kustomize makes without a word, seen in what the real program builds."""

from collections.abc import Callable
from pathlib import Path

import pytest

import gangs
from gangs import Data, said
from repository import job, look, told

Repo = Callable[[dict[str, str]], Path]

GROUP = "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: pi}\nspec: {minMember: 5}\n"
MARKED = job().replace("        spec:\n", (
    "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
    "        spec:\n          schedulerName: scheduler-plugins-scheduler\n"))
REFERENCES = """\
nameReference:
- group: scheduling.x-k8s.io
  kind: PodGroup
  fieldSpecs:
  - {group: kubeflow.org, kind: MPIJob, path: 'spec/mpiReplicaSpecs/Launcher/template/metadata/labels/scheduling.x-k8s.io\\/pod-group'}
  - {group: kubeflow.org, kind: MPIJob, path: 'spec/mpiReplicaSpecs/Worker/template/metadata/labels/scheduling.x-k8s.io\\/pod-group'}
"""
BASE = {"base/pi.yaml": MARKED, "base/group.yaml": GROUP, "base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\n"}


@pytest.mark.parametrize(("line", "renamed"), [("namePrefix: dev-", "dev-pi"), ("nameSuffix: -r2", "pi-r2")])
def test_a_rename_that_misses_the_marks_is_told_where_it_is_made(
    repo: Repo, kustomize: str, line: str, renamed: str
) -> None:
    repo({**BASE, "dev/kustomization.yaml": f"resources: [../base]\n{line}\n"})
    outcome = look()
    assert told(outcome) == [("kustomize-rename-breaks-ref", "dev/kustomization.yaml", 2)]
    assert f"renames the group pi to {renamed}" in outcome.findings[0].message


def test_several_layers_of_renames_are_one_finding_at_the_innermost(repo: Repo, kustomize: str) -> None:
    repo({**BASE,
          "team/kustomization.yaml": "namePrefix: team-\nnameSuffix: -a\nresources: [../base]\n",
          "dev/kustomization.yaml": "namePrefix: dev-\nnameSuffix: -b\nresources: [../team]\n"})
    outcome = look()
    assert told(outcome) == [("kustomize-rename-breaks-ref", "team/kustomization.yaml", 1)]
    assert "to dev-team-pi-a-b" in outcome.findings[0].message


def test_many_broken_marks_are_one_finding(repo: Repo, kustomize: str) -> None:
    second = {"base/two.yaml": MARKED.replace("name: pi", "name: two").replace("pod-group: pi", "pod-group: two"),
              "base/group2.yaml": GROUP.replace("name: pi", "name: two")}
    repo({**BASE, **second, "base/kustomization.yaml": "resources: [pi.yaml, group.yaml, two.yaml, group2.yaml]\n",
          "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\n"})
    (finding,) = look().findings
    assert finding.rule == "kustomize-rename-breaks-ref"
    assert "and 1 more" in finding.message


def test_a_name_reference_carries_the_marks_along(repo: Repo, kustomize: str) -> None:
    repo({**BASE, "base/references.yaml": REFERENCES,
          "base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\nconfigurations: [references.yaml]\n",
          "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\n"})
    assert told(look()) == []


def test_a_mark_that_nobody_renamed_is_a_missing_group(repo: Repo, kustomize: str) -> None:
    repo({**BASE, "base/group.yaml": GROUP.replace("name: pi", "name: tau"),
          "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\n"})
    assert ("pod-group-missing", "base/pi.yaml", 11) in told(look())
    assert "kustomize-rename-breaks-ref" not in {finding.rule for finding in look().findings}


PLAIN = job().replace("        spec:\n", "        spec:\n          schedulerName: scheduler-plugins-scheduler\n")
LABELS = """\
resources: [../base]
labels:
- includeTemplates: true
  pairs:
    scheduling.x-k8s.io/pod-group: pi
"""
TEMPLATES = """\
  fields:
  - {group: kubeflow.org, kind: MPIJob, path: spec/mpiReplicaSpecs/Launcher/template/metadata/labels, create: true}
  - {group: kubeflow.org, kind: MPIJob, path: spec/mpiReplicaSpecs/Worker/template/metadata/labels, create: true}
"""


def test_labels_with_templates_do_not_reach_a_job(repo: Repo, kustomize: str) -> None:
    repo({**BASE, "base/pi.yaml": PLAIN, "dev/kustomization.yaml": LABELS})
    assert ("labels-include-templates-inert", "dev/kustomization.yaml", 5) in told(look())
    assert "wrong-key" not in {finding.rule for finding in look().findings}


def test_labels_with_the_paths_of_the_templates_do(repo: Repo, kustomize: str) -> None:
    repo({**BASE, "base/pi.yaml": PLAIN, "dev/kustomization.yaml": LABELS + TEMPLATES})
    assert told(look()) == []


@pytest.mark.parametrize(("key", "rules"), [
    ("yunikorn.apache.org/queue", ["labels-include-templates-inert"]),
    ("kueue.x-k8s.io/queue-name", []),
    ("team", []),
])
def test_a_queue_that_is_read_on_pods_is_a_warning(repo: Repo, kustomize: str, key: str, rules: list[str]) -> None:
    text = LABELS.replace("scheduling.x-k8s.io/pod-group: pi", f"{key}: research")
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n", "dev/kustomization.yaml": text})
    found = [finding for finding in look().findings if finding.rule == "labels-include-templates-inert"]
    assert [(finding.rule, finding.severity.word) for finding in found] == [(rule, "warning") for rule in rules]


def test_a_common_annotation_does_not_reach_a_job_either(repo: Repo, kustomize: str) -> None:
    annotated = "resources: [pi.yaml]\ncommonAnnotations:\n  scheduling.k8s.io/group-name: pi\n"
    repo({"base/pi.yaml": PLAIN.replace("scheduler-plugins-scheduler", "volcano"), "base/kustomization.yaml": annotated})
    assert told(look()) == [("labels-include-templates-inert", "base/kustomization.yaml", 3)]


MERGE = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: pi}
spec:
  mpiReplicaSpecs:
    Worker:
      template:
        spec:
"""


def merged(repo: Repo, lists: str, base: str = "") -> list[tuple[str, str, int]]:
    repo({"base/pi.yaml": base or job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
          "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\npatches: [{path: env.yaml}]\n",
          "dev/env.yaml": MERGE + lists})
    return [place for place in told(look()) if place[0] == "strategic-merge-replaces-list"]


def test_a_merge_patch_that_takes_the_image_away_is_an_error_in_the_patch(repo: Repo, kustomize: str) -> None:
    lists = "          containers:\n          - name: main\n            env: [{name: A, value: b}]\n"
    assert merged(repo, lists) == [("strategic-merge-replaces-list", "dev/env.yaml", 10)]
    (finding,) = look().findings
    assert finding.severity.word == "error"


def test_a_merge_patch_that_takes_resources_away_is_a_warning_that_names_them(repo: Repo, kustomize: str) -> None:
    lists = "          containers:\n          - name: main\n            image: mpi:2\n"
    assert merged(repo, lists) == [("strategic-merge-replaces-list", "dev/env.yaml", 10)]
    (finding,) = [one for one in look().findings if one.rule == "strategic-merge-replaces-list"]
    assert finding.severity.word == "warning"
    assert "lost: resources of main" in finding.message


def test_a_sidecar_that_a_merge_patch_takes_away_is_named(repo: Repo, kustomize: str) -> None:
    sidecar = job() + "          - name: metrics\n            image: exporter\n"
    lists = ("          containers:\n          - name: main\n            image: mpi:2\n"
             "            resources: {requests: {cpu: '8'}}\n")
    assert len(merged(repo, lists, sidecar)) == 1
    assert "lost: metrics" in look().findings[0].message


@pytest.mark.parametrize("lists", [
    "          nodeSelector: {pool: a100}\n",
    "          tolerations: [{key: gpu, operator: Exists}]\n",
    "          volumes: [{name: data, emptyDir: {}}]\n",
    ("          containers:\n          - name: main\n            image: mpi:2\n"
     "            resources: {requests: {cpu: '8'}}\n"),
], ids=["a map", "a list without keys", "a list that was not there", "the whole list"])
def test_a_merge_patch_that_takes_nothing_away_is_silent(repo: Repo, kustomize: str, lists: str) -> None:
    assert merged(repo, lists) == []


def test_a_json_patch_of_one_value_is_silent(repo: Repo, kustomize: str) -> None:
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n", "dev/kustomization.yaml": """\
resources: [../base]
patches:
- target: {kind: MPIJob}
  patch: |-
    - op: replace
      path: /spec/mpiReplicaSpecs/Worker/template/spec/containers/0/image
      value: mpi:2
"""})
    assert told(look()) == []


REPLICAS = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: pi}}
spec: {{mpiReplicaSpecs: {{Worker: {{replicas: {}}}}}}}
"""


@pytest.mark.parametrize(("workers", "severity"), [(2, "error"), (8, "warning")])
def test_replicas_that_a_patch_changes_without_the_group_are_told_in_the_patch(
    repo: Repo, kustomize: str, workers: int, severity: str
) -> None:
    repo({**BASE, "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\npatches: [{path: replicas.yaml}]\n",
          "base/references.yaml": REFERENCES, "dev/replicas.yaml": REPLICAS.format(workers),
          "base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\nconfigurations: [references.yaml]\n"})
    outcome = look()
    assert told(outcome) == [("replicas-vs-min-member-drift", "dev/replicas.yaml", 4)]
    assert outcome.findings[0].severity.word == severity
    assert f"its pods are {workers + 1} = 1 Launcher + {workers} Worker" in outcome.findings[0].message


def test_a_patch_that_changes_both_is_silent(repo: Repo, kustomize: str) -> None:
    both = "---\n".join([REPLICAS.format(8), GROUP.replace("5", "9")])
    repo({**BASE, "dev/kustomization.yaml": "resources: [../base]\npatches: [{path: both.yaml}]\n", "dev/both.yaml": both})
    assert told(look()) == []


def test_a_number_that_was_wrong_before_any_patch_is_no_drift(repo: Repo, kustomize: str) -> None:
    repo({**BASE, "base/group.yaml": GROUP.replace("5", "9"), "dev/replicas.yaml": REPLICAS.format(2),
          "dev/kustomization.yaml": "resources: [../base]\npatches: [{path: replicas.yaml}]\n"})
    assert told(look()) == [("min-member-exceeds-pods", "base/group.yaml", 4)]


def test_a_job_that_may_shrink_may_also_grow(repo: Repo, kustomize: str) -> None:
    elastic = MARKED.replace("image: mpi\n", "image: mpi\n            args: [horovodrun, --min-np, '1']\n")
    repo({**BASE, "base/pi.yaml": elastic, "base/group.yaml": GROUP.replace("5", "2"),
          "dev/replicas.yaml": REPLICAS.format(8),
          "dev/kustomization.yaml": "resources: [../base]\npatches: [{path: replicas.yaml}]\n"})
    assert told(look()) == []


def test_the_field_replicas_is_told_as_what_it_is(repo: Repo, kustomize: str) -> None:
    repo({**BASE, "dev/kustomization.yaml": "resources: [../base]\nreplicas:\n- name: pi\n  count: 8\n"})
    assert told(look()) == [("replicas-names-job", "dev/kustomization.yaml", 3)]


def test_the_field_replicas_of_something_else_fails_in_kustomizes_words(repo: Repo, kustomize: str) -> None:
    repo({**BASE, "dev/kustomization.yaml": "resources: [../base]\nreplicas:\n- name: web\n  count: 8\n"})
    assert told(look()) == [("kustomize-build-failed", "dev/kustomization.yaml", 1)]


def test_the_field_replicas_with_a_configuration_changes_the_pods_alone(repo: Repo, kustomize: str) -> None:
    scalable = "replicas:\n- {kind: MPIJob, group: kubeflow.org, path: spec/mpiReplicaSpecs/Worker/replicas, create: true}\n"
    repo({**BASE, "dev/scalable.yaml": scalable, "dev/kustomization.yaml": (
        "resources: [../base]\nconfigurations: [scalable.yaml]\nreplicas:\n- {name: pi, count: 8}\n")})
    assert [finding.rule for finding in look().findings] == ["replicas-vs-min-member-drift"]


@pytest.mark.parametrize("field", ["labels", "commonLabels", "commonAnnotations", "patches", "replicas", "namePrefix"])
@pytest.mark.parametrize("value", [None, 1, "x", [1], [{"pairs": 1}], {"a": 1}, [{"patch": 1}], [{"name": None}]])
def test_a_kustomization_of_any_shape_is_endured(field: str, value: object) -> None:
    odd: Data = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "metadata": {"name": "x"},
                 field: value}
    assert said(odd, gangs.group("coscheduling"), gangs.job("coscheduling")) == []
