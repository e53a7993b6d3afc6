"""Text to documents and to every problem of the text, as kubectl would read it.

Never raises, whatever the bytes. Data is what sigs.k8s.io/yaml v1.4.0 makes of the text, with two
differences: a float stays a float (``5.0``), and an explicit key wins over a merged one wherever it stands.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gangform.model.finding import Code, Finding, Location, Severity, order
from gangform.model.pointer import Pointer, get, render
from gangform.model.source import Document, Source
from gangform.model.workload import Ref
from gangform.text.composing import compose
from gangform.text.decoding import Decoded, Misfit, decode, find_forbidden
from gangform.text.faults import Composition, Fault
from gangform.text.lines import Lines
from gangform.text.locating import Positions, locate, location
from gangform.text.slicing import Slice, cut

MAX_CHARACTERS = 8 * 1024 * 1024
"""Length of one YAML document."""

CODES: Mapping[str, Code] = {
    "yaml-syntax": Code(Severity.ERROR, """\
The text is not valid YAML.
No Kubernetes tool can read the document, or it would read something else than is meant.
Mend the line that the message names; the usual causes are indentation, a missing quote and a tab."""),
    "yaml-duplicate-key": Code(Severity.ERROR, """\
A map holds the same key twice.
kubectl keeps the last one silently, kustomize refuses the file, so one of the two values is lost.
Keep one of the two."""),
    "yaml-limit": Code(Severity.ERROR, """\
The document is larger or deeper than any manifest.
Texts that expand without bound can stop whoever reads them; the API server has limits of its own.
Split the document, or write out values that aliases repeat."""),
    "yaml-encoding": Code(Severity.ERROR, """\
The file is not UTF-8 text, or holds a character that YAML forbids.
Kubernetes tools read UTF-8 only.
Save the file as UTF-8 and delete control characters."""),
    "document-not-object": Code(Severity.ERROR, """\
A document is a list or a single value where an object is needed.
Every Kubernetes manifest is a map with apiVersion and kind.
Write the object, or take the document out."""),
    "ambiguous-scalar": Code(Severity.WARNING, """\
kubectl and kustomize read this value differently.
kubectl follows YAML 1.1, where yes, no, on, off, y and n are true and false; kustomize follows YAML 1.2,
where they are text, and it rewrites dates. The cluster gets one or the other, depending on who applies.
Put the value in quotes, or write true or false."""),
    "ambiguous-merge": Code(Severity.WARNING, """\
kubectl and kustomize merge these maps differently.
Where a key stands above `<<` in the same map, kubectl lets the merged value replace it and kustomize keeps it.
Put the `<<` line first in its map."""),
    "templated": Code(Severity.NOTE, """\
