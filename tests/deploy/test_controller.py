"""deploy/controller: what it makes run and under which restraints, what that may do, and what watches it.

An API server judges the manifests in tests/cluster/test_deploy.py; the schemas of Kubernetes, of
prometheus-operator and of Grafana are not part of the repository, so here it is the structure that counts.
"""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import manifests
from gangform.catalog import BACKENDS
from gangform.controller.metrics import Metrics
from gangform.controller.tally import Tally
from gangform.status.pages import slug
from gangform.status.picture import ALARMING, Counts, GangStatus, Key, State

MONITORING = manifests.CONTROLLER / "components/monitoring"
METRICS = {"gangform_gangs", "gangform_gang_waiting_seconds", "gangform_members", "gangform_longest_wait_seconds"}
PICKED = [(), *[(name,) for name in manifests.COMPONENTS], manifests.COMPONENTS]

Objects = dict[str, dict[str, Any]]


def named(objects: list[dict[str, Any]]) -> Objects:
    return {f"{data['kind']}/{data['metadata']['name']}": data for data in objects}


@pytest.fixture(scope="module")
def base(kustomize: str, tmp_path_factory: pytest.TempPathFactory) -> Objects:
    return named(manifests.build(kustomize, tmp_path_factory.mktemp("base")))


@pytest.fixture(scope="module")
def monitored(kustomize: str, tmp_path_factory: pytest.TempPathFactory) -> Objects:
    return named(manifests.build(kustomize, tmp_path_factory.mktemp("monitored"), "monitoring"))


