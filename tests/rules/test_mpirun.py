"""How many processes the Launcher surely starts, against the slots that the job has."""

from typing import Any

import pytest

from gangs import job, message, pod, said


def started(command: list[str] | None = None, args: list[str] | None = None, *, container: dict[str, Any] | None = None,
            **spec: Any) -> dict[str, Any]:
    """A job of 2 Workers x 2 slots unless said."""
    launcher = pod()
    words = {"command": command, "args": args}
    launcher["spec"]["containers"][0] |= {key: value for key, value in words.items() if value} | (container or {})
    return job(launcher=launcher, **{"slotsPerWorker": 2, **spec}, worker=pod(requests=None))


def told(data: dict[str, Any]) -> list[tuple[str, str]]:
    return [(severity, at.removeprefix("/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0"))
            for rule, severity, at in said(data) if rule == "mpirun-processes-mismatch"]


@pytest.mark.parametrize(("command", "args", "place"), [
    (["mpirun", "-np", "8", "/app"], None, "/command/2"),
    (["mpirun"], ["-np", "8", "/app"], "/args/1"),
    (None, ["mpirun", "--allow-run-as-root", "-n", "8", "/app"], "/args/3"),
    (["/opt/amazon/openmpi/bin/mpirun", "-x", "PATH", "-mca", "pml", "ob1", "-bind-to", "none", "--np", "8", "/app"],
     None, "/command/9"),
    (["mpiexec", "-np", "8", "-x", "A=$(A)", "/app", "-np", "2"], None, "/command/2"),
    (["/bin/bash", "-c", "mpirun -np 8 /app $STEPS"], None, "/command/2"),
    (["sh", "-c"], ["exec mpirun \\\n  --tag-output \\\n  -np 8 \\\n  /app\n"], "/args/0"),
])
def test_more_processes_than_slots_are_told_at_the_number(
    command: list[str] | None, args: list[str] | None, place: str
) -> None:
    assert told(started(command, args)) == [("warning", place)]


@pytest.mark.parametrize("command", [
    ["mpirun", "-np", "4", "/app"], ["mpirun", "-np", "3", "/app"], ["mpirun", "-np", "2", "/app"],
    ["mpirun", "/app"], ["mpirun", "/app", "-np", "8"], ["mpirun", "-np", "$(NP)", "/app"], ["mpirun", "-np", "8"],
    ["mpirun", "--oversubscribe", "-np", "8", "/app"], ["mpirun", "-np", "8", "--oversubscribe", "/app"],
    ["mpirun", "--map-by", "node:OVERSUBSCRIBE", "-np", "8", "/app"],
    ["mpirun", "-np", "8", "-host", "a:8", "/app"], ["mpirun", "--hostfile", "/tmp/hosts", "-np", "8", "/app"],
    ["mpirun", "-np", "8", "--brand-new-option", "/app"], ["mpirun", "-np", "8", "/app", ":", "-np", "1", "/other"],
    ["mpirun", "-np", "4", "-np", "8", "/app"],
    ["horovodrun", "-np", "8", "python", "train.py"], ["timeout", "60", "mpirun", "-np", "8", "/app"],
    ["bash", "-c", "sleep 10; mpirun -np 8 /app"], ["bash", "-c", "sleep 10\nmpirun -np 8 /app"],
    ["bash", "-c", "mpirun -np $(nproc) /app"], ["bash", "-c", "mpirun -np 8 /app | tee log"],
    ["bash", "-c", "mpirun $OPTIONS -np 8 /app"], ["bash", "-c", "mpirun -np 8 '/app"],
    ["bash", "-cx", "mpirun -np 8 /app"], ["bash", "-c", "mpirun -np 8 /app", "name"],
])
def test_what_fits_or_is_not_surely_known_is_silent(command: list[str]) -> None:
    assert told(started(command)) == []


@pytest.mark.parametrize("container", [
    {"env": [{"name": "OMPI_MCA_rmaps_base_oversubscribe", "value": "1"}]},
    {"env": [{"name": "OMPI_MCA_orte_default_hostfile", "value": "/tmp/hosts"}]},
    {"envFrom": [{"configMapRef": {"name": "mpi"}}]},
])
def test_variables_that_can_change_the_slots_silence_it(container: dict[str, Any]) -> None:
    assert told(started(["mpirun", "-np", "8", "/app"], container=container)) == []


def test_a_second_container_silences_it() -> None:
    data = started(["mpirun", "-np", "8", "/app"])
    data["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"].append({"name": "log", "image": "log"})
    assert told(data) == []


def test_a_launcher_that_works_too_has_slots() -> None:
    assert told(started(["mpirun", "-np", "6", "/app"], runLauncherAsWorker=True)) == []
    both = started(["mpirun", "-np", "7", "/app"], runLauncherAsWorker=True)
    assert message("mpirun-processes-mismatch", both) == (
        "mpirun is to start 7 processes, the job has 6 slots = 2 x (1 Launcher + 2 Worker): Open MPI refuses to start")


@pytest.mark.parametrize("implementation", ["Intel", "MPICH"])
def test_other_implementations_put_several_on_a_slot(implementation: str) -> None:
    data = started(["mpirun", "-n", "8", "/app"], mpiImplementation=implementation)
    assert told(data) == [("note", "/command/2")]


def test_fewer_processes_than_workers_are_noted() -> None:
    assert told(started(["mpirun", "-np", "1", "/app"])) == [("note", "/command/2")]


def test_slots_are_one_unless_written() -> None:
    data = started(["mpirun", "-np", "3", "/app"])
    del data["spec"]["slotsPerWorker"]
    assert told(data) == [("warning", "/command/2")]
