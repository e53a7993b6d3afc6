"""What somebody has saved of a cluster: the output of ``kubectl get -o json`` or ``-o yaml``, as raw objects."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gangform.model.errors import InputError

_MOMENT = re.compile(
    rb"(?<![\w./-])(?:creationTimestamp|firstTimestamp|lastTimestamp|eventTime|lastObservedTime|lastTransitionTime"
    rb"|lastHeartbeatTime|lastProbeTime|lastUpdateTime|lastReconcileTime|startTime|completionTime|startedAt|finishedAt"
    rb"|time)\"?:\s*\"?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z")
"""Fields in which Kubernetes and its programs write when something was; a field of a user's own is none of them."""

_SPACE = re.compile(r"[ \t\n\r]*")

_DEEPEST = 64
"""Lists inside lists; kubectl makes one."""


class Dump(NamedTuple):
    """Everything that was saved.

    Attributes:
        objects: one by one, out of their lists, with apiVersion and kind.
        newest: the latest moment that anything in it names, as RFC 3339 in UTC; empty when nothing does.
    """

    objects: tuple[Mapping[str, Any], ...]
    newest: str


def read(name: str, data: bytes) -> Dump:
    """Read one text: lists, lists of lists, single objects, any number of them one after the other.

    Args:
        name: how messages call it.
        data: the text, in UTF-8 or, as Windows writes it, UTF-16.

    Raises:
        InputError: it is no such text, or ends too early.
    """
    try:
        text = data.decode(json.detect_encoding(data)).lstrip("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is no text in UTF-8", "save it with: kubectl get ... -o json > dump.json") from error
    roots = _read_json(name, text) if text.lstrip()[:1] in {"{", "["} else _read_yaml(name, text)
    objects = tuple(one for root in roots for one in _flatten(name, root))
    moments = _MOMENT.findall(text.encode("utf-8", "surrogatepass") if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else data)
    return Dump(objects, max(moments).decode() + "Z" if moments else "")


def _read_json(name: str, text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    at = _skip(text, 0)
    while at < len(text):
        try:
            root, at = decoder.raw_decode(text, at)
        except RecursionError as error:
            raise InputError(f"{name} holds lists inside lists without end; that is no output of kubectl") from error
        except json.JSONDecodeError as error:
            raise _broken(name, text, error) from error
        except ValueError as error:
            raise InputError(f"{name} is no JSON: {error}") from error
        yield root
        at = _skip(text, at)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _broken(name: str, text: str, error: json.JSONDecodeError) -> InputError:
    place = f"{name}:{error.lineno}:{error.colno}"
    if not text[error.pos:].strip() or error.msg.startswith("Unterminated string"):
        return InputError(f"{place}: the JSON ends before its last bracket: the dump is cut off",
                          "save it anew, and see that nothing stops kubectl half-way")
    return InputError(f"{place}: no JSON here ({error.msg[:1].lower()}{error.msg[1:]})",
                      "save it with: kubectl get ... -o json > dump.json")


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} stands where a number should")


def _read_yaml(name: str, text: str) -> Iterator[Any]:
    from gangform.model.finding import Severity
    from gangform.text import reading

    found = reading.read(name, text, flatten=False)
    worst = next((one for one in found.findings if one.severity == Severity.ERROR), None)
    if worst is not None:
        where = worst.location
        place = f"{where.path}:{where.line}:{where.column}" if where.line else where.path
        raise InputError(f"{place}: {worst.message}", "save it with: kubectl get ... -o json > dump.json")
    for document in found.documents:
        yield document.data


def _flatten(name: str, root: Any, kind: tuple[str, str] = ("", ""), depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield an object, or those in a list; items of a typed list (PodList) need not say what they are."""
    if depth > _DEEPEST:
        raise InputError(f"{name} holds lists inside lists without end; that is no output of kubectl")
    if isinstance(root, list):
        for item in root:
            yield from _flatten(name, item, kind, depth + 1)
        return
    if not isinstance(root, dict):
        raise InputError(f"{name} holds {type(root).__name__} where an object should be",
                         "save it with: kubectl get ... -o json > dump.json")
    own = (str(root.get("apiVersion") or kind[0]), str(root.get("kind") or kind[1]))
    items = root.get("items")
    if own[1].endswith("List") and isinstance(items, list | None):
        inner = ("", "") if own[1] == "List" else (own[0], own[1].removesuffix("List"))
        for item in items or ():
            yield from _flatten(name, item, inner, depth + 1)
    elif own[0] and own[1]:
        yield {**root, "apiVersion": own[0], "kind": own[1]}
    else:
        raise InputError(f"{name} holds an object without apiVersion and kind",
                         "save it with: kubectl get ... -o json > dump.json")
