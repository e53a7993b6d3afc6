"""Annotations that exempt one object from one id: ``ignore.gangform.dev/<id>: "reason"``.

An exemption that is misspelt, gives no reason or exempts from nothing is a finding of its own.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from gangform.contracts import Catalog, Scene, Subject
from gangform.grouping import JOB_LABEL
from gangform.model.finding import Code, Finding, Location, Problem, Severity, Suppressed
from gangform.model.pointer import Pointer
from gangform.model.source import Document
from gangform.model.workload import Ref, identify
from gangform.pipeline import Inspection, Statement
from gangform.selection import IGNORE, annotations_of, reason_of

CODES: Mapping[str, Code] = {
    "ignore-unused": Code(Severity.WARNING, """An annotation exempts from a rule that has nothing to say of the object.

The fault was mended, or the rule never meant this object. Such an annotation would hide the next real fault.
It is reported only where the rule ran and would be silent for every scheduler.

Mend: take the annotation out."""),
    "ignore-unknown": Code(Severity.WARNING, """An annotation exempts an object from an id that does not exist.

Nothing is exempted, most likely because of a spelling mistake.

Mend: write the id as `gangform explain` lists it."""),
    "ignore-without-reason": Code(Severity.WARNING, """An annotation exempts an object from a rule and does not say why.

Whoever reads it later cannot tell whether it may go. The exemption holds nevertheless.

Mend: write the reason as the annotation's value."""),
}


State = Literal["used", "idle", "open"]
"""An annotation exempted from something, has nothing to exempt from, or could not be judged."""


class Ignore(NamedTuple):
    """One annotation of an object.

    Attributes:
        document: the object that bears it.
        rule: the id that it names.
        reason: its value.
    """

    document: Document
    rule: str
    reason: str

    @property
    def pointer(self) -> Pointer:
        """Where it stands in the object."""
        return ("metadata", "annotations", IGNORE + self.rule)


class Use(NamedTuple):
    """What became of an annotation in one scene.

    Attributes:
        location: of the annotation.
        ref: the object that bears it.
        build: the build that shows it, or empty.
    """

    location: Location
    ref: Ref
    rule: str
    reason: str
    state: State
    build: str = ""


class Verdict(NamedTuple):
    """Statements that stay, those that an annotation takes away with its reason, and every annotation's state."""

    kept: tuple[Statement, ...]
    suppressed: tuple[tuple[Statement, str], ...]
    states: tuple[tuple[Ignore, State], ...]


def read_ignores(document: Document) -> Iterator[Ignore]:
    """Yield the exemptions on an object."""
    for key in annotations_of(document):
        if key.startswith(IGNORE):
            rule = key.removeprefix(IGNORE)
            yield Ignore(document, rule, reason_of(document, rule) or "")


def apply(
    statements: Iterable[Statement], inspection: Inspection, scene: Scene | None, catalog: Catalog,
    codes: Collection[str],
) -> Verdict:
    """Take away what the objects' own annotations exempt them from.

    A job's annotation holds for its generated group as well.

    Args:
        statements: about the objects of the inspection.
        inspection: the objects.
        scene: what the rules looked at; None when they did not run.
        catalog: the rules that ran.
        codes: other ids that were looked for in every object.
    """
    held = _by_document(inspection)
    if not held:
        return Verdict(tuple(statements), (), ())
    kept: list[Statement] = []
    suppressed: list[tuple[Statement, str]] = []
    used: set[tuple[int, str]] = set()
    owners = _owners(inspection)
    for statement in statements:
        bearers = (id(statement.document), owners.get(id(statement.document), 0))
        bearer = next((one for one in bearers if statement.rule in held.get(one, {})), None)
        if bearer is None:
            kept.append(statement)
        else:
            used.add((bearer, statement.rule))
            suppressed.append((statement, held[bearer][statement.rule].reason))
    subjects = {id(item.document): item.subject for item in (*inspection.objects, *inspection.held)}
    states = tuple(
        (ignore, "used" if (bearer, rule) in used else _state(ignore, subjects.get(bearer), scene, catalog, codes))
        for bearer, ignores in held.items() for rule, ignore in ignores.items())
    return Verdict(tuple(kept), tuple(suppressed), states)


