"""``gangform status`` against a real cluster: what it says, with which rights, and while things change."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster import Cluster
from cluster.plane import Plane
from cluster.ports import free_port
from cluster.programs import built as program
from cluster.programs import environment
from cluster.repositories import built, job, rendered
from gangform.edges import cluster as reading
from gangform.edges import kubeconfig
from gangform.workflows import live

SLACK = 20  # seconds that a busy machine may take


def status(kubeconfig: Path, *arguments: str, code: int | None = None) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [sys.executable, "-m", "gangform", "status", "--kubeconfig", str(kubeconfig), *arguments],
        env=environment(), capture_output=True, text=True, check=False, timeout=60,
    )
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def states(cluster: Cluster, *arguments: str) -> dict[str, str]:
    done = status(cluster.plane.kubeconfig, "-n", cluster.namespace, "-o", "json", *arguments)
    return {one["name"]: one["state"] for one in json.loads(done.stdout)["gangs"]}


def put(cluster: Cluster, folder: Path, kustomize: str, *jobs: dict[str, Any]) -> None:
    cluster.apply(*built(kustomize, rendered(folder / jobs[0]["metadata"]["name"], jobs)))


@pytest.fixture(scope="module")
def two(plane: Plane, kustomize: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One gang that runs, and one that waits for its room; the last test of the file lets the first one end."""
    plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "two-gangs"}})
    cluster, folder = Cluster(plane, "two-gangs"), tmp_path_factory.mktemp("two")
    cluster.nodes(4)
    put(cluster, folder, kustomize, job("first"))
    cluster.until(lambda: cluster.running("first") == (1, 4), "the first runs")
    put(cluster, folder, kustomize, job("second"))
    cluster.until(lambda: len(cluster.reasons("second")) == 5, "the scheduler has looked at the second")
    yield cluster
    cluster.clear()


