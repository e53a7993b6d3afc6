"""What a terminal makes of characters: what may be printed, and how many cells it fills."""

from unicodedata import category, combining, east_asian_width

_TAB = 4
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories that a terminal obeys instead of showing: controls, bidirectional marks, line separators."""


def visible(text: str, keep: str = "") -> str:
    r"""Spell out what would steer a terminal (``\x1b``, ``\u202e``), save the characters in ``keep``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep or category(char) not in _HIDDEN else _escape(char) for char in text)


def expand(text: str) -> tuple[str, list[int]]:
    """Make one line printable and say where each character went.

    Returns:
        The printable text, tabs expanded, and the cell at which each character of ``text``
        begins, with the total width at the end.
    """
    shown: list[str] = []
    starts = [0]
    for char in text:
        written = " " * (_TAB - starts[-1] % _TAB) if char == "\t" else visible(char)
        shown.append(written)
        starts.append(starts[-1] + width(written))
    return "".join(shown), starts


def width(text: str) -> int:
    """Cells that printable text fills: 2 for wide characters, 0 for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def cut(text: str, start: int, cells: int) -> str:
    """The ``cells`` cells of a printable text from cell ``start``; half a wide character is a blank."""
    kept: list[str] = []
    at = 0
    for char in text:
        wide = _cells(char)
        if start <= at and at + wide <= start + cells:
            kept.append(char)
        elif at < start + cells and at + wide > start:
            kept.append(" ")
        at += wide
    return "".join(kept)


def _cells(char: str) -> int:
    if combining(char) or category(char) in {"Mn", "Me"}:
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def _escape(char: str) -> str:
    number = ord(char)
    if char in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[char]
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
