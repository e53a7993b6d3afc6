"""KRM functions: what a ResourceList asks for, and the results that go back with it.

The format is that of kubernetes-sigs/kustomize, cmd/config/docs/api-conventions/functions-spec.md
(``config.kubernetes.io/v1``). Only the exit code decides whether a function has failed; results inform.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast, get_args

from gangform.contracts import Groups
from gangform.model.edit import ABSENT, Edit
from gangform.model.errors import InputError
from gangform.model.finding import Finding, Severity
from gangform.model.pointer import Pointer, get, parse
from gangform.model.source import Document
from gangform.model.workload import identify
from gangform.text import writing
from gangform.text.splicing import Spliced, splice

KIND = "ResourceList"

_GROUP = "config.kubernetes.io/"
_PATHS = ("internal.config.kubernetes.io/path", "config.kubernetes.io/path")
_INDEXES = ("internal.config.kubernetes.io/index", "config.kubernetes.io/index")
_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "info"}
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_TEXTS = ("backend", "cluster", "groups")
_SWITCHES = ("remove", "force")
_WORDS = {"true": True, "false": False}


class Request(NamedTuple):
    """What the functionConfig asks for; empty where it does not say.

    Attributes:
        options: of the backend, as ``settings.read_options`` takes them.
        remove: whether marks and groups are taken out.
        force: whether a foreign schedulerName is replaced.
    """

    backend: str = ""
    cluster: str = ""
    groups: Groups | None = None
    options: Mapping[str, Any] = {}
    remove: bool = False
    force: bool = False


def is_resource_list(data: Mapping[str, Any]) -> bool:
    """Whether an object is a ResourceList."""
    return data.get("kind") == KIND and str(data.get("apiVersion")).startswith(_GROUP)


def require_items(data: Mapping[str, Any]) -> None:
    """Refuse items that no host can take for objects.

    Raises:
        InputError: they are no list of maps.
    """
    items = data.get("items") or ()
    if not isinstance(items, list | tuple) or not all(isinstance(item, dict) for item in items):
        raise InputError(f"the items of the {KIND} are no list of objects",
                         "each is a map with apiVersion and kind, as kustomize and kpt write them")


def read(data: Mapping[str, Any]) -> Request:
    """Read a ResourceList's functionConfig: a ``spec``, or the ``data`` of a ConfigMap.

    Raises:
        InputError: it says something that gangform does not know.
    """
    config = data.get("functionConfig")
    if not isinstance(config, dict):
        raise InputError("the ResourceList has no functionConfig", "give one with spec: {backend: volcano}")
    flat = config.get("kind") == "ConfigMap"
    field = "data" if flat else "spec"
    section = config.get(field)
    if not isinstance(section, dict):
        raise InputError(f"the functionConfig has no {field}", f"write {field}: {{backend: volcano}}")
    given = dict(section)
    texts = {name: _text(name, given.pop(name)) for name in _TEXTS if name in given}
    switches = {name: _switch(name, given.pop(name)) for name in _SWITCHES if name in given}
    if texts.get("groups") not in {None, *get_args(Groups)}:
        raise InputError(f"functionConfig: groups is {texts['groups']!r}", f"write {' or '.join(get_args(Groups))}")
    options = {name: _spread(value) for name, value in given.items()} if flat else given.pop("options", {})
    if not isinstance(options, dict):
        raise InputError("functionConfig: options is no map", "write options: {queue: research}")
    if given and not flat:
        known = ", ".join((*_TEXTS, *_SWITCHES, "options"))
        raise InputError(f"functionConfig: {min(given)!r} is not known in spec", f"known: {known}")
    groups = cast("Groups | None", texts.get("groups"))
    return Request(texts.get("backend", ""), texts.get("cluster", ""), groups, options, **switches)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"functionConfig: {name} is no text", f"write {name}: followed by a name")
    return value


def _switch(name: str, value: Any) -> bool:
    value = _WORDS.get(value, value) if isinstance(value, str) else value
    if not isinstance(value, bool):
        raise InputError(f"functionConfig: {name} is {value!r}", "write true or false")
    return value


def _spread(value: Any) -> Any:
    """Take a ConfigMap's text for one value, or for the lines of a map."""
    return tuple(value.split("\n")) if isinstance(value, str) and "\n" in (value := value.strip("\n")) else (value,)


def results(findings: Iterable[Finding], items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Write findings as results, each with the item's file when the host has told it."""
    held = {identify(item): item for item in reversed(items)}
    return [_result(finding, held.get(finding.subject, {}) if finding.subject else {}) for finding in findings]


def failure(error: InputError) -> list[dict[str, Any]]:
    """Write an error that stands in the way of everything as the only result."""
    hint = f"; {error.hint}" if error.hint else ""
    return [{"message": f"{error.message}{hint}", "severity": "error"}]


def _result(finding: Finding, item: Mapping[str, Any]) -> dict[str, Any]:
    hint = f"; {finding.hint}" if finding.hint else ""
    made: dict[str, Any] = {"message": f"{finding.message}{hint}", "severity": _SEVERITIES[finding.severity],
                            "tags": {"rule": finding.rule}}
    if finding.subject is not None:
        ref = finding.subject._asdict()
        named = {"apiVersion": ref.pop("api_version"), **ref}
        made["resourceRef"] = {key: value for key, value in named.items() if value}
    pointer = parse(finding.location.pointer)
    if pointer:
        made["field"] = dict(_field(finding, pointer, item))
    file = dict(_file(item))
    return made | ({"file": file} if file else {})


def _field(finding: Finding, pointer: Pointer, item: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "path", spell(pointer)
    current = get(item, pointer, ABSENT)
    if current is not ABSENT:
        yield "currentValue", current
    edit = finding.edit
    if edit is not None and edit.pointer == pointer and edit.value is not ABSENT:
        yield "proposedValue", edit.value


def _file(item: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    annotations = get(item, ("metadata", "annotations"))
    annotations = annotations if isinstance(annotations, dict) else {}
    path = next((annotations[key] for key in _PATHS if key in annotations), None)
    if path:
        yield "path", path
        index = next((annotations[key] for key in _INDEXES if key in annotations), "")
        if str(index).isdecimal():
            yield "index", int(index)


def spell(pointer: Pointer) -> str:
    """Write a pointer as kyaml writes a field's path: dots, ``[n]`` for items and for keys with dots."""
    parts = [f"[{token}]" if isinstance(token, int) else f".{token}" if _PLAIN.fullmatch(token) else f".[{token}]"
             for token in pointer]
    return "".join(parts).lstrip(".")


def answer(document: Document, told: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a ResourceList with its results.

    Args:
        document: the whole ResourceList.
        told: its results; those of functions before this one go.
    """
    source = document.source
    wanted = Edit(("results",), list(told) if told else ABSENT)
    if get(document.data, wanted.pointer, ABSENT) == wanted.value:
        return source.text
    spliced = splice(document, (wanted,))
    if isinstance(spliced, Spliced):
        return source.text[:document.start] + spliced.text + source.text[document.end:]
    data = {key: value for key, value in document.data.items() if key != "results"}
    return writing.write([data | ({"results": list(told)} if told else {})])
