"""One copy of values that many objects hold alike: names of nodes and schedulers, marks, selectors, amounts."""

from collections.abc import Hashable
from typing import TypeVar

from gangform.model.quantity import Quantity
from gangform.sizing import Requests

Value = TypeVar("Value", bound=Hashable)

LIMIT = 100_000
"""Values that are remembered; past that they are forgotten and begun anew."""

_values: dict[tuple[type, type, Hashable], Hashable] = {}
_amounts: dict[tuple[tuple[str, Quantity], ...], Requests] = {}


def shared(value: Value) -> Value:
    """Return the first value that equals this one."""
    if len(_values) >= LIMIT:
        _values.clear()
    # Named tuples equal plain ones, so that the types must tell them apart.
    inner = type(value[0]) if isinstance(value, tuple) and value else type(None)
    return _values.setdefault((type(value), inner, value), value)  # type: ignore[return-value]


def shared_amounts(amounts: Requests) -> Requests:
    """Return the first amounts that equal these; nobody may change them."""
    if len(_amounts) >= LIMIT:
        _amounts.clear()
    return _amounts.setdefault(tuple(sorted(amounts.items())), amounts)
