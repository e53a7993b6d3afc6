"""Objects inside other objects: jobs that a workflow, a trial or a script makes at run time.

They stand in a field (a Katib trial) or in a string (an Argo Workflows manifest, a ConfigMap). A string that is
a block scalar is read where it stands, so that everything in it has its own line and column in the file.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from gangform.model.pointer import Pointer, get
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.text import reading
from gangform.text.composing import compose
from gangform.text.lines import count_breaks

CONFIGURATIONS = frozenset({("kubescheduler.config.k8s.io", "KubeSchedulerConfiguration")})
"""(API group, kind) of configuration that clusters keep in ConfigMaps."""

_EACH = "*"
_CRON_POD: Pointer = ("spec", "jobTemplate", "spec", "template", "spec")
_MANIFEST: Pointer = ("templates", _EACH, "resource", "manifest")

PLACES: Mapping[tuple[str, str], tuple[Pointer, ...]] = {
    ("", "ConfigMap"): (("data", _EACH),),
    ("argoproj.io", "ClusterWorkflowTemplate"): (("spec", *_MANIFEST),),
    ("argoproj.io", "CronWorkflow"): (("spec", "workflowSpec", *_MANIFEST),),
    ("argoproj.io", "Workflow"): (("spec", *_MANIFEST),),
    ("argoproj.io", "WorkflowTemplate"): (("spec", *_MANIFEST),),
    ("batch", "CronJob"): tuple(
        (*_CRON_POD, containers, _EACH, *field) for containers in ("containers", "initContainers")
        for field in (("command", _EACH), ("args", _EACH), ("env", _EACH, "value"))),
    ("kubeflow.org", "Experiment"): (("spec", "trialTemplate", "trialSpec"),),
}
"""(API group, kind) of a holder to where it holds objects; ``*`` stands for any key or index."""

_TEMPLATE = re.compile(r"\{\{([^\r\n]*?)\}\}")
_HERE_DOCUMENT = re.compile(r"""<<-?[ \t]*(["']?)(\w+)\1""")
_BREAK = re.compile(r"\r\n|\r|\n")
_MARKER_LINE = re.compile(r"---[ \t]*(?:#.*)?\Z")


class Embedded(NamedTuple):
    """An object inside another one.

    Attributes:
        document: the object; its ``holder`` and ``held_at`` are set.
        templated: whether the text becomes YAML only when a template engine has run; the data are then a
            rough reading, fit to tell what the object is but not what it says.
    """

    document: Document
    templated: bool = False


def find(document: Document, apis: Collection[tuple[str, str]]) -> Iterator[Embedded]:
    """Yield what a document holds of the given APIs (group and kind); never raises."""
    ref = identify(document.data)
    for pattern in PLACES.get((ref.group, ref.kind), ()):
        for pointer, value in _match(document.data, pattern):
            if isinstance(value, dict) and _is_of(value, apis):
                yield Embedded(document._replace(data=value, base=document.base + pointer, holder=document,
                                                 held_at=pointer))
            elif isinstance(value, str) and any(kind in value for _, kind in apis):
                yield from (item for item in _read(value, _Placing(document, pointer))
                            if _is_of(item.document.data, apis))


def _match(data: Any, pattern: Pointer, at: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    if not pattern:
        yield at, data
        return
    token, rest = pattern[0], pattern[1:]
    if token == _EACH and isinstance(data, dict | list):
        children = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in children:
            yield from _match(value, rest, (*at, key))
    elif isinstance(data, dict) and token in data:
        yield from _match(data[token], rest, (*at, token))


def _is_of(data: Mapping[str, Any], apis: Collection[tuple[str, str]]) -> bool:
    ref = identify(data)
    return (ref.group, ref.kind) in apis


def _read(text: str, place: Callable[[Document], Document]) -> Iterator[Embedded]:
    """Yield the objects of a string, or of the here-documents of a script."""
    found = list(_read_yaml(text, place))
    yield from found or (item for body in _here_documents(text) for item in _read_yaml(body, place))


def _read_yaml(text: str, place: Callable[[Document], Document]) -> Iterator[Embedded]:
    """Yield the objects of a text; where a document is no YAML, what it is once templates are filled in."""
    found = reading.read("", text).documents
    yield from (Embedded(place(document)) for document in found)
    if _TEMPLATE.search(text):
        sound = {document.number for document in found}
        masked = reading.read("", _TEMPLATE.sub(_mask, text)).documents
        yield from (Embedded(place(document), templated=True) for document in masked if document.number not in sound)


def _here_documents(script: str) -> Iterator[str]:
    """Yield the here-documents of a shell script, each after as many empty lines as stand before it."""
    end, first, lines = "", 0, script.split("\n")
    for number, line in enumerate(lines):
        if end and line.strip() == end:
            yield "\n" * first + "\n".join(lines[first:number]) + "\n"
            end = ""
        elif not end and (opening := _HERE_DOCUMENT.search(line)):
            end, first = opening[2], number + 1


def _mask(match: re.Match[str]) -> str:
    return "${" + re.sub(r"\W", "_", match[1]) + "}"


class _Placing:
    """Gives the objects of one string their places in the holder's file."""

    def __init__(self, holder: Document, pointer: Pointer) -> None:
        self._holder = holder
        self._pointer = pointer
        self._block = None if holder.source.built else _find_block(holder, pointer)

    def __call__(self, inner: Document) -> Document:
        """Return the object as a document of the holder's file: at its own lines, else at the whole string."""
        placed = self._in_place(inner)
        if placed is not None:
            composed = compose(placed.source.text[placed.start:placed.end], placed.line)
            if composed.usable and get(composed.data, placed.base) == inner.data:
                return placed
        return self._holder._replace(data=inner.data, base=self._holder.base + self._pointer, holder=self._holder,
                                     held_at=self._pointer)

    def _in_place(self, inner: Document) -> Document | None:
        if self._block is None:
            return None
        starts, end, literal = self._block
        text = self._holder.source.text
        written = inner.source.text[inner.start:inner.end]
        first, last = 0, len(starts)
        if literal:
            first = inner.line - 1
            last = first + written.count("\n") + (not written.endswith("\n"))
            first += len(written) - len(written.lstrip("\n"))
            first += bool(_MARKER_LINE.match(written.lstrip("\n").partition("\n")[0]))
        if first >= len(starts):
            return None
        start, stop = starts[first], starts[last] if last < len(starts) else end
        if not written.endswith("\n"):
            stop = start + len(text[start:stop].rstrip("\r\n"))
        line = self._holder.line + count_breaks(text, self._holder.start, start)
        return Document(self._holder.source, self._holder.number, start, stop, line, inner.data, inner.base,
                        self._holder, self._pointer)


def _find_block(holder: Document, pointer: Pointer) -> tuple[list[int], int, bool] | None:
    """Return where a block scalar's lines begin, where the last one ends, and whether its value has the same lines."""
    node = reading.Positions(holder).node(pointer)
    text = holder.source.text
    if node is None or text[holder.start + node.start] not in "|>":
        return None
    begin, end = holder.start + node.start, holder.start + node.end
    starts = [match.end() for match in _BREAK.finditer(text, begin, end)]
    after = _BREAK.match(text, end)
    return starts, after.end() if after else end, text[begin] == "|"
