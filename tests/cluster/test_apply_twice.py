"""What an overlay builds is applied twice, as Argo CD, Flux and kubectl do it: the second time changes nothing."""

import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from cluster.api import Document
from cluster.cluster import Cluster
from cluster.plane import Plane
from cluster.programs import built as program
from cluster.programs import environment
from cluster.repositories import built, job, rendered

SERVER_SIDE = ("--server-side", "--force-conflicts", "--field-manager=argocd-controller")


class Applied(NamedTuple):
    """Documents, and the namespace of an API server that they are applied to."""

    plane: Plane
    namespace: str
    documents: list[Document]

    def kubectl(self, *arguments: str) -> str:
        """What kubectl prints when it gets the documents; it must succeed, and ``diff`` must find nothing."""
        done = subprocess.run(
            [
                program("kubernetes", "kubectl"), "--kubeconfig", str(self.plane.kubeconfig), "--namespace", self.namespace,
                "--cache-dir", str(self.plane.folder / "kubectl"), *arguments, "--filename=-",
            ],
            input=yaml.safe_dump_all(self.documents, sort_keys=False), env=environment(),
            capture_output=True, text=True, check=False, timeout=120,
        )
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def objects(self) -> list[Document | None]:
        """The documents as the API server has them, whole."""
        return [
            self.plane.api.get(document["kind"], document["metadata"]["name"], self.namespace, document["apiVersion"])
            for document in self.documents
        ]

    def settled(self, cluster: Cluster) -> list[Document | None]:
        """The objects, when each has a status and nobody has written on any for three seconds."""
        looks: list[list[Document | None]] = []

        def quiet() -> bool:
            looks.append(self.objects())
            same = len(looks) > 30 and all(look == looks[-1] for look in looks[-30:])
            return same and all(one and "status" in one for one in looks[-1])

        cluster.until(quiet, "nobody writes any more")
        return looks[-1]


def within(wanted: Any, found: Any) -> Any:
    """What an object says in the fields that a document names."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return {key: within(value, found[key]) for key, value in wanted.items() if key in found}
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [within(*pair) for pair in zip(wanted, found, strict=True)]
    return found


def awkward(**port: Any) -> Document:
    """A job whose quantities and lists a server might write otherwise."""
    made = job("awkward", slotsPerWorker=2)
    made["spec"]["runPolicy"]["schedulingPolicy"] = {"minAvailable": 5, "minResources": {"cpu": "2500m", "memory": "0.5Gi"}}
    for replica in made["spec"]["mpiReplicaSpecs"].values():
        (container,) = replica["template"]["spec"]["containers"]
        container["resources"] = {"requests": {"cpu": "1500m", "memory": "1024Mi"}, "limits": {"memory": "1048576Ki"}}
        container["ports"] = [{"containerPort": 22, **port}]
        container["env"] = [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}]
        container["volumeMounts"] = [{"name": "shm", "mountPath": "/dev/shm"}]
        replica["template"]["spec"]["volumes"] = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "1.5Gi"}}]
    return made


class Overlay(NamedTuple):
    """What an overlay builds, and the CRDs that it needs besides those of every plane."""

    documents: list[Document]
    crds: list[Path]


@pytest.fixture(params=["coscheduling", "volcano"])
def overlay(request: pytest.FixtureRequest, repository: Path, tmp_path: Path, kustomize: str) -> Overlay:
    """The overlay of one scheduler: the repository's own jobs, and an awkward one."""
    sources = sorted(set((repository / "base").glob("*.yaml")) - {repository / "base" / "kustomization.yaml"})
    jobs = [document for source in sources for document in yaml.safe_load_all(source.read_text())]
    documents = built(kustomize, rendered(tmp_path, [*jobs, awkward(protocol="TCP")], request.param))
    if request.param == "coscheduling":
        return Overlay(documents, [])
    shared: Path = request.getfixturevalue("shared")
    return Overlay(documents, [shared / "crds" / "scheduling.volcano.sh_podgroups.yaml"])


@pytest.fixture
def namespace(empty_plane: Plane, request: pytest.FixtureRequest) -> str:
    """A namespace of this test's own on an API server on which no controller works."""
    name = re.sub("[^a-z]+", "-", request.node.name).strip("-")[-50:].strip("-")
    empty_plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name


def test_the_second_server_side_apply_changes_nothing(empty_plane: Plane, namespace: str, overlay: Overlay) -> None:
    empty_plane.add_crds(*overlay.crds)
    applied = Applied(empty_plane, namespace, overlay.documents)
    applied.kubectl("apply", *SERVER_SIDE)
    first = applied.objects()
    assert within(overlay.documents, first) == overlay.documents

    applied.kubectl("apply", *SERVER_SIDE)
    assert applied.objects() == first
    assert applied.kubectl("diff", *SERVER_SIDE) == ""


def test_the_second_client_side_apply_changes_nothing(empty_plane: Plane, namespace: str, overlay: Overlay) -> None:
    empty_plane.add_crds(*overlay.crds)
    applied = Applied(empty_plane, namespace, overlay.documents)
    applied.kubectl("apply")
    first = applied.objects()
    assert within(overlay.documents, first) == overlay.documents

    lines = applied.kubectl("apply").splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == ["unchanged"] * len(overlay.documents), lines
    assert applied.objects() == first
    assert applied.kubectl("diff") == ""


def test_another_server_side_apply_changes_nothing_after_controllers_have_written_status(
    cluster: Cluster, overlay: Overlay,
) -> None:
    cluster.plane.add_crds(*overlay.crds)
    cluster.nodes(4, cpu="64", memory="512Gi", **{"nvidia.com/gpu": "8"})
    applied = Applied(cluster.plane, cluster.namespace, overlay.documents)
    applied.kubectl("apply", *SERVER_SIDE)
    for document in overlay.documents:
        if document["apiVersion"].startswith("scheduling.volcano.sh/"):  # as Volcano's scheduler would, which is not there
            cluster.api.patch("PodGroup", document["metadata"]["name"], {"status": {"phase": "Inqueue"}}, cluster.namespace,
                              document["apiVersion"])
    written = applied.settled(cluster)
    assert within(overlay.documents, written) == overlay.documents

    applied.kubectl("apply", *SERVER_SIDE)
    assert applied.objects() == written
    assert applied.kubectl("diff", *SERVER_SIDE) == ""


def test_where_the_server_fills_in_a_list_client_side_apply_writes_again_and_nothing_changes(
    empty_plane: Plane, namespace: str, tmp_path: Path, kustomize: str,
) -> None:
    applied = Applied(empty_plane, namespace, built(kustomize, rendered(tmp_path, [awkward()])))
    applied.kubectl("apply")
    first = applied.objects()
    assert within(applied.documents, first) == applied.documents
    assert "'protocol': 'TCP'" in str(first)

    assert "mpijob.kubeflow.org/awkward configured" in applied.kubectl("apply")
    assert applied.objects() == first
    assert applied.kubectl("diff") == applied.kubectl("diff", *SERVER_SIDE) == ""
    applied.kubectl("apply", *SERVER_SIDE)
    taken = applied.objects()
    applied.kubectl("apply", *SERVER_SIDE)
    assert applied.objects() == taken
