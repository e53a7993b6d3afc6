"""Asking kubeconform for its verdict on built objects, and believing it only when the numbers agree."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gangform.edges import disk, programs
from gangform.model.errors import ProgramError
from gangform.model.pointer import Pointer

TIMEOUT = 300.0
"""Seconds that one run may take unless the caller says otherwise."""

_HINT = "run it by hand, or leave it out with --kubeconform off"
_OF_THE_OBJECT = ("error unmarshalling resource", "error while parsing")
_NO_SCHEMA = "could not find schema"
_VAGUE = "validation failed"
_CAUSE = re.compile(r" +- at '(.*?)': ")
_STANDARD = "/{{.NormalizedKubernetesVersion}}-standalone{{.StrictSuffix}}/{{.ResourceKind}}{{.KindSuffix}}.json"


class Verdicts(NamedTuple):
    """What kubeconform said.

    Attributes:
        valid: objects that passed.
        failures: (key of the object, path inside it as kubeconform writes it, message), in the
            order of the objects.
        unchecked: keys of objects that no schema was found for.
    """

    valid: int
    failures: tuple[tuple[str, str, str], ...]
    unchecked: tuple[str, ...] = ()


class _Result(NamedTuple):
    """What kubeconform printed of one object."""

    kind: str
    api_version: str
    status: str
    message: str
    errors: tuple[tuple[str, str], ...]


def find() -> str | None:
    """Return the path of kubeconform, or None."""
    return programs.find("kubeconform")


def require() -> str:
    """Return the path of kubeconform.

    Raises:
        ProgramError: it is not on PATH.
    """
    program = find()
    if program is None:
        raise ProgramError("kubeconform is required, but it is not on PATH",
                           "install it, or leave it out with --kubeconform off")
    return program


def has_schema(locations: Sequence[str], api_version: str, kind: str) -> bool:
    """Tell whether one of the schema locations holds the schema of a kind; a remote one may always.

    Mirrors kubeconform, pkg/registry/registry.go, New and schemaPath, 0.7.0.
    """
    return any(path is None or os.path.isfile(path) for path in _paths(locations, api_version, kind))


def _paths(locations: Sequence[str], api_version: str, kind: str) -> Iterator[str | None]:
    """Yield the file that each location means for a kind; None for what is not a local file."""
    first, _, version = api_version.partition("/")
    label = first.split(".")[0].lower()
    values = {
        "NormalizedKubernetesVersion": "master",
        "StrictSuffix": "-strict",
        "ResourceKind": kind.lower(),
        "ResourceAPIVersion": version or first,
        "Group": first,
        "KindSuffix": f"-{label}-{version.lower()}" if version else f"-{label}",
    }
    for location in locations:
        template = location if location.endswith("json") else location + _STANDARD
        path = re.sub(r"\{\{\s*\.(\w+)\s*\}\}", lambda match: values.get(match[1], match[0]), template)
        yield None if location == "default" or location.startswith("http") or "{{" in path else path


def _has_local(locations: Sequence[str], result: _Result) -> bool:
    """Tell whether a schema that was not found is there: kubeconform says so of one that it cannot compile."""
    paths = _paths(locations, result.api_version, result.kind)
    return any(path is not None and os.path.isfile(path) for path in paths)


def pointer(data: Any, path: str) -> Pointer:
    """Turn a path that kubeconform joined without escapes into a pointer into the object.

    Where the path leads out of the object, the answer stops at the last step that is there.
    """
    best: Pointer = ()
    for found, rest in _steps(data, path.removeprefix("/")):
        if not rest:
            return found
        best = max(best, found, key=len)
    return best


def _steps(data: Any, path: str, so_far: Pointer = ()) -> Iterator[tuple[Pointer, str]]:
    """Yield how far a path leads, once for every way in which it can be cut into keys."""
    steps = dict(enumerate(data)) if isinstance(data, list) else data if isinstance(data, dict) else {}
    fitting = [key for key in steps if path == str(key) or path.startswith(f"{key}/")] if path else []
    if not fitting:
        yield so_far, path
    for key in sorted(fitting, key=lambda key: -len(str(key))):
        yield from _steps(steps[key], path[len(str(key)) + 1 :], (*so_far, key))


def validate(
    documents: Sequence[tuple[str, str]], schema_locations: Sequence[str], *, program: str, timeout: float = TIMEOUT
) -> Verdicts:
    """Validate objects against the schemas at the locations, and at no others.

    Args:
        documents: (key, YAML text of exactly one object that is no List).
        schema_locations: as kubeconform's option takes them; the net is used only if one of them names it.
        program: path of kubeconform.
        timeout: seconds.

    Raises:
        ProgramError: kubeconform failed, or did not answer for every object, or a schema cannot be used.
    """
    # Without any location kubeconform would ask the net.
    if not documents or not schema_locations:
        return Verdicts(0, (), tuple(key for key, _ in documents))
    with disk.temporary_folder() as folder:
        for index, (_, text) in enumerate(documents):
            disk.write_new(os.path.join(folder, f"{index:06d}.yaml"), text)
        options = [word for location in schema_locations for word in ("-schema-location", location)]
        argv = [program, "-strict", "-output", "json", "-verbose", "-summary", *options, folder]
        done = programs.run(argv, cwd=os.getcwd(), timeout=timeout, what="kubeconform")
    results = _parse(done)
    names = [f"{index:06d}.yaml" for index in range(len(documents))]
    if sorted(name for name, _ in results) != names:
        raise ProgramError(f"kubeconform answered for {len(results)} objects instead of {len(names)}", _HINT)
    by_name = dict(results)
    verdicts = _judge([(key, by_name[name]) for name, (key, _) in zip(names, documents, strict=True)],
                      schema_locations)
    if (done.code == 0) != (verdicts.valid == len(documents)):
        raise ProgramError(f"kubeconform ended with exit code {done.code}, which its answer contradicts", _HINT)
    return verdicts


def _parse(done: programs.Completed) -> list[tuple[str, _Result]]:
    """Read kubeconform's answer as (file name, result)."""
    try:
        answer = json.loads(done.stdout)
        return [(os.path.basename(entry["filename"]), _read(entry)) for entry in answer["resources"]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())[:500]
        raise ProgramError(f"kubeconform gave no answer that can be read (exit code {done.code}): {said or 'nothing'}",
                           _HINT) from error


