"""What Argo CD's plugin protocol asks for: the manifests of an Application, and whether it is one of ours."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, cast, get_args

from gangform.catalog import CATALOG
from gangform.contracts import Groups
from gangform.edges import disk, walking
from gangform.hosts import argocd
from gangform.hosts.argocd import Request
from gangform.model.errors import InputError
from gangform.overlay.layout import manifests
from gangform.settings import Cluster, Settings, Target
from gangform.workflows import configuration, origin
from gangform.workflows.judging import Control, conclude
from gangform.workflows.outcome import Outcome
from gangform.workflows.overlays import settle
from gangform.workflows.sources import Build, Shelf, build

_SOURCE = "."
"""Argo CD starts a plugin in the Application's folder."""

_FAR = 32
"""Folders above the source that are looked into for settings when Argo CD does not say how deep it lies."""


class Generated(NamedTuple):
    """The answer of ``generate``.

    Attributes:
        text: the manifests; empty when errors stand in the way.
    """

    outcome: Outcome
    text: str = ""


def generate(environment: Mapping[str, str]) -> Generated:
    """Make the manifests of an Application: every object of its folder, its jobs started as gangs.

    Args:
        environment: of the process, as Argo CD sets it.

    Raises:
        InputError: a parameter is wrong, a file lies outside of the checkout, or there is no object.
        ProgramError: the folder needs kustomize or helm, which is missing or failed.
    """
    request = argocd.read(environment, CATALOG.backends)
    settings = _settings(request)
    cluster = _cluster(settings, request)
    if cluster is None:
        named = f": {', '.join(settings.clusters)}" if settings.clusters else ""
        raise InputError("nothing says for which scheduler the jobs are",
                         f"give the Application the parameter backend, or cluster with a name of gangform.yaml{named}")
    shelf, control = Shelf(), Control(settings)
    try:
        built = _obtain(shelf, request, cluster)
    finally:
        # What is wrong with a file outside must not be told either: that would show its lines.
        _refuse_outside((*shelf.paths, *request.values), request)
    origin.require_objects(built.documents)
    target = Target(cluster, _SOURCE, _SOURCE, "rendered")
    settled = settle(shelf, target, built, control)
    outcome = conclude((), settled.judged, control, settled.counts)
    if settled.refused:
        return Generated(outcome)
    text = manifests(settled.jobs, settled.others)
    if not text:
        raise InputError("the Application's folder holds no object, and with nothing to keep Argo CD would delete all",
                         "check the path of the Application")
    return Generated(outcome, text)


def discover(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files of the Application's folder that hold jobs for gangform to start; runs no program.

    None count where nothing says which scheduler is meant, or where gangform has already written the gangs:
    Argo CD asks every plugin about every Application.

    Raises:
        InputError: a parameter or the settings file is wrong, or a file cannot be read.
    """
    request = argocd.read(environment, CATALOG.backends)
    if _cluster(_settings(request), request) is None:
        return ()
    shelf = Shelf()
    return tuple(dict.fromkeys(path for path in _candidates(shelf) if _holds_job(shelf, path)))


def _settings(request: Request) -> Settings:
    depth = _depth(request)
    return configuration.load(None, above=_FAR if depth is None else depth)


def _depth(request: Request) -> int | None:
    """Return how many folders above the source belong to the checkout; None when Argo CD does not say.

    Behind a link nobody can tell, so that only the folder itself counts: the folders above are other ones.
    """
    if request.path is None:
        return None
    if not f"{disk.real(_SOURCE)}/".endswith(f"/{request.path}/"):
        return 0
    return request.path.count("/") + bool(request.path)


def _cluster(settings: Settings, request: Request) -> Cluster | None:
    """Return the cluster that is asked for, else the only one of the settings, else None."""
    if request.cluster and request.backend:
        raise InputError("the parameters cluster and backend exclude each other",
                         "a cluster of gangform.yaml already names its backend")
    if request.groups not in {"", *get_args(Groups)}:
        raise InputError(f"the parameter groups is {request.groups!a}", f"write {' or '.join(get_args(Groups))}")
    name = request.cluster or None
    if not (name or request.backend) and len(settings.clusters) == 1:
        name = next(iter(settings.clusters))
    if not (name or request.backend):
        return None
    groups = cast("Groups | None", request.groups or None)
    return configuration.select(settings, name, request.backend or None, request.options, groups)


def _obtain(shelf: Shelf, request: Request, cluster: Cluster) -> Build:
    here = shelf.kustomization(_SOURCE)
    if here is None and disk.is_chart(_SOURCE):
        from gangform.edges import helm
        from gangform.workflows import charts

        _refuse_outside(helm.find_links(_SOURCE), request)
        return charts.build(shelf, _SOURCE, helm.Release(
            request.release or request.application, request.namespace or request.destination or "default",
            request.values, request.kube_version or cluster.versions.get("kubernetes", ""), request.api_versions))
    for name in ("values", "release", "namespace"):
        if getattr(request, name):
            raise InputError(f"the Application's folder is no Helm chart, so it takes no parameter {name}",
                             "take the parameter out")
    return build(shelf, _SOURCE) if here else origin.read_loose(shelf, _SOURCE, lambda _path: False)


def _refuse_outside(paths: Iterable[str], request: Request) -> None:
    depth = _depth(request)
    if depth is None:
        return
    top = posixpath.join(_SOURCE, *[".."] * depth)
    linked = request.path and not depth
    for path in paths:
        if not disk.is_within(path, top):
            raise InputError(*(
                (f"{path} lies outside of the Application's folder, and the folder's path leads through a link",
                 "let the Application name the folder that the link leads to") if linked else
                (f"{path} lies outside of the checkout", "name files of the repository only")))


def _candidates(shelf: Shelf) -> Iterator[str]:
    layers = tuple(shelf.walk(_SOURCE))
    if any(shelf.is_generated(layer.path) for layer in layers):
        return
    if layers:
        yield from shelf.resource_files(_SOURCE)
    else:
        yield from walking.walk(_SOURCE).files


def _holds_job(shelf: Shelf, path: str) -> bool:
    # Most folders hold none, and to look for a word is much cheaper than to read YAML.
    data = disk.read_bytes(path)
    if not any(kind.encode() in data for _, kind in CATALOG.kinds) or shelf.is_generated(path):
        return False
    reading = shelf.read(path)
    if any((document.data.get("apiVersion"), document.data.get("kind")) in CATALOG.kinds
           for document in reading.documents):
        return True
    # A template of a chart is no document yet.
    return bool(reading.templated) and disk.is_chart(_SOURCE) and any(
        api in reading.source.text and f"kind: {kind}" in reading.source.text for api, kind in CATALOG.kinds)
