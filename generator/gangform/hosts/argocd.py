"""What Argo CD says to a config management plugin, and what the plugin announces to it.

Whoever may edit an Application writes these texts, so that nothing in them is believed: their size, their
characters, their types and their names are checked before anybody uses them.
"""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gangform.contracts import Backend
from gangform.model.errors import InputError
from gangform.model.gang import Option

PARAMETERS = "ARGOCD_APP_PARAMETERS"
"""Variable that holds an Application's parameters as JSON; ``null`` when it has none
(argo-cd, pkg/apis/application/v1alpha1/types.go, ApplicationSourcePluginParameters.Environ, 3.1)."""

_FLAT = "PARAM_"
_PLUGIN_ENV = "ARGOCD_ENV_"
_SIZE_LIMIT = 64 * 2**10
_NUMBER_LIMIT = 100
_TEXT_LIMIT = 1024
_SHOWN = 60
_TEXTS = ("backend", "cluster", "groups", "release", "namespace")

Value = str | tuple[str, ...] | Mapping[str, str]


class Parameter(NamedTuple):
    """One parameter.

    Attributes:
        shape: ``string``, ``array`` or ``map``, as Argo CD calls them.
        help: shown beside it.
    """

    shape: str
    help: str


class Request(NamedTuple):
    """What an Application asks for; empty where it does not say.

    Attributes:
        options: name to value, as ``settings.read_options`` takes them from settings.
        values: values files of a chart, relative to it.
        application, destination: name and target namespace of the Application.
        kube_version, api_versions: what the target cluster serves.
        path: of the source below the top of the checkout, without detours; None when Argo CD does not say.
    """

    backend: str = ""
    cluster: str = ""
    groups: str = ""
    release: str = ""
    namespace: str = ""
    values: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    application: str = ""
    destination: str = ""
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()
    path: str | None = None


def parameters(backends: Mapping[str, Backend]) -> dict[str, Parameter]:
    """Return every parameter by name: the choice of a scheduler, the chart's, the options of all backends."""
    found = {
        "backend": Parameter("string", f"The gang scheduler: {' or '.join(backends)}. This or cluster is needed, "
                             "unless gangform.yaml has one cluster."),
        "cluster": Parameter("string", "A cluster of gangform.yaml, instead of a backend."),
        "groups": Parameter("string", "Who makes the PodGroups: git or operator."),
        "values": Parameter("array", "Values files of a Helm chart, relative to it; later ones win."),
        "release": Parameter("string", "Release name of a Helm chart; the Application's name when not given."),
        "namespace": Parameter("string", "Release namespace of a Helm chart; the Application's when not given."),
    }
    return found | {name: Parameter("map" if of[0].type == "map" else "string", of[0].help + _defaults(name, backends))
                    for name, of in _options(backends).items()}


def _options(backends: Mapping[str, Backend]) -> dict[str, list[Option]]:
    names = sorted({name for backend in backends.values() for name in backend.OPTIONS})
    return {name: [backend.OPTIONS[name] for backend in backends.values() if name in backend.OPTIONS]
            for name in names}


def _defaults(name: str, backends: Mapping[str, Backend]) -> str:
    """Say which schedulers know an option, and what holds when it is not given."""
    told = [f"{key}: {backend.OPTIONS[name].default or 'left out'}" for key, backend in backends.items()
            if name in backend.OPTIONS]
    return f" Default: {'; '.join(told)}."


def announce(backends: Mapping[str, Backend]) -> str:
    """Write the announcement for Argo CD's form, as JSON.

    Argo CD never sends an announced default back. Those of texts depend on the scheduler, and so stand in
    the help alone.
    """
    empty: Mapping[str, Mapping[str, Any]] = {"string": {}, "array": {"array": []}, "map": {"map": {}}}
    return json.dumps([
        {"name": name, "title": name, "tooltip": text, "collectionType": shape, **empty[shape]}
        for name, (shape, text) in parameters(backends).items()], indent=2) + "\n"


def read(environment: Mapping[str, str], backends: Mapping[str, Backend]) -> Request:
    """Read what an Application asks for.

    Its parameters win over its ``plugin.env``. The flat variables of the parameters count only where their
    JSON is missing, since flattening has lost the spelling of names and keys.

    Args:
        environment: of the process, as Argo CD sets it.
        backends: every known backend by name.

    Raises:
        InputError: a name is unknown, or a value is not what its name takes.
    """
    known = parameters(backends)
    given = dict(_read_flat(environment, _PLUGIN_ENV, known))
    if environment.get(PARAMETERS):
        given |= _read_json(environment[PARAMETERS], known)
    else:
        given |= _read_flat(environment, _FLAT, known)
    path = environment.get("ARGOCD_APP_SOURCE_PATH")
    values = given.pop("values", ())
    texts = {name: str(given.pop(name, "")) for name in _TEXTS}
    return Request(
        **texts, values=tuple(_checked_path(name) for name in values), options=given,
        application=_text(environment, "ARGOCD_APP_NAME"), destination=_text(environment, "ARGOCD_APP_NAMESPACE"),
        kube_version=_text(environment, "KUBE_VERSION"),
        api_versions=tuple(filter(None, environment.get("KUBE_API_VERSIONS", "").split(","))),
        # As Argo CD joins it: a/../a lies no deeper than a.
        path=None if path is None else posixpath.normpath(f"/{path}").lstrip("/"))


