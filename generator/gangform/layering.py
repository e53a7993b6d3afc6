"""What the layers of a kustomize build did to an object: its names on the way, and the patches for it.

Works on the scene of a build, which holds the kustomizations and their patches beside the objects. Elsewhere
there are none, and nothing is told.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from gangform import kustomization
from gangform.contracts import Scene, Subject
from gangform.model.edit import Patch
from gangform.model.pointer import Pointer, get, parse
from gangform.model.workload import Ref, identify

KUSTOMIZATIONS = (("kustomize.config.k8s.io", "Kustomization"), ("kustomize.config.k8s.io", "Component"))
_PLAIN_NAME = re.compile(r"[a-z0-9.-]+")


class FormerName(NamedTuple):
    """A name that an object may have had before some of the layers.

    Attributes:
        renamed_by: the kustomizations that changed it since, the outermost first.
    """

    name: str
    renamed_by: tuple[Subject, ...] = ()


def kustomizations(scene: Scene) -> Iterator[Subject]:
    """Yield the kustomizations of the build, the outermost first."""
    for kind in KUSTOMIZATIONS:
        yield from reversed(scene.by_kind.get(kind, ()))


def former_names(name: str, scene: Scene) -> Iterator[FormerName]:
    """Yield a built name, and what it was before each layer that gave it a prefix or a suffix."""
    renamed_by: tuple[Subject, ...] = ()
    yield FormerName(name)
    for layer in kustomizations(scene):
        prefix, suffix = (_text(layer.data.get(field)) for field in ("namePrefix", "nameSuffix"))
        inner = name.removeprefix(prefix).removesuffix(suffix)
        if inner and inner != name and name == f"{prefix}{inner}{suffix}":
            name, renamed_by = inner, (*renamed_by, layer)
            yield FormerName(name, renamed_by)


class Renamer(NamedTuple):
    """Who renamed a group and missed the marks that name it.

    Attributes:
        name: what the group is called now.
    """

    kustomization: Subject
    name: str


def renamer_of(backend: str, namespace: str, group: str, scene: Scene) -> Renamer | None:
    """Return the innermost layer that took a group away from a mark that now names nothing."""
    if (backend, namespace, group) in scene.gangs or not any(kustomizations(scene)):
        return None
    for layers in _renamings(scene):
        prefix = "".join(_text(layer.data.get("namePrefix")) for layer in layers)
        suffix = "".join(_text(layer.data.get("nameSuffix")) for layer in reversed(layers))
        if (backend, namespace, f"{prefix}{group}{suffix}") in scene.gangs:
            return Renamer(layers[-1], f"{prefix}{group}{suffix}")
    return None


def _renamings(scene: Scene) -> Iterator[tuple[Subject, ...]]:
    """Yield every run of neighbouring layers that rename, the outermost of each run first."""
    renaming = [layer for layer in kustomizations(scene)
                if _text(layer.data.get("namePrefix")) or _text(layer.data.get("nameSuffix"))]
    for start in range(len(renaming)):
        yield from (tuple(renaming[start:end]) for end in range(start + 1, len(renaming) + 1))


def patches_for(ref: Ref, scene: Scene) -> Iterator[Patch]:
    """Yield the build's patches that are for an object, in the order in which they are applied.

    A patch names its target as it is before later renames; target names are anchored patterns
    (kustomize api/types/selector.go, 5.8.1).
    """
    if not scene.patches:
        return
    names = [former.name for former in former_names(ref.name, scene)]
    found = [entry for name in names for entry in scene.patches.get(name, ())]
    found += [entry for entry in scene.patches.get("", ())
              if not entry[1].name or any(_matches(entry[1].name, name) for name in names)]
    yield from (patch for _, patch in sorted(found, key=lambda entry: entry[0])
                if not patch.kind or _matches(patch.kind, ref.kind))


def index(
    subjects: Iterable[Subject], from_files: Iterable[Patch] = ()
) -> dict[str, tuple[tuple[int, Patch], ...]]:
    """Sort patches by the name of their target, as ``Scene.patches`` holds them.

    Args:
        subjects: the kustomizations among them hold patches in their own text.
        from_files: the others.
    """
    found: dict[str, list[tuple[int, Patch]]] = {}
    for number, patch in enumerate((*_inline(subjects), *from_files)):
        found.setdefault(patch.name if _PLAIN_NAME.fullmatch(patch.name) else "", []).append((number, patch))
    return {name: tuple(entries) for name, entries in found.items()}


def _inline(subjects: Iterable[Subject]) -> Iterator[Patch]:
    for subject in subjects:
        for entry in kustomization.patches(subject.data) if subject.ref.kind in kustomization.KINDS else ():
            if entry.text is None:
                continue
            from gangform.text import fragments

            for fragment in fragments.read(subject.ref.name, entry.text):
                target = identify(fragment.data) if isinstance(fragment.data, dict) else Ref("", "", "", "")
                yield Patch(entry.kind or target.kind, entry.name or target.name, fragment.data)


def is_set_by(patch: Patch, pointer: Pointer, value: Any) -> bool:
    """Whether a patch gives this value to what is at a pointer of its target."""
    if isinstance(patch.data, dict):
        return bool(get(patch.data, pointer) == value)
    for operation in patch.data if isinstance(patch.data, list) else ():
        path = operation.get("path") if isinstance(operation, dict) else None
        if isinstance(path, str) and path.startswith("/"):
            at = parse(path)
            if pointer[: len(at)] == at and get(operation.get("value"), pointer[len(at):]) == value:
                return True
    return False


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.fullmatch(pattern, text) is not None
    except re.error:
        return False


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
