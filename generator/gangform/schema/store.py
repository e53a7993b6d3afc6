"""Where the schema files are, and what they hold."""

import os
from functools import cache
from typing import Any

from gangform.model.errors import InputError

Schema = dict[str, Any]
"""A JSON Schema, or a part of one. Loaded schemas are shared: never changed."""


@cache
def root() -> str:
    """Return the folder of the schemas, with ``/``: the packaged one, else the checkout's.

    Raises:
        InputError: there is neither, so the installation is incomplete.
    """
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    for parent in (package, os.path.dirname(os.path.dirname(package))):
        folder = os.path.join(parent, "schemas")
        if os.path.isdir(folder):
            return folder.replace(os.sep, "/")
    raise InputError("the schemas of gangform are missing beside its modules", "install gangform again")


@cache
def names() -> tuple[str, ...]:
    """Return the names of all schemas, such as ``kubeflow.org/mpijob_v2beta1``, in order."""
    groups = [group for group in os.scandir(root()) if group.is_dir()]
    return tuple(sorted(f"{group.name}/{file.removesuffix('.json')}" for group in groups
                        for file in os.listdir(group) if file.endswith(".json")))


def text(name: str) -> str:
    """Return a schema as its file has it.

    Raises:
        InputError: there is no schema of that name.
    """
    if name not in names():
        raise InputError(f"no schema is called {name}", f"the schemas are: {', '.join(names())}")
    with open(f"{root()}/{name}.json", encoding="utf-8") as file:
        return file.read()


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
    return f"{root()}/{{{{.Group}}}}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json"


def name_of(api_version: str, kind: str) -> str | None:
    """Return the name of the schema of objects with this apiVersion and kind, if there is one."""
    group, _, version = api_version.rpartition("/")
    name = f"{group}/{kind.lower()}_{version}"
    if name not in names():
        return None
    declared = load(name)["properties"]
    of_objects = declared.get("kind", {}).get("const") == kind
    return name if of_objects and declared["apiVersion"].get("const") == api_version else None
