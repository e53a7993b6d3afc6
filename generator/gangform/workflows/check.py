"""Are the overlays fresh, do they build, are they valid, can the gangs start? Writes nothing."""

import posixpath
import shlex
from collections.abc import Iterator, Mapping, Sequence

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.contracts import Backend
from gangform.edges.kustomize import BuildError
from gangform.model.finding import Code, Finding, Location, Severity
from gangform.settings import Cluster, Kubeconform, Settings, Target, read_options
from gangform.workflows import configuration
from gangform.workflows.conforming import conform, news
from gangform.workflows.judging import judge_build, settled
from gangform.workflows.outcome import Checked, Outcome, OverlayChange, Progress
from gangform.workflows.overlays import Prepared, prepare
from gangform.workflows.render import count, to_enlist
from gangform.workflows.sources import Build, Shelf, build

CODES: Mapping[str, Code] = {
    "kubeconform": Code(Severity.ERROR, """kubeconform refuses an object that gangform's own checks let pass.

It reads the built overlay with the schemas that gangform ships and those that the settings name.

Mend: as the message says."""),
    "kustomize-build-failed": Code(Severity.ERROR, """kustomize cannot build a kustomization.

Whoever syncs this folder would fail in the same way.

Mend: run `kustomize build` on the folder that the message names."""),
    "component-not-listed": Code(Severity.WARNING, """A rendered component that no overlay lists.

A component does nothing until the overlay beside it names it under components.

Mend: add the line that the message shows, or run `gangform render --enlist`."""),
}


def check(
    targets: Sequence[Target],
    settings: Settings,
    *,
    kubeconform: Kubeconform,
    progress: Progress,
) -> Checked:
    """Compare every overlay with what rendering would write, build it and judge the result.

    Args:
        targets: the overlays.
        settings: severities and further schema locations.
        kubeconform: whether kubeconform must run, may run, or is left out.
        progress: told how far it is.

    Raises:
        InputError: a source is wrong or holds no job.
        ProgramError: kustomize or a required kubeconform is missing, failed or timed out.
    """
    shelf = Shelf()
    findings: list[Finding] = []
    prepared: list[Prepared] = []
    builds: list[Build] = []
    for done, target in enumerate(targets):
        progress("checking overlays", done, len(targets))
        prepared.append(prepare(shelf, target))
        findings += (*prepared[-1].findings, *_not_listed(shelf, target))
        try:
            built = _build(shelf, target)
        except BuildError as error:
            findings.append(_failed(target, error))
            continue
        if built is not None:
            builds.append(built)
            findings += judge_build(built, CATALOG, target.cluster)
    conformity = conform(builds, settings.schema_locations, kubeconform)
    counts = count(prepared)._replace(files=len(shelf.paths), builds=len(builds))
    merged = settled(pipeline.merge((*findings, *news(conformity, findings))), settings)
    changes = tuple(OverlayChange(one.target, one.changes) for one in prepared if one.changes)
    return Checked(
        Outcome(merged, counts, conformity.notes),
        changes,
        tuple(sorted(conformity.unchecked.items())),
        conformity.checked,
        _mend(settings, [change.target for change in changes]),
        len(prepared),
    )


def _not_listed(shelf: Shelf, target: Target) -> Iterator[Finding]:
    for folder, entry in to_enlist(shelf, target):
        here = shelf.kustomization(folder)
        if here is not None:
            yield Finding(Location(here.path, 1, 1, 1, 1), "component-not-listed", Severity.WARNING,
                          f"{folder} does not list the component {entry}, so its gangs are not formed",
                          f"add `- {entry}` under components:, or run gangform render --enlist")


def _build(shelf: Shelf, target: Target) -> Build | None:
    """Build what GitOps tooling would sync: the overlay, or the overlay that lists the component."""
    fresh = Shelf()
    if target.layout == "component":
        return None if to_enlist(shelf, target) else build(fresh, target.source, always=True)
    return build(fresh, target.path, always=True) if fresh.kustomization(target.path) else None


def _failed(target: Target, error: BuildError) -> Finding:
    folder = target.source if target.layout == "component" else target.path
    where = Location(posixpath.join(folder, "kustomization.yaml"), 1, 1, 1, 1)
    return Finding(where, "kustomize-build-failed", Severity.ERROR, error.message, error.hint)


def _mend(settings: Settings, drifted: Sequence[Target]) -> str:
    """Say the command that makes the overlays fresh."""
    if not drifted:
        return ""
    configured = configuration.targets(settings)
    if all(target in configured for target in drifted):
        return "gangform render"
    target = drifted[0]
    cluster, backend = target.cluster, CATALOG.backends[target.cluster.backend]
    words = ["gangform", "render", target.source]
    words += ["--cluster", cluster.name] if cluster.name else ["--backend", cluster.backend]
    words += {"component": ["--component"], "rendered": ["--rendered"]}.get(target.layout, [])
    if not cluster.name:
        words += ["--groups", cluster.groups] if cluster.groups != "git" else []
        words += [word for option in _options(cluster, backend) for word in ("--option", option)]
    words += ["--force"] if target.replace_scheduler else []
    return shlex.join([*words, "-o", target.path])


def _options(cluster: Cluster, backend: Backend) -> Iterator[str]:
    """Spell the options that differ from the backend's defaults as the command line takes them."""
    defaults, _ = read_options({}, backend)
    for name, value in sorted(cluster.options.items()):
        if isinstance(value, Mapping):
            yield from (f"{name}={key}={text}" for key, text in sorted(value.items()))
        elif value != defaults.get(name):
            yield f"{name}={value}"
