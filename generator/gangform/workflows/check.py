"""Are the overlays fresh, do they build, are they valid, can the gangs start? Writes nothing."""

import posixpath
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gangform.catalog import CATALOG
from gangform.contracts import Backend
from gangform.edges import kustomize
from gangform.edges.kustomize import BuildError
from gangform.model.finding import Finding, Location, Severity
from gangform.selection import EVERYTHING, Selection
from gangform.settings import Cluster, Kubeconform, Settings, Target, read_options
from gangform.workflows import affected, configuration, failing, leftovers, revisions
from gangform.workflows.codes import CODES
from gangform.workflows.conforming import Conformity, conform, exempt_from_second_opinion, news
from gangform.workflows.judging import Control, Judged, conclude, judge_build
from gangform.workflows.outcome import Checked, OverlayChange, Progress
from gangform.workflows.overlays import Prepared, prepare
from gangform.workflows.render import count, to_enlist
from gangform.workflows.sources import Build, Shelf, build

if TYPE_CHECKING:
    from gangform.workflows.revisions import Earlier

_DRIFT: Mapping[str, str] = {
    "new": "rendering would write this file, which is missing",
    "changed": "rendering would write this file otherwise",
    "deleted": "rendering would delete this file",
}


class _Examined(NamedTuple):
    """What was found in the overlays; ``files`` is how many were read for them."""

    prepared: tuple[Prepared, ...]
    builds: tuple[Build, ...]
    judged: tuple[Judged, ...]
    findings: tuple[Finding, ...]
    files: int


def check(
    targets: Sequence[Target],
    settings: Settings,
    *,
    kubeconform: Kubeconform,
    progress: Progress,
    changed_since: str | None = None,
    selection: Selection = EVERYTHING,
    must_build: bool = True,
) -> Checked:
    """Compare every overlay with what rendering would write, build it and judge the result.

    Args:
        targets: the overlays.
        settings: severities and further schema locations.
        kubeconform: whether kubeconform must run, may run, or is left out.
        progress: told how far it is.
        changed_since: the git revision to compare the builds with, if any; overlays whose inputs are the same are
            left out.
        selection: ids that the command line names.
        must_build: whether it is an error that there is no program to build with.

    Raises:
        InputError: a source is wrong or holds no job, or the revision is unknown.
        ProgramError: kustomize or a required kubeconform is missing, failed or timed out.
    """
    control = Control(settings, selection)
    orphans = tuple(leftovers.find(Shelf(), settings, targets))
    with revisions.earlier(changed_since) as earlier:
        targets, notes = affected.choose(earlier.changes(settings), targets) if earlier else (targets, ())
        building = must_build or kustomize.find() is not None
        examined = _examine(targets, control, earlier, progress, building=building)
    examined = examined._replace(findings=(*examined.findings, *orphans))
    if not building:
        notes = (*notes, "the overlays were compared and not built: neither kustomize nor kubectl is on PATH")
    return _conclude(examined, control, conform(examined.builds, settings.schema_locations, kubeconform), notes)


def _conclude(examined: _Examined, control: Control, conformity: Conformity, notes: tuple[str, ...]) -> Checked:
    """Put together what the overlays, the rules and kubeconform say."""
    told = [finding for one in examined.judged for finding in one.findings]
    second = exempt_from_second_opinion(news(conformity, told), examined.builds)
    counts = count(examined.prepared)._replace(files=examined.files, builds=len(examined.builds))
    outcome = conclude(examined.findings, (*examined.judged, second), control, counts,
                       (*notes, *conformity.notes))
    changes = tuple(OverlayChange(one.target, one.changes) for one in examined.prepared if one.changes)
    return Checked(
        outcome._replace(objects=tuple(one for judged in examined.judged for one in judged.objects)),
        changes,
        tuple(sorted(conformity.unchecked.items())),
        conformity.checked,
        _mend(control.settings, [change.target for change in changes]),
        len(examined.prepared),
    )


def _examine(
    targets: Sequence[Target], control: Control, earlier: "Earlier | None", progress: Progress, *, building: bool
) -> _Examined:
    """Prepare every overlay anew, build it as it is, and judge both."""
    shelf = Shelf()
    findings: list[Finding] = []
    judged: list[Judged] = []
    prepared: list[Prepared] = []
    builds: list[Build] = []
    for done, target in enumerate(targets):
        progress("checking overlays", done, len(targets))
        folder = target.source
        try:
            prepared.append(prepare(shelf, target, control))
            judged += prepared[-1].judged
            findings += _not_listed(shelf, target)
            folder = target.source if target.layout == "component" else target.path
            built = _build(shelf, target) if building else None
        except BuildError as error:
            findings.append(failing.report(shelf, folder, error))
            continue
        if built is not None:
            builds.append(built)
            judged.append(judge_build(built, target.cluster, control, earlier))
    return _Examined(tuple(prepared), tuple(builds), tuple(judged), tuple(findings), len(shelf.paths))


def _not_listed(shelf: Shelf, target: Target) -> Iterator[Finding]:
    for folder, entry in to_enlist(shelf, target):
        here = shelf.kustomization(folder)
        if here is not None:
            code = "component-not-listed"
            yield Finding(Location(here.path, 1, 1, 1, 1), code, CODES[code].severity,
                          f"{folder} does not list the component {entry}, so its gangs are not formed",
                          f"add `- {entry}` under components:, or run gangform render --enlist")


def _build(shelf: Shelf, target: Target) -> Build | None:
    """Build what GitOps tooling would sync: the overlay, or the overlay that lists the component."""
    fresh = Shelf()
    if target.layout == "component":
        return None if to_enlist(shelf, target) else build(fresh, target.source, always=True)
    return build(fresh, target.path, always=True) if fresh.kustomization(target.path) else None


def drift(checked: Checked) -> tuple[Finding, ...]:
    """Tell every file that is not fresh as a finding, for reports that know nothing else."""
    return tuple(
        Finding(Location(posixpath.join(overlay.target.path, change.path), 1, 1, 1, 1), "overlay-drifted",
                Severity.ERROR, _DRIFT[change.kind], f"run {checked.mend}")
        for overlay in checked.overlays for change in overlay.changes)


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
    words += [word for name in target.values for word in ("--values", name)]
    words += [word for option, text in (("--release", target.release), ("--namespace", target.namespace)) if text
              for word in (option, text)]
    return shlex.join([*words, "-o", target.path])


def _options(cluster: Cluster, backend: Backend) -> Iterator[str]:
    """Spell the options that differ from the backend's defaults as the command line takes them."""
    defaults, _ = read_options({}, backend)
    for name, value in sorted(cluster.options.items()):
        if isinstance(value, Mapping):
            yield from (f"{name}={key}={text}" for key, text in sorted(value.items()))
        elif value != defaults.get(name):
            yield f"{name}={value}"