def _state(
    ignore: Ignore, subject: Subject | None, scene: Scene | None, catalog: Catalog, codes: Collection[str]
) -> State:
    """Tell whether an annotation that exempted from nothing could have done so elsewhere."""
    if ignore.rule in codes:
        return "idle"
    if scene is None or subject is None or ignore.rule not in catalog.rules:
        return "open"
    from gangform.idleness import is_idle

    return "idle" if is_idle(subject, ignore.document, scene, catalog, ignore.rule) else "open"


def documents_of(inspection: Inspection) -> tuple[Document, ...]:
    """Return every document that may bear an exemption: sound and broken ones, and those inside others."""
    sound = (item.document for item in (*inspection.objects, *inspection.held))
    return (*sound, *inspection.broken, *inspection.held_broken)


def _by_document(inspection: Inspection) -> dict[int, dict[str, Ignore]]:
    held = {id(document): {ignore.rule: ignore for ignore in read_ignores(document)}
            for document in documents_of(inspection)}
    return {key: ignores for key, ignores in held.items() if ignores}


def _owners(inspection: Inspection) -> dict[int, int]:
    """Map each generated group's document to its job's."""
    jobs = {(item.subject.ref.namespace, item.subject.ref.name): id(item.document) for item in inspection.jobs}
    owners = {}
    for item in inspection.groups:
        ref = item.subject.ref
        labels = (item.subject.data.get("metadata") or {}).get("labels") or {}
        if JOB_LABEL in labels and (ref.namespace, ref.name) in jobs:
            owners[id(item.document)] = jobs[ref.namespace, ref.name]
    return owners


def split_text_findings(
    findings: Iterable[Finding], documents: Iterable[Document], locate: Callable[[Document, Problem], Location],
) -> tuple[tuple[Finding, ...], tuple[Suppressed, ...], tuple[Use, ...]]:
    """Do the same for the findings of a text: those that stay, those that go, and the annotations that were used."""
    held = {(identify(document.data), ignore.rule): ignore
            for document in documents for ignore in read_ignores(document)}
    kept: list[Finding] = []
    suppressed: list[Suppressed] = []
    uses: list[Use] = []
    for finding in findings:
        ignore = held.get((finding.subject, finding.rule)) if finding.subject else None
        if ignore is None or finding.subject is None:
            kept.append(finding)
            continue
        suppressed.append(Suppressed(finding, "annotation", ignore.reason))
        where = locate(ignore.document, Problem(ignore.pointer, "", on="key"))
        uses.append(Use(where, finding.subject, finding.rule, ignore.reason, "used"))
    return tuple(kept), tuple(suppressed), tuple(uses)


def report(uses: Iterable[Use], known: Collection[str]) -> Iterator[Finding]:
    """Yield what is wrong with the annotations of a whole run, each told once for all its builds.

    Args:
        uses: from every scene in which an annotation was seen.
        known: every id that there is.
    """
    seen: dict[tuple[Location, str], list[Use]] = {}
    for use in uses:
        key = use.location if use.location.line else use.location._replace(path=use.location.file)
        seen.setdefault((key, use.rule), []).append(use)
    for group in seen.values():
        builds = tuple(sorted({use.build for use in group if use.build}))
        yield from (finding._replace(builds=builds) for finding in _report(group, known))


def _report(group: list[Use], known: Collection[str]) -> Iterator[Finding]:
    use, states = group[0], {use.state for use in group}
    key = IGNORE + use.rule
    if use.rule not in known:
        from difflib import get_close_matches

        near = get_close_matches(use.rule, known, n=1)
        hint = f"write {IGNORE}{near[0]}" if near else "gangform explain lists the ids"
        yield Finding(use.location, "ignore-unknown", CODES["ignore-unknown"].severity,
                      f"the annotation {key} names no id, so nothing is exempted", hint, use.ref)
        return
    if "idle" in states and "used" not in states:
        yield Finding(use.location, "ignore-unused", CODES["ignore-unused"].severity,
                      f"{use.rule} has nothing to say of this object, so the annotation exempts from nothing",
                      "take the annotation out", use.ref)
    elif not use.reason:
        yield Finding(use.location, "ignore-without-reason", CODES["ignore-without-reason"].severity,
                      f"the annotation {key} does not say why", f'write the reason: {key}: "…"', use.ref)
