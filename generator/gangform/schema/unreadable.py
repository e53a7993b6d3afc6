"""Quantities that the API server stores, and that nobody can read.

The pattern that CRDs give their quantities lets through what kubernetes/apimachinery pkg/api/resource/quantity.go
ParseQuantity (v0.34) refuses: exponents with a fraction.
"""

import re
from collections.abc import Iterator
from typing import Any

from gangform.model.finding import Problem
from gangform.model.pointer import Pointer
from gangform.model.quantity import Quantity
from gangform.schema.store import load
from gangform.schema.structure import along

_SUSPECT = re.compile(r"[+-]?[0-9.]+[eE].*|[+-]?[0-9.]{30,}.*", re.DOTALL)
"""Every quantity that cannot be read, or is too large for any cluster, looks like this."""


def unreadable(data: Any, name: str) -> Iterator[Problem]:
    """Yield the quantities that cannot be read, of data that fits the named schema."""
    schema = load(name)
    for pointer, text in _suspects(data, ()):
        *_, node = along(pointer, schema)
        if "x-kubernetes-int-or-string" not in node or "pattern" not in node:
            continue
        try:
            Quantity.parse(text)
        except ValueError as refused:
            yield Problem(pointer, str(refused), "write a quantity that fits a cluster", code="quantity-unreadable")


def _suspects(data: Any, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    if isinstance(data, str):
        if _SUSPECT.fullmatch(data):
            yield pointer, data
    elif isinstance(data, dict | list):
        steps = data.items() if isinstance(data, dict) else enumerate(data)
        for step, value in steps:
            if isinstance(value, (str, dict, list)):
                yield from _suspects(value, (*pointer, step))
