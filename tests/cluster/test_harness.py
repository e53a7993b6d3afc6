"""Whatever happens to a test, nothing of its control plane stays behind, and nothing of the caller's gets into it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tenacity import retry, retry_if_result, stop_after_delay, wait_fixed

from cluster.cluster import Cluster
from cluster.plane import Plane
from cluster.ports import free_port
from cluster.programs import NotBuiltError, module_folder

STARTED = """
import sys, time
sys.path.insert(0, {tests!r})
from cluster.cluster import Cluster
from cluster.plane import Plane
with Plane() as plane:
    plane.start_controllers()
    print(plane.folder, *(program.pid for program in plane.programs.values()), flush=True)
    while True:
        time.sleep(0.1)  # an interrupt just before a sleep is noticed after it
"""

PORTS = """
import sys
sys.path.insert(0, {tests!r})
from cluster.ports import free_port
print(*(free_port() for _ in range(50)), flush=True)
sys.stdin.read()
"""

WIDGETS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""


@retry(retry=retry_if_result(lambda left: left), stop=stop_after_delay(30), wait=wait_fixed(0.1),
       retry_error_callback=lambda state: state.outcome and state.outcome.result())
def left(folder: Path, pids: list[int]) -> list[str]:
    """What is still there of a control plane, looked at until nothing is."""
    return [str(pid) for pid in pids if _runs(pid)] + ([str(folder)] if folder.exists() else [])


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_killed_test_leaves_no_program_and_no_folder(programs: None, number: signal.Signals) -> None:
    test = subprocess.Popen(
        [sys.executable, "-c", STARTED.format(tests=str(Path(__file__).resolve().parent.parent))],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    assert test.stdout is not None
    with test.stdout:
        try:
            folder, *pids = test.stdout.readline().split()
            assert left.__wrapped__(Path(folder), list(map(int, pids))) == [*pids, folder]

            test.send_signal(number)
            test.wait(60)
        finally:
            test.kill()
            test.wait()

    assert left(Path(folder), list(map(int, pids))) == []


def test_a_program_that_dies_is_told_with_what_it_wrote(programs: None) -> None:
    with Plane() as other:
        other.start("broken", [sys.executable, "-c", "import sys; sys.exit('no configuration')"])
        with pytest.raises(AssertionError, match="ended while the impossible was awaited") as told:
            other.wait("the impossible", lambda: False, seconds=30)

        assert "no configuration" in str(told.value)


def test_an_api_that_a_test_added_is_gone_for_the_next_one(cluster: Cluster, tmp_path: Path) -> None:
    crd = tmp_path / "widgets.yaml"
    crd.write_text(WIDGETS)
    assert cluster.plane.add_crds(crd) == ["widgets.example.com"]

    cluster.clear()

    assert not cluster.plane.api.serves("widgets.example.com")
    assert all(cluster.plane.api.serves(name) for name in cluster.plane.crds)


def test_rights_that_a_test_granted_are_gone_for_the_next_one_and_the_servers_own_are_there(cluster: Cluster) -> None:
    def rights() -> set[str]:
        return {one["metadata"]["name"] for kind in ("ClusterRole", "ClusterRoleBinding") for one in cluster.api.list(kind)}

    before = rights()
    group = "rbac.authorization.k8s.io"
    named = {"apiVersion": f"{group}/v1", "metadata": {"name": "mine"}}
    cluster.apply({**named, "kind": "ClusterRole", "rules": []})
    cluster.apply({
        **named, "kind": "ClusterRoleBinding", "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "mine"},
    })
    assert rights() == before | {"mine"}

    cluster.clear()

    assert rights() == before
    assert "cluster-admin" in before


def test_a_port_is_given_once_among_all_processes() -> None:
    said = [sys.executable, "-c", PORTS.format(tests=str(Path(__file__).resolve().parent.parent))]
    others = [subprocess.Popen(said, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    given = [free_port() for _ in range(50)]
    for other in others:
        assert other.stdout is not None
        given += map(int, other.stdout.readline().split())
    for other in others:
        other.communicate(timeout=60)

    assert len(given) == len(set(given)) == 4 * 50


def test_the_callers_own_settings_lead_no_program_astray(programs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    monkeypatch.setenv("ETCD_NAME", "other")

    with Plane() as other:
        assert {space["metadata"]["name"] for space in other.api.list("Namespace")} >= {"default"}


def test_without_go_or_its_modules_the_reason_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GOMODCACHE", str(tmp_path))
    monkeypatch.setenv("GOPROXY", "off")
    find = module_folder.__wrapped__
    with pytest.raises(NotBuiltError, match=r"GOPROXY=off|Go is not installed"):
        find("mpi-operator", "github.com/kubeflow/mpi-operator")

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotBuiltError, match="Go is not installed"):
        find("mpi-operator", "github.com/kubeflow/mpi-operator")
