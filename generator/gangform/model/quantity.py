"""Kubernetes quantities, exact: read, add, multiply, compare and spell them as the API server does.

A quantity is a whole number of nano units (billionths of a core, of a byte, of a device) and a memory of
how it was written. There is no float anywhere.
"""

import re
from functools import total_ordering
from typing import Any, Literal

Form = Literal["", "decimal", "binary", "exponent"]
"""How a quantity is spelt; empty for a zero, which takes the form of whatever is added to it."""

_NANOS = 10**9
_CAP = (2**63 - 1) * _NANOS
_DIGITS = 30
_LENGTH = 100

_TEXT = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]*))?|\.(?P<bare>[0-9]+))"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]+))?"
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_SI_SUFFIXES = tuple(_DECIMAL)
_BINARY_SUFFIXES = tuple(_BINARY)


@total_ordering
class Quantity:
    """An amount of a resource; immutable, ordered and hashed by value (``1Ki`` equals ``1024``).

    Mirrors kubernetes/apimachinery pkg/api/resource/quantity.go ParseQuantity and CanonicalizeBytes
    (v0.32): what is finer than nano rounds away from zero, a binary amount is capped at 2**63-1.
    Differs where Go depends on the order of operands or loses a value: see ``+`` and ``canonical``.
    """

    __slots__ = ("_form", "_nanos")
    _form: Form
    _nanos: int

    def __init__(self, nanos: int, form: Form = "decimal") -> None:
        object.__setattr__(self, "_nanos", nanos)
        object.__setattr__(self, "_form", form)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a quantity is immutable: {name} cannot be set to {value!r}")

    @classmethod
    def parse(cls, value: str | int) -> "Quantity":
        """Read a quantity as a manifest holds it: a text, or a whole number.

        Raises:
            ValueError: it is no quantity; the message says what would be right.
        """
        if isinstance(value, int) and not isinstance(value, bool):
            return cls._of(abs(value), 0, -1 if value < 0 else 1, "decimal", value)
        if not isinstance(value, str):
            raise ValueError(  # noqa: TRY004  a manifest may hold anything; callers catch one exception
                f'{value!r} is no quantity: write a whole number, or a text such as "500m"')
        match = _TEXT.fullmatch(value) if len(value) <= _LENGTH else None
        if match is None:
            raise ValueError(
                f"{_shorten(value)} is no quantity: write a number and at most one suffix, "
                "n u m k M G T P E or Ki Mi Gi Ti Pi Ei, such as 500m or 64Gi"
            )
        part = match["part"] or match["bare"] or ""
        digits, sign = int((match["whole"] or "") + part), -1 if match["sign"] == "-" else 1
        if match["suffix"] in _BINARY:
            return cls._of_binary(digits << _BINARY[match["suffix"]], len(part), sign)
        power = int(match["exponent"]) if match["exponent"] else _DECIMAL[match["suffix"] or ""]
        return cls._of(digits, power - len(part), sign, "exponent" if match["exponent"] else "decimal", value)

    @classmethod
    def _of(cls, digits: int, power: int, sign: int, form: Form, written: object) -> "Quantity":
        if not digits:
            return ZERO
        size = digits.bit_length() * 3 // 10 + power
        if size > _DIGITS:
            raise ValueError(f"{_shorten(written)} is no quantity: it has more than {_DIGITS} digits")
        power += 9
        if power >= 0:
            return cls(sign * digits * 10**power, form)
        too_small = -power > _LENGTH
        return cls(sign * (1 if too_small else -(-digits // 10**-power)), form)

    @classmethod
    def _of_binary(cls, digits: int, places: int, sign: int) -> "Quantity":
        if not digits:
            return ZERO
        nanos = min(-(-digits * _NANOS // 10**places), _CAP)
        return cls(sign * nanos, "binary" if nanos >= _NANOS else "decimal")

    @property
    def nanos(self) -> int:
        """Billionths of a core, of a byte, of a device."""
        return self._nanos

    def __add__(self, other: "Quantity") -> "Quantity":
        """Add; binary only if both operands are binary or a zero, else decimal, in whatever order.

        Go takes the first operand's form, so that a sum over a map is spelt by chance.
        """
        if not self._form or not other._form:
            return Quantity(self._nanos + other._nanos, self._form or other._form)
        form: Form = "binary" if self._form == other._form == "binary" else "decimal"
        return Quantity(self._nanos + other._nanos, form)

    def __mul__(self, times: int) -> "Quantity":
        return Quantity(self._nanos * times, self._form) if times else ZERO

    def __eq__(self, other: object) -> bool:
        return self._nanos == other._nanos if isinstance(other, Quantity) else NotImplemented

    def __lt__(self, other: "Quantity") -> bool:
        return self._nanos < other._nanos

    def __hash__(self) -> int:
        return hash(self._nanos)

    def __bool__(self) -> bool:
        return self._nanos != 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Quantity, (self._nanos, self._form)

    def __repr__(self) -> str:
        return f"Quantity({self.canonical()})"

    def canonical(self) -> str:
        """Spell the value with the largest suffix that keeps it whole, in its own form.

        A binary amount that is below 1024 or no whole number is spelt in decimal. Above E and Ei, where
        Go drops the suffix and with it the size (1000E prints as 1), the number grows instead.
        """
        binary = self._form == "binary" and abs(self._nanos) >= 1024 * _NANOS
        if binary and not self._nanos % _NANOS:
            number, steps = _reduce(self._nanos // _NANOS, 1024, len(_BINARY_SUFFIXES))
            return f"{number}{_BINARY_SUFFIXES[steps - 1] if steps else ''}"
        if self._form == "exponent":
            number, steps = _reduce(self._nanos, 1000, _DIGITS)
            return f"{number}e{3 * steps - 9}" if steps != 3 else str(number)
        number, steps = _reduce(self._nanos, 1000, len(_SI_SUFFIXES) - 1)
        return f"{number}{_SI_SUFFIXES[steps]}" if number else "0"


ZERO = Quantity(0, "")


def _reduce(number: int, factor: int, most: int) -> tuple[int, int]:
    steps = 0
    while number and steps < most and not number % factor:
        number //= factor
        steps += 1
    return number, steps


def _shorten(value: object) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:36]}..."