The file is a template, not a manifest, and was left alone.
Text between {{ }} or {% %} becomes YAML only after a template engine has run.
Render it first and check the result, for instance: helm template CHART | gangform validate -"""),
}

_TEMPLATE_TOKEN = re.compile(
    r"""(?P<line>[\r\n]+(?:[ \t]*\#[^\r\n]*)?)|(?P<template>\{\{(?P<body>[^{}\r\n]*)|\{%)|["']""")


class Reading(NamedTuple):
    """What a source holds.

    Attributes:
        documents: every object that could be read, the items of lists one by one.
        findings: every problem of the text, in order.
        templated: number of YAML documents left alone as templates.
    """

    source: Source
    documents: tuple[Document, ...]
    findings: tuple[Finding, ...]
    templated: int


def read(name: str, data: bytes | str, *, built: bool = False, flatten: bool = True, pure: bool = False) -> Reading:
    """Read a text; never raises.

    Args:
        name: how messages call the text.
        data: the text, as bytes or decoded.
        built: whether a program produced it, so that findings carry no lines.
        flatten: whether the items of a list object become documents of their own.
        pure: whether to do without libyaml.
    """
    decoded = decode(data)
    reader = _Reader(Source(name, decoded.text, decoded.bom, built), flatten=flatten, pure=pure)
    reader.read(decoded)
    findings = tuple(sorted(reader.findings, key=order))
    return Reading(reader.source, tuple(reader.documents), findings, reader.templated)


class _Reader:
    """Collects what one source holds."""

    def __init__(self, source: Source, *, flatten: bool, pure: bool) -> None:
        self.source = source
        self.documents: list[Document] = []
        self.findings: list[Finding] = []
        self.templated = 0
        self._flatten = flatten
        self._pure = pure
        self._lines: tuple[Slice, Lines] | None = None

    def read(self, decoded: Decoded) -> None:
        """Read every document of the text."""
        if decoded.misfit:
            self._report_misfit(Slice(0, len(decoded.text), 1), decoded.misfit)
            return
        for number, part in enumerate(cut(decoded.text)):
            misfit = find_forbidden(decoded.text, part.start, part.end)
            if misfit:
                self._report_misfit(part, misfit)
            elif part.end - part.start > MAX_CHARACTERS:
                self._report(part, Fault("yaml-limit", (), 0, 0,
                                         f"the document is longer than {MAX_CHARACTERS:,} characters",
                                         "split it into several documents"))
            else:
                self._read_part(number, part)

    def _read_part(self, number: int, part: Slice) -> None:
        text = self.source.text[part.start:part.end]
        composition = compose(text, part.line, pure=self._pure)
        template = _find_template(text) if _may_be_template(composition) else None
        if template is not None:
            self._note_template(part, template)
            return
        documents = list(self._split(number, part, composition.data)) if composition.usable else []
        self.documents += documents
        by_base = {document.base: document for document in documents}
        for fault in composition.faults:
            if fault.code != "ambiguous-scalar" or _is_object(composition.data):
                self._report(part, fault, _find_document(by_base, fault.pointer))
        if composition.usable and not isinstance(composition.data, dict) and composition.data is not None:
            self._report(part, Fault("document-not-object", (), *_first_span(text),
                                     f"the document is {_describe(composition.data)}, not an object",
                                     "a manifest is a map with apiVersion and kind"))

    def _split(self, number: int, part: Slice, data: Any) -> Iterator[Document]:
        if not isinstance(data, dict):
            return
        whole = Document(self.source, number, part.start, part.end, part.line, data)
        if not self._flatten:
            yield whole
            return
        positions: Positions | None = None
        for base, item in _flatten(data, ()):
            if isinstance(item, dict):
                yield whole._replace(data=item, base=base)
                continue
            positions = positions or Positions(whole, pure=self._pure)
            self.findings.append(Finding(
                positions.location(base), "document-not-object", Severity.ERROR,
                f"an item of this list is {_describe(item)}, not an object",
                "every item of a List is a map with apiVersion and kind", _identify(data)))

    def _report(self, part: Slice, fault: Fault, document: Document | None = None) -> None:
        lines = self._lines_of(part)
        shown = render(fault.pointer[len(document.base):] if document else fault.pointer)
        where = Location(self.source.name, pointer=shown) if self.source.built else Location(
            self.source.name, *lines.place(fault.start, fault.end), shown, lines.excerpt(fault.start))
        message = fault.message
        if fault.other is not None:
            message = message.replace("{line}", str(lines.place(fault.other, fault.other).line))
        subject = _identify(document.data) if document else None
        self.findings.append(Finding(where, fault.code, CODES[fault.code].severity, message, fault.hint, subject))

    def _lines_of(self, part: Slice) -> Lines:
        if self._lines is None or self._lines[0] != part:
            self._lines = (part, Lines(self.source.text[part.start:part.end], part.line))
        return self._lines[1]

    def _report_misfit(self, part: Slice, misfit: Misfit) -> None:
        start = misfit.offset - part.start
        self._report(part, Fault("yaml-encoding", (), start, start + 1, misfit.message, misfit.hint))

    def _note_template(self, part: Slice, offset: int) -> None:
        self.templated += 1
        if self.templated == 1:
            self._report(part, Fault("templated", (), offset, offset + 2,
                                     "this is a template, not a manifest, and was left alone",
                                     "render it first, for instance: helm template CHART | gangform validate -"))


def _may_be_template(composition: Composition) -> bool:
    if not composition.usable:
        return any(fault.code == "yaml-syntax" for fault in composition.faults)
    return composition.data is not None and not isinstance(composition.data, dict)


def _find_template(text: str) -> int | None:
    """Return the offset of the first template expression that is no part of a comment or of sound quotes."""
    open_quotes: set[str] = set()
    for match in _TEMPLATE_TOKEN.finditer("\n" + text):
        body = match["body"] or ""
        if match["line"]:
            open_quotes.clear()
        elif match["template"]:
            if not open_quotes or any(quote in body for quote in open_quotes):
                return match.start() - 1
            open_quotes ^= {quote for quote in "\"'" if body.count(quote) % 2}
        else:
            open_quotes ^= {match[0]}
    return None


def _flatten(data: Any, base: Pointer) -> Iterator[tuple[Pointer, Any]]:
    """Yield an object, or the items of a list object one by one, each with its pointer."""
    if not _is_list_object(data):
        yield base, data
        return
    for index, item in enumerate(data.get("items") or ()):
        yield from _flatten(item, (*base, "items", index))


def _is_list_object(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(kind := data.get("kind"), str):
        return False
    items = data.get("items")
    return kind.endswith("List") if isinstance(items, list) else items is None and kind == "List"


def _is_object(data: Any) -> bool:
    return isinstance(data, dict) and bool(data.get("apiVersion")) and bool(data.get("kind"))


def _identify(data: Any) -> Ref | None:
    if not _is_object(data):
        return None
    parts = (data["apiVersion"], data["kind"], get(data, ("metadata", "namespace"), ""),
             get(data, ("metadata", "name"), ""))
    return Ref(*(part if isinstance(part, str) else "" for part in parts))


def _find_document(documents: Mapping[Pointer, Document], pointer: Pointer) -> Document | None:
    prefixes = (pointer[:length] for length in range(0, len(pointer) + 1, 2))
    return next((documents[prefix] for prefix in prefixes if prefix in documents), None)


def _first_span(text: str) -> tuple[int, int]:
    """Return the span of the first line's content, the marker and comments left out."""
    match = re.search(r"^(?:--- *)?(?!---|[ \t]*#|[ \t]*$)[ \t]*([^\r\n]*\S)", text, re.MULTILINE)
    return match.span(1) if match else (0, 1)


def _describe(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    return "empty" if value is None else "text" if isinstance(value, str) else "a single value"


__all__ = ["CODES", "MAX_CHARACTERS", "Positions", "Reading", "locate", "location", "read"]