def _text(environment: Mapping[str, str], name: str) -> str:
    return _checked(environment.get(name, ""), name)


def _checked_path(path: str) -> str:
    if not path or "://" in path or path.startswith(("/", "~", "-")):
        raise InputError(f"the values file {_show(path)} is no path from the chart's folder",
                         "name a file of the repository, relative to the chart")
    return path


def _read_json(text: str, known: Mapping[str, Parameter]) -> dict[str, Value]:
    if len(text) > _SIZE_LIMIT:
        raise InputError(f"{PARAMETERS} is longer than {_SIZE_LIMIT} characters", "give fewer parameters")
    try:
        entries = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{PARAMETERS} is no JSON: {str(error)[:_SHOWN]}", "Argo CD sets it") from None
    entries = [] if entries is None else entries
    if not isinstance(entries, list):
        raise InputError(f"{PARAMETERS} is no list", "it is a list of parameters, as Argo CD writes it")
    if len(entries) > _NUMBER_LIMIT:
        raise InputError(f"{PARAMETERS} has {len(entries)} parameters, more than {_NUMBER_LIMIT}", "give fewer")
    found: dict[str, Value] = {}
    for number, entry in enumerate(entries, 1):
        name, value = _read_entry(entry, f"parameter {number} of the Application", known)
        if name in found:
            raise InputError(f"the parameter {name} is given twice", "give it once")
        found[name] = value
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object holds the same key twice")
    return found


def _read_entry(entry: Any, what: str, known: Mapping[str, Parameter]) -> tuple[str, Value]:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise InputError(f"{what} has no name", "write {name: …, string: …}")
    name = entry["name"]
    if name not in known:
        raise _unknown(f"{_show(name)} is no parameter of gangform", known)
    shape = known[name].shape
    given = [key for key in entry if key != "name"]
    if given != [shape]:
        said = ", ".join(_show(key) for key in given) or "nothing"
        raise InputError(f"the parameter {name} takes a {shape}, but {said} is given", f"write {shape}: …")
    return name, _read_value(entry[shape], shape, f"the parameter {name}")


def _read_value(value: Any, shape: str, what: str) -> Value:
    if shape == "string":
        return _checked(value, what)
    if shape == "array" and isinstance(value, list) and len(value) <= _NUMBER_LIMIT:
        return tuple(_checked(item, what) for item in value)
    if shape == "map" and isinstance(value, dict) and len(value) <= _NUMBER_LIMIT:
        return {_checked(key, what): _checked(item, what) for key, item in value.items()}
    raise InputError(f"{what} is no {shape} of at most {_NUMBER_LIMIT} texts", f"write {shape}: …")


def _read_flat(
    environment: Mapping[str, str], prefix: str, known: Mapping[str, Parameter]
) -> Iterator[tuple[str, Value]]:
    """Read the parameters that stand in variables of their own; a list has one for each entry."""
    names = {_escape(name): name for name in known}
    lists: dict[str, dict[int, str]] = {}
    for variable in sorted(environment):
        if not variable.startswith(prefix):
            continue
        escaped = _escape(variable.removeprefix(prefix))
        head, _, index = escaped.rpartition("_")
        if escaped in names and known[names[escaped]].shape == "string":
            yield names[escaped], _checked(environment[variable], variable)
        elif head in names and known[names[head]].shape == "array" and re.fullmatch(r"[0-9]{1,3}", index):
            lists.setdefault(names[head], {})[int(index)] = _checked(environment[variable], variable)
        elif any(escaped == short or escaped.startswith(f"{short}_") for short in _maps(names, known)):
            raise InputError(f"{_show(variable)} cannot say the keys of a map as they are spelt",
                             "give it as a parameter of the Application: plugin.parameters, with map:")
        else:
            raise _unknown(f"{_show(variable)} is no parameter of gangform", [prefix + short for short in names])
    for name, items in lists.items():
        yield name, tuple(items[index] for index in sorted(items))


def _maps(names: Mapping[str, str], known: Mapping[str, Parameter]) -> Iterable[str]:
    return (short for short, name in names.items() if known[name].shape == "map")


def _escape(name: str) -> str:
    """Spell a name as Argo CD does in variables (types.go, escaped, 3.1)."""
    return re.sub(r"[^A-Z0-9_]", "_", name.upper())


def _checked(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} holds {type(value).__name__}, not a text", "write it in quotes")
    if len(value) > _TEXT_LIMIT:
        raise InputError(f"{what} is longer than {_TEXT_LIMIT} characters", "shorten it")
    if not value.isprintable():
        raise InputError(f"{what} holds a character that cannot be printed: {_show(value)}", "take it out")
    return value


def _unknown(message: str, known: Iterable[str]) -> InputError:
    return InputError(message, f"known: {', '.join(known)}")


def _show(text: str) -> str:
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
