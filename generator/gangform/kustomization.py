"""What a kustomization file says, as data: which files it names and what it would be with changes.

Every function takes the file's data as read and ignores parts that are not of the expected shape;
kustomize itself is the judge of those.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from gangform.model.pointer import Pointer

FILE_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""The names that kustomize looks for
(kustomize, api/konfig/general.go, RecognizedKustomizationFileNames, 5.8.1)."""

GROUP = "kustomize.config.k8s.io"
"""The API group of such a file (kustomize, api/types/kustomization.go, KustomizationVersion, 5.8.1)."""

KINDS = frozenset({"Kustomization", "Component"})
"""What such a file may call itself."""

ORIGIN_ANNOTATION = "config.kubernetes.io/origin"
"""Where ``buildMetadata: [originAnnotations]`` writes an object's origin
(kustomize, api/internal/utils/annotations.go, OriginAnnotationKey, 5.8.1)."""

SOURCE_LINK = "gangform-source"
"""The entry by which a traced kustomization names the folder that it traces."""

_PLAIN_FIELDS = frozenset({"apiVersion", "kind", "metadata", "resources"})
_RENAMES = frozenset({"namePrefix", "nameSuffix", "namespace"})
_PATH_LISTS = ("resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators",
               "patchesStrategicMerge")
_REMOTE = re.compile(
    r"(?:git::)?(?:[a-z][a-z0-9+.-]*://|[^/@:\s]+@[^/:\s]+[:/]|(?:www\.)?github\.com[/:])", re.IGNORECASE)


