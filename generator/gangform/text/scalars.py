"""What a YAML scalar means to the API server, and which scalars other readers take for something else.

Mirrors ``resolve`` of sigs.k8s.io/yaml v1.4.0 (goyaml.v2/resolve.go) and the key conversion of
its yaml.go, which kubectl applies to every manifest.
"""

import re
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

_TRUE = frozenset({"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"})
_FALSE = frozenset({"n", "N", "no", "No", "NO", "off", "Off", "OFF"})

_WORDS: Mapping[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE", *sorted(_TRUE)), True),
    **dict.fromkeys(("false", "False", "FALSE", *sorted(_FALSE)), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}

HINTS = frozenset("+-0123456789yYnNtTfFoO~.")
"""First characters of every plain scalar that is not a string."""

_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_POINT_FLOAT = re.compile(r"\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?\Z")
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
_LONGEST_INTEGER = 20

_DAY = r"[0-9]{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12][0-9]|3[01])"
_CLOCK = r"(?:[01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](?:[.,][0-9]+)?"
# Left as texts, which ``re`` compiles once when the first date comes: few manifests hold one.
_TIMESTAMP = rf"{_DAY}(?:[Tt]{_CLOCK}(?:Z|[-+][0-9]{{2}}:[0-9]{{2}})| {_CLOCK})?\Z"
_RFC3339 = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{0,8}[1-9])?"
    r"(?:Z|[-+](?!00:00)[0-9]{2}:[0-9]{2})\Z"
)

_STRAY = re.compile("[\udc80-\udcff]")

_PREFIX = "tag:yaml.org,2002:"
_MERGE_TAG = _PREFIX + "merge"
_TYPES: Mapping[str, tuple[type, ...]] = {
    "bool": (bool,), "int": (int,), "float": (float, int), "null": (type(None),),
}


class Unreadable(NamedTuple):
    """A scalar that cannot stand in a manifest: what is wrong and how to mend it."""

    message: str
    hint: str


def resolve(text: str) -> Any:
    """Return what a plain scalar without a tag means: str, int, float, bool or None.

    Mirrors ``resolve`` (goyaml.v2/resolve.go); integers beyond uint64 become floats as there.
    """
    if text and text[0] not in HINTS:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _read_float(text.replace("_", ""), text) if _POINT_FLOAT.match(text) else text
    return _read_number(text) if text[0] in "+-0123456789" else text


def is_ambiguous(text: str) -> bool:
    """Tell whether kubectl and kustomize read a plain scalar without a tag as different values.

    kustomize 5.8.1 takes ``yes`` and its kin as strings, and writes a date out as a full timestamp.
    """
    if text in _TRUE or text in _FALSE:
        return True
    return text[4:5] == "-" and bool(re.match(_TIMESTAMP, text)) and not re.match(_RFC3339, text)


def is_merge(event: Any) -> bool:
    """Tell whether a scalar event in the place of a key is the merge key (``isMerge``, goyaml.v2/decode.go)."""
    return event.value == "<<" and (event.tag == _MERGE_TAG or (event.implicit[0] and not event.tag))


def read_tagged(text: str, tag: str) -> Any:
    """Return the value of a scalar with an explicit tag, or Unreadable.

    Tags of no standard type are ignored and leave a string, as kubectl does.
    """
    name = tag.removeprefix(_PREFIX)
    if name in {tag, "str"}:
        return text
    if name == "binary":
        return _read_binary(text)
    if name == "timestamp":
        return text if re.match(_TIMESTAMP, text) else _misfit(text, name)
    if name not in _TYPES:
        return text
    value = resolve(text)
    if type(value) not in _TYPES[name]:
        return _misfit(text, name)
    return float(value) if name == "float" else value


def key_text(value: Any) -> str | Unreadable:
    """Return a resolved key as the JSON key that kubectl makes of it.

    Mirrors ``convertToJSONableObject`` (sigs.k8s.io/yaml v1.4.0, yaml.go).
    """
    if isinstance(value, str):
        return value
    if value is None:
        return Unreadable("a key is empty (null)", "give the key a name, or put it in quotes")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value >= 2**63:
            return Unreadable(f"the key {value} is too large for a number", "put the key in quotes")
        return str(value)
    return _float_key(value)


def check_finite(value: Any) -> Any:
    """Return the value, or Unreadable for infinities and not-a-number, which JSON cannot hold."""
    if isinstance(value, float) and (value != value or value in {float("inf"), float("-inf")}):  # noqa: PLR0124
        return Unreadable("infinity and not-a-number cannot stand in a manifest",
                          "put it in quotes if text is meant, else write a finite number")
    return value


def _read_number(text: str) -> Any:
    digits = text.replace("_", "")
    match = _INTEGER.match(digits)
    if match:
        sign, hexadecimal, binary, octal, decimal = match.groups()
        if decimal is not None:
            value = int(decimal) if len(decimal) <= _LONGEST_INTEGER else _LARGEST + 1
        else:
            base = 16 if hexadecimal else 2 if binary else 8
            value = int(hexadecimal or binary or octal, base)
        value = -value if sign == "-" else value
        if _SMALLEST <= value <= _LARGEST and not (sign and value > -_SMALLEST - 1):
            return value
    return _read_float(digits, text) if _FLOAT.match(digits) else text


def _read_float(digits: str, text: str) -> float | str:
    value = float(digits)
    return text if value in {float("inf"), float("-inf")} else value


def _read_binary(text: str) -> str | Unreadable:
    import base64
    import binascii

    try:
        raw = base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        return Unreadable("the value of !!binary is not base64", "write base64, or leave the tag out")
    return _STRAY.sub("\ufffd", raw.decode("utf-8", "surrogateescape"))


def _misfit(text: str, name: str) -> Unreadable:
    shown = text if len(text) <= 40 else text[:40] + "…"
    return Unreadable(f"`{shown}` is no value of the type !!{name}", "mend the value or leave the tag out")


def _float_key(value: float) -> str:
    """Mirror Go's strconv.FormatFloat(value, 'g', -1, 32)."""
    if value != value:  # noqa: PLR0124
        return ".nan"
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = float("inf") if value > 0 else float("-inf")
    if single in {float("inf"), float("-inf")}:
        return ".inf" if single > 0 else "-.inf"
    shortest = next(text for places in range(10)
                    if struct.pack("f", float(text := f"{single:.{places}e}")) == struct.pack("f", single))
    mantissa, exponent = shortest.split("e")
    if -4 <= int(exponent) < 6:
        return f"{float(shortest):.{max(0, len(mantissa.lstrip('-').replace('.', '')) - 1 - int(exponent))}f}"
    return f"{mantissa}e{exponent[0]}{exponent[1:].zfill(2)}"
