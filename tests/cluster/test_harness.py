"""Whatever happens to a test, no program and no folder of its control plane stays behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tenacity import retry, retry_if_result, stop_after_delay, wait_fixed

from cluster.cluster import Cluster
from cluster.plane import Plane

STARTED = """
import sys, time
sys.path.insert(0, {tests!r})
from cluster.cluster import Cluster
from cluster.plane import Plane
with Plane() as plane:
    plane.start_controllers()
    print(plane.folder, *(program.pid for program in plane.programs.values()), flush=True)
    time.sleep(600)
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
        folder, *pids = test.stdout.readline().split()
        assert left.__wrapped__(Path(folder), list(map(int, pids))) == [*pids, folder]

        test.send_signal(number)
        test.wait(60)

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
