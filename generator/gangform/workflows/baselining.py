"""Known findings: what a run makes of them, and writing their file anew."""

import posixpath
import shlex
from collections.abc import Callable, Sequence

from gangform import baseline
from gangform.edges import disk, output
from gangform.model.errors import InputError
from gangform.model.finding import Suppressed
from gangform.report.text import count
from gangform.workflows.outcome import Outcome

Spell = Callable[[Callable[[str], str]], Sequence[str]]
"""Spells a command line; is handed how a path of it is to be written."""


def leave_known(outcome: Outcome, path: str, spell: Spell) -> Outcome:
    """Take known findings out of an outcome, and say how many they were and how many have gone.

    Only the command that wrote the baseline can tell what has gone: another one looks at other things.

    Args:
        outcome: everything that was found.
        path: of the baseline.
        spell: spells the command line that found it.

    Raises:
        InputError: the baseline cannot be read, or is none.
    """
    shown = disk.show(path)
    known = baseline.read(shown, disk.read_bytes(path).decode("utf-8", errors="replace"))
    folder = _folder(shown)
    found = baseline.compare(outcome.findings, known, folder)
    notes = list(outcome.notes)
    if found.known:
        notes.append(f"{count(len(found.known), 'known finding')} in the baseline {shown}")
    command = _spell_from(folder, spell)
    if found.gone and known.command == command:
        entries = count(len(found.gone), "entry of", "entries of")
        name = shlex.quote(posixpath.basename(shown))
        notes.append(f"{entries} the baseline {shown} no longer occur{'s' * (len(found.gone) == 1)}; to take them "
                     f"out{'' if folder == '.' else f', in {folder}'}: {command} --write-baseline={name}")
    suppressed = (*outcome.suppressed, *(Suppressed(finding, "baseline") for finding in found.known))
    return outcome._replace(findings=found.new, notes=tuple(notes), suppressed=suppressed)


def write(outcome: Outcome, path: str, spell: Spell) -> Outcome:
    """Write every finding of an outcome into a baseline, so that none of them counts from now on.

    Raises:
        InputError: the file cannot be written.
    """
    if disk.is_folder(path):
        raise InputError(f"{disk.show(path)} is a folder, not the file of a baseline",
                         "give the file with =, as in --write-baseline=known.json, or leave it out")
    folder = _folder(disk.show(path))
    made = baseline.collect(outcome.findings, _spell_from(folder, spell), folder)
    output.write_file(path, baseline.write(made))
    note = f"{count(len(outcome.findings), 'finding')} written to the baseline {disk.show(path)}"
    suppressed = (*outcome.suppressed, *(Suppressed(finding, "baseline") for finding in outcome.findings))
    return outcome._replace(findings=(), notes=(*outcome.notes, note), suppressed=suppressed)


def _spell_from(folder: str, spell: Spell) -> str:
    """Spell the command line as it would be typed in the baseline's folder."""
    def write_path(path: str) -> str:
        return path if path == "-" else posixpath.relpath(disk.show(path), folder)

    return shlex.join(spell(write_path))


def _folder(path: str) -> str:
    return posixpath.dirname(path) or "."
