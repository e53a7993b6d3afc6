"""The frozen values that gangform.yaml becomes."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from gangform.contracts import Groups
from gangform.model.finding import Severity
from gangform.model.tree import Layout

Kubeconform = Literal["auto", "require", "off"]


class Cluster(NamedTuple):
    """A place where jobs run.

    Attributes:
        name: as users write it; empty when only a backend was given on the command line.
        backend: name of the backend.
        options: checked values of the backend's options.
        versions: component to version text.
        priorities: PriorityClass name to value.
        queues: names of the queues that it has; empty when the settings do not say.
    """

    name: str
    backend: str
    groups: Groups = "git"
    options: Mapping[str, Any] = {}
    versions: Mapping[str, str] = {}
    priorities: Mapping[str, int] = {}
    queues: frozenset[str] = frozenset()


class Target(NamedTuple):
    """One overlay: what is read, where it goes, in which shape.

    Attributes:
        source, path: folders with ``/``, relative to the folder of gangform.yaml (or as typed
            on the command line); may hold ``{captures}`` until they are expanded.
        replace_scheduler: whether a foreign schedulerName is replaced (``--force``).
        values: values files of a chart, as paths like ``source``; in settings relative to the chart
            until they are expanded.
        release, namespace: what a chart is rendered for; empty for the chart's name and ``default``.
    """

    cluster: Cluster
    source: str
    path: str
    layout: Layout = "kustomization"
    replace_scheduler: bool = False
    values: tuple[str, ...] = ()
    release: str = ""
    namespace: str = ""


class RulesAt(NamedTuple):
    """Severities and rules that are off, for paths that match one of the patterns."""

    paths: tuple[str, ...]
    off: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] = {}


class Settings(NamedTuple):
    """All that gangform.yaml says.

    Attributes:
        path: the file as shown to users, or empty when there is none.
        folder: its folder, relative to the working folder, with ``/``; ``.`` when there is none.
        schema_locations: further kubeconform schema locations, as written.
        kubeconform: whether check needs kubeconform.
        priorities: PriorityClass name to value, for every cluster (clusters hold them already).
    """

    path: str = ""
    folder: str = "."
    clusters: Mapping[str, Cluster] = {}
    overlays: tuple[Target, ...] = ()
    rules: tuple[RulesAt, ...] = ()
    schema_locations: tuple[str, ...] = ()
    kubeconform: Kubeconform = "auto"
    priorities: Mapping[str, int] = {}

    @property
    def groups(self) -> Groups | None:
        """Who makes the groups in every cluster; None where the clusters differ, or there is none."""
        said = {cluster.groups for cluster in self.clusters.values()}
        return said.pop() if len(said) == 1 else None