def gangform(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "gangform", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def pod(objects: Objects) -> dict[str, Any]:
    spec: dict[str, Any] = objects["Deployment/gangform-controller"]["spec"]["template"]["spec"]
    return spec


def container(objects: Objects) -> dict[str, Any]:
    [found] = pod(objects)["containers"]
    return dict(found)


# --- what runs ------------------------------------------------------------------------------------


def test_it_runs_without_rights_on_its_node(base: Objects) -> None:
    assert pod(base)["securityContext"] == {
        "runAsNonRoot": True, "runAsUser": 65532, "runAsGroup": 65532, "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container(base)["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }
    assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & set(pod(base))
    assert [set(volume) for volume in pod(base)["volumes"]] == [{"name", "emptyDir"}]
    assert pod(base)["volumes"][0]["emptyDir"]["sizeLimit"]
    assert base["Namespace/gangform-system"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_it_asks_for_what_it_needs_and_is_looked_after(base: Objects) -> None:
    found = container(base)
    assert {key: set(amounts) for key, amounts in found["resources"].items()} == {
        "requests": {"cpu", "memory"}, "limits": {"cpu", "memory"}}
    probes = {key: found[key]["httpGet"] for key in found if key.endswith("Probe")}
    assert probes == {
        "livenessProbe": {"path": "/healthz", "port": "http"}, "readinessProbe": {"path": "/readyz", "port": "http"},
    }
    assert found["ports"] == [{"name": "http", "containerPort": 8080}]


def test_one_replica_runs_and_its_image_is_the_users(kustomize: str, tmp_path: Path) -> None:
    image = {"name": "gangform-controller", "newName": "registry.example.com/gangform", "newTag": "1.2.3"}
    objects = named(manifests.build(kustomize, tmp_path, more={"images": [image]}))
    assert objects["Deployment/gangform-controller"]["spec"]["replicas"] == 1
    # A second one at the same time would do nothing but wait for the lease.
    assert objects["Deployment/gangform-controller"]["spec"]["strategy"] == {"type": "Recreate"}
    assert container(objects)["image"] == "registry.example.com/gangform:1.2.3"
    assert pod(objects)["serviceAccountName"] == manifests.ACCOUNT


@pytest.mark.parametrize(("components", "arguments"), [
    ((), ["controller"]),
    (("wake-gangs",), ["controller", "--wake-gangs"]),
    (("no-condition",), ["controller", "--no-condition"]),
    (("wake-gangs", "no-condition", "monitoring"), ["controller", "--wake-gangs", "--no-condition"]),
])
def test_a_component_gives_its_flag(
    kustomize: str, tmp_path: Path, components: tuple[str, ...], arguments: list[str]
) -> None:
    assert container(named(manifests.build(kustomize, tmp_path, *components)))["args"] == arguments


def test_the_flags_are_known_to_the_command() -> None:
    if importlib.util.find_spec("gangform.cli.controller") is None:
        pytest.skip("no command controller yet")
    shown = gangform("controller", "--help").stdout
    assert {"--wake-gangs", "--no-condition"} <= set(re.findall(r"--[a-z-]+", shown))


def test_another_namespace_takes_the_account_and_what_it_may_do_along(kustomize: str, tmp_path: Path) -> None:
    objects = manifests.build(kustomize, tmp_path, *manifests.COMPONENTS, more={"namespace": "ours"})
    assert manifests.NAMESPACE not in yaml.safe_dump_all(objects)
    assert manifests.granted(objects, "ours") == {
        right._replace(namespace=right.namespace and "ours") for right in manifests.rights(*manifests.COMPONENTS)}


def test_objects_bear_the_projects_labels(monitored: Objects) -> None:
    for name, data in monitored.items():
        labels = data["metadata"].get("labels", {})
        if data["kind"] not in ("ServiceMonitor", "PrometheusRule", "ConfigMap"):
            assert labels.get("app.kubernetes.io/name") == "gangform-controller", name


# --- what it may do -------------------------------------------------------------------------------


@pytest.mark.parametrize("components", PICKED, ids=lambda names: "+".join(names) or "base")
def test_rights_are_those_that_the_document_lists(kustomize: str, tmp_path: Path, components: tuple[str, ...]) -> None:
    sources = {line.source for line in manifests.documented()}
    assert sources == {"base", "base; not with `no-condition`", "`wake-gangs`"}
    assert manifests.granted(manifests.build(kustomize, tmp_path, *components)) == manifests.rights(*components)


@pytest.mark.parametrize("components", PICKED, ids=lambda names: "+".join(names) or "base")
def test_no_right_reaches_further_than_a_name_says(kustomize: str, tmp_path: Path, components: tuple[str, ...]) -> None:
    for right in manifests.granted(manifests.build(kustomize, tmp_path, *components)):
        assert "*" not in right
        assert right.verb in {"get", "list", "watch", "create", "update", "patch"}
        assert right.resource not in {"secrets", "configmaps", "pods/exec", "pods/log"}
        if right.verb in {"create", "update", "patch"}:
            assert right.resource in {"events", "leases", "mpijobs/status", "podgroups"}, right


def test_it_sees_the_groups_of_every_backend(base: Objects) -> None:
    groups = {right.group for right in manifests.granted(list(base.values())) if right.resource == "podgroups"}
    assert groups == {backend.GROUP_API[0].partition("/")[0] for backend in BACKENDS.values()}


def test_without_the_condition_nothing_of_its_role_is_left(kustomize: str, tmp_path: Path, base: Objects) -> None:
    less = named(manifests.build(kustomize, tmp_path, "no-condition"))
    assert set(base) - set(less) == {
        "ClusterRole/gangform-controller-condition", "ClusterRoleBinding/gangform-controller-condition"}


# --- what watches it ------------------------------------------------------------------------------


def test_the_monitor_finds_the_pod(monitored: Objects) -> None:
    monitor, service = monitored["ServiceMonitor/gangform-controller"], monitored["Service/gangform-controller"]
    template = monitored["Deployment/gangform-controller"]["spec"]["template"]
    assert monitor["apiVersion"] == "monitoring.coreos.com/v1"
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert service["spec"]["selector"].items() <= template["metadata"]["labels"].items()
    [endpoint], [port] = monitor["spec"]["endpoints"], service["spec"]["ports"]
    assert (endpoint["port"], endpoint["path"]) == (port["name"], "/metrics")
    assert port["targetPort"] == container(monitored)["ports"][0]["name"]
    # Prometheus calls the job after the Service.
    assert f'up{{job="{service["metadata"]["name"]}"}}' in alerts()["GangformControllerDown"]["expr"]
    # The gang's namespace, not that of the controller's pod.
    assert endpoint["honorLabels"] is True
    assert {data["metadata"].get("namespace") for data in monitored.values()} == {None, manifests.NAMESPACE}


def alerts() -> dict[str, dict[str, Any]]:
    rule = yaml.safe_load((MONITORING / "alerts.yaml").read_text(encoding="utf-8"))
    assert (rule["apiVersion"], rule["kind"]) == ("monitoring.coreos.com/v1", "PrometheusRule")
    [group] = rule["spec"]["groups"]
    return {one["alert"]: one for one in group["rules"]}


def test_every_alarming_state_has_one_alert() -> None:
    words = [word for alert in alerts().values() for word in re.findall(r"[A-Z]\w+", alert["expr"])]
    assert sorted(words) == sorted([*ALARMING, State.QUEUED])


@pytest.mark.parametrize("name", alerts())
def test_an_alert_says_what_it_is_and_where_to_read_on(name: str, repository: Path) -> None:
    alert, text = alerts()[name], (repository / "docs/runbooks.md").read_text(encoding="utf-8")
    assert set(alert) == {"alert", "expr", "for", "labels", "annotations"}
    assert alert["labels"]["severity"] in {"warning", "critical"}
    assert set(alert["annotations"]) == {"summary", "description", "runbook", "runbook_url"}
    path, _, anchor = alert["annotations"]["runbook_url"].partition("#")
    assert (path.rpartition("/main/")[2], anchor) == ("docs/runbooks.md", name.lower())
    section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    assert section, f"docs/runbooks.md has no section {name}"
    for state in re.findall(r"[A-Z]\w+", alert["expr"]):
        assert f"`gangform explain {slug(State(state))}`" in section
        assert alert["annotations"]["runbook"] in {
            f"gangform explain {slug(State(state))}", "gangform explain {{ $labels.state | toLower }}"}


def test_the_runbooks_are_those_of_the_alerts(repository: Path) -> None:
    text = (repository / "docs/runbooks.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == list(alerts())


@pytest.mark.parametrize("state", sorted([*ALARMING, State.QUEUED]))
def test_the_page_of_a_runbook_is_printed_offline(state: State) -> None:
    done = gangform("explain", slug(state))
    assert (done.returncode, done.stderr) == (0, "")
    assert state in done.stdout


# --- the dashboard --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dashboard(monitored: Objects) -> dict[str, Any]:
    config = monitored["ConfigMap/gangform-dashboard"]
    assert config["metadata"]["labels"] == {"grafana_dashboard": "1"}
    data: dict[str, Any] = json.loads(config["data"]["gangform.json"])
    assert data == json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
    return data


def expressions(dashboard: dict[str, Any]) -> list[str]:
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_panels_have_their_place_and_their_source(dashboard: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not taken & cells, panel["title"]
        taken |= cells
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"]) > 0
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    used = {name for text in expressions(dashboard) for name in re.findall(r"\$(\w+)", text)} - {"__rate_interval"}
    assert used | {"datasource"} == variables


def test_the_dashboard_shows_states_waits_members_alarms_and_a_heatmap(dashboard: dict[str, Any]) -> None:
    panels = {panel["title"]: panel for panel in dashboard["panels"]}
    assert panels["Time until a gang is whole"]["type"] == "heatmap"
    assert panels["Alarming gangs"]["type"] == "table"
    alarming = re.search(r'state=~"([^"]+)"', panels["Alarming gangs"]["targets"][0]["expr"])
    assert alarming is not None
    assert set(alarming[1].split("|")) == ALARMING
    assert {metric(text) for text in expressions(dashboard)} == METRICS


def metric(expression: str) -> str:
    [name] = set(re.findall(r"\b(gangform_\w+)", expression))
    return str(name).removesuffix("_bucket")


def test_rules_and_panels_use_metrics_and_labels_that_the_controller_has(dashboard: dict[str, Any]) -> None:
    known = published()
    assert set(known) >= METRICS
    texts = [alert["expr"] for alert in alerts().values() if "gangform_" in alert["expr"]]
    for text in [*expressions(dashboard), *texts]:
        by = {label for labels in re.findall(r"\bby \(([^)]+)\)", text) for label in labels.split(", ")} - {"le"}
        assert by | set(re.findall(r"(\w+)=", text)) <= known[metric(text)], text
    values = {value for text in texts for found in re.findall(r'state=~?"([^"]+)"', text) for value in found.split("|")}
    assert values <= set(State)


def published() -> dict[str, set[str]]:
    """The controller's metrics and their labels, once there is a gang and something was written."""
    tally = Tally()
    tally.change(None, GangStatus(Key("nlp", "bert"), State.QUEUED, "QueueFull", "", Counts(5, 5), 1, "volcano", queue="q"))
    metrics = Metrics(tally, lambda: 60)
    metrics.writes.labels("event", "done").inc()
    known: dict[str, set[str]] = {}
    for family in metrics.registry.collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        for sample in family.samples:
            known.setdefault(name, set()).update(set(sample.labels) - {"le"})
    return known
