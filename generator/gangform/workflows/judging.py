"""What rules say of a scene, what the objects' annotations take away, and what counts in the end."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gangform import pipeline, schema, selection
from gangform.catalog import CATALOG
from gangform.contracts import Catalog, Scene
from gangform.model.finding import Finding, Location, Problem, Suppressed, order
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.pipeline import Inspection, Statement
from gangform.provenance import computed_from
from gangform.selection import EVERYTHING, Selection
from gangform.settings import Cluster, Settings
from gangform.workflows.outcome import Counts, LookedAt, Outcome
from gangform.workflows.sources import Build

if TYPE_CHECKING:
    from gangform.suppression import Use
    from gangform.workflows.revisions import Before, Earlier

Locate = Callable[[Document, Problem], Location]


class Control(NamedTuple):
    """Which ids count in this run.

    Attributes:
        settings: severities and switches by path.
        selection: what the command line says.
        catalog: every plug-in.
    """

    settings: Settings
    selection: Selection = EVERYTHING
    catalog: Catalog = CATALOG

    @property
    def narrowed(self) -> Catalog:
        """The catalog with the rules that may count."""
        return selection.narrow(self.catalog, self.selection, self.settings)

    def settle(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings that count, each with the severity that holds for its path."""
        return selection.settle(findings, self.selection, self.settings, self.catalog)


class Judged(NamedTuple):
    """What one scene says.

    Attributes:
        suppressed: taken away by annotations.
        uses: every such annotation, and what became of it.
        previews: what rules say that do not count yet.
        objects: the jobs and groups of a build.
    """

    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    uses: "tuple[Use, ...]" = ()
    previews: tuple[Finding, ...] = ()
    objects: tuple[LookedAt, ...] = ()


def judge(
    inspection: Inspection, scene: Scene | None, control: Control, locate: Locate, build: str = ""
) -> Judged:
    """Gather what objects say alone and, when there is a scene, what the rules say of them together.

    Args:
        inspection: the objects.
        scene: how they stand side by side; None when a build has looked at them already.
        control: which ids count.
        locate: the way from a value to its author.
        build: name of the build that holds them, or empty.
    """
    catalog = control.narrowed
    waiting = selection.previews(control.catalog, control.selection, control.settings)
    statements = inspection.statements
    previewed: tuple[Statement, ...] = ()
    if scene is not None:
        statements += pipeline.judge(inspection, scene, catalog)
        previewed = pipeline.judge(inspection, scene, waiting) if waiting.rules else ()
    judged = exempt(statements, inspection, scene, control, locate, build)
    return judged._replace(previews=tuple(pipeline.settle(previewed, locate, build)))


def exempt(
    statements: tuple[Statement, ...], inspection: Inspection, scene: Scene | None, control: Control,
    locate: Locate, build: str = "",
) -> Judged:
    """Take away what the objects' annotations exempt them from, and give the rest its places."""
    documents = (*inspection.objects, *inspection.held)
    broken = (*inspection.broken, *inspection.held_broken)
    if not any(map(selection.bears_ignore, (*(item.document for item in documents), *broken))):
        return Judged(tuple(pipeline.settle(statements, locate, build)))
    from gangform import suppression

    catalog = control.narrowed
    ran = {name: rule for name, rule in catalog.rules.items() if control.selection.allows(name)}
    verdict = suppression.apply(statements, inspection, scene, catalog._replace(rules=ran), _codes(control))
    suppressed = [Suppressed(finding, "annotation", reason) for statement, reason in verdict.suppressed
                  for finding in pipeline.settle([statement], locate, build)]
    uses = tuple(
        suppression.Use(locate(ignore.document, Problem(ignore.pointer, "", on="key")),
                        identify(ignore.document.data), ignore.rule, ignore.reason, state, build)
        for ignore, state in verdict.states)
    return Judged(tuple(pipeline.settle(verdict.kept, locate, build)), tuple(suppressed), uses)


def _codes(control: Control) -> Collection[str]:
    """The ids that are looked for in every object, whatever stands beside it."""
    tables = (schema.CODES, pipeline.CODES, *(kind.CODES for kind in control.catalog.kinds.values()))
    return {code for table in tables for code in table if control.selection.allows(code)}


