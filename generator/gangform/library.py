"""The same work as the command line does, for programs: ``import gangform; gangform.validate("jobs")``.

Nothing is printed. Errors that end a run are ``gangform.model.errors.GangformError``.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from gangform.contracts import Groups
from gangform.edges import disk
from gangform.edges.spooling import Spool
from gangform.model.errors import InputError
from gangform.model.tree import Layout
from gangform.settings import Target
from gangform.workflows import configuration
from gangform.workflows import render as rendering
from gangform.workflows import transform as transforming
from gangform.workflows import validate as validation
from gangform.workflows.marking import Aim
from gangform.workflows.outcome import Outcome, Rendered


def validate(
    *paths: str,
    backend: str | None = None,
    cluster: str | None = None,
    options: Mapping[str, Any] | None = None,
    config: str | None = None,
) -> Outcome:
    """Check the jobs below the paths, ``.`` when there are none; ``-`` is stdin.

    Args:
        paths: files and folders.
        backend: the scheduler that the jobs are meant for.
        cluster: a cluster of the settings, instead of a backend.
        options: the backend's options.
        config: the settings file; else gangform.yaml here or above.

    Raises:
        InputError: a path, name, option or the settings file is wrong.
        ProgramError: kustomize was found but failed to run.
    """
    settings = configuration.load(config)
    chosen = configuration.select(settings, cluster, backend, options or {})
    return validation.validate(paths or (".",), settings, chosen, read_stdin=disk.read_stdin, progress=_ignore)


def render(  # noqa: PLR0913 - the options of the command
    source: str,
    output: str,
    *,
    backend: str | None = None,
    cluster: str | None = None,
    options: Mapping[str, Any] | None = None,
    groups: Groups | None = None,
    layout: Layout = "kustomization",
    write: bool = True,
    config: str | None = None,
) -> Rendered:
    """Write one overlay, or with ``write=False`` only say what would change.

    Args:
        source: folder with a kustomization; also a file or folder for the layout ``rendered``.
        output: the overlay's folder.
        backend: the scheduler; this or a cluster is needed.
        cluster: a cluster of the settings, instead of a backend.
        options: the backend's options.
        groups: who makes the PodGroups.
        layout: the shape of the overlay.
        write: whether the disk may be changed.
        config: the settings file; else gangform.yaml here or above.

    Raises:
        InputError: a path, name, option or the settings file is wrong, or a human's file is in the way.
        ProgramError: kustomize is needed and missing, or failed.
    """
    settings = configuration.load(config)
    chosen = configuration.select(settings, cluster, backend, options or {}, groups)
    if chosen is None:
        raise InputError("for which scheduler?", "give a backend or a cluster")
    target = Target(chosen, disk.show(source), disk.show(output), layout)
    return rendering.render((target,), settings, write=write, enlist=False, progress=_ignore)


class Marked(NamedTuple):
    """The answer of ``transform``; ``text`` is None when errors stand in the way."""

    outcome: Outcome
    text: str | None


def transform(  # noqa: PLR0913 - the options of the command
    text: str,
    *,
    backend: str | None = None,
    cluster: str | None = None,
    options: Mapping[str, Any] | None = None,
    groups: Groups | None = None,
    remove: bool = False,
    replace_scheduler: bool = False,
    config: str | None = None,
) -> Marked:
    """Mark the jobs of a text and put their groups before them; everything else stays as it is.

    Args:
        text: YAML documents.
        backend: the scheduler; this or a cluster is needed, but not to remove.
        cluster: a cluster of the settings, instead of a backend.
        options: the backend's options.
        groups: who makes the PodGroups.
        remove: whether marks and groups are taken out.
        replace_scheduler: whether a schedulerName of no known backend is replaced.
        config: the settings file; else gangform.yaml here or above.

    Raises:
        InputError: a name, option or the settings file is wrong.
    """
    settings = configuration.load(config)
    chosen = configuration.select(settings, cluster, backend, options or {}, groups)
    if chosen is None and not remove:
        raise InputError("for which scheduler?", "give a backend or a cluster")

    def open_input(_path: str, spool: Spool) -> str:
        spool.append(text.encode("utf-8", "surrogatepass"))
        return "<text>"

    done = transforming.transform(["-"], settings, Aim(chosen, remove, replace_scheduler), open_input)
    return Marked(done.outcome, None if done.result is None else b"".join(done.result.blocks()).decode(
        "utf-8", "surrogatepass"))


def _ignore(_stage: str, _done: int, _total: int) -> None:
    """A program has no progress bar."""
