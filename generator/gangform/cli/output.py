"""Printing: which stream, with or without colour, and what happens when nobody listens any more."""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import click

from gangform.model.errors import InputError
from gangform.report.text import Style, plain

_LOOKS: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True}, "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan"}, "place": {"bold": True}, "rule": {"dim": True}, "faint": {"dim": True},
    "added": {"fg": "green"}, "removed": {"fg": "red"},
}

_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan", "faint": "dim", "added": "green", "removed": "red"}
"""The same looks in rich's words."""

_NARROWEST, _WIDEST = 28, 1000
"""Columns that the last cell of a row must have, else the terminal breaks the row; and those of a file."""


class ReaderGoneError(Exception):
    """Whoever read our output has gone; there is nothing left to say."""


class Screen(NamedTuple):
    """The two streams of one run.

    Attributes:
        quiet: whether only findings, diffs and data are printed.
        no_color: whether the user refused colour.
    """

    quiet: bool = False
    no_color: bool = False

    def style(self, *, err: bool = False) -> Style:
        """The style that suits a stream."""
        return _paint if wants_colour(self.no_color, err=err) else plain

    def write(self, text: str, *, err: bool = False) -> None:
        """Print text as it is."""
        write(text, colour=wants_colour(self.no_color, err=err), err=err)

    def say(self, text: str, *, err: bool = False) -> None:
        """Print a sentence, unless the run is quiet."""
        if not self.quiet and text:
            self.write(text + "\n", err=err)


def wants_colour(no_color: bool, *, err: bool) -> bool:  # noqa: FBT001
    """Whether a stream gets colour: NO_COLOR refuses, FORCE_COLOR insists, a terminal invites."""
    if no_color or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    stream = sys.stderr if err else sys.stdout
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def write(text: str | bytes, *, colour: bool = False, err: bool = False) -> None:
    """Print text, or bytes as they are, to a stream.

    Raises:
        ReaderGoneError: the reader has gone.
        InputError: the stream cannot be written.
    """
    if text and not err and sys.stdout is None:
        raise InputError("cannot write to standard output: it is closed")
    try:
        click.echo(text, nl=False, err=err, color=colour)
    except OSError as error:
        raise refused(error, err=err) from None


def refused(error: OSError, *, err: bool = False) -> ReaderGoneError | InputError:
    """Say why a stream cannot be written, and let nothing more be written to it."""
    _silence(err=err)
    # Windows says EINVAL where others say EPIPE.
    if error.errno == errno.EPIPE or (os.name == "nt" and error.errno == errno.EINVAL):
        return ReaderGoneError()
    where = "standard error" if err else "standard output"
    return InputError(f"cannot write to {where}: {error.strerror or error}")


class Painted(NamedTuple):
    """A cell with the role of its colour."""

    text: str
    role: str


def table(headings: Sequence[str], rows: Sequence[Sequence[str | int | Painted]], *, headed: bool = True,
          colour: bool = False) -> str:
    """Lay rows out in columns; numbers stand to the right, and only the last column is broken into lines.

    Args:
        headings: of the columns.
        rows: their cells.
        headed: whether the headings are shown.
        colour: whether painted cells get their colour.
    """
    from io import StringIO

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines = [headings, *([cell.text if isinstance(cell, Painted) else str(cell) for cell in row] for row in rows)]
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=headed, header_style="")
    for number, heading in enumerate(headings):
        numeric = any(isinstance(row[number], int) for row in rows)
        grid.add_column(heading, justify="right" if numeric else "left", overflow="fold",
                        no_wrap=number < len(headings) - 1)
    for row in rows:
        grid.add_row(*(Text(cell.text, _STYLES.get(cell.role, "")) if isinstance(cell, Painted) else str(cell)
                       for cell in row))
    text = StringIO()
    Console(file=text, width=_width(lines), force_terminal=colour,
            color_system="standard" if colour else None, markup=False, emoji=False, highlight=False).print(grid)
    return "".join(line.rstrip() + "\n" for line in text.getvalue().splitlines())


def _width(lines: Sequence[Sequence[str]]) -> int:
    """How wide a table may be: as its terminal, unless the last column would become a thin strip."""
    from shutil import get_terminal_size

    from rich.cells import cell_len

    columns = get_terminal_size().columns
    room = columns - sum(max(map(cell_len, cells)) + 2 for cells in list(zip(*lines, strict=True))[:-1])
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return columns if terminal and room >= _NARROWEST else _WIDEST


def _paint(text: str, role: str) -> str:
    return click.style(text, **_LOOKS[role])


def _silence(*, err: bool) -> None:
    """Point a broken stream at nothing, since the interpreter flushes it once more on its way out."""
    with suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, (sys.stderr if err else sys.stdout).fileno())
        os.close(nothing)
