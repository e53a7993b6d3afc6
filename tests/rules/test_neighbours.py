"""Rules about what stands beside a gang: the operator, queues, quotas, Kueue, Argo CD, gates."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.catalog import CATALOG
from gangform.contracts import Groups
from gangform.model.edit import ABSENT
from gangform.model.finding import Finding, Severity
from gangform.settings import Cluster, Settings
from gangform.settings import read as read_settings
from gangform.text import reading
from repository import job, look, told
from scenes import judge

Repo = Callable[[dict[str, str]], Path]

OPERATOR = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: mpi-operator}}
spec:
  template:
    spec:
      containers:
      - name: sidecar
        image: x
      - name: mpi-operator
        image: x
        {key}: {words}
"""


def group(backend: str, name: str = "pi", **spec: object) -> str:
    api = {"coscheduling": "scheduling.x-k8s.io/v1alpha1", "volcano": "scheduling.volcano.sh/v1beta1"}[backend]
    fields = {"minMember": 5, **spec}
    return f"apiVersion: {api}\nkind: PodGroup\nmetadata: {{name: {name}}}\nspec: {fields}\n"


def marked(backend: str, name: str = "pi", mark: str = "", **settings: str) -> str:
    text = job(name)
    key, scheduler = {
        "coscheduling": ("labels: {scheduling.x-k8s.io/pod-group: %s}", "scheduler-plugins-scheduler"),
        "volcano": ("annotations: {scheduling.k8s.io/group-name: %s}", "volcano"),
    }[backend]
    return text.replace("        spec:\n", (
        f"        metadata: {{{key % (mark or name)}}}\n        spec:\n          schedulerName: {scheduler}\n"))


def stream(*texts: str) -> str:
    return "---\n".join(texts)


def of(rule: str, findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.rule == rule]


def operator(*words: str, key: str = "args") -> str:
    return OPERATOR.format(key=key, words=list(words))


@pytest.mark.parametrize("words", [
    ("--gang-scheduling=volcano",), ("-gang-scheduling=volcano",), ("--gang-scheduling", "volcano"),
    ("/opt/mpi-operator", "-v=2", "--gang-scheduling=volcano"),
])
@pytest.mark.parametrize("key", ["args", "command"])
def test_the_operator_flag_beside_a_group_of_a_jobs_name_is_an_error(words: tuple[str, ...], key: str) -> None:
    findings = of("operator-gang-flag", judge(stream(operator(*words, key=key), group("volcano"), marked("volcano"))))
    assert [(finding.severity, finding.location.line) for finding in findings] == [(Severity.ERROR, 12)]
    assert "pi" in findings[0].message


@pytest.mark.parametrize("words", [
    (), ("--gang-scheduling=",), ("--gang-scheduling",), ("--gang-scheduling-of-others=volcano",),
])
def test_an_operator_without_the_flag_is_silent(words: tuple[str, ...]) -> None:
    assert of("operator-gang-flag", judge(stream(operator(*words), group("volcano"), marked("volcano")))) == []


def test_the_operator_flag_is_a_warning_where_the_group_has_another_name_or_api() -> None:
    other_name = stream(operator("--gang-scheduling=volcano"), group("volcano", "pi-gang"),
                        marked("volcano", mark="pi-gang"))
    other_api = stream(operator("--gang-scheduling=scheduler-plugins"), group("volcano"), marked("volcano"))
    for text in (other_name, other_api):
        assert [finding.severity for finding in of("operator-gang-flag", judge(text))] == [Severity.WARNING]


def test_the_operator_flag_alone_is_told_only_against_the_settings() -> None:
    text = operator("--gang-scheduling=volcano")
    assert of("operator-gang-flag", judge(text)) == []
    assert of("operator-gang-flag", judge(text, Cluster("prod", "volcano", "operator"))) == []
    (finding,) = of("operator-gang-flag", judge(text, Cluster("prod", "volcano", "git")))
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(("other", "lines"), [("git", [12]), ("operator", [])])
def test_the_operator_flag_of_an_unknown_cluster_is_told_where_every_cluster_has_its_groups_from_git(
    repo: Repo, other: Groups, lines: list[int],
) -> None:
    repo({"operator.yaml": operator("--gang-scheduling=volcano")})
    settings = Settings(clusters={"dev": Cluster("dev", "volcano"), "prod": Cluster("prod", "volcano", other)})
    assert told(look(settings=settings)) == [("operator-gang-flag", "operator.yaml", line) for line in lines]


