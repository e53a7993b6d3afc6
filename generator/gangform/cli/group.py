"""A group of commands that are imported when they are called, and that knows what users type instead."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from gangform.model.errors import InputError


class LazyGroup(click.Group):
    """Commands by module; each module holds the click command under the name ``command``.

    Args:
        modules: command name to module.
        aliases: other name to command name.
        foreign: word of other programs to the command line that does it here.
        settings: as for click.Group.
    """

    def __init__(
        self, *, modules: Mapping[str, str], aliases: Mapping[str, str], foreign: Mapping[str, str],
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self._modules = modules
        self._aliases = aliases
        self._foreign = foreign

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Name the commands, in the order of use; aliases are left out."""
        return list(self._modules)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command by its name or alias."""
        module = self._modules.get(self._aliases.get(cmd_name, cmd_name))
        if module is None:
            return None
        command: click.Command = import_module(module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str],
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant.

        Raises:
            InputError: there is no such command; the message names the one that was meant.
        """
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing:
            raise InputError(self._mend(args[0]))
        return args[0] if command else None, command, args[1:]

    def _mend(self, name: str) -> str:
        from difflib import get_close_matches

        meant = self._foreign.get(name.lower())
        near = get_close_matches(name.lower(), [*self._modules, *self._aliases, *self._foreign], n=1)
        if not meant and near:
            meant = self._foreign.get(near[0], near[0])
        if meant:
            return f"there is no command {name!r}; you want: gangform {meant}"
        return f"there is no command {name!r}; the commands are: {', '.join(self._modules)}"
