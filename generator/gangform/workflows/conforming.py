"""A second opinion: kubeconform over built objects, given only those that there is a schema for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gangform import schema
from gangform.edges import kubeconform
from gangform.model.finding import Finding, Problem, Severity, Suppressed
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.selection import reason_of
from gangform.settings import Kubeconform
from gangform.text import writing
from gangform.workflows.judging import Judged
from gangform.workflows.sources import Build


class Conformity(NamedTuple):
    """What kubeconform said.

    Attributes:
        checked: objects that it validated; None when it did not run.
        unchecked: "apiVersion kind" to the number of objects without a schema.
        notes: plain sentences for stderr.
    """

    findings: tuple[Finding, ...] = ()
    checked: int | None = None
    unchecked: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()


def conform(builds: Sequence[Build], further: Sequence[str], mode: Kubeconform) -> Conformity:
    """Run kubeconform over all builds at once.

    Args:
        builds: what kustomize made.
        further: schema locations of the settings, as written.
        mode: whether it must run, may run, or is left out.

    Raises:
        ProgramError: it is required and missing, or its answer cannot be believed.
    """
    program = None if mode == "off" else kubeconform.require() if mode == "require" else kubeconform.find()
    if program is None:
        missing = "kubeconform is not on PATH: the built overlays were not checked with it"
        return Conformity(notes=() if mode == "off" else (missing,))
    locations = (schema.location(), *further)
    given, unchecked = _sort(builds, locations)
    if not given:
        return Conformity(unchecked=unchecked)
    # kubeconform refuses the null members that the API server drops.
    texts = [(key, writing.write([schema.prune(document.data)])) for key, (_, document) in given.items()]
    verdicts = kubeconform.validate(texts, locations, program=program)
    unchecked += Counter(_api(given[key][1]) for key in verdicts.unchecked)
    findings = tuple(_find(*given[key], path, message) for key, path, message in verdicts.failures)
    return Conformity(findings, len(given) - len(verdicts.unchecked), unchecked)


def _sort(
    builds: Sequence[Build], locations: Sequence[str]
) -> tuple[dict[str, tuple[Build, Document]], Counter[str]]:
    """Part the objects into those with a schema, under a key each, and the number of others by API."""
    given: dict[str, tuple[Build, Document]] = {}
    unchecked: Counter[str] = Counter()
    for built in builds:
        for document in built.documents:
            ref = identify(document.data)
            if kubeconform.has_schema(locations, ref.api_version, ref.kind):
                given[f"{len(given):06d}"] = (built, document)
            else:
                unchecked[_api(document)] += 1
    return given, unchecked


def _api(document: Document) -> str:
    ref = identify(document.data)
    return f"{ref.api_version} {ref.kind}".strip()


def _find(built: Build, document: Document, path: str, message: str) -> Finding:
    problem = Problem(kubeconform.pointer(document.data, path), "")
    return Finding(built.locate(document, problem), "kubeconform", Severity.ERROR, f"kubeconform: {message}", "",
                   identify(document.data), (built.folder,))


def news(conformity: Conformity, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Leave out what our own checks have already said of the same object: one fault, one finding."""
    told = {(finding.subject, finding.builds) for finding in findings if finding.severity is Severity.ERROR}
    yield from (finding for finding in conformity.findings if (finding.subject, finding.builds) not in told)


def exempt_from_second_opinion(findings: Iterable[Finding], builds: Sequence[Build]) -> Judged:
    """Take away the findings of kubeconform that an object's own annotation exempts it from."""
    held = {(built.folder, identify(document.data)): reason
            for built in builds for document in built.documents
            if (reason := reason_of(document, "kubeconform")) is not None}
    kept: list[Finding] = []
    suppressed: list[Suppressed] = []
    for finding in findings:
        reasons = [held[build, finding.subject] for build in finding.builds
                   if finding.subject and (build, finding.subject) in held]
        if reasons:
            suppressed.append(Suppressed(finding, "annotation", reasons[0]))
        else:
            kept.append(finding)
    return Judged(tuple(kept), tuple(suppressed))
