"""Data to YAML: the one emitter of Kubernetes manifests.

Block style, two spaces, lists at their key's column as kustomize prints them, keys in the order given.
Every string that YAML 1.1, YAML 1.2 or Go's readers could take for something else is quoted.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from yaml.emitter import Emitter
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"})
_SAFE_START = re.compile(r"[A-Za-z0-9_./$(<^~+-]")
_NUMBER_LIKE = re.compile(
    r"[-+._]*(?:inf|infinity|nan|e[-+]?[0-9]+|[0-9][-+.0-9a-fxotz_:, ]*)?\Z", re.IGNORECASE)
_LITERAL = re.compile(r"[^\s](?:.*[^\s])?(?:\n+(?: *[^\s](?:.*[^\s])?))*\n?\Z")
_MAX_WIDTH = 2**31
_MAX_SIMPLE_KEY = 1000
_MAX_ESCAPE = 10


class _Writer(Emitter):
    """An emitter that takes double quotes where a string cannot stand plain, and never folds lines."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        super().__init__(self, allow_unicode=True, width=_MAX_WIDTH)

    def write(self, text: str) -> None:
        self.parts.append(text)

    def check_simple_key(self) -> bool:
        """Tell whether the key fits on its line; readers look for the colon in 1,024 characters."""
        event = self.event
        if not isinstance(event, ScalarEvent):
            return False
        self.analysis = self.analysis or self.analyze_scalar(event.value)
        width = len(event.value) if event.value.isprintable() and event.value.isascii() else (
            len(event.value) * _MAX_ESCAPE)
        return width < _MAX_SIMPLE_KEY

    def choose_scalar_style(self) -> str:
        style = super().choose_scalar_style()
        return '"' if style == "'" else style


def write(documents: Iterable[Any], header: str = "") -> str:
    """Return documents as one YAML text that ends with a newline.

    Args:
        documents: dicts with string keys, lists, str, int, finite float, bool and None.
        header: the text's first line, without its end.

    Raises:
        TypeError: a value or key is of no JSON type.
        ValueError: a float is infinite or not a number.
    """
    texts = [_write_document(data) for data in documents]
    return (f"{header}\n" if header else "") + "---\n".join(texts)


def _write_document(data: Any) -> str:
    writer = _Writer()
    writer.emit(StreamStartEvent())
    writer.emit(DocumentStartEvent(explicit=False))
    for event in _list_events(data):
        writer.emit(event)
    writer.emit(DocumentEndEvent(explicit=False))
    writer.emit(StreamEndEvent())
    text = "".join(writer.parts).removesuffix("...\n")
    # kubectl and kubeconform cut at a newline and `---`, which would take the last newline off a literal.
    return text + "\n" if _ends_in_literal(data) else text


def _list_events(value: Any) -> Iterator[Event]:
    if isinstance(value, dict):
        yield MappingStartEvent(None, None, implicit=True, flow_style=False)
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a key is no string: {key!r}")
            yield _make_string(key)
            yield from _list_events(item)
        yield MappingEndEvent()
    elif isinstance(value, list | tuple):
        yield SequenceStartEvent(None, None, implicit=True, flow_style=False)
        for item in value:
            yield from _list_events(item)
        yield SequenceEndEvent()
    elif isinstance(value, str):
        yield _make_string(value, "|" if _is_literal(value) else None)
    else:
        yield ScalarEvent(None, None, (True, False), _spell(value))


def _make_string(text: str, style: str | None = None) -> ScalarEvent:
    return ScalarEvent(None, None, (True, True), text, style=style or (None if _is_plain(text) else '"'))


def _is_plain(text: str) -> bool:
    """Tell whether no reader can take the unquoted text for anything but this string."""
    return bool(_SAFE_START.match(text)) and text.lower() not in _WORDS and text != "<<" and text.isprintable() \
        and max(text) <= "\uffff" and not _NUMBER_LIKE.match(text)


def _is_literal(text: str) -> bool:
    """Tell whether a string of several lines survives as a block literal in every reader."""
    return "\n" in text and max(text) <= "\uffff" and text.replace("\n", "").isprintable() \
        and bool(_LITERAL.match(text))


def _ends_in_literal(value: Any) -> bool:
    while isinstance(value, dict | list | tuple) and value:
        value = list(value.values())[-1] if isinstance(value, dict) else value[-1]
    return isinstance(value, str) and value.endswith("\n") and _is_literal(value)


def _spell(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if not isinstance(value, float):
        raise TypeError(f"no JSON type: {type(value).__name__}")
    if value - value != 0:
        raise ValueError(f"not a finite number: {value}")
    mantissa, exponent, power = repr(float(value)).partition("e")
    return (mantissa if "." in mantissa else f"{mantissa}.0") + exponent + power
