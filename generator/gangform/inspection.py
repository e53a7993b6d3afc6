"""Single objects: what the schema and the kinds say about each, and what it is to the rules.

Pure, and handed its catalog. A plug-in states a problem at a pointer of its own subject; this module adds
id, severity and object.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gangform import embedding, schema
from gangform.contracts import Backend, Catalog, Kind, Subject
from gangform.model.finding import Code, Problem, Severity
from gangform.model.gang import Bond
from gangform.model.pointer import Pointer
from gangform.model.source import Document
from gangform.model.workload import Held, Ref, Role, Workload, identify

CODES: Mapping[str, Code] = {
    "timeout-on-volcano": Code(Severity.ERROR, """A Volcano PodGroup with scheduleTimeoutSeconds.

Volcano looks again in every cycle and never times out; its PodGroup has no such field (volcano-sh/volcano
config/crd/volcano/bases/scheduling.volcano.sh_podgroups.yaml, in every release). The API server refuses the
object, or drops the field where validation is not strict.

Mend: delete the line; the field belongs to coscheduling's PodGroup."""),
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
        held: the sound objects inside others, which are made at run time.
        held_broken: jobs inside others that failed or are templated.
        held_templated: how many of these are templates.
    """

    objects: tuple[Inspected, ...] = ()
    statements: tuple[Statement, ...] = ()
    broken: tuple[Document, ...] = ()
    templated: int = 0
    held: tuple[Inspected, ...] = ()
    held_broken: tuple[Document, ...] = ()
    held_templated: int = 0

    @property
    def jobs(self) -> tuple[Inspected, ...]:
        """The sound jobs."""
        return tuple(item for item in self.objects if item.subject.workload is not None)

    @property
    def groups(self) -> tuple[Inspected, ...]:
        """The sound group objects."""
        return tuple(item for item in self.objects if item.subject.gang is not None)

    @property
    def priorities(self) -> dict[str, int]:
        """PriorityClass name to value, of the classes at hand."""
        classes = (item.subject for item in self.objects if item.subject.ref.kind == "PriorityClass")
        return {subject.ref.name: value for subject in classes if isinstance(value := subject.data.get("value"), int)}


_HOST_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


def inspect(documents: Iterable[Document], catalog: Catalog, *, embedded: bool = False) -> Inspection:
    """Check every document alone: API, schema, what its operator refuses.

    Args:
        documents: of one scene.
        catalog: every plug-in.
        embedded: whether objects inside others (see ``embedding``) are checked, too.
    """
    own, held = _Collector(catalog), _Collector(catalog)
    apis = {(version.rpartition("/")[0], kind) for version, kind in catalog.kinds} | embedding.CONFIGURATIONS
    for document in documents:
        inside = tuple(embedding.find(document, apis)) if embedded else ()
        own.take(document, held=tuple(_hold(item, catalog) for item in inside if _is_job(item.document, catalog)))
        holder = identify(document.data)
        for item in inside:
            if item.templated:
                held.leave(item.document, holder)
            else:
                held.take(item.document, holder=holder)
    return Inspection(tuple(own.objects), (*own.statements, *held.statements), tuple(own.broken), own.templated,
                      tuple(held.objects), tuple(held.broken), held.templated)


def _is_job(document: Document, catalog: Catalog) -> bool:
    ref = identify(document.data)
    return any((ref.group, ref.kind) == (version.rpartition("/")[0], kind) for version, kind in catalog.kinds)


def _hold(item: embedding.Embedded, catalog: Catalog) -> Held:
    marks = {backend.MARK.key for backend in catalog.backends.values()}
    marked = any(name in marks for name, _ in walk(item.document.data))
    ref = identify(item.document.data)
    return Held(item.document.held_at, ref._replace(name="") if item.templated else ref, marked)


def walk(data: Any) -> Iterator[tuple[str, Any]]:
    """Yield every key and value of every map, however deep."""
    stack: list[Any] = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack.extend(value.values())
            yield from value.items()
        elif isinstance(value, list):
            stack.extend(value)


class _Collector:
    """Sorts objects into sound and broken ones."""

    def __init__(self, catalog: Catalog) -> None:
        self.objects: list[Inspected] = []
        self.statements: list[Statement] = []
        self.broken: list[Document] = []
        self.templated = 0
        self._catalog = catalog
        self._groups = {backend.GROUP_API: backend for backend in catalog.backends.values()}

    def take(self, document: Document, *, holder: Ref | None = None, held: tuple[Held, ...] = ()) -> None:
        """Check one object."""
        api = identify(document.data)[:2]
        kind, backend = self._catalog.kinds.get(api), self._groups.get(api)
        data = _named(document.data) if holder else document.data
        ref = _called(document, holder)
        said = [Statement(document, ref, problem.code, severity, problem._replace(edit=None) if holder else problem)
                for problem, severity in _problems(data, ref, kind, self._catalog)]
        self.statements += said
        templated = any(statement.rule == "templated" for statement in said)
        self.templated += templated
        if templated or any(statement.severity is Severity.ERROR for statement in said):
            self.broken.append(document)
        else:
            subject = _subject(document.data, ref, kind, backend, self._catalog)
            self.objects.append(Inspected(document, subject._replace(holder=holder, held=held)))

    def leave(self, document: Document, holder: Ref) -> None:
        """Note an object that a template engine has yet to make."""
        code = schema.CODES["templated"]
        ref = identify(document.data)._replace(name=holder.name)
        problem = Problem((), f"this {ref.kind} is a template and was left alone",
                          "check what it becomes", code="templated", on="key")
        self.statements.append(Statement(document, ref, "templated", code.severity, problem))
        self.broken.append(document)
        self.templated += 1


def _called(document: Document, holder: Ref | None) -> Ref:
    """Return an object's identity; one without a name that is held by another is called like its holder."""
    ref = identify(document.data)
    return ref if ref.name or holder is None else ref._replace(name=holder.name)


