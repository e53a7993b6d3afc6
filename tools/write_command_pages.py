"""Writes docs/cli.md: the help page of every command, as ``gangform COMMAND --help`` prints it.

Usage: ``python tools/write_command_pages.py FILE``.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from gangform.cli.main import ALIASES, gangform

WIDTH = 98
"""Columns that a help page takes on a terminal of 100 or more."""

INTRODUCTION = """\
# Commands

What `--help` prints. [settings.md](settings.md) has the options of the schedulers and
[rules/](rules/README.md) what the commands report. `gangform explain exit-1` explains an exit code.

`gangform completion SHELL` prints a completion script for bash, zsh or fish.
"""


def write() -> str:
    """Return the text of the page."""
    top = gangform.make_context("gangform", [], resilient_parsing=True, terminal_width=WIDTH)
    return "".join((INTRODUCTION, *_sections(gangform, top)))


def _sections(command: click.Command, context: click.Context) -> Iterator[str]:
    also = "".join(f"The same as `gangform {alias}`.\n\n" for alias, meant in ALIASES.items()
                   if context.command_path == f"gangform {meant}")
    yield _section(context.command_path, command.get_help(context), also)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from _sections(below, below.make_context(name, [], parent=context, resilient_parsing=True))


def _section(title: str, text: str, also: str = "") -> str:
    lines = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    return f"\n## {title}\n\n{also}```text\n{lines}```\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(write(), encoding="utf-8")