def judge_build(
    built: Build, cluster: Cluster | None, control: Control, earlier: "Earlier | None" = None,
) -> Judged:
    """Check every object of a build alone and together; findings point at their authors' lines.

    Args:
        built: the build.
        cluster: what it is meant for, when that is known.
        control: which ids count.
        earlier: the revision to compare with, if any.
    """
    inspection = pipeline.inspect(built.scene, control.catalog, embedded=True)
    alone = built.files == (built.folder,)
    whole = not inspection.templated and not alone
    making = _making(built, earlier.of_build(built.folder) if earlier else None)
    if earlier:
        making = making._replace(revision=earlier.revision)
    scene = pipeline.assemble(inspection, control.catalog, whole=whole, cluster=cluster, making=making,
                              groups=control.settings.groups)
    locator = _Locator(built, inspection, control.catalog, cluster)
    judged = judge(inspection, scene, control, locator, "" if alone else built.folder)
    return judged._replace(objects=tuple(look_at(inspection, built.folder)))


def _making(built: Build, before: "Before | None") -> pipeline.Making:
    """Tell what a build was made from; patches inside kustomizations are left to the scene."""
    if built.chain is None:
        return pipeline.Making(before=before)
    patches = tuple(one.patch for one in built.chain.patches if not one.at)
    written: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for document in (document for documents in built.chain.origins.values() for document in documents):
        ref = identify(document.data)
        written.setdefault((ref.group, ref.kind), []).append(document.data)
    return pipeline.Making(patches, {api: tuple(objects) for api, objects in written.items()}, before)


class _Locator:
    """The way from a built value to its author."""

    def __init__(
        self, built: Build, inspection: Inspection, catalog: Catalog, cluster: Cluster | None
    ) -> None:
        self._built = built
        self._catalog = catalog
        self._cluster = cluster
        self._jobs: dict[str, dict[str, Document]] = {}
        for item in inspection.jobs:
            self._jobs.setdefault(item.subject.ref.namespace, {})[item.subject.ref.name] = item.document

    def __call__(self, document: Document, problem: Problem) -> Location:
        jobs = self._jobs.get(identify(document.data).namespace, {})
        source = computed_from(document, jobs, self._catalog, self._cluster, problem.pointer)
        if source is None:
            return self._built.locate(document, problem)
        return self._built.locate(source[0], problem._replace(pointer=source[1]))


def look_at(inspection: Inspection, build: str = "") -> Iterator[LookedAt]:
    """Yield the jobs and groups of an inspection, the broken ones too."""
    for item in (*inspection.jobs, *inspection.groups):
        yield LookedAt(build or item.document.source.name, item.subject.ref, item.subject.workload)
    for document in inspection.broken:
        yield LookedAt(build or document.source.name, identify(document.data))


def conclude(
    findings: Iterable[Finding], judged: Sequence[Judged], control: Control, counts: Counts,
    notes: tuple[str, ...] = (),
) -> Outcome:
    """Put everything that a run has found together: what counts, what does not, each told once.

    Args:
        findings: beside those of the scenes.
        judged: the scenes.
        control: which ids count.
        counts: how much was looked at.
        notes: sentences for stderr.
    """
    said = [*findings, *(finding for one in judged for finding in one.findings)]
    uses = [use for one in judged for use in one.uses]
    if uses:
        from gangform import suppression
        from gangform.workflows import explain

        said += suppression.report(uses, {name for name, _, _ in explain.listing()})
    suppressed = _merge_suppressed((one for scene in judged for one in scene.suppressed), control)
    previews = pipeline.merge(finding for one in judged for finding in one.previews)
    return Outcome(pipeline.merge(control.settle(said)), counts, (*notes, *_preview_note(previews)), suppressed)


def _merge_suppressed(suppressed: Iterable[Suppressed], control: Control) -> tuple[Suppressed, ...]:
    by_reason: dict[str, list[Finding]] = {}
    for one in suppressed:
        by_reason.setdefault(one.reason, []).append(one.finding)
    merged = [Suppressed(finding, "annotation", reason) for reason, findings in by_reason.items()
              for finding in pipeline.merge(control.settle(findings))]
    return tuple(sorted(merged, key=lambda one: (order(one.finding), one.reason)))


def _preview_note(findings: Sequence[Finding]) -> Iterator[str]:
    if findings:
        rules = sorted({finding.rule for finding in findings})
        yield (f"{len(rules)} new rule{'s' * (len(rules) != 1)} in preview would report {len(findings)} "
               f"finding{'s' * (len(findings) != 1)} ({', '.join(rules)}); --preview lets them count")
