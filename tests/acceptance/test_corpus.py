"""Manifests of real repositories, read where they lie, through the whole of gangform and the real programs.

Each finding below was looked at in its file and is right. A file that is not in the tables has none but notes.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from gangform.catalog import BACKENDS
from gangform.cli.main import main
from gangform.model.finding import Severity
from gangform.settings import Layout, Settings, Target
from gangform.workflows import configuration
from gangform.workflows.check import check
from gangform.workflows.outcome import Outcome
from gangform.workflows.render import render
from repository import look, place, quiet

Found = list[tuple[str, int]]

LEGACY = "api-version-unsupported"
ERRORS: dict[str, Found] = {
    # Jobs of an mpi-operator before 0.3: the line of the apiVersion.
    "NVIDIA__deepops__multi_node_roce_jobfile.yaml": [(LEGACY, 6)],
    "NVIDIA__deepops__tensorflow-mpi-job.yaml": [(LEGACY, 2)],
    "aws-samples__aws-do-eks__deepspeed-bert.yaml": [(LEGACY, 2)],
    "aws-samples__aws-do-eks__nccl-tests-efa.yaml": [(LEGACY, 2)],
    "aws-samples__aws-efa-eks__nccl-ena-tests.yaml": [(LEGACY, 2)],
    "aws-samples__aws-efa-eks__pytorch-ddp-efa-example.yaml": [(LEGACY, 2)],
    "aws-samples__aws-eks-deep-learning-benchmark__faster-rcnn-fsx.yaml": [(LEGACY, 2)],
    "aws-samples__aws-eks-deep-learning-benchmark__resnet50-synthetic.yaml": [(LEGACY, 3)],
    "daming66__mpijob-eks-workshp__goofys-csi-ml-dist.yaml": [(LEGACY, 2)],
    "jarednielsen__intro-to-k8s-distributed-training__mpi-job.yaml": [(LEGACY, 2)],
    "jcatana__mpi-operator__mxnet-mnist.yaml": [(LEGACY, 2)],
    "jcatana__mpi-operator__tensorflow-mnist.yaml": [(LEGACY, 2)],
    "jcatana__mpi-operator__v1-tensorflow-benchmarks-imagenet.yaml": [(LEGACY, 7)],
    "jcatana__mpi-operator__v1-tensorflow-benchmarks.yaml": [(LEGACY, 2)],
    "jcatana__mpi-operator__v1alpha1-tensorflow-benchmarks-custom.yaml": [(LEGACY, 4)],
    "jcatana__mpi-operator__v1alpha1-tensorflow-benchmarks-imagenet.yaml": [(LEGACY, 7)],
    "jcatana__mpi-operator__v1alpha1-tensorflow-benchmarks.yaml": [(LEGACY, 14)],
    "jcatana__mpi-operator__v1alpha2-tensorflow-benchmarks.yaml": [(LEGACY, 2)],
    "kubeflow__examples__mpi-job.yaml": [(LEGACY, 3)],
    # The trial of a Katib experiment, in the experiment's own lines.
    "embedded/kubeflow__katib__katib-mpijob-horovod.yaml": [(LEGACY, 44)],
    # What the CRD refuses.
    "HabanaAI__Setup_and_Install__intel-gaudi-health-screen-L2_hccl-demo.yaml": [("wrong-type", 97)],
    "UhCyR9__Kueue__mpijob.yaml": [("quantity-needs-quotes", 32), ("quantity-needs-quotes", 51)],
    "aws-samples__aws-efa-eks__fairseq1B-GPT3-efa-example.yaml": [("unknown-field", 15), ("unknown-field", 68)],
    "aws-samples__aws-efa-eks__pytorch-bert-efa-example.yaml": [("unknown-field", 8)],
    "converged-computing__operator-experiments__lammps_mpijob.yaml": [("unknown-field", 47)],
    "flux-framework__flux-k8s__amg_mpijob.yaml": [("unknown-field", 47)],
    "flux-framework__flux-k8s__lammps_mpijob.yaml": [("unknown-field", 47)],
    "flux-framework__flux-k8s__oc_amg_mpijob.yaml": [("unknown-field", 50)],
    "flux-framework__flux-k8s__oc_lammps_mpijob.yaml": [("unknown-field", 50)],
    # Cut out of documentation, with "..." where the rest was: an empty spec and an empty mpiReplicaSpecs.
    "kubeflow__trainer__mpi-md-schedulingPolicy.yaml": [("missing-field", 17)],
    "kubernetes-sigs__kueue__workload-priority-mpijob.yaml": [("launcher-missing", 9)],
    # The files of its configMapGenerator are no manifests and so no part of the collection.
    "kustomize/dranet-distributed-training/kustomization.yaml": [("kustomize-build-failed", 1)],
}
TEMPLATES: dict[str, Found] = {
    # Variables for envsubst: the first value that holds one where the API wants something else than text.
    "GoogleCloudPlatform__kubernetes-engine-samples__hpl-demo.yaml": [("templated", 78)],
    "NVIDIA__k8s-dra-driver-gpu__nvb.tmpl.yaml": [("templated", 16)],
    "aws-samples__aws-do-eks__all-reduce-pair.yaml": [("templated", 39)],
    # Jobs inside other objects: the key of the string, or the value where the string is YAML.
    "embedded/DiamondLightSource__workflows__argo-mpi-matrix-benchmark.yaml": [("templated", 75)],
    "embedded/DiamondLightSource__workflows__argo-mpi-workflow.yaml": [("templated", 48)],
    "embedded/ROCm__gpu-operator__cluster-validation-job.yaml": [("templated", 23)],
    "embedded/coreweave__kubernetes-cloud__argo-workflow-04-finetune-workflow.yaml": [("templated", 407)],
    # Go templates and Jinja: the first expression that is YAML in no reading.
    "helm/Azure__ai-infrastructure-on-azure__decode-mpijob.yaml": [("templated", 2)],
    "helm/Azure__ai-infrastructure-on-azure__model-distribute-mpijob.yaml": [("templated", 2)],
    "helm/Azure__ai-infrastructure-on-azure__nccl-test-mpijob.yaml": [("templated", 5)],
    "helm/Azure__aks-rdma-infiniband__mpi-job.yaml": [("templated", 2)],
    "helm/NVIDIA__knavigator__benchmarks-kai-mpijob.yaml": [("templated", 19)],
    "helm/NVIDIA__knavigator__jobset-coscheduling.yaml": [("templated", 19)],
    "helm/NVIDIA__knavigator__kai-mpijob.yaml": [("templated", 33)],
    "helm/NVIDIA__knavigator__kueue-mpijob.yaml": [("templated", 10)],
    "helm/NVIDIA__knavigator__nwtopo-runai-mpijob.yaml": [("templated", 5)],
    "helm/aws-samples__amazon-eks-machine-learning-with-terraform-and-kubeflow__dist-data-process.yaml": [("templated", 58)],
    "helm/aws-samples__amazon-eks-machine-learning-with-terraform-and-kubeflow__maskrcnn.yaml": [("templated", 6)],
    "helm/aws-samples__amazon-eks-machine-learning-with-terraform-and-kubeflow__train.yaml": [("templated", 54)],
    "helm/aws-samples__awsome-distributed-training__data_prep.yaml": [("templated", 2)],
    "helm/aws__aws-k8s-tester__bert-training.yaml": [("templated", 7)],
    "helm/aws__aws-k8s-tester__mpi-job-nccl-test-multi-node.yaml": [("templated", 5)],
    "helm/aws__aws-k8s-tester__multi-node-test-neuron.yaml": [("templated", 7)],
    "helm/jarednielsen__intro-to-k8s-distributed-training__maskrcnn.yaml": [("templated", 5)],
    "helm/kubeflow__arena__mpijob.yaml": [("templated", 2)],
    "helm/kubeflow__arena__pytorchjob.yaml": [("templated", 2)],
    "helm/kubeflow__arena__tfjob.yaml": [("templated", 2)],
    "helm/nebius__nebius-solutions-library__nccl-test-h100.yaml": [("templated", 5)],
}


@pytest.fixture
def corpus(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The collection, as working folder."""
    monkeypatch.chdir(shared / "corpus")
    return shared / "corpus"


