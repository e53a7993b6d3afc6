"""The options of a backend: one typed table, read from settings and from command lines alike."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gangform.contracts import Backend
from gangform.model.finding import Problem
from gangform.model.gang import Option
from gangform.model.pointer import Pointer

_SECONDS_LIMIT = 2**31 - 1
"""scheduleTimeoutSeconds is an int32 in scheduler-plugins' PodGroup."""

_NAME = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_DOMAIN = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*"
_KEY = rf"(?:(?=[^/]{{1,253}}/){_DOMAIN}/)?{_NAME}"
"""Keys of labels and annotations, and values of labels, which may also be empty
(kubernetes apimachinery pkg/util/validation/validation.go, IsQualifiedName and IsValidLabelValue, v0.34)."""


class _RefusedError(Exception):
    """A value that an option cannot take: where in it, what it is, what would be right."""

    def __init__(self, message: str, hint: str, pointer: Pointer = ()) -> None:
        super().__init__(message)
        self.problem = Problem(pointer, message, hint)


def read_options(
    raw: Mapping[str, Any], backend: Backend, base: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Check options against the backend's table and lay them over ``base``.

    Args:
        raw: option name to a YAML value, or to a tuple of texts as a command line gives them
            (maps then are ``key=value``).
        backend: whose options they are.
        base: checked values underneath; None means the table's defaults. Maps are joined.

    Returns:
        Checked values (see ``Circumstances.options``), and problems whose pointers begin with
        the option's name; a refused option keeps the value underneath.
    """
    options = dict(_defaults(backend) if base is None else base)
    problems: list[Problem] = []
    for name, given in raw.items():
        option = backend.OPTIONS.get(name)
        if option is None:
            problems.append(unknown((name,), name, backend.OPTIONS, f"option of {backend.NAME}", on_key=True))
            continue
        try:
            value = _READERS[option.type](name, option, _scalar(name, option, given))
        except _RefusedError as refused:
            problem = refused.problem
            problems.append(problem._replace(pointer=(name, *problem.pointer)))
        else:
            options[name] = {**options.get(name, {}), **value} if option.type == "map" else value
    return options, tuple(problems)


def unknown(pointer: Pointer, name: str, known: Iterable[str], noun: str, *, on_key: bool = False) -> Problem:
    """The problem of a name that is not in a list, with the nearest one and the whole list."""
    from difflib import get_close_matches

    choices = sorted(known)
    folded = {choice.lower(): choice for choice in choices}
    near = [folded[text] for text in get_close_matches(name.lower(), folded, n=1)]
    listed = f"known: {', '.join(choices)}" if choices else "none is known"
    hint = f"did you mean {near[0]}? {listed}" if near else listed
    return Problem(pointer, f"{name!r} is no {noun}", hint, on="key" if on_key else "value")


def _defaults(backend: Backend) -> dict[str, Any]:
    return {name: int(option.default) if option.type == "seconds" else option.default
            for name, option in backend.OPTIONS.items() if option.default is not None}


def _scalar(name: str, option: Option, given: Any) -> Any:
    if not isinstance(given, tuple) or option.type == "map":
        return given
    if len(given) > 1:
        raise _RefusedError(f"option {name} is given {len(given)} times", "give it once")
    return given[0]


def _read_text(name: str, _option: Option, given: Any) -> str:
    if not isinstance(given, str):
        quote = isinstance(given, bool | int | float)
        raise _RefusedError(f"option {name} is {_shown(given)}, not a text",
                            f'write it in quotes: "{_plain(given)}"' if quote else "give one text")
    if not given.strip():
        raise _RefusedError(f"option {name} is empty", "give a value, or leave the option out")
    if not given.isprintable() or " " in given:
        raise _RefusedError(f"option {name} is {_shown(given)}, which is no name", "take blanks and line ends out")
    return given


def _read_choice(name: str, option: Option, given: Any) -> str:
    if given not in option.choices:
        raise _RefusedError(f"option {name} is {_shown(given)}", f"write one of: {', '.join(option.choices)}")
    return str(given)


def _read_seconds(name: str, _option: Option, given: Any) -> int:
    number = int(given) if isinstance(given, str) and given.isascii() and given.isdigit() else given
    if isinstance(number, int) and not isinstance(number, bool) and 0 < number <= _SECONDS_LIMIT:
        return number
    raise _RefusedError(f"option {name} is {_shown(given)}, not a number of seconds",
                   f"write a whole number from 1 to {_SECONDS_LIMIT}, without a unit")


def _read_map(name: str, _option: Option, given: Any) -> dict[str, str]:
    if isinstance(given, tuple):
        given = dict(_pair(name, text) for text in given)
    if not isinstance(given, Mapping):
        raise _RefusedError(f"option {name} is {_shown(given)}, not a map", f"write {name}: {{key: value}}")
    for key, value in given.items():
        if not isinstance(value, str):
            raise _RefusedError(f"option {name}: the value of {key} is {_shown(value)}, not a text",
                           f'write it in quotes: "{_plain(value)}"', (key,))
        _require_valid(name, key, value)
    return dict(given)


def _require_valid(name: str, key: str, value: str) -> None:
    """Refuse what the API server would refuse in the metadata of a group."""
    if not re.fullmatch(_KEY, key):
        raise _RefusedError(f"option {name}: {_shown(key)} is no key of {name}",
                       "write name or domain/name, with letters, digits, -, _ and .", (key,))
    if name == "labels" and value and not re.fullmatch(_NAME, value):
        raise _RefusedError(f"option {name}: the value of {key} is {_shown(value)}, which no label can have",
                       "at most 63 letters, digits, -, _ and ., beginning and ending with a letter or digit", (key,))


def _pair(name: str, text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise _RefusedError(f"option {name} is {text!r}, not key=value", f"write --option {name}=key=value")
    return key, value


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, list):
        return "a list"
    return "null" if value is None else repr(value) if isinstance(value, str) else _plain(value)


_READERS: Mapping[str, Callable[[str, Option, Any], Any]] = {
    "text": _read_text, "choice": _read_choice, "seconds": _read_seconds, "map": _read_map,
}
