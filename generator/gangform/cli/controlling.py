"""From options to the ids that count, and what a baseline leaves of an outcome."""

import posixpath
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gangform.cli.options import Choice, Control, Selecting
from gangform.model.errors import InputError

if TYPE_CHECKING:
    from gangform.selection import Selection
    from gangform.settings import Settings
    from gangform.workflows.baselining import Spell
    from gangform.workflows.outcome import Outcome


NAME = ".gangform-baseline.json"
"""The usual file of known findings, beside the settings or in the working folder."""


def selection(given: Selecting) -> "Selection":
    """Read ``--select``, ``--ignore`` and ``--preview``.

    Raises:
        InputError: an id is unknown, or a glob stands for none.
    """
    from gangform.selection import Selection, unknown

    chosen = Selection(_split(given["select"]), _split(given["ignore"]), given["preview"])
    patterns = (*chosen.select, *chosen.ignore)
    if not patterns:
        return chosen
    from gangform.workflows import explain

    for pattern, near in unknown(patterns, [name for name, _, _ in explain.listing()]):
        raise InputError(f"there is no rule {pattern!r}",
                         f"did you mean {near}?" if near else "gangform explain lists what there is")
    return chosen


def refuse_parts(given: Control, **parts: object) -> None:
    """Refuse to write a baseline of a run that looks at a part only.

    Raises:
        click.UsageError: both are asked for.
    """
    import click

    named = next((name for name, value in parts.items() if value), None)
    if named and given["write_baseline"] is not None:
        raise click.UsageError(f"--write-baseline needs all findings: leave --{named.replace('_', '-')} out")


def _split(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


def compare(
    outcome: "Outcome", settings: "Settings", given: Control, spell: "Spell",
) -> "Outcome":
    """Leave out what a baseline knows, or write a new one when that is asked for.

    Args:
        outcome: everything that was found.
        settings: beside them lies the baseline.
        given: the options.
        spell: spells the command line that would write this baseline.

    Raises:
        InputError: a baseline cannot be read or written.
    """
    from gangform.edges.disk import exists

    usual = posixpath.join(settings.folder, NAME)
    if given["write_baseline"] is not None:
        from gangform.workflows import baselining

        return baselining.write(outcome, given["write_baseline"] or given["baseline"] or usual, spell)
    if given["baseline"] is None and not exists(usual):
        return outcome
    from gangform.workflows import baselining

    return baselining.leave_known(outcome, given["baseline"] or usual, spell)


def words(given: Control, choice: Choice, since: str | None = None) -> list[str]:
    """Spell the options that decide what is found, as a command line has them; ``since`` is a revision."""
    spelt = [(name, value) for name, value in (
        ("--cluster", choice["cluster"]), ("--backend", choice["backend"]), ("--groups", choice["groups"])) if value]
    spelt += [("--changed-since", since)] if since else []
    spelt += [("--option", value) for value in choice["option"]]
    spelt += [("--select", value) for value in given["select"]] + [("--ignore", value) for value in given["ignore"]]
    return [word for pair in spelt for word in pair] + ["--preview"] * given["preview"]