def files(corpus: Path) -> list[str]:
    found = [path.relative_to(corpus).as_posix() for path in sorted(corpus.rglob("*.yaml"))]
    assert len(found) > 100
    return found


def alarms(outcome: Outcome) -> list[tuple[str, str, int]]:
    """Rule, path and line of each finding that counts, and of templates."""
    return [place(f) for f in outcome.findings if f.severity >= Severity.WARNING or f.rule == "templated"]


def is_job(data: object) -> bool:
    return isinstance(data, dict) and (data.get("apiVersion"), data.get("kind")) == ("kubeflow.org/v2beta1", "MPIJob")


def holds_job(path: Path) -> bool:
    try:
        return any(map(is_job, yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader)))
    except yaml.YAMLError:
        return False


def sound(corpus: Path) -> list[str]:
    return [name for name in files(corpus)
            if name not in ERRORS and name not in TEMPLATES and holds_job(corpus / name)]


@pytest.mark.tools
def test_each_file_has_the_findings_that_it_deserves(corpus: Path, kustomize: str) -> None:
    found = {name: alarms(look(name)) for name in files(corpus)}
    assert {name: [(rule, line) for rule, _, line in findings] for name, findings in found.items() if findings} == ERRORS | TEMPLATES


@pytest.mark.tools
def test_the_exit_code_says_whether_a_file_has_an_error(
    corpus: Path, kustomize: str, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = {name: main(["validate", name]) for name in files(corpus)}
    assert {name: code for name, code in codes.items() if code != 0} == dict.fromkeys(ERRORS, 1)
    assert main(["validate", "--fail-on", "note", "helm/kubeflow__arena__mpijob.yaml"]) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.tools
def test_the_whole_folder_has_the_findings_of_its_files(corpus: Path, kustomize: str) -> None:
    found: dict[str, Found] = {}
    for rule, path, line in alarms(look(".")):
        found.setdefault(path, []).append((rule, line))
    # Found by walking, a file without a word of ours is nobody's business.
    ours = {name: findings for name, findings in (ERRORS | TEMPLATES).items()
            if name.endswith("kustomization.yaml") or re.search("MPIJob|PodGroup", (corpus / name).read_text())}
    assert found == ours
    assert found != ERRORS | TEMPLATES


def test_null_fields_whole_number_quantities_and_lone_launchers_pass(corpus: Path) -> None:
    null = "kubeflow__mpi-operator__pi-intel.yaml"
    assert "command:\n" in (corpus / null).read_text()
    assert alarms(look(null)) == []
    whole = [name for name in sound(corpus) if "nvidia.com/gpu: 8\n" in (corpus / name).read_text()]
    assert whole
    assert [name for name in whole if alarms(look(name))] == []
    alone, _, workers = (corpus / "kubeflow__mpi-operator__pi.yaml").read_text().partition("    Worker:\n")
    assert workers
    assert alarms(look("-", stdin=alone.encode())) == []


@pytest.fixture
def base(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A source that holds every sound file, each in a namespace of its own; folder to file."""
    names = {f"base/{number}": name for number, name in enumerate(sound(corpus))}
    monkeypatch.chdir(tmp_path)
    for folder, name in names.items():
        namespace = Path(folder).name
        Path(folder).mkdir(parents=True)
        shutil.copy(corpus / name, Path(folder) / "jobs.yaml")
        Path(folder, "kustomization.yaml").write_text(f"namespace: n{namespace}\nresources: [jobs.yaml]\n")
    Path("base/kustomization.yaml").write_text(yaml.safe_dump({"resources": [Path(folder).name for folder in names]}))
    assert len(names) > 30
    return names


def target(backend: str, source: str, path: str, layout: Layout = "kustomization") -> Target:
    cluster = configuration.select(Settings(), None, backend, {})
    assert cluster is not None
    return Target(cluster, source, path, layout)


@pytest.mark.tools
@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layout", ["kustomization", "component", "rendered"])
def test_sound_files_render_and_nothing_is_left_to_say(
    base: dict[str, str], kustomize: str, kubeconform: str, backend: str, layout: Layout
) -> None:
    where = target(backend, "base", "out", layout)
    if layout == "component":
        Path("team").mkdir()
        Path("team/kustomization.yaml").write_text("namePrefix: a-\nresources: [../base]\ncomponents: [gang]\n")
        where = target(backend, "team", "team/gang", layout)
    rendered = render([where], Settings(), write=True, enlist=False, progress=quiet)
    assert rendered.written
    assert rendered.outcome.counts.jobs >= len(base)
    checked = check([where], Settings(), kubeconform="require", progress=quiet)
    assert (alarms(checked.outcome), checked.overlays) == ([], ())
    # A job and its group, each seen by kubeconform.
    assert checked.schema_checked is not None
    assert checked.schema_checked >= 2 * rendered.outcome.counts.jobs


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_file_with_an_error_is_refused_at_the_same_line(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    faulty = {name: findings for name, findings in (ERRORS | TEMPLATES).items() if holds_job(corpus / name)}
    assert len(faulty) > 10
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(faulty):
        folder = Path(str(number))
        folder.mkdir()
        shutil.copy(corpus / name, folder / "jobs.yaml")
        (folder / "kustomization.yaml").write_text("resources: [jobs.yaml]\n")
        rendered = render([target(backend, str(number), "out")], Settings(), write=True, enlist=False, progress=quiet)
        errors = [(f.rule, f.location.line) for f in rendered.outcome.findings if f.severity is Severity.ERROR]
        assert (errors, rendered.written) == (faulty[name], False), name
        assert not Path("out").exists()


@pytest.fixture
def copied(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Copy a kustomization of the collection, with empty files for the scripts that it does not hold."""

    def copy(name: str) -> Path:
        shutil.copytree(corpus / "kustomize" / name, tmp_path / name)
        data = yaml.safe_load((tmp_path / name / "kustomization.yaml").read_text())
        for script in [file for each in data.get("configMapGenerator", []) for file in each["files"]]:
            (tmp_path / name / script).touch()
        monkeypatch.chdir(tmp_path)
        return tmp_path / name

    return copy


@pytest.mark.tools
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_kustomization_of_the_collection_takes_its_jobs_once_it_lists_them(
    copied: Callable[[str], Path], kustomize: str, kubeconform: str, backend: str
) -> None:
    folder = copied("dranet-distributed-training")
    outcome = look(folder.name)
    assert (alarms(outcome), outcome.counts.builds, outcome.counts.jobs) == ([], 1, 2)
    text = (folder / "kustomization.yaml").read_text()
    jobs = [path.name for path in sorted(folder.glob("mpi-job-*.yaml"))]
    listed = text.replace("resources:\n", "resources:\n" + "".join(f"  - {name}\n" for name in jobs))
    (folder / "kustomization.yaml").write_text(listed)
    where = target(backend, folder.name, "out")
    assert render([where], Settings(), write=True, enlist=False, progress=quiet).written
    checked = check([where], Settings(), kubeconform="require", progress=quiet)
    assert alarms(checked.outcome) == []
    assert checked.schema_checked == 2 * len(jobs)
