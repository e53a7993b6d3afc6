"""Why data does not fit its schema, in plain words."""

import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from gangform.model.edit import Edit
from gangform.model.finding import Problem
from gangform.model.pointer import Pointer, get
from gangform.schema.engine import Fault, anchored, faults
from gangform.schema.hints import View, closest, find_home, for_quantity_map, for_unknown_field, for_wrong_type
from gangform.schema.quantities import exact, in_thousandths, meant
from gangform.schema.values import TYPES, described, is_templated, path, shown

LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
WORDS = "lower-case letters, digits and -, beginning and ending with a letter or digit"

PATTERNS = {
    f"^({LABEL})?$": f"a name of {WORDS}",
    rf"^{LABEL}(\.{LABEL})*$": f"a name of {WORDS}, perhaps several of them joined by dots",
}
"""Regular expressions of names in the schemas, as a sentence."""

LIMITS = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "uniqueItems": "must have no equal items",
    "minProperties": "must have at least {} keys",
    "maxProperties": "must have at most {} keys",
}
"""Keywords of JSON Schema that bound a value, as the end of a sentence."""


def explain(data: Any, name: str, view: View) -> Iterator[Problem]:
    """Yield every reason why data, nulls dropped, does not fit the named schema; in no certain order."""
    for fault in faults(data, name):
        yield from _problems(fault, view)


def _problems(fault: Fault, view: View) -> Iterator[Problem]:
    if fault.keyword == "additionalProperties":
        yield from _unknown_fields(fault, view)
    elif fault.keyword == "required":
        yield from _missing_fields(fault, view)
    elif fault.keyword in {"anyOf", "oneOf"} and fault.branches:
        yield from _alternatives(fault, view)
    elif fault.keyword == "type":
        yield _wrong_type(fault, [fault.wanted] if isinstance(fault.wanted, str) else fault.wanted, view)
    elif is_templated(fault.value):
        yield _templated(fault, fault.value)
    elif fault.keyword == "pattern" and "x-kubernetes-int-or-string" in fault.node:
        yield _invalid_quantity(fault)
    else:
        yield _invalid_value(fault)


def _templated(fault: Fault, text: str) -> Problem:
    return Problem(
        pointer=fault.pointer,
        message=f"{path(fault.pointer)} holds {shown(text)}, which is filled in later: "
                "this object is a template and was not checked",
        hint="check what the template becomes",
        code="templated",
    )


def _unknown_fields(fault: Fault, view: View) -> Iterator[Problem]:
    known = fault.node.get("properties", ())
    patterns = fault.node.get("patternProperties", ())
    for key, value in fault.value.items():
        if key in known or any(re.search(anchored(pattern), str(key)) for pattern in patterns):
            continue
        if is_templated(key):
            yield _templated(fault, key)
            continue
        pointer = (*fault.pointer, key)
        yield Problem(pointer, f"{path(fault.pointer)} has no field {shown(str(key))}",
                      for_unknown_field(pointer, value, view), on="key", edit=_move(pointer, view),
                      code="unknown-field")


def _move(pointer: Pointer, view: View) -> Edit | None:
    """Move an unknown field to the place that it was meant for, where nothing stands there yet."""
    home = find_home(pointer, view)
    if home is None or any(not isinstance(get(view.original, home[:length]), dict | None)
                           for length in range(len(home))) or get(view.original, home) is not None:
        return None
    return Edit(home, get(view.original, pointer), pointer)


def _missing_fields(fault: Fault, view: View) -> Iterator[Problem]:
    original = get(view.original, fault.pointer, {})
    for key in fault.wanted:
        if key not in fault.value:
            fact = f"{path((*fault.pointer, key))} is null, which counts as missing" if key in original else (
                f"{path(fault.pointer)} lacks the field {shown(key)}")
            yield Problem((*fault.pointer, key), f"{fact}; it is required", f"add {key}", code="missing-field")


