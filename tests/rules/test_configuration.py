"""Rules about the schedulers' own configuration, and that no shape of foreign objects breaks any rule."""

import json
import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform.model.finding import Finding, Severity
from repository import job
from scenes import judge

CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: {profiles}\n"
COSCHEDULING = [{"name": "Coscheduling"}]
README = {"queueSort": {"enabled": COSCHEDULING, "disabled": [{"name": "*"}]}, "permit": {"enabled": COSCHEDULING}}
CHART = {"multiPoint": {"enabled": COSCHEDULING, "disabled": [{"name": "PrioritySort"}]}}
BOTH = {"multiPoint": {"enabled": COSCHEDULING}}


def of(rule: str, findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.rule == rule]


def sorted_by(*profiles: dict[str, Any]) -> list[str]:
    text = CONFIG.format(profiles=json.dumps(list(profiles)))
    return [finding.location.pointer for finding in of("multi-profile-queue-sort", judge(text))]


def profile(plugins: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"schedulerName": "x", "plugins": plugins, **more}


@pytest.mark.parametrize("plugins", [
    README, CHART,
    {"multiPoint": {"enabled": COSCHEDULING}, "queueSort": {"disabled": [{"name": "PrioritySort"}]}},
    {"multiPoint": {"enabled": COSCHEDULING, "disabled": [{"name": "*"}]}},
    {"multiPoint": {"enabled": [{"name": "Other"}]}}, {},
])
def test_a_profile_with_one_way_to_sort_is_silent(plugins: dict[str, Any]) -> None:
    assert sorted_by(profile(plugins)) == []


def test_prioritysort_beside_coscheduling_is_found_in_every_spelling() -> None:
    assert sorted_by(profile(BOTH)) == ["/profiles/0/schedulerName"]
    assert sorted_by(profile({"queueSort": {"enabled": COSCHEDULING}})) == ["/profiles/0/schedulerName"]


def test_a_second_profile_must_sort_alike() -> None:
    assert sorted_by(profile(CHART), profile(README)) == []
    assert sorted_by(profile(CHART), profile({})) == ["/profiles/1/schedulerName"]
    assert sorted_by(profile({}), profile({})) == []


def test_profiles_must_give_the_queue_sort_plugin_the_same_arguments() -> None:
    def with_wait(seconds: int) -> dict[str, Any]:
        return profile(CHART, pluginConfig=[{"name": "Coscheduling", "args": {"permitWaitingTimeSeconds": seconds}}])

    assert sorted_by(with_wait(10), with_wait(10)) == []
    assert sorted_by(with_wait(10), with_wait(60)) == ["/profiles/1/schedulerName"]
    assert sorted_by(with_wait(10), profile(CHART)) == ["/profiles/1/schedulerName"]


def test_a_configuration_in_a_config_map_is_told_at_its_own_line() -> None:
    text = CONFIG.format(profiles="\n- schedulerName: x\n  plugins: {multiPoint: {enabled: [{name: Coscheduling}]}}")
    held = ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata:\n  scheduler.yaml: |\n"
            + textwrap.indent(text, "    "))
    (finding,) = of("multi-profile-queue-sort", judge(held))
    assert (finding.location.line, finding.location.excerpt.strip()) == (9, "- schedulerName: x")


VOLCANO = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: volcano-scheduler-configmap}
data:
  volcano-scheduler.conf: |
    actions: "%s"
    tiers:
    - plugins: [{name: priority}, {name: %s, enablePreemptable: false}]
