"""What the layers of a kustomize build did to an object: its names on the way, and the patches for it.

Rules ask with the scene of a build, which holds the kustomizations and their patches beside the objects;
elsewhere there are none, and nothing is told. The way back to authors asks with the layers themselves.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gangform import kustomization
from gangform.contracts import Scene, Subject
from gangform.model.edit import Patch
from gangform.model.pointer import Pointer, get, parse
from gangform.model.workload import Ref, identify

Index = Mapping[str, tuple[tuple[int, Patch], ...]]
"""Name of a target (empty for patterns) to the patches for it, each with its place in the order."""

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
        inner = _name_before(name, layer.data)
        if inner != name:
            name, renamed_by = inner, (*renamed_by, layer)
            yield FormerName(name, renamed_by)


def names_on_the_way(name: str, layers: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a built name, and what it was before each layer, the outermost of them first, as ``former_names``."""
    yield name
    for layer in layers:
        inner = _name_before(name, layer)
        if inner != name:
            name = inner
            yield name


def _name_before(name: str, layer: Mapping[str, Any]) -> str:
    """Return what a name was before a layer, which is the same where the layer gave it no prefix or suffix."""
    prefix, suffix = (_text(layer.get(field)) for field in ("namePrefix", "nameSuffix"))
    inner = name.removeprefix(prefix).removesuffix(suffix)
    return inner if inner and name == f"{prefix}{inner}{suffix}" else name


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
    """Yield the build's patches that are for an object, in the order in which they are applied."""
    if scene.patches:
        names = [former.name for former in former_names(ref.name, scene)]
        yield from (patch for _, patch in choose(scene.patches, ref.kind, names))


def choose(patches: Index, kind: str, names: Collection[str]) -> list[tuple[int, Patch]]:
    """Return the patches that are for an object, in their order, each with its place in it.

    A patch names its target as it is before later renames; target names are anchored patterns
    (kustomize api/types/selector.go, 5.8.1).

    Args:
        patches: as ``index`` answers.
        kind: of the object.
        names: what it is and was called.
    """
    found = [entry for name in names for entry in patches.get(name, ())]
    found += [entry for entry in patches.get("", ())
              if not entry[1].name or any(_matches(entry[1].name, name) for name in names)]
    return sorted((entry for entry in found if not entry[1].kind or _matches(entry[1].kind, kind)),
                  key=lambda entry: entry[0])


def inline_patches(subjects: Iterable[Subject]) -> Iterator[Patch]:
    """Yield the patches that the kustomizations among some subjects hold in their own text."""
    for subject in subjects:
        for entry in kustomization.patches(subject.data) if subject.ref.kind in kustomization.KINDS else ():
            if entry.text is None:
                continue
            from gangform.text import fragments

            for fragment in fragments.read(subject.ref.name, entry.text):
                target = identify(fragment.data) if isinstance(fragment.data, dict) else Ref("", "", "", "")
                yield Patch(entry.kind or target.kind, entry.name or target.name, fragment.data)


def index(patches: Iterable[Patch]) -> Index:
    """Sort patches, which come in the order in which they are applied, by the name of their target."""
    found: dict[str, list[tuple[int, Patch]]] = {}
    for number, patch in enumerate(patches):
        found.setdefault(patch.name if _PLAIN_NAME.fullmatch(patch.name) else "", []).append((number, patch))
    return {name: tuple(entries) for name, entries in found.items()}


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
