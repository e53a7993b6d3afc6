"""A plan's changes as kustomize patches.

A strategic merge patch fails when its object is gone and makes the maps that are missing, so it is the
first choice. kustomize knows no merge keys for custom resources and would replace a list whole; where a
path crosses a list the patch is JSON 6902 (RFC 6902), with an explicit target.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gangform.model.edit import ABSENT, Edit, put
from gangform.model.pointer import get, render
from gangform.model.workload import Ref


class PatchFile(NamedTuple):
    """What a patch file holds, and how kustomization.yaml must name its object.

    Attributes:
        document: what the patch file holds.
        target: kustomize's selector; empty when the document names its object itself.
    """

    document: Any
    target: Mapping[str, str] = {}


def patch(data: Mapping[str, Any], ref: Ref, edits: Iterable[Edit]) -> PatchFile | None:
    """Write edits of an object as one patch, or None when nothing is to be changed.

    A JSON 6902 patch cannot make maps that may be there already, so it fits ``data`` as it is now.
    """
    wanted = tuple(edits)
    if any(isinstance(token, int) for edit in wanted for token in edit.pointer):
        operations = list(_operations(data, wanted))
        return PatchFile(operations, _target(ref)) if operations else None
    if not wanted:
        return None
    document = _identity(ref)
    for edit in wanted:
        document = put(document, edit.pointer, None if edit.value is ABSENT else edit.value)
    return PatchFile(document)


def replacement(wanted: Mapping[str, Any], ref: Ref) -> PatchFile:
    """Write a patch that gives the object at ``ref`` the content of ``wanted``.

    Labels and annotations are added to those that stand there: an author's kustomization may set some
    on every object. Everything else is replaced whole.
    """
    document = _identity(ref)
    document["metadata"] |= {key: value for key, value in wanted["metadata"].items()
                             if key in ("labels", "annotations")}
    for key, value in wanted.items():
        if key not in document:
            document[key] = {"$patch": "replace", **value} if isinstance(value, Mapping) else value
    return PatchFile(document)


def _identity(ref: Ref) -> dict[str, Any]:
    metadata = {"name": ref.name} | ({"namespace": ref.namespace} if ref.namespace else {})
    return {"apiVersion": ref.api_version, "kind": ref.kind, "metadata": metadata}


def _target(ref: Ref) -> dict[str, str]:
    # kustomize reads a selector's values as anchored regular expressions, takes a selector without
    # namespace for all namespaces, and an object without one for an object of ``default``.
    group = {"group": ref.group} if ref.group else {}
    return {**group, "version": ref.api_version.rpartition("/")[2], "kind": ref.kind,
            "name": ref.name.replace(".", r"\."), "namespace": ref.namespace or "default"}


def _operations(data: Any, edits: Iterable[Edit]) -> Iterator[dict[str, Any]]:
    for pointer, value, _ in edits:
        if value is not ABSENT:
            known = next((length for length in range(1, len(pointer))
                          if not isinstance(get(data, pointer[:length]), dict | list)), len(pointer))
            yield {"op": "add", "path": render(pointer[:known]), "value": put(None, pointer[known:], value)}
        elif get(data, pointer, ABSENT) is not ABSENT:
            yield {"op": "remove", "path": render(pointer)}
        data = put(data, pointer, value)