"""


def volcano(actions: str, plugin: str = "gang", more: str = "") -> list[tuple[Severity, int]]:
    findings = of("volcano-conf-no-gang", judge(VOLCANO % (actions, plugin) + more))
    return [(finding.severity, finding.location.line) for finding in findings]


def test_the_default_of_volcano_is_silent() -> None:
    assert volcano("enqueue, allocate, backfill") == []


def test_a_missing_plugin_or_action_of_volcano_is_an_error() -> None:
    assert volcano("enqueue, allocate, backfill", "drf") == [(Severity.ERROR, 5)]
    assert volcano("enqueue, backfill") == [(Severity.ERROR, 5)]


def test_a_missing_backfill_matters_only_beside_a_gang_that_asks_for_nothing() -> None:
    mark = ("        metadata: {annotations: {scheduling.k8s.io/group-name: pi}}\n        spec:\n"
            "          schedulerName: volcano\n")
    asking = job().replace("        spec:\n", mark)
    idle = asking.replace('            resources: {requests: {cpu: "1", memory: 2Gi}}\n', "")
    assert volcano("enqueue, allocate") == []
    assert volcano("enqueue, allocate", more="---\n" + asking) == []
    assert volcano("enqueue, allocate", more="---\n" + idle) == [(Severity.WARNING, 5)]


def test_a_configuration_that_cannot_be_read_or_has_another_name_is_left_alone() -> None:
    broken = VOLCANO.replace('"%s"', "[").replace("%s", "x")
    assert of("volcano-conf-no-gang", judge(broken)) == []
    other = (VOLCANO % ("x", "y")).replace("volcano-scheduler.conf", "nginx.conf")
    assert of("volcano-conf-no-gang", judge(other)) == []


FOREIGN = [
    ("apps/v1", "Deployment"), ("v1", "ResourceQuota"), ("v1", "ConfigMap"), ("v1", "LimitRange"),
    ("scheduling.volcano.sh/v1beta1", "Queue"), ("kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"),
    ("argoproj.io/v1alpha1", "Workflow"), ("kubeflow.org/v1beta1", "Experiment"), ("batch/v1", "CronJob"),
    ("kustomize.config.k8s.io/v1beta1", "Kustomization"), ("scheduling.k8s.io/v1", "PriorityClass"),
]
KEYS = [
    "spec", "template", "containers", "args", "command", "hard", "scopes", "capability", "data", "profiles", "plugins",
    "queueSort", "multiPoint", "enabled", "disabled", "name", "pluginConfig", "volcano-scheduler.conf", "metadata",
    "patches", "patch", "replicas", "labels", "resources", "value", "cpu", "items",
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "Coscheduling", "*", "--gang-scheduling=volcano", "16", "1Gi", "x: [1", "tiers: [{plugins: 1}]"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=25)


PLACES: dict[str, list[tuple[str, ...]]] = {
    "Deployment": [("spec",), ("spec", "template", "spec", "containers"), ("spec", "template", "spec")],
    "ResourceQuota": [("spec",), ("spec", "hard")],
    "Queue": [("spec",), ("spec", "capability")],
    "KubeSchedulerConfiguration": [("profiles",)],
    "ConfigMap": [("data",), ("data", "volcano-scheduler.conf")],
    "Workflow": [("spec", "templates")],
    "Kustomization": [("patches",), ("replicas",), ("labels",)],
}


@st.composite
def foreign(draw: st.DrawFn) -> str:
    """An object whose interesting place holds anything, alone or in a list."""
    api, kind = draw(st.sampled_from(FOREIGN))
    data: Any = draw(VALUES)
    data = draw(st.sampled_from([data, [data], [{"name": "x", "args": data, "plugins": data}]]))
    for key in reversed(draw(st.sampled_from(PLACES.get(kind, [("spec",)])))):
        data = {key: data}
    return json.dumps({"metadata": {"name": "default"}, **data, "apiVersion": api, "kind": kind}) + "\n"


@given(st.lists(foreign(), min_size=1, max_size=3))
def test_no_shape_of_a_foreign_object_breaks_a_rule(objects: list[str]) -> None:
    group = ("apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: pi}\n"
             "spec: {minMember: 5, minResources: {cpu: '33'}}\n")
    for finding in judge("---\n".join([job(), group, *objects])):
        assert finding.message