def reader(cluster: Cluster, name: str, *rules: dict[str, Any], everywhere: tuple[dict[str, Any], ...] = ()) -> Path:
    """A kubeconfig of a service account that may do so much in the namespace, and so much everywhere."""
    api, home, full = cluster.api, cluster.namespace, f"{cluster.namespace}-{name}"
    subject = [{"kind": "ServiceAccount", "name": name, "namespace": home}]
    group = "rbac.authorization.k8s.io"
    api.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": home}})
    for kind, called, allowed, meta in (("Role", name, rules, {"namespace": home}), ("ClusterRole", full, everywhere, {})):
        if allowed:
            api.create({"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": called, **meta}, "rules": [
                {"verbs": ["get", "list", "watch"], **rule} for rule in allowed]})
            api.create({"apiVersion": f"{group}/v1", "kind": f"{kind}Binding", "metadata": {"name": called, **meta},
                        "subjects": subject, "roleRef": {"apiGroup": group, "kind": kind, "name": called}})
    token = subprocess.run(
        [program("kubernetes", "kubectl"), "--kubeconfig", str(cluster.plane.kubeconfig), "create", "token", name,
         "--namespace", home], env=environment(), capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    return cluster.plane.write_kubeconfig(full, token)


JOBS = {"apiGroups": ["kubeflow.org"], "resources": ["mpijobs"]}
PODS = {"apiGroups": [""], "resources": ["pods"]}
GROUPS = {"apiGroups": ["scheduling.x-k8s.io"], "resources": ["podgroups"]}
EVENTS = {"apiGroups": [""], "resources": ["events"]}
NODES = {"apiGroups": [""], "resources": ["nodes"]}
CLASSES = {"apiGroups": ["scheduling.k8s.io"], "resources": ["priorityclasses"]}


def test_a_gang_that_runs_and_one_that_waits_are_told_apart(two: Cluster) -> None:
    done = status(two.plane.kubeconfig, "-n", two.namespace, code=0)
    rows = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert rows["first"].split()[1] == "Running"
    assert rows["second"].split()[1] == "Queued"
    assert "CPU short" in rows["second"]
    assert "Cluster: 6 of 16 CPU free." in done.stdout


def test_the_namespace_is_the_contexts_as_it_is_for_kubectl(two: Cluster) -> None:
    assert "No gangs in namespace default." in status(two.plane.kubeconfig, code=0).stdout
    assert f"{two.namespace}  first" in status(two.plane.kubeconfig, "-A", code=0).stdout


def test_one_gang_is_told_by_the_name_of_a_pod(two: Cluster) -> None:
    text = status(two.plane.kubeconfig, "-n", two.namespace, "first-worker-3", code=0).stdout
    assert text.startswith(f"{two.namespace}/first: Running. 5 pods exist, 5 bound, 5 ready, 5 must start together")
    assert f"kubectl logs -n {two.namespace} first-launcher-" in text


def test_reading_rights_in_all_namespaces_are_enough(two: Cluster) -> None:
    config = reader(two, "reader", everywhere=(JOBS, PODS, GROUPS, EVENTS, NODES, CLASSES))
    done = status(config, "-A", code=0)
    assert done.stderr == ""
    assert "Cluster: 6 of 16 CPU free." in done.stdout


def test_rights_in_one_namespace_answer_and_say_what_they_do_not_show(two: Cluster) -> None:
    config = reader(two, "local", JOBS, PODS, GROUPS, EVENTS)
    done = status(config, "-n", two.namespace, code=0)
    assert "free capacity is unknown: may not list nodes and pods of all namespaces\n" in done.stderr
    assert done.stderr.count("free capacity is unknown") == 1
    assert "Cluster:" not in done.stdout
    assert {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()[1:3]} == {
        "first": "Running", "second": "Queued"}


@pytest.mark.parametrize(("kept", "missing", "says"), [
    ((JOBS, PODS, EVENTS), "groups", "not told: may not list podgroups.scheduling.x-k8s.io"),
    ((JOBS, PODS, GROUPS), "events", "may not list events"),
    ((JOBS, GROUPS, EVENTS), "pods", "whether gangs hold nodes is not known: may not list pods"),
])
def test_each_right_that_is_missing_is_named_with_what_it_costs(two: Cluster, kept, missing: str, says: str) -> None:
    done = status(reader(two, f"no-{missing}", *kept), "-n", two.namespace, code=0)
    assert says in done.stderr


def test_nodes_without_the_pods_of_all_namespaces_do_not_tell_what_is_free(two: Cluster) -> None:
    config = reader(two, "nodes", JOBS, PODS, GROUPS, EVENTS, everywhere=(NODES, CLASSES))
    done = status(config, "-n", two.namespace, code=0)
    assert done.stderr == "note: free capacity is unknown: may not list pods of all namespaces\n"
    assert "Cluster:" not in done.stdout


def test_whoever_may_list_no_jobs_is_told_so_with_exit_3(two: Cluster) -> None:
    config = reader(two, "nobody", PODS)
    here = status(config, "-n", two.namespace, code=3)
    assert f"error: may not list mpijobs.kubeflow.org in namespace {two.namespace}" in here.stderr
    everywhere = status(config, "-A", code=3)
    assert "hint: name a namespace with -n" in everywhere.stderr


def test_credentials_that_are_not_accepted_are_exit_3(two: Cluster) -> None:
    done = status(two.plane.write_kubeconfig("stranger", "wrong"), code=3)
    assert "does not accept the credentials" in done.stderr


def test_an_api_server_out_of_reach_is_exit_3(two: Cluster, tmp_path: Path) -> None:
    text = two.plane.kubeconfig.read_text().replace(str(two.plane.port), str(free_port()))
    (tmp_path / "config").write_text(text)
    done = status(tmp_path / "config", code=3)
    assert done.stdout == ""
    assert "cannot reach the API server https://127.0.0.1:" in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_pages_hold_everything_once(two: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PAGE", 3)
    connection = kubeconfig.connect(str(two.plane.kubeconfig))
    found = [one["metadata"]["name"] for page in reading.pages(connection, live.PODS, two.namespace) for one in page.objects]
    assert len(found) == len(set(found)) == 10


def test_a_kind_that_is_not_installed_is_simply_absent(two: Cluster) -> None:
    done = status(two.plane.kubeconfig, "-n", two.namespace, "-o", "json", code=0)
    absent = json.loads(done.stdout)["absent"]
    assert absent == ["podgroups.scheduling.volcano.sh"]
    assert done.stderr == ""


def test_a_dump_of_the_same_cluster_says_the_same(two: Cluster, tmp_path: Path) -> None:
    kinds = "mpijobs,pods,podgroups.scheduling.x-k8s.io,nodes,priorityclasses,events"
    for form in ("json", "yaml"):
        text = subprocess.run(
            [program("kubernetes", "kubectl"), "--kubeconfig", str(two.plane.kubeconfig), "get", kinds, "-A", "-o", form],
            env=environment(), capture_output=True, text=True, check=True, timeout=60).stdout
        (tmp_path / f"dump.{form}").write_text(text)
        done = subprocess.run(
            [sys.executable, "-m", "gangform", "status", "--from", f"dump.{form}", "-n", two.namespace, "-o", "json"],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False, timeout=60)
        assert {one["name"]: one["state"] for one in json.loads(done.stdout)["gangs"]} == states(two)


@pytest.fixture
def watched(two: Cluster) -> Iterator["queue.Queue[str]"]:
    """The lines of ``status --watch`` in a pipe."""
    with subprocess.Popen(
        [sys.executable, "-m", "gangform", "status", "--kubeconfig", str(two.plane.kubeconfig), "-n", two.namespace, "-w"],
        env=environment() | {"PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, text=True,
    ) as process:
        lines: queue.Queue[str] = queue.Queue()
        stream = process.stdout
        assert stream is not None
        threading.Thread(target=lambda: [lines.put(line) for line in stream], daemon=True).start()
        yield lines
        process.terminate()


def test_watching_tells_each_change_in_a_line(two: Cluster, watched: "queue.Queue[str]") -> None:
    seen: list[str] = []

    def until(*words: str) -> None:
        while not seen or not all(word in seen[-1] for word in words):
            seen.append(watched.get(timeout=60 + SLACK))

    until(f"{two.namespace}/second", "Queued")
    assert any(f"{two.namespace}/first  Running" in line for line in seen)
    two.end("first")
    until(f"{two.namespace}/first", "Running -> Succeeded")
    two.api.patch("PodGroup", "second", {"metadata": {"annotations": {"test/woken": "1"}}}, two.namespace)
    until(f"{two.namespace}/second", "Running")


def test_on_a_terminal_the_table_is_drawn_anew(two: Cluster) -> None:
    screen, terminal = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "gangform", "status", "--kubeconfig", str(two.plane.kubeconfig), "-n", two.namespace, "-w"],
        env=environment() | {"TERM": "xterm", "COLUMNS": "120", "LINES": "40"}, stdout=terminal, stderr=terminal,
    ) as process:
        text = ""
        while text.count("2 gangs:") < 2:
            text += os.read(screen, 4096).decode(errors="replace")
        process.terminate()
    os.close(screen)
    os.close(terminal)
    assert "\x1b[" in text
    assert text.index("JOB") < text.index("2 gangs:")


def test_watching_ends_with_exit_3_when_the_api_server_goes(programs: None, tmp_path: Path) -> None:
    with Plane() as plane, subprocess.Popen(
        [sys.executable, "-m", "gangform", "status", "--kubeconfig", str(plane.kubeconfig), "-A", "-w"],
        env=environment() | {"PYTHONUNBUFFERED": "1", "TMPDIR": os.fspath(tmp_path)}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as process:
        api = plane.api
        assert process.stdout is not None
        api.create({**job("alone"), "metadata": {"name": "alone", "namespace": "default"}})
        assert "default/alone" in process.stdout.readline()
        plane.stop("kube-apiserver", kill=True)
        _, errors = process.communicate(timeout=60 + SLACK)
    assert process.returncode == 3
    assert "cannot reach the API server" in errors
