"""Building kustomizations with kustomize or kubectl, without touching the folders that are built."""

import os
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from gangform import kustomization
from gangform.edges import disk, programs
from gangform.model.errors import InputError, ProgramError
from gangform.text import reading

CHOICE = "GANGFORM_KUSTOMIZE"
"""Environment variable that names the kustomize or kubectl to use."""

TIMEOUT = 120.0
"""Seconds that one build may take unless the caller says otherwise."""

OFFLINE: Mapping[str, str] = {
    "GIT_ALLOW_PROTOCOL": "file", "GIT_TERMINAL_PROMPT": "0",
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:0"),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), ""),
}
"""What keeps kustomize and its git from fetching what a file deep inside a build names: no proxy listens there."""

_MESSAGE_LIMIT = 1200
_KLOG = re.compile(r'^[EF]\d{4} \S+ +\d+ \S+\] "command failed" err="(.*)"$', re.DOTALL)
_MISSING = re.compile(
    r"evalsymlink failure on '(?P<link>[^']*)' ?: lstat [^:]*: no such file or directory"
    r"|open (?P<file>[^:']*): no such file or directory"
)


class BuildError(InputError):
    """The kustomization cannot be built as it stands (exit code 2).

    Attributes:
        folder: the folder that was built, as shown to users.
        reason: kustomize's own words, shortened.
    """

    def __init__(self, folder: str, reason: str, title: str) -> None:
        super().__init__(f"{title} cannot build {folder}: {reason}")
        self.folder = folder
        self.reason = reason


class Program(NamedTuple):
    """A program that builds kustomizations.

    Attributes:
        argv: what comes before the folder.
        title: as messages call it.
    """

    argv: tuple[str, ...]
    title: str


def find() -> Program | None:
    """Return the program that the environment names, else kustomize or kubectl from PATH, else None.

    Raises:
        ProgramError: the environment names a program that does not exist.
    """
    chosen = os.environ.get(CHOICE)
    if chosen:
        path = programs.find(chosen)
        if path is None:
            raise ProgramError(f"{CHOICE} names {chosen}, which is no program", "correct it or unset it")
        return _program(path)
    paths = (programs.find(name) for name in ("kustomize", "kubectl"))
    return next((_program(path) for path in paths if path is not None), None)


def require(reason: str) -> Program:
    """Return the program as ``find`` does.

    Args:
        reason: why it is needed, as the beginning of a sentence.

    Raises:
        ProgramError: there is none.
    """
    program = find()
    if program is None:
        raise ProgramError(f"{reason}, but neither kustomize nor kubectl is on PATH",
                           f"install kustomize, or name one in {CHOICE}")
    return program


def _program(path: str) -> Program:
    if os.path.basename(path).startswith("kubectl"):
        return Program((path, "kustomize"), "kubectl kustomize")
    return Program((path, "build"), "kustomize")


def read(folder: str) -> Mapping[str, Any]:
    """Return the data of a folder's kustomization file; empty when there is none or it is no object.

    Raises:
        InputError: it cannot be read.
    """
    path = disk.find_kustomization(folder)
    if path is None:
        return {}
    documents = reading.read(path, disk.read_bytes(path)).documents
    return documents[0].data if documents else {}


def build(
    folder: str,
    *,
    program: Program,
    without_components: Collection[str] = (),
    renames: bool = True,
    origins: bool = False,
    timeout: float = TIMEOUT,
) -> str:
    """Build a folder's kustomization and return the stream of objects.

    A kustomization that is built otherwise than it stands may load files from outside its folder:
    its own files are then links. A whole build shows whether kustomize allows them.

    Args:
        folder: it is read, never written.
        program: as found.
        without_components: entries of its ``components`` to leave out; they need not exist on disk.
        renames: whether its own namePrefix, nameSuffix and namespace hold.
        origins: whether objects should bear the annotation that ``kustomization.origin_of`` reads.
            Where that cannot be had, the stream comes without it.
        timeout: seconds.

    Raises:
        BuildError: kustomize refuses the kustomization.
        ProgramError: the program cannot run, was killed or exceeded its time.
        InputError: the kustomization file cannot be read.
    """
    if without_components or origins or not renames:
        asked = read(folder)
        reduced = kustomization.without_components(asked, without_components)
        reduced = reduced if renames else kustomization.without_renames(reduced)
        if reduced != asked:
            wanted = kustomization.with_origins(reduced) if origins else reduced
            return _build_mirrored(folder, wanted, program, timeout)
        if origins and (traced := _build_traced(folder, asked, program, timeout)) is not None:
            return traced
    return _build_as_it_stands(folder, program, timeout)


