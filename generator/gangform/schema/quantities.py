"""What somebody meant who wrote a resource quantity that Kubernetes does not read."""

import re
from decimal import Decimal

MEANT = {
    "": ("",), "b": ("",), "byte": ("",), "bytes": ("",), "core": ("",), "cores": ("",), "cpu": ("",), "cpus": ("",),
    "milli": ("m",), "k": ("k", "Ki"), "kb": ("k", "Ki"), "ki": ("Ki",), "kib": ("Ki",),
    "m": ("m",), "mi": ("Mi", "m"), "mb": ("M", "Mi"), "mib": ("Mi",),
    "g": ("G", "Gi"), "gb": ("G", "Gi"), "gi": ("Gi",), "gib": ("Gi",),
    "t": ("T", "Ti"), "tb": ("T", "Ti"), "ti": ("Ti",), "tib": ("Ti",),
    "p": ("P", "Pi"), "pb": ("P", "Pi"), "pi": ("Pi",), "pib": ("Pi",),
    "e": ("E", "Ei"), "eb": ("E", "Ei"), "ei": ("Ei",), "eib": ("Ei",),
}
"""Unit in lower case to the suffixes that may be meant, the likeliest first."""

WRITTEN = re.compile(r"\s*([+-]?\s*[0-9.,_ ]+?)\s*([A-Za-z](?:\s*[A-Za-z])*)?\s*", re.ASCII)


def meant(text: str, pattern: str) -> tuple[str, ...]:
    """Return the quantities that a text may have been meant as, the likeliest first.

    Args:
        text: what is written; not a quantity.
        pattern: the regular expression of quantities in the schema.
    """
    match = WRITTEN.fullmatch(text)
    if match is None:
        return ()
    number = re.sub(r"[\s_]", "", match[1])
    if re.fullmatch(r"[+-]?[0-9]{1,3}(,[0-9]{3})+", number):
        readings = (number.replace(",", ""), number.replace(",", ".")) if number.count(",") == 1 else (
            number.replace(",", ""),)
    else:
        readings = (number.replace(",", "."),)
    suffixes = MEANT.get(re.sub(r"\s", "", match[2] or "").lower(), ())
    candidates = (reading + suffix for suffix in suffixes for reading in readings)
    return tuple(candidate for candidate in candidates if re.search(pattern, candidate))


def exact(number: float) -> str:
    """Write a finite number without an exponent, digit for digit as it was read."""
    return format(Decimal(repr(number)), "f")


def in_thousandths(number: float) -> str | None:
    """Write a number with the suffix ``m``; None when it has a finer fraction."""
    thousandths = Decimal(repr(number)) * 1000
    return f"{int(thousandths)}m" if thousandths == int(thousandths) else None
