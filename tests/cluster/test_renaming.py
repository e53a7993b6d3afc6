"""Whoever renames our overlays with kustomize gets gangs of the new names, which run."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.plane import COSCHEDULER
from cluster.repositories import built, gangform, job, rendered, write

MARK = "scheduling.x-k8s.io/pod-group"
WHOLE, NOTHING = Bound(1, 4), Bound(0, 0)


def team(folder: Path) -> str:
    """A team's overlay of a job, which renames it."""
    write(folder / "base" / "job.yaml", job("pi"))
    write(folder / "base" / "kustomization.yaml", {"resources": ["job.yaml"]})
    write(folder / "team" / "kustomization.yaml", {"namePrefix": "team-", "resources": ["../base"]})
    return "team"


def kustomization(folder: Path) -> Path:
    """Our overlay stands on top of the team's."""
    gangform(["render", team(folder), "--backend", "coscheduling", "-o", "ours"], folder)
    return folder / "ours"


def component(folder: Path) -> Path:
    """The team's overlay lists our component."""
    gangform(["render", team(folder), "--backend", "coscheduling", "--component", "--enlist", "-o", "team/gang"], folder)
    return folder / "team"


def stacked(kustomize: str, below: Path) -> list[Document]:
    """One more layer, which renames everything once more and moves it to a namespace of its own."""
    write(below.parent / "top" / "kustomization.yaml", {
        "namePrefix": "dev-", "nameSuffix": "-2", "namespace": "vision", "resources": [f"../{below.name}"],
    })
    return built(kustomize, below.parent / "top")


@pytest.mark.parametrize("layout", [kustomization, component])
def test_a_layer_that_renames_and_moves_our_overlay_gets_a_gang_that_runs_whole(
    cluster: Cluster, tmp_path: Path, kustomize: str, layout: Callable[[Path], Path],
) -> None:
    documents = stacked(kustomize, layout(tmp_path))
    cluster.nodes(4, cpu="4")
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "vision"}}, *documents)

    cluster.until(lambda: cluster.running("dev-team-pi-2", "vision") == WHOLE, "the gang runs")
    pods = cluster.pods("dev-team-pi-2", namespace="vision")
    assert {pod["metadata"]["labels"][MARK] for pod in pods} == {"dev-team-pi-2"}
    assert {pod["spec"]["schedulerName"] for pod in pods} == {COSCHEDULER}
    assert [group["metadata"]["name"] for group in cluster.api.list("PodGroup")] == ["dev-team-pi-2"]


def test_without_our_references_a_renamed_gang_looks_for_its_group_in_vain(
    cluster: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    overlay = rendered(tmp_path, [job("pi")])
    ours = yaml.safe_load((overlay / "kustomization.yaml").read_text())
    write(overlay / "kustomization.yaml", {key: value for key, value in ours.items() if key != "configurations"})
    documents = stacked(kustomize, overlay)
    cluster.nodes(4, cpu="4")
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "vision"}}, *documents)

    def why() -> list[str]:
        return list(cluster.reasons("dev-pi-2", "vision").values())

    cluster.until(lambda: ["PodGroup not found" in line for line in why()] == [True] * 5, "all pods look for their group")
    cluster.stays(lambda: cluster.bound("dev-pi-2", "vision") == NOTHING, "none is bound", 5)
