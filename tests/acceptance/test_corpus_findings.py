"""What the rules say of manifests of real repositories, whichever scheduler they are meant for.

``test_corpus`` holds the errors and warnings of each file. Here are the notes, looked at one by one, and the proof
that naming a scheduler brings no further alarm: these jobs run as they are, so that each would be a false one.
"""

from pathlib import Path

import pytest

from gangform.catalog import BACKENDS, CATALOG, OFF
from gangform.model.finding import Finding, Severity
from gangform.selection import EVERYTHING, Selection
from gangform.settings import Settings
from gangform.workflows import configuration
from gangform.workflows.outcome import Outcome
from gangform.workflows.validate import validate
from repository import place, quiet

NOTES: dict[str, dict[str, list[int]]] = {
    # True: not written, and the operator takes None.
    "clean-pod-policy-none": {
        "kubernetes-sigs__dranet__alibaba-mpi-job.yaml": [6],
        "kubernetes-sigs__dranet__aws-efa-mpi-job.yaml": [6],
        "kubernetes-sigs__dranet__azure-gb300-mpi-job.yaml": [6],
        "kubernetes-sigs__dranet__multinode-mpi-job.yaml": [6],
        "kubernetes-sigs__dranet__nccl-test-job.yaml": [6],
        "kustomize/dranet-distributed-training/mpi-job-4gpu-4nic-numa-aligned.yaml": [6],
        "kustomize/dranet-distributed-training/mpi-job-4gpu-4nic-numa-unaligned.yaml": [6],
    },
    # True: groups of an API that no scheduler in support reads.
    "pod-group-api-deprecated": {
        "flux-framework__flux-k8s__amg_mpijob.yaml": [2],
        "flux-framework__flux-k8s__lammps_mpijob.yaml": [2],
        "flux-framework__flux-k8s__oc_amg_mpijob.yaml": [2],
        "flux-framework__flux-k8s__oc_lammps_mpijob.yaml": [2],
        "otherjobs/kubernetes-sigs__kube-batch__kube-batch-job-podgroup.yaml": [25],
    },
    # True: 1000m.
    "quantity-not-canonical": {
        "otherjobs/volcano-sh__volcano__podgroup.yaml": [10],
    },
    # True: made by a workflow, a trial, a script in a ConfigMap.
    "runtime-job-unmarked": {
        "embedded/DiamondLightSource__workflows__argo-mpi-matrix-benchmark.yaml": [75],
        "embedded/DiamondLightSource__workflows__argo-mpi-workflow.yaml": [48],
        "embedded/ROCm__gpu-operator__cluster-validation-job.yaml": [8],
        "embedded/coreweave__kubernetes-cloud__argo-workflow-04-finetune-workflow.yaml": [407],
        "embedded/kubeflow__katib__katib-mpijob-horovod.yaml": [43],
        "embedded/oracle-quickstart__oci-hpc-oke__active-health-checks-nccl-tests.yaml": [55, 230, 401, 538, 671, 807, 940, 1076],
    },
    # Fair: a guess by its own words, of an example.
    "timeout-zero-or-short": {
        "otherjobs/kubernetes-sigs__scheduler-plugins__coscheduling-readme-podgroup.yaml": [8],
    },
    # True: the job says 60 seconds and lives in a file.
    "ttl-under-gitops": {
        "computeops__k8s-mpi__mpi-pi-test.yaml": [10],
        "kubeflow__mpi-operator__pi.yaml": [10],
        "kubernetes-sigs__kueue__sample-mpijob.yaml": [12],
        "kustomize/computeops-mpich/mpijob.yaml": [10],
        "kustomize/computeops-openmpi/mpijob.yaml": [10],
    },
}
"""Rule to file to lines; templates are left out."""

FURTHER: dict[str, set[tuple[str, str, int]]] = {
    # True: where coscheduling is meant, nobody reads these groups.
    "coscheduling": {("pod-group-api-deprecated", f"flux-framework__flux-k8s__{name}_mpijob.yaml", 2)
                     for name in ("amg", "lammps", "oc_amg", "oc_lammps")},
    # True: kube-batch's API, which Volcano has left behind.
    "volcano": {("pod-group-api-deprecated", "otherjobs/kubernetes-sigs__kube-batch__kube-batch-job-podgroup.yaml", 25)},
}
"""Backend to what counts only when it is named: for another scheduler it is a note."""


@pytest.fixture
def corpus(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(shared / "corpus")
    return shared / "corpus"


def look_for(backend: str | None, selection: Selection = EVERYTHING) -> Outcome:
    cluster = configuration.select(Settings(), None, backend, {})
    return validate((".",), Settings(), cluster, read_stdin=bytes, progress=quiet, selection=selection)


def alarms(findings: tuple[Finding, ...]) -> list[tuple[str, str, int]]:
    return [place(finding) for finding in findings if finding.severity >= Severity.WARNING]


def test_every_note_was_looked_at(corpus: Path) -> None:
    found: dict[str, dict[str, list[int]]] = {}
    for finding in look_for(None).findings:
        if finding.severity is Severity.NOTE and finding.rule != "templated":
            found.setdefault(finding.rule, {}).setdefault(finding.location.path, []).append(finding.location.line)
    assert found == NOTES


@pytest.mark.parametrize("backend", BACKENDS)
def test_naming_a_scheduler_brings_no_alarm_but_for_groups_that_it_does_not_read(corpus: Path, backend: str) -> None:
    named, unnamed = set(alarms(look_for(backend).findings)), set(alarms(look_for(None).findings))
    assert named - unnamed == FURTHER[backend]
    assert unnamed - named == set()


def test_rules_that_guess_find_nothing_even_when_they_are_named(corpus: Path) -> None:
    assert set(CATALOG.rules) >= OFF
    assert alarms(look_for("coscheduling", Selection(tuple(OFF))).findings) == [
        one for one in alarms(look_for("coscheduling").findings) if one[0] == "kustomize-build-failed"]
