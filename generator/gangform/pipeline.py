"""Objects to a scene, what the rules say about it, and findings at their places.

Pure, and handed its catalog. A rule states a problem at a pointer of its own subject; this module adds
id, severity and object. Where that is in a text is decided last, by whoever knows the texts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from gangform import layering
from gangform.contracts import Backend, Catalog, Groups, Scene, Subject
from gangform.inspection import CODES, Inspected, Inspection, Statement, bonds, inspect, walk
from gangform.model.edit import Patch
from gangform.model.finding import Finding, Location, Problem, order
from gangform.model.pointer import render
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.settings import Cluster

__all__ = ["CODES", "Inspected", "Inspection", "Making", "Statement", "assemble", "bonds", "inspect", "judge",
           "merge", "settle"]

Key = TypeVar("Key")


class Making(NamedTuple):
    """What is known of how the objects came to be; fields as in ``contracts.Scene``.

    Attributes:
        patches: those from files; what kustomizations hold themselves is found there.
    """

    patches: tuple[Patch, ...] = ()
    written: Mapping[tuple[str, str], tuple[Mapping[str, Any], ...]] = {}
    before: Mapping[tuple[str, str, str, str], Mapping[str, Any]] | None = None
    revision: str = ""


def assemble(
    inspection: Inspection, catalog: Catalog, *, whole: bool, cluster: Cluster | None = None,
    groups: Groups | None = None, making: Making | None = None,
) -> Scene:
    """Put the sound objects side by side, indexed by what binds them.

    Args:
        inspection: the objects.
        catalog: every plug-in.
        whole: whether all objects of the deployment are among them.
        cluster: what they are meant for, when that is known.
        groups: who makes the groups where it is not.
        making: how the objects came to be.
    """
    making = making or Making()
    subjects = tuple(item.subject for item in inspection.objects)
    by_kind: dict[tuple[str, str], list[Subject]] = {}
    gangs: dict[tuple[str, str, str], Subject] = {}
    bound: dict[tuple[str, str, str], list[Subject]] = {}
    astray: dict[tuple[str, str, str], list[Subject]] = {}
    for subject in subjects:
        by_kind.setdefault((subject.ref.group, subject.ref.kind), []).append(subject)
        if subject.gang is not None:
            gangs.setdefault((subject.gang.backend, subject.ref.namespace, subject.ref.name), subject)
        for index, marks in ((bound, subject.bonds), (astray, subject.strays)):
            for backend, group in sorted({(mark.backend, mark.group) for mark in marks}):
                index.setdefault((backend, subject.ref.namespace, group), []).append(subject)
    mentioned = frozenset(_mentions(inspection, catalog.backends)) if gangs else frozenset()
    jobs = {(subject.ref.namespace, subject.ref.name): subject for subject in subjects if subject.workload}
    scene = Scene(subjects, _frozen(by_kind), gangs, _frozen(bound), mentioned, catalog.backends, whole, jobs=jobs,
                  astray=_frozen(astray), faulty=frozenset(_faulty(inspection, catalog.backends)),
                  patches=layering.index((*layering.inline_patches(subjects), *making.patches)),
                  written=making.written, before=making.before, revision=making.revision, groups=groups)
    if cluster is None:
        return scene
    return scene._replace(backend=cluster.backend, groups=cluster.groups, options=cluster.options,
                          versions=cluster.versions, queues=cluster.queues)


def _faulty(inspection: Inspection, backends: Mapping[str, Backend]) -> Iterator[tuple[str, str, str]]:
    names = {backend.GROUP_API: name for name, backend in backends.items()}
    for ref in (identify(document.data) for document in inspection.broken):
        if (ref.api_version, ref.kind) in names:
            yield names[ref.api_version, ref.kind], ref.namespace, ref.name


def _frozen(lists: Mapping[Key, Sequence[Subject]]) -> dict[Key, tuple[Subject, ...]]:
    return {key: tuple(subjects) for key, subjects in lists.items()}


def _mentions(inspection: Inspection, backends: Mapping[str, Backend]) -> Iterator[tuple[str, str, str]]:
    """Find marks on objects of kinds that are not known here, on broken jobs and on jobs inside other objects."""
    marks = {backend.MARK.key: name for name, backend in backends.items()}
    strangers = [item.document.data for item in inspection.objects
                 if item.subject.workload is None and item.subject.gang is None]
    unread = (*inspection.broken, *inspection.held_broken, *(item.document for item in inspection.held))
    for data in (*strangers, *(document.data for document in unread)):
        namespace = identify(data).namespace
        yield from ((marks[key], namespace, value) for key, value in walk(data)
                    if key in marks and isinstance(value, str))


def judge(inspection: Inspection, scene: Scene, catalog: Catalog) -> tuple[Statement, ...]:
    """Let every rule speak about every object; of two that speak of one gang the more specific stays.

    An object inside another one is made at run time, so that what is missing beside it is no fault; its text lies
    in another text, which nobody edits for it.
    """
    apart = scene._replace(whole=False)
    views = [*((item, scene) for item in inspection.objects), *((item, apart) for item in inspection.held)]
    said = [
        (item.subject, Statement(item.document, item.subject.ref, name, problem.severity or rule.SEVERITY,
                                 problem if view is scene else problem._replace(edit=None)))
        for item, view in views
        for name, rule in catalog.rules.items()
        for problem in rule.check(item.subject, view)
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
    """Give every statement its place in a text; ``build`` names the build that shows it.

    A mend is passed on where the place is the problem's own, so that its pointers hold there.
    """
    for document, ref, rule, severity, problem in statements:
        where = locate(document, problem)
        fits = where.line and render(problem.pointer).startswith(where.pointer)
        yield Finding(where, rule, severity, problem.message, problem.hint, ref,
                      (build,) if build else (), problem.edit if fits else None)


def merge(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings and leave one for each rule and author's place, with the builds that show it.

    Where builds ask for different mends of one place there is none.
    """
    merged: dict[tuple[Any, ...], Finding] = {}
    for finding in sorted(findings, key=order):
        where = finding.location
        key = (where[:3], where.pointer, finding.rule, None if where.line else finding.subject)
        seen = merged.get(key, finding)
        merged[key] = seen._replace(builds=tuple(sorted({*seen.builds, *finding.builds})),
                                    edit=seen.edit if seen.edit == finding.edit else None)
    return tuple(merged.values())