def test_a_group_in_git_is_told_where_the_settings_say_that_the_operator_makes_them() -> None:
    text = stream(group("volcano"), marked("volcano"))
    cluster = Cluster("prod", "volcano", "operator")
    (finding,) = of("operator-gang-flag", judge(text, cluster))
    assert (finding.severity, finding.location.line) == (Severity.ERROR, 3)
    assert of("operator-gang-flag", judge(text, cluster._replace(backend="coscheduling"))) == []
    assert of("operator-gang-flag", judge(text, cluster._replace(groups="git"))) == []


def test_the_operator_flag_beside_our_group_is_found_in_a_build(repo: Repo, kustomize: str) -> None:
    repo({
        "base/pi.yaml": marked("coscheduling"), "base/group.yaml": group("coscheduling"),
        "base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\n",
        "operator/operator.yaml": operator("--gang-scheduling=scheduler-plugins-scheduler"),
        "cluster/kustomization.yaml": "namePrefix: dev-\nresources: [../base, ../operator/operator.yaml]\n"
                                      "configurations: [names.yaml]\n",
        "cluster/names.yaml": """\
            nameReference:
            - kind: PodGroup
              fieldSpecs:
              - {kind: MPIJob, path: "spec/mpiReplicaSpecs/Launcher/template/metadata/labels/scheduling.x-k8s.io\\\\/pod-group"}
              - {kind: MPIJob, path: "spec/mpiReplicaSpecs/Worker/template/metadata/labels/scheduling.x-k8s.io\\\\/pod-group"}
            """.replace("            ", ""),
    })
    root = Path("cluster/kustomization.yaml")
    root.write_text(root.read_text().replace("../operator/operator.yaml", "../operator"))
    Path("operator/kustomization.yaml").write_text("resources: [operator.yaml]\n")
    findings = [place for place in told(look()) if place[0] == "operator-gang-flag"]
    assert findings == [("operator-gang-flag", "operator/operator.yaml", 12)]


QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: %s}\nspec: %s\n"


@pytest.mark.parametrize("name", ["default", "root", "research"])
def test_a_queue_that_is_there_is_silent(name: str) -> None:
    text = stream(QUEUE % ("research", "{}"), group("volcano", queue=name), marked("volcano"))
    assert of("queue-unknown", judge(text)) == []


def test_a_queue_is_unknown_only_where_queues_are_known() -> None:
    text = stream(group("volcano", queue="x"), marked("volcano"))
    with_queues = stream(QUEUE % ("research", "{}"), text)
    assert of("queue-unknown", judge(text)) == []
    assert of("queue-unknown", judge(with_queues, whole=False)) == []
    assert "research" in of("queue-unknown", judge(with_queues))[0].hint
    named = Cluster("prod", "volcano", queues=frozenset({"ml"}))
    assert "ml" in of("queue-unknown", judge(text, named, whole=False))[0].hint
    assert of("queue-unknown", judge(text, named._replace(queues=frozenset({"x"})))) == []


def test_an_unknown_queue_is_refused_by_what_the_version_refuses() -> None:
    text = stream(QUEUE % ("research", "{}"), group("volcano", queue="x"), marked("volcano"))
    older = Cluster("prod", "volcano", versions={"volcano": "1.11.2"})
    assert "the PodGroup" in of("queue-unknown", judge(text))[0].message
    assert "the pods" in of("queue-unknown", judge(text, older))[0].message


def test_a_job_whose_group_the_operator_makes_is_told_its_unknown_queue_itself() -> None:
    asking = job().replace("  runPolicy:\n", "  runPolicy:\n    schedulingPolicy: {queue: x}\n")
    cluster = Cluster("prod", "volcano", "operator", queues=frozenset({"ml"}))
    assert [finding.location.line for finding in of("queue-unknown", judge(asking, cluster))] == [7]
    assert of("queue-unknown", judge(asking, cluster._replace(backend="coscheduling"))) == []
    both = stream(group("volcano", queue="x"), asking)
    assert [finding.location.line for finding in of("queue-unknown", judge(both, cluster))] == [4]