def _named(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give a job that is made at run time a name to be checked with: its own is often filled in, or left out."""
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    name = metadata.get("name")
    if isinstance(name, str) and _HOST_NAME.fullmatch(name):
        return data
    return {**data, "metadata": {**metadata, "name": "job"}}


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
    found = schema.check(data, name, kind.MOVES, kind.HOMES) if kind else schema.check(data, name)
    foreign = _foreign_fields(ref, catalog)
    for problem in found:
        code = foreign.get(problem.pointer, problem.code) if problem.code == "unknown-field" else problem.code
        yield problem._replace(code=code), (CODES.get(code) or schema.CODES[code]).severity
    if found:
        return
    for problem in schema.unreadable(data, name):
        yield problem, schema.CODES[problem.code].severity
    if kind is not None:
        for problem in kind.check(schema.prune(data)):
            yield problem, problem.severity or kind.CODES[problem.code].severity


def _foreign_fields(ref: Ref, catalog: Catalog) -> Mapping[Pointer, str]:
    api = (ref.api_version, ref.kind)
    return next((backend.FOREIGN_FIELDS for backend in catalog.backends.values() if api == backend.GROUP_API), {})


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
    if workload is None:
        return Subject(ref, pruned)
    return Subject(ref, pruned, workload, bonds=tuple(bonds(workload, catalog.backends)),
                   strays=tuple(_strays(workload, catalog.backends)))


def bonds(workload: Workload, backends: Mapping[str, Backend]) -> Iterator[Bond]:
    """Find every backend's mark on a job's templates."""
    for role in workload.roles:
        for name, backend in backends.items():
            yield from _on_template(role, name, backend.MARK.holder, backend.MARK.key)


def _strays(workload: Workload, backends: Mapping[str, Backend]) -> Iterator[Bond]:
    """Find what reads like a mark: a false key on a template, any key on the job's own metadata."""
    maps = {"labels": workload.labels, "annotations": workload.annotations}
    for name, backend in backends.items():
        false = [(mark.holder, mark.key) for mark in backend.FALSE_MARKS]
        for holder, key in [(backend.MARK.holder, backend.MARK.key), *false]:
            group = maps[holder].get(key)
            if isinstance(group, str):
                yield Bond("", name, group, ("metadata", holder, key))
        for role in workload.roles:
            for holder, key in false:
                yield from _on_template(role, name, holder, key)


def _on_template(role: Role, backend: str, holder: str, key: str) -> Iterator[Bond]:
    labelled = holder == "labels"
    group = (role.labels if labelled else role.annotations).get(key)
    if isinstance(group, str):
        place = role.places.labels if labelled else role.places.annotations
        yield Bond(role.name, backend, group, (*place, key))