def _alternatives(fault: Fault, view: View) -> Iterator[Problem]:
    branches = fault.branches
    if "x-kubernetes-int-or-string" in fault.node:
        yield _not_int_or_string(fault, view)
    elif all(branch.keyword == "required" for branch in branches):
        keys = list(dict.fromkeys(key for branch in branches for key in branch.wanted))
        yield Problem(fault.pointer, f"{path(fault.pointer)} has neither {' nor '.join(keys)}; one is required",
                      f"add {' or '.join(keys)}", code="missing-field")
    elif all(branch.keyword == "type" and branch.pointer == fault.pointer for branch in branches):
        yield _wrong_type(fault, [branch.wanted for branch in branches], view)
    else:
        deepest = max(branches, key=lambda branch: (len(branch.pointer), branch.keyword != "type"))
        yield from _problems(deepest, view)


def _not_int_or_string(fault: Fault, view: View) -> Problem:
    value, pointer = fault.value, fault.pointer
    if "pattern" not in fault.node:
        return _wrong_type(fault, ["integer", "string"], view)
    if isinstance(value, (dict, list)):
        return Problem(pointer, f"{path(pointer)} is {described(value)}, but must be a quantity",
                       for_quantity_map(pointer), code="wrong-type")
    if not isinstance(value, float) or not isfinite(value):
        return _wrong_type(fault, ["integer", "string"], view)
    text, small = exact(value), in_thousandths(value)
    choice = f' or "{small}"' if small and str(pointer[-1]).endswith("cpu") else ""
    return Problem(
        pointer,
        f"{path(pointer)} is {described(value)}; a quantity with a fraction must be written as text",
        f'put it in quotes: "{text}"{choice}',
        edit=Edit(pointer, text),
        code="quantity-needs-quotes",
    )


def _wrong_type(fault: Fault, wanted: list[str], view: View) -> Problem:
    value, pointer = fault.value, fault.pointer
    if is_templated(value, wholly=not {"integer", "number", "boolean"} & {*wanted}):
        return _templated(fault, value)
    words = " or ".join(TYPES[name] for name in wanted)
    if value is None and pointer and isinstance(pointer[-1], int):
        return Problem(pointer, f"{path(pointer)} is null, but must be {words}",
                       "remove the empty item, or give it a value", code="null-list-item")
    bare = _unquoted(value, wanted)
    return Problem(
        pointer,
        f"{path(pointer)} is {described(value)}, but must be {words}",
        for_wrong_type(pointer, value, wanted[0], view) if bare is None else f"write {shown(bare)} without quotes",
        edit=None if bare is None else Edit(pointer, bare),
        code="wrong-type",
    )


def _unquoted(value: Any, wanted: list[str]) -> int | bool | None:
    """Return what a text in quotes says when it says it exactly."""
    if not isinstance(value, str):
        return None
    if "integer" in wanted and re.fullmatch(r"0|-?[1-9][0-9]{0,17}", value):
        return int(value)
    return {"true": True, "false": False}.get(value) if "boolean" in wanted else None


def _invalid_quantity(fault: Fault) -> Problem:
    candidates = meant(fault.value, anchored(fault.wanted))
    return Problem(
        fault.pointer,
        f"{path(fault.pointer)} is {described(fault.value)}, which is no quantity: a number and at most one of "
        "n u m k M G T P E Ki Mi Gi Ti Pi Ei, without a space",
        f"did you mean {' or '.join(candidates)}?" if candidates else 'write for example "2", 500m or 4Gi',
        edit=Edit(fault.pointer, candidates[0]) if len(candidates) == 1 else None,
        code="invalid-quantity",
    )


def _invalid_value(fault: Fault) -> Problem:
    value, wanted, hint = fault.value, fault.wanted, ""
    if fault.keyword == "enum":
        demand = f"must be one of {', '.join(map(shown, wanted))}"
        near = closest(value, [word for word in wanted if isinstance(word, str)]) if isinstance(value, str) else None
        hint = f"did you mean {shown(near)}?" if near else ""
    elif fault.keyword == "const":
        demand = f"must be {shown(wanted)}"
    elif fault.keyword == "pattern":
        demand = f"must be {PATTERNS.get(wanted, f'text that matches {wanted}')}"
    else:
        demand = LIMITS.get(fault.keyword, "is not allowed there").format(wanted)
    return Problem(fault.pointer, f"{path(fault.pointer)} is {described(value)}, but {demand}", hint,
                   code="invalid-value")
