"""The overlay folder on disk: made equal to a tree, whole or not at all, a human's files untouched.

The next state is made complete in a hidden sibling, which then changes places with the folder.
Where that cannot be (mount points, a folder that somebody stands in, file systems without the
call or without hard links), files are replaced one by one, kustomization.yaml last, and a run that
was killed in between is finished by the next one.
"""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress

from gangform.edges import disk, exchange, replacing, staging
from gangform.edges.holding import Holding, is_owned, plain, read_owned
from gangform.edges.locking import hold
from gangform.kustomization import FILE_NAMES
from gangform.model.errors import GangformError, InputError
from gangform.model.tree import GENERATED_LINE, Tree

__all__ = ["Holding", "read_owned", "refuse_obstacles", "require_writable", "write"]

_LAST = "kustomization.yaml"


def require_writable(folder: str, tree: Tree, *, root: str = ".") -> None:
    """Refuse, before anything is written, a folder that ``write`` would refuse for what stands in it.

    Args:
        folder: may be missing.
        tree: every text begins with the generated line.
        root: no path component below it may be a link.

    Raises:
        InputError: a human's file or a link stands in the way, or the folder is read-only.
    """
    _check(tree)
    place = os.path.abspath(folder)
    _refuse_links(place, os.path.abspath(root))
    if os.path.lexists(place) and not os.path.isdir(place):
        raise InputError(f"{disk.show(place)} is a file, not a folder", "choose another folder")
    texts = read_owned(place).texts
    refuse_obstacles(place, tree, texts)
    if _differs(texts, tree) and os.path.isdir(place) and not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{disk.show(place)} is read-only", "make it writable, or choose another folder")


def write(folder: str, tree: Tree, *, root: str = ".") -> bool:
    """Make the folder hold exactly the tree and the files that are a human's.

    A file that differs only in line ends or by a byte order mark counts as equal. An equal folder
    is not touched.

    Args:
        folder: made with its parents when it is missing.
        tree: every text begins with the generated line.
        root: no path component below it may be a link.

    Returns:
        Whether anything was written.

    Raises:
        InputError: a human's file or a link stands in the way, or the system refuses; the folder
            is then as it was, or, where it is written file by file, left for the next run to finish.
    """
    require_writable(folder, tree, root=root)
    place = os.path.abspath(folder)
    parent = os.path.dirname(place)
    with _made(parent), hold(parent):
        _recover(place)
        require_writable(folder, tree, root=root)
        texts = read_owned(place).texts
        if os.path.isdir(place) and not _differs(texts, tree):
            return False
        changed = {name: text for name, text in sorted(tree.items()) if _is_new(texts, name, text)}
        stale = sorted(texts.keys() - tree.keys())
        if not _write_whole(place, changed, stale):
            with _made(place):
                _write_in_place(place, changed, stale)
    return True


def _differs(texts: Mapping[str, str], tree: Tree) -> bool:
    return texts.keys() != tree.keys() or any(_is_new(texts, name, text) for name, text in tree.items())


def _is_new(texts: Mapping[str, str], name: str, text: str) -> bool:
    return name not in texts or plain(texts[name]) != plain(text)


def _check(tree: Tree) -> None:
    """Refuse a tree that could leave the folder or whose files would be taken for a human's."""
    for name, text in tree.items():
        parts = name.split("/")
        if {"", ".", ".."} & set(parts) or "\\" in name or "\0" in name or os.path.isabs(name):
            raise GangformError(f"a tree may not hold the name {name!r}")
        if not text.startswith(GENERATED_LINE + "\n"):
            raise GangformError(f"the text of {name} lacks the line '{GENERATED_LINE}'")


def _refuse_links(place: str, root: str) -> None:
    """Refuse a link on the way from the root to the place, or a place that is a link."""
    below = os.path.join(root, "")
    parts = place[len(below) :].split(os.sep) if place.startswith(below) else [os.path.basename(place)]
    path = place[: len(place) - len(os.sep.join(parts))]
    for part in parts:
        path = os.path.join(path, part)
        if os.path.islink(path):
            target = disk.show(os.path.realpath(path))
            raise InputError(
                f"{disk.show(path)} is a symbolic link to {target}; overlays are not written through links",
                f"name the folder {target} itself, or remove the link",
            )