def _read(entry: Mapping[str, Any]) -> _Result:
    errors = tuple(cause for error in entry.get("validationErrors") or ()
                   for cause in _causes(str(error["path"]), str(error["msg"]), str(entry["msg"])))
    return _Result(str(entry["kind"]), str(entry["version"]), str(entry["status"]), str(entry["msg"]), errors)


def _causes(path: str, message: str, whole: str) -> list[tuple[str, str]]:
    """Return what is wrong at a path: where the list of causes stays vague, the message as a whole knows more.

    Mirrors kubeconform, pkg/validator/validator.go, ValidateResource, 0.7.0, which lists the outermost causes only.
    """
    pieces = _CAUSE.split(whole)[1:]
    inner = [(at, said.strip()) for at, said in zip(pieces[::2], pieces[1::2], strict=True)
             if (at == path or at.startswith(f"{path}/")) and said.strip() != _VAGUE]
    return inner if message == _VAGUE and inner else [(path, message)]


def _judge(results: Sequence[tuple[str, _Result]], locations: Sequence[str]) -> Verdicts:
    valid = 0
    failures: list[tuple[str, str, str]] = []
    unchecked = []
    for key, result in results:
        if result.status == "statusValid":
            valid += 1
        elif result.status == "statusInvalid":
            failures += [(key, path, message) for path, message in sorted(result.errors) or [("", result.message)]]
        elif result.status == "statusError" and result.message.startswith(_OF_THE_OBJECT):
            failures.append((key, "", result.message))
        elif result.message.startswith(_NO_SCHEMA) and not _has_local(locations, result):
            unchecked.append(key)
        else:
            said = result.message or result.status or "nothing"
            raise ProgramError(f"kubeconform could not check a {result.kind or 'document'}: {said}", _HINT)
    return Verdicts(valid, tuple(failures), tuple(unchecked))
