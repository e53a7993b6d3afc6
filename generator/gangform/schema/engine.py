"""The explaining engine: jsonschema, taught what the other validators mean by a pattern."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gangform.model.pointer import Pointer
from gangform.schema.store import Schema, load

if TYPE_CHECKING:
    from jsonschema import Draft7Validator, ValidationError


class Fault(NamedTuple):
    """One keyword of a schema that a value does not fulfil.

    Attributes:
        keyword: of JSON Schema.
        wanted: what the schema says under the keyword.
        value: what is there.
        node: the schema that holds the keyword.
        branches: the faults of every alternative, when the keyword offers some.
    """

    pointer: Pointer
    keyword: str
    wanted: Any
    value: Any
    node: Schema
    branches: tuple["Fault", ...] = ()


def faults(data: Any, name: str) -> Iterator[Fault]:
    """Yield every fault of data against the named schema."""
    return map(_fault, validator(name).iter_errors(data))


def _fault(error: "ValidationError") -> Fault:
    node = dict(error.schema) if isinstance(error.schema, dict) else {}
    return Fault(tuple(error.absolute_path), str(error.validator), error.validator_value, error.instance, node,
                 tuple(map(_fault, error.context or ())))


@cache
def validator(name: str) -> "Draft7Validator":
    """Return jsonschema's validator of the named schema; formats are not asserted."""
    import jsonschema

    def pattern(_: Any, wanted: str, instance: Any, __: Any) -> "Iterator[ValidationError]":
        if isinstance(instance, str) and not re.search(anchored(wanted), instance):
            yield jsonschema.ValidationError(f"{instance!r} does not match {wanted!r}")

    extend: Any = jsonschema.validators.extend
    compiled: Draft7Validator = extend(jsonschema.Draft7Validator, {"pattern": pattern})(load(name))
    return compiled


@cache
def anchored(pattern: str) -> str:
    r"""Write ``$`` as ``\Z``, outside of escapes and classes: Python's own ``$`` lets a final newline pass."""
    return re.sub(r"(\\.|\[(?:\\.|[^\]\\])*\])|\$", lambda found: found[1] or r"\Z", pattern)