def test_a_gang_is_measured_by_its_requests_where_it_has_no_min_resources() -> None:
    # 1 cpu of the Launcher and 8 of each of 4 Workers
    def text(cpu: str, members: int) -> str:
        return stream(QUEUE % ("default", f"{{capability: {{cpu: '{cpu}'}}}}"), group("volcano", minMember=members),
                      marked("volcano"))
    assert of("queue-capability", judge(text("33", 5))) == []
    assert "cpu 33 of 32999m" in of("queue-capability", judge(text("32999m", 5)))[0].message
    assert of("queue-capability", judge(text("17", 3))) == []
    assert of("queue-capability", judge(text("16", 3))) != []


def test_only_the_gangs_own_queue_and_the_resources_that_it_limits_count() -> None:
    queues = QUEUE % ("tiny", "{capability: {cpu: 1}}") + "---\n" + QUEUE % ("big", "{capability: {memory: 1Ti}}")
    text = stream(queues, group("volcano", queue="big", minResources={"cpu": "64"}), marked("volcano"))
    assert of("queue-capability", judge(text)) == []


QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: team{space}}}\nspec: {{hard: {hard}{more}}}\n"


def quota(hard: str, space: str = "", more: str = "") -> str:
    return QUOTA.format(hard=hard, space=space, more=more)


@pytest.mark.parametrize(("hard", "fits"), [
    ("{pods: 5}", True), ("{pods: 4}", False), ("{count/pods: '4'}", False), ("{count/mpijobs.kubeflow.org: 0}", False),
    ("{cpu: 33}", True), ("{cpu: 32999m}", False), ("{requests.cpu: 32}", False), ("{requests.memory: 258Gi}", True),
    ("{memory: 257.9Gi}", False), ("{limits.cpu: 1}", True), ("{requests.nvidia.com/gpu: 0}", True),
    ("{services: 0}", True), ("{requests.cpu: nonsense}", True),
])
def test_a_quota_is_compared_exactly_with_the_whole_gang(hard: str, fits: bool) -> None:
    for text in (job(), stream(group("coscheduling"), marked("coscheduling"))):
        assert (of("quota-too-small", judge(stream(quota(hard), text))) == []) is fits


def test_limits_and_devices_count_against_a_quota() -> None:
    text = job().replace('resources: {requests: {cpu: "8", memory: 64Gi}}',
                         'resources: {limits: {cpu: "8", nvidia.com/gpu: 8}}')
    assert of("quota-too-small", judge(stream(quota("{requests.nvidia.com/gpu: 31}"), text))) != []
    assert of("quota-too-small", judge(stream(quota("{requests.nvidia.com/gpu: 32}"), text))) == []
    assert of("quota-too-small", judge(stream(quota("{limits.cpu: 31}"), text))) != []


def test_a_smaller_gang_needs_only_its_cheapest_pods() -> None:
    text = stream(group("coscheduling", minMember=3), marked("coscheduling"))
    assert of("quota-too-small", judge(stream(quota("{requests.cpu: 17}"), text))) == []
    assert of("quota-too-small", judge(stream(quota("{requests.cpu: 16}"), text))) != []


def test_a_quota_of_another_namespace_or_with_scopes_is_left_aside() -> None:
    for other in (quota("{pods: 1}", ", namespace: elsewhere"), quota("{pods: 1}", more=", scopes: [BestEffort]"),
                  quota("{pods: 1}", more=", scopeSelector: {matchExpressions: []}")):
        assert of("quota-too-small", judge(stream(other, job()))) == []


KUEUE = "  name: pi\n  labels: {kueue.x-k8s.io/queue-name: research}\n"


def test_kueue_beside_a_gang_is_a_note_and_alone_nothing() -> None:
    queued = marked("coscheduling").replace("  name: pi\n", KUEUE, 1)
    (finding,) = of("mpi-managed-by-kueue", judge(stream(group("coscheduling"), queued)))
    assert finding.severity is Severity.NOTE
    assert of("mpi-managed-by-kueue", judge(job().replace("  name: pi\n", KUEUE, 1))) == []