def refuse_obstacles(place: str, names: Collection[str], owned: Collection[str]) -> None:
    """Refuse a folder where something of a human's stands in the way of files.

    Raises:
        InputError: it names what stands there.
    """
    place = os.path.abspath(place)
    ours = {os.path.join(place, os.path.normpath(name)) for name in owned}
    found = sorted({path for name in names for path in _obstacles(place, name)} - ours)
    blocked = [path for path in found if _is_foreign(path)]
    if blocked:
        listed = ", ".join(disk.show(path) for path in blocked[:5]) + (" …" if len(blocked) > 5 else "")
        raise InputError(
            f"not made by gangform (first line is not '{GENERATED_LINE}') and so not overwritten: {listed}",
            "move it away, or choose another folder; nothing was written",
        )


def _is_foreign(path: str) -> bool:
    """Look again: another run may have put its files there since the folder was read."""
    try:
        return not is_owned(path)
    except OSError:
        return os.path.lexists(path)


def _obstacles(place: str, name: str) -> Iterator[str]:
    """Yield what stands where a file of the tree, or one of its folders, would be.

    kustomize builds no folder with two kustomization files, so one under any of their names is in the way.
    """
    path = os.path.join(place, name)
    names = FILE_NAMES if name == _LAST else (name,)
    yield from (found for other in names if os.path.lexists(found := os.path.join(place, other)))
    while (path := os.path.dirname(path)) != place:
        if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
            yield path


@contextmanager
def _made(folder: str) -> Iterator[None]:
    """Make a folder with its parents, and remove what was made when the block fails."""
    new = []
    missing = folder
    while not os.path.lexists(missing):
        new.append(missing)
        missing = os.path.dirname(missing)
    try:
        try:
            os.makedirs(folder, exist_ok=True)
        except (OSError, ValueError) as error:
            raise disk.unusable("make the folder", folder, error) from error
        yield
    except BaseException:
        for made in new:
            with suppress(OSError):
                os.rmdir(made)
        raise


def _recover(place: str) -> None:
    """Clear away what killed runs left beside and in the folder."""
    for leftover in staging.find_leftovers(place):
        if staging.is_old(leftover) and not os.path.lexists(place):
            with suppress(OSError):
                os.rename(leftover, place)
        else:
            staging.retire(leftover, place)
    for name in read_owned(place).leftovers:
        with suppress(OSError):
            os.unlink(os.path.join(place, name))


def _write_whole(place: str, texts: Mapping[str, str], stale: Collection[str]) -> bool:
    """Put a complete new folder in the place of the old one; False where the system does not allow it."""
    if os.path.isdir(place) and _holds_working_folder(place):
        return False
    new = staging.make_name(place, "new")
    done = False
    try:
        staging.fill(new, place, texts, stale)
        done = _put(new, place)
    except OSError:
        return False
    finally:
        if not done:
            staging.retire(new, place)
    return done


def _put(new: str, place: str) -> bool:
    if not os.path.lexists(place):
        os.rename(new, place)
        return True
    if exchange.is_known():
        exchange.exchange(new, place)
        staging.retire(new, place)
        return True
    old = staging.make_name(place, "old")
    os.rename(place, old)
    try:
        os.rename(new, place)
    except OSError:
        os.rename(old, place)
        raise
    staging.retire(old, place)
    return True


def _holds_working_folder(place: str) -> bool:
    """Tell whether a shell that started us would be left standing in a removed folder."""
    return os.path.join(os.getcwd(), "").startswith(os.path.join(os.path.realpath(place), ""))


def _write_in_place(place: str, texts: Mapping[str, str], stale: Collection[str]) -> None:
    """Replace the files one by one after all of them were written beside their places."""
    path = place
    waiting: list[tuple[str, str]] = []
    try:
        for name in sorted(texts, key=lambda name: (name == _LAST, name)):
            path = os.path.join(place, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            waiting.append((replacing.write_beside(path, [replacing.encode(texts[name])]), path))
        while waiting:
            temporary, path = waiting[0]
            os.replace(temporary, path)
            del waiting[0]
        for name in stale:
            path = os.path.join(place, name)
            os.unlink(path)
    except (OSError, ValueError) as error:
        raise disk.unusable("write", path, error) from error
    finally:
        for temporary, _ in waiting:
            with suppress(OSError):
                os.unlink(temporary)
