"""Documents to subjects, a scene, and what the schema, the kinds and the rules say about them.

Pure, and handed its catalog. A plug-in states a problem at a pointer of its own subject; this module adds
id, severity and object. Where that is in a text is decided last, by whoever knows the texts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from gangform import schema
from gangform.contracts import Backend, Catalog, Kind, Scene, Subject
from gangform.model.finding import Code, Finding, Location, Problem, Severity, order
from gangform.model.gang import Bond
from gangform.model.source import Document
from gangform.model.workload import Ref, Workload, identify
from gangform.settings import Cluster

Key = TypeVar("Key")

CODES: Mapping[str, Code] = {
    "api-version-unsupported": Code(Severity.ERROR, """An MPIJob of an API that mpi-operator no longer serves.

gangform and mpi-operator 0.3 and later speak kubeflow.org/v2beta1. The older versions have other fields in
other places, so nothing else is checked in such a document.

Mend: move the job to kubeflow.org/v2beta1; the message names what moves."""),
}


class Statement(NamedTuple):
    """A problem with its rule, severity and object, before it is known where that is in a text."""

    document: Document
    ref: Ref
    rule: str
    severity: Severity
    problem: Problem


class Inspected(NamedTuple):
    """An object that passed its checks, or that has none."""

    document: Document
    subject: Subject


class Inspection(NamedTuple):
    """What single objects say, before they are looked at together.

    Attributes:
        objects: the sound ones, in input order; those of foreign APIs among them.
        statements: what is wrong with single objects.
        broken: documents of our APIs that failed or are templated; nothing more is said of them.
        templated: how many of the broken ones are templates.
    """

    objects: tuple[Inspected, ...] = ()
    statements: tuple[Statement, ...] = ()
    broken: tuple[Document, ...] = ()
    templated: int = 0

    @property
    def jobs(self) -> tuple[Inspected, ...]:
        """The sound jobs."""
        return tuple(item for item in self.objects if item.subject.workload is not None)

    @property
    def groups(self) -> tuple[Inspected, ...]:
        """The sound group objects."""
        return tuple(item for item in self.objects if item.subject.gang is not None)


def inspect(documents: Iterable[Document], catalog: Catalog) -> Inspection:
    """Check every document alone: API, schema, what its operator refuses."""
    groups = {backend.GROUP_API: backend for backend in catalog.backends.values()}
    objects: list[Inspected] = []
    statements: list[Statement] = []
    broken: list[Document] = []
    templated = 0
    for document in documents:
        ref = identify(document.data)
        api = (ref.api_version, ref.kind)
        kind, backend = catalog.kinds.get(api), groups.get(api)
        said = [Statement(document, ref, problem.code, severity, problem)
                for problem, severity in _problems(document.data, ref, kind, catalog)]
        statements += said
        if any(statement.rule == "templated" for statement in said):
            templated += 1
            broken.append(document)
        elif any(statement.severity is Severity.ERROR for statement in said):
            broken.append(document)
        else:
            objects.append(Inspected(document, _subject(document.data, ref, kind, backend, catalog)))
    return Inspection(tuple(objects), tuple(statements), tuple(broken), templated)


def _problems(
    data: Mapping[str, Any], ref: Ref, kind: Kind | None, catalog: Catalog
) -> Iterator[tuple[Problem, Severity]]:
    legacy = _legacy(ref, catalog)
    if legacy:
        problem = Problem(("apiVersion",), f"{ref.api_version} {ref.kind} is {legacy[0]}", legacy[1])
        yield problem._replace(code="api-version-unsupported"), Severity.ERROR
        return
    name = schema.name_of(ref.api_version, ref.kind)
    if name is None:
        return
    found = schema.check(data, name, kind.MOVES if kind else {})
    yield from ((problem, schema.CODES[problem.code].severity) for problem in found)
    if found:
        return
    if kind is not None:
        for problem in kind.check(schema.prune(data)):
            yield problem, problem.severity or kind.CODES[problem.code].severity


def _legacy(ref: Ref, catalog: Catalog) -> tuple[str, str] | None:
    for (api_version, name), kind in catalog.kinds.items():
        same = ref.kind == name and ref.group == api_version.rpartition("/")[0]
        if same and ref.api_version != api_version:
            known = kind.LEGACY.get(ref.api_version)
            return ("an API of an old operator", known) if known else (
                "no API that is known here", f"the version that is served is {api_version}")
    return None


def _subject(
    data: Mapping[str, Any], ref: Ref, kind: Kind | None, backend: Backend | None, catalog: Catalog
) -> Subject:
    if kind is None and backend is None:
        return Subject(ref, data)
    pruned = schema.prune(data)
    if backend is not None:
        return Subject(ref, pruned, gang=backend.read_group(pruned))
    workload = kind.read(pruned) if kind else None
    return Subject(ref, pruned, workload, bonds=tuple(bonds(workload, catalog.backends)) if workload else ())


def bonds(workload: Workload, backends: Mapping[str, Backend]) -> Iterator[Bond]:
    """Find every backend's mark on a job's templates."""
    for role in workload.roles:
        for name, backend in backends.items():
            labelled = backend.MARK.holder == "labels"
            group = (role.labels if labelled else role.annotations).get(backend.MARK.key)
            if isinstance(group, str):
                place = role.places.labels if labelled else role.places.annotations
                yield Bond(role.name, name, group, (*place, backend.MARK.key))


def assemble(
    inspection: Inspection, catalog: Catalog, *, whole: bool, cluster: Cluster | None = None
) -> Scene:
    """Put the sound objects side by side, indexed by what binds them."""
    subjects = tuple(item.subject for item in inspection.objects)
    by_kind: dict[tuple[str, str], list[Subject]] = {}
    gangs: dict[tuple[str, str, str], Subject] = {}
    bound: dict[tuple[str, str, str], list[Subject]] = {}
    for subject in subjects:
        by_kind.setdefault((subject.ref.group, subject.ref.kind), []).append(subject)
        if subject.gang is not None:
            gangs.setdefault((subject.gang.backend, subject.ref.namespace, subject.ref.name), subject)
        for backend, group, _ in subject.bound_roles():
            bound.setdefault((backend, subject.ref.namespace, group), []).append(subject)
    mentioned = frozenset(_mentions(inspection, catalog.backends)) if gangs else frozenset()
    scene = Scene(subjects, _frozen(by_kind), gangs, _frozen(bound), mentioned, catalog.backends, whole)
    if cluster is None:
        return scene
    return scene._replace(backend=cluster.backend, groups=cluster.groups, options=cluster.options,
                          versions=cluster.versions)


def _frozen(lists: Mapping[Key, Sequence[Subject]]) -> dict[Key, tuple[Subject, ...]]:
    return {key: tuple(subjects) for key, subjects in lists.items()}


def _mentions(inspection: Inspection, backends: Mapping[str, Backend]) -> Iterator[tuple[str, str, str]]:
    """Find marks on objects of kinds that are not known here, and on broken jobs."""
    marks = {backend.MARK.key: name for name, backend in backends.items()}
    strangers = [item.document.data for item in inspection.objects
                 if item.subject.workload is None and item.subject.gang is None]
    for data in (*strangers, *(document.data for document in inspection.broken)):
        namespace = identify(data).namespace
        stack: list[Any] = [data]
        while stack:
            value = stack.pop()
            if isinstance(value, dict):
                stack.extend(value.values())
                yield from ((marks[key], namespace, value[key]) for key in marks.keys() & value.keys()
                            if isinstance(value[key], str))
            elif isinstance(value, list):
                stack.extend(value)


def judge(inspection: Inspection, scene: Scene, catalog: Catalog) -> tuple[Statement, ...]:
    """Let every rule speak about every object; of two that speak of one gang the more specific stays."""
    said = [
        (item.subject, Statement(item.document, item.subject.ref, name, problem.severity or rule.SEVERITY, problem))
        for item in inspection.objects
        for name, rule in catalog.rules.items()
        for problem in rule.check(item.subject, scene)
    ]
    told: dict[str, set[tuple[str, str]]] = {}
    for subject, statement in said:
        told.setdefault(statement.rule, set()).update(subject.gang_names)
    return tuple(
        statement for subject, statement in said
        if not any(subject.gang_names & told.get(stronger, set())
                   for stronger in catalog.yields.get(statement.rule, ()))
    )


def settle(
    statements: Iterable[Statement], locate: Callable[[Document, Problem], Location], build: str = ""
) -> Iterator[Finding]:
    """Give every statement its place in a text; ``build`` names the build that shows it."""
    for document, ref, rule, severity, problem in statements:
        yield Finding(locate(document, problem), rule, severity, problem.message, problem.hint, ref,
                      (build,) if build else (), problem.edit)


def merge(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings and leave one for each rule and author's place, with the builds that show it."""
    merged: dict[tuple[Any, ...], Finding] = {}
    for finding in sorted(findings, key=order):
        where = finding.location
        key = (where[:3], where.pointer, finding.rule, None if where.line else finding.subject)
        seen = merged.get(key, finding)
        merged[key] = seen._replace(builds=tuple(sorted({*seen.builds, *finding.builds})))
    return tuple(merged.values())