@pytest.mark.parametrize(("backend", "version", "severity"), [
    ("coscheduling", None, Severity.WARNING), ("coscheduling", "0.34.7", Severity.WARNING),
    ("coscheduling", "0.33.5", Severity.NOTE), ("volcano", None, Severity.NOTE),
])
def test_topology_gates_of_kueue_are_a_warning_where_they_count(
    backend: str, version: str | None, severity: Severity
) -> None:
    queued = marked(backend).replace("  name: pi\n", KUEUE, 1)
    topology = "kueue.x-k8s.io/podset-required-topology: rack"
    gated = (queued.replace("annotations: {", f"annotations: {{{topology}, ") if backend == "volcano"
             else queued.replace("metadata: {labels", f"metadata: {{annotations: {{{topology}}}, labels"))
    versions = {"scheduler-plugins": version} if version else {}
    findings = judge(stream(group(backend), gated), Cluster("c", backend, versions=versions))
    assert [finding.severity for finding in of("mpi-managed-by-kueue", findings)] == [severity]


def test_the_gate_of_volcano_is_never_opened_before_1_15_even_with_its_annotation() -> None:
    gate = "scheduling.volcano.sh/queue-allocation-gate"
    text = marked("volcano").replace("annotations: {", f'annotations: {{{gate}: "true", ').replace(
        "          schedulerName: volcano\n",
        f"          schedulerName: volcano\n          schedulingGates: [{{name: other}}, {{name: {gate}}}]\n")
    both = stream(group("volcano"), text)
    assert of("queue-allocation-gate", judge(both)) == []
    older = Cluster("prod", "volcano", versions={"volcano": "1.14.1"})
    assert [finding.location.pointer.rpartition("template")[2] for finding in
            of("queue-allocation-gate", judge(both, older))] == ["/spec/schedulingGates/1/name"] * 2


def test_the_tracking_mark_of_argo_cd_can_be_taken_out_of_a_template() -> None:
    labels = "        metadata: {labels: {argocd.argoproj.io/instance: ml, app.kubernetes.io/instance: ml}}\n"
    findings = of("argo-tracking-in-template", judge(job().replace("        spec:\n", f"{labels}        spec:\n")))
    assert [finding.edit.value for finding in findings if finding.edit] == [ABSENT, ABSENT]
    on_job = job().replace("  name: pi\n", '  name: pi\n  annotations: {argocd.argoproj.io/tracking-id: "a:b/c:d/e"}\n')
    assert of("argo-tracking-in-template", judge(on_job)) == []


def test_a_second_scheduler_is_told_of_coscheduling_only() -> None:
    for backend, count in (("coscheduling", 1), ("volcano", 0)):
        assert len(of("second-scheduler", judge(stream(group(backend), marked(backend))))) == count


def test_queues_are_read_from_the_settings() -> None:
    text = "clusters: {prod: {backend: volcano, queues: [ml, research]}}\n"
    settings, problems = read_settings(reading.read("gangform.yaml", text).documents[0], CATALOG.backends)
    assert problems == ()
    assert settings.clusters["prod"].queues == {"ml", "research"}


def test_queues_in_the_settings_must_be_names() -> None:
    text = "clusters: {prod: {backend: volcano, queues: [1]}}\n"
    _, problems = read_settings(reading.read("gangform.yaml", text).documents[0], CATALOG.backends)
    assert [problem.pointer for problem in problems] == [("clusters", "prod", "queues", 0)]


def test_a_group_of_an_unmarked_jobs_name_stops_the_operator_as_well() -> None:
    text = stream(operator("--gang-scheduling=volcano"), group("volcano"), job())
    assert [finding.severity for finding in of("operator-gang-flag", judge(text))] == [Severity.ERROR]
    findings = judge(stream(group("volcano"), job()), Cluster("prod", "volcano", "operator"))
    assert [finding.rule for finding in findings if finding.severity is not Severity.NOTE] == ["operator-gang-flag"]


def test_a_quota_of_limits_of_devices_does_not_exist() -> None:
    text = job().replace('resources: {requests: {cpu: "8", memory: 64Gi}}', "resources: {limits: {nvidia.com/gpu: 8}}")
    assert of("quota-too-small", judge(stream(quota("{limits.nvidia.com/gpu: 0}"), text))) == []
