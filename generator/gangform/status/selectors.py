"""Label selectors as ``kubectl -l`` takes them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_KEY = r"[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?"
_VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?"
_REQUIREMENT = re.compile(rf"""\s*(?:
    !\s*(?P<absent>{_KEY})
    | (?P<key>{_KEY})(?:\s*(?P<sign>==|=|!=)\s*(?P<value>{_VALUE})
                      | \s+(?P<word>in|notin)\s*\((?P<values>\s*{_VALUE}\s*(?:,\s*{_VALUE}\s*)*)\))?
    )\s*(?:,(?=\s*\S)|\Z)""", re.VERBOSE)


class Requirement(NamedTuple):
    """One part of a selector.

    Attributes:
        values: what the label may be; None where it only has to be there.
        negated: whether the opposite is asked for, which labels that are not there fulfil.
    """

    key: str
    values: frozenset[str] | None
    negated: bool

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether labels fulfil it."""
        there = self.key in labels and (self.values is None or labels[self.key] in self.values)
        return there != self.negated


def parse(text: str) -> tuple[Requirement, ...]:
    """Read a selector; all of its requirements must hold.

    Mirrors kubernetes apimachinery pkg/labels/selector.go Parse (v0.34), without ``>`` and ``<``.

    Raises:
        ValueError: it is none.
    """
    found: list[Requirement] = []
    at = 0
    while at < len(text):
        match = _REQUIREMENT.match(text, at)
        if match is None:
            raise ValueError(f"{text[at:].strip()!r} is no label selector; write KEY=VALUE, KEY!=VALUE, KEY, !KEY, "
                             "or 'KEY in (A,B)', with commas between")
        at = match.end()
        found.append(_read(match))
    return tuple(found)


def matches(requirements: tuple[Requirement, ...], labels: Mapping[str, str]) -> bool:
    """Whether labels fulfil every requirement."""
    return all(requirement.holds(labels) for requirement in requirements)


def _read(match: re.Match[str]) -> Requirement:
    if match["absent"]:
        return Requirement(match["absent"], None, negated=True)
    if match["sign"]:
        return Requirement(match["key"], frozenset({match["value"]}), negated=match["sign"] == "!=")
    if match["word"]:
        values = frozenset(value.strip() for value in match["values"].split(","))
        return Requirement(match["key"], values, negated=match["word"] == "notin")
    return Requirement(match["key"], None, negated=False)