def _build_as_it_stands(folder: str, program: Program, timeout: float) -> str:
    done = _run(folder, disk.show(folder), program, timeout)
    if done.code != 0:
        raise BuildError(disk.show(folder), shorten(done.stderr), program.title)
    return done.stdout.decode("utf-8", "replace")


def _run(folder: str, name: str, program: Program, timeout: float, *options: str) -> programs.Completed:
    # A folder's own name could be taken for the address of a remote repository; a dot can not.
    argv = (*program.argv, *options, ".")
    env = {**os.environ, **OFFLINE}
    return programs.run(argv, cwd=folder, timeout=timeout, env=env, what=f"{program.title} of {name}")


def _build_traced(folder: str, asked: Mapping[str, Any], program: Program, timeout: float) -> str | None:
    """Build through a temporary kustomization beside a link to the folder; None where that fails."""
    with disk.temporary_folder() as temporary:
        source = os.path.realpath(folder)
        overlay = os.path.join(temporary, "traced")
        try:
            os.symlink(source, os.path.join(temporary, kustomization.SOURCE_LINK), target_is_directory=True)
            os.mkdir(overlay)
        except OSError:
            return None
        _write(overlay, kustomization.trace(asked))
        done = _run(overlay, disk.show(folder), program, timeout)
    return done.stdout.decode("utf-8", "replace") if done.code == 0 else None


def _build_mirrored(folder: str, wanted: Mapping[str, Any], program: Program, timeout: float) -> str:
    """Build a changed kustomization in a temporary folder from which every relative path still leads home."""
    with disk.temporary_folder() as temporary:
        mirror, home, mirrored = _mirror(os.path.realpath(folder), temporary, kustomization.levels_above(wanted))
        _write(mirrored, wanted)
        # The folder's own files are links to outside of the mirror.
        done = _run(mirrored, disk.show(folder), program, timeout, "--load-restrictor", "LoadRestrictionsNone")
    if done.code != 0:
        reason = shorten(done.stderr.replace(os.fsencode(mirror), os.fsencode(home)))
        raise BuildError(disk.show(folder), reason, program.title)
    return done.stdout.decode("utf-8", "replace")


def _mirror(folder: str, temporary: str, levels: int) -> tuple[str, str, str]:
    """Rebuild the folder and so many ancestors from links, without its kustomization file.

    Returns:
        The topmost mirrored folder, the ancestor that it stands for, the mirrored folder.
    """
    way = [folder]
    while len(way) <= levels and os.path.dirname(way[0]) != way[0]:
        way.insert(0, os.path.dirname(way[0]))
    mirror = mirrored = os.path.join(temporary, "mirror")
    left_out: Collection[str] = kustomization.FILE_NAMES
    try:
        for real, below in zip(way, [*way[1:], None], strict=True):
            os.mkdir(mirrored)
            _link_entries(real, mirrored, (os.path.basename(below),) if below else left_out)
            mirrored = os.path.join(mirrored, os.path.basename(below)) if below else mirrored
    except OSError as error:
        hint = "allow this user to make symbolic links" if os.name == "nt" else ""
        raise ProgramError(f"cannot prepare a build of {disk.show(folder)}: {error.strerror}", hint) from error
    return mirror, way[0], mirrored


def _link_entries(real: str, mirrored: str, left_out: Collection[str]) -> None:
    with os.scandir(real) as entries:
        for entry in entries:
            if entry.name not in left_out:
                os.symlink(entry.path, os.path.join(mirrored, entry.name), target_is_directory=entry.is_dir())


def _write(folder: str, data: Mapping[str, Any]) -> None:
    from gangform.text import writing

    disk.write_new(os.path.join(folder, kustomization.FILE_NAMES[0]), writing.write([data]))


def shorten(stderr: bytes) -> str:
    """Return kustomize's message in one line: without prefixes, repetition and the working folder's path."""
    text = stderr.decode("utf-8", "replace").strip()
    if wrapped := _KLOG.match(text):
        text = wrapped[1].replace('\\"', '"').replace("\\n", "\n")
    text = text.removeprefix("Error: ").removeprefix("error: ")
    text = text.replace(os.path.join(os.getcwd(), ""), "")
    text = _MISSING.sub(lambda found: f"'{found['link'] or found['file']}' does not exist", text)
    text = re.sub(r"': must build at directory: not a valid directory: .*", "'", text)
    text = " ".join(text.split()) or "it failed without a message"
    return text if len(text) <= _MESSAGE_LIMIT else text[: _MESSAGE_LIMIT - 1] + "…"
