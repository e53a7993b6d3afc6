"""Where the schema files are, and what they hold."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from gangform.model.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

Schema = dict[str, Any]
"""A JSON Schema, or a part of one. Loaded schemas are shared: never changed."""


@cache
def root() -> Path:
    """Return the folder of the schemas: the packaged one, else the checkout's.

    Raises:
        InputError: there is neither, so the installation is incomplete.
    """
    from pathlib import Path

    package = Path(__file__).resolve().parent.parent
    for folder in (package / "schemas", package.parent.parent / "schemas"):
        if folder.is_dir():
            return folder
    raise InputError("the schemas of gangform are missing beside its modules", "install gangform again")


@cache
def names() -> tuple[str, ...]:
    """Return the names of all schemas, such as ``kubeflow.org/mpijob_v2beta1``, in order."""
    folder = root()
    return tuple(sorted(f.relative_to(folder).with_suffix("").as_posix() for f in folder.glob("*/*.json")))


def text(name: str) -> str:
    """Return a schema as its file has it.

    Raises:
        InputError: there is no schema of that name.
    """
    if name not in names():
        raise InputError(f"no schema is called {name}", f"the schemas are: {', '.join(names())}")
    return root().joinpath(f"{name}.json").read_text(encoding="utf-8")


@cache
def load(name: str) -> Schema:
    """Return a schema as data, parsed once per process and shared between callers.

    Raises:
        InputError: there is no schema of that name.
    """
    import json

    schema: Schema = json.loads(text(name))
    return schema


def location() -> str:
    """Return the value of kubeconform's option ``-schema-location`` that stands for this folder."""
    return f"{root().as_posix()}/{{{{.Group}}}}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json"


def name_of(api_version: str, kind: str) -> str | None:
    """Return the name of the schema of objects with this apiVersion and kind, if there is one."""
    group, _, version = api_version.rpartition("/")
    name = f"{group}/{kind.lower()}_{version}"
    if name not in names():
        return None
    declared = load(name)["properties"]
    of_objects = declared.get("kind", {}).get("const") == kind
    return name if of_objects and declared["apiVersion"].get("const") == api_version else None