def entries(kustomization: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """Return the texts of a list field such as ``resources`` or ``components``, in order."""
    value = kustomization.get(field)
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()


class PatchEntry(NamedTuple):
    """One patch that a kustomization lists.

    Attributes:
        at: pointer of the file's name or of the inline text.
        path: the file, or empty.
        text: the inline text; None when a file is named.
        kind, name: of the target, as written (each may be a pattern), or empty.
    """

    at: Pointer
    path: str
    text: str | None
    kind: str = ""
    name: str = ""


def resources(kustomization: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the entries that stand for files and folders of objects, the old ``bases`` included."""
    return entries(kustomization, "resources") + entries(kustomization, "bases")


def components(kustomization: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the entries of ``components``."""
    return entries(kustomization, "components")


def bases(kustomization: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all entries that may stand for another kustomization, in the order in which they are applied."""
    return resources(kustomization) + components(kustomization)


def is_remote(entry: str) -> bool:
    """Tell whether an entry that names nothing on disk would be fetched from elsewhere.

    Mirrors NewRepoSpecFromURL and IsRemoteFile (kustomize, api/internal/git/repospec.go and
    api/internal/loader/fileloader.go, 5.8.1).
    """
    return _REMOTE.match(entry) is not None


def paths(kustomization: Mapping[str, Any]) -> Iterator[tuple[Pointer, str]]:
    """Yield every entry that names a file or folder to be read, each with its pointer; inline texts are left out."""
    found = [member for field in _PATH_LISTS for member in _members(kustomization, field)]
    for field in ("patches", "patchesJson6902", "replacements"):
        found += [((*at, "path"), entry.get("path")) for at, entry in _members(kustomization, field)
                  if isinstance(entry, dict)]
    openapi = kustomization.get("openapi")
    found += [(("openapi", "path"), openapi.get("path"))] if isinstance(openapi, dict) else []
    for field in ("configMapGenerator", "secretGenerator"):
        found += [source for at, entry in _members(kustomization, field) if isinstance(entry, dict)
                  for source in _sources(at, entry)]
    yield from ((at, path) for at, path in found if isinstance(path, str) and path and "\n" not in path)


def _sources(at: Pointer, generator: Mapping[str, Any]) -> Iterator[tuple[Pointer, Any]]:
    """Yield the files of one generator; such a file may be written as key=path."""
    for place, name in _members(generator, "files"):
        key, equals, path = name.partition("=") if isinstance(name, str) else ("", "", "")
        yield (*at, *place), path if equals and not is_remote(key) else name
    yield from (((*at, *place), name) for place, name in _members(generator, "envs"))
    yield (*at, "env"), generator.get("env")


def is_foreign(kustomization: Mapping[str, Any]) -> bool:
    """Tell whether an object is of another program, such as Flux, whatever its file is called."""
    version = kustomization.get("apiVersion")
    return isinstance(version, str) and bool(version) and version.partition("/")[0] != GROUP


def resources_only(kustomization: Mapping[str, Any]) -> bool:
    """Tell whether the build is nothing but the objects of its local ``resources``.

    The folders among them must be asked in turn.
    """
    named = entries(kustomization, "resources")
    return (
        kustomization.keys() <= _PLAIN_FIELDS
        and kustomization.get("kind", "Kustomization") == "Kustomization"
        and list(named) == (kustomization.get("resources") or [])
        and not any(map(is_remote, named))
    )


def patches(kustomization: Mapping[str, Any]) -> Iterator[PatchEntry]:
    """Yield the patches in the order in which they are applied.

    The order is that of kustomize's built-in transformers (kustomize,
    api/internal/target/kusttarget_configplugin.go, configureBuiltinTransformers, 5.8.1).
    """
    for at, entry in _members(kustomization, "patchesStrategicMerge"):
        if isinstance(entry, str):
            yield PatchEntry(at, "", entry) if "\n" in entry else PatchEntry(at, entry, None)
    for field in ("patches", "patchesJson6902"):
        for at, entry in _members(kustomization, field):
            if not isinstance(entry, dict):
                continue
            given = entry.get("target")
            target = given if isinstance(given, dict) else {}
            kind, name = str(target.get("kind") or ""), str(target.get("name") or "")
            path, text = entry.get("path"), entry.get("patch")
            if isinstance(path, str) and path:
                yield PatchEntry((*at, "path"), path, None, kind, name)
            elif isinstance(text, str):
                yield PatchEntry((*at, "patch"), "", text, kind, name)


def patch_files(kustomization: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the files that are used as patches, in order, each once."""
    return tuple(dict.fromkeys(patch.path for patch in patches(kustomization) if patch.path))


def without_components(kustomization: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the kustomization as it would be if ``components`` did not list these folders."""
    dropped = {posixpath.normpath(name) for name in names}
    listed = kustomization.get("components")
    if not isinstance(listed, list):
        return dict(kustomization)
    kept = [entry for entry in listed if not isinstance(entry, str) or posixpath.normpath(entry) not in dropped]
    if kept:
        return {**kustomization, "components": kept}
    return {field: value for field, value in kustomization.items() if field != "components"}


def without_renames(kustomization: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kustomization as its components see it: before its own prefix, suffix and namespace.

    kustomize runs components before the transformers of the kustomization that lists them (kustomize,
    api/internal/target/kusttarget.go, accumulateTarget, 5.8.1).
    """
    return {field: value for field, value in kustomization.items() if field not in _RENAMES}


def with_origins(kustomization: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kustomization with origin annotations asked for."""
    asked = entries(kustomization, "buildMetadata")
    return {**kustomization, "buildMetadata": list(dict.fromkeys([*asked, "originAnnotations"]))}


def trace(kustomization: Mapping[str, Any]) -> dict[str, Any]:
    """Return a kustomization that builds the same objects with origin annotations, from beside the folder.

    It names the folder ``../gangform-source``; ``origin_of`` knows that name. What kustomize reads
    from the topmost file alone is repeated in it.
    """
    component = kustomization.get("kind") == "Component"
    kept = ("buildMetadata", "sortOptions")
    repeated = {field: kustomization[field] for field in kept if field in kustomization}
    field = "components" if component else "resources"
    return with_origins({**repeated, field: [f"../{SOURCE_LINK}"]})


def levels_above(value: Any) -> int:
    """Return how many folders above its own a kustomization's paths reach at most."""
    if isinstance(value, dict):
        return max((levels_above(member) for pair in value.items() for member in pair), default=0)
    if isinstance(value, list):
        return max(map(levels_above, value), default=0)
    # A generator's file may be written as key=path.
    paths = (value, value.partition("=")[2]) if isinstance(value, str) else ()
    return max((posixpath.normpath(path).split("/").count("..") for path in paths), default=0)


def take_origin(data: Mapping[str, Any], folder: str) -> tuple[str | None, dict[str, Any]]:
    """Return the file that a built object came from, and the object without the annotation that says so.

    Args:
        data: the built object.
        folder: the folder that was built, with ``/``; the file is relative to what it is relative to.

    Returns:
        None for an object that does not come from a local file.
    """
    metadata = data.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(annotations, dict) or ORIGIN_ANNOTATION not in annotations:
        return None, dict(data)
    kept = {key: value for key, value in annotations.items() if key != ORIGIN_ANNOTATION}
    bare = {key: value for key, value in metadata.items() if key != "annotations"}
    return origin_of(annotations, folder), {**data, "metadata": bare | ({"annotations": kept} if kept else {})}


def origin_of(annotations: Mapping[str, Any], folder: str) -> str | None:
    """Return the local file that an object's origin annotation names, or None; as for ``take_origin``."""
    from gangform.text import reading

    value = annotations.get(ORIGIN_ANNOTATION)
    if not isinstance(value, str):
        return None
    documents = reading.read(ORIGIN_ANNOTATION, value).documents
    origin = documents[0].data if documents else {}
    path = origin.get("path")
    if not isinstance(path, str) or "repo" in origin:
        return None
    inside = path.replace("\\", "/").removeprefix(f"../{SOURCE_LINK}/")
    return posixpath.normpath(posixpath.join(folder, inside))


def _members(kustomization: Mapping[str, Any], field: str) -> Iterator[tuple[Pointer, Any]]:
    """Yield the members of a list field, each with its pointer."""
    value = kustomization.get(field)
    if isinstance(value, list):
        yield from (((field, index), member) for index, member in enumerate(value))
