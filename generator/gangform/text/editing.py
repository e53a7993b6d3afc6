"""Small edits in a kustomization.yaml that a human owns; everything else stays byte for byte.

ruamel.yaml, which reads YAML 1.2 as kustomize does, tells where the list stands. The new entry is put in
there, and the result counts only if the reader of this room finds exactly the entry added.
"""

import posixpath
import re
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from gangform.model.errors import InputError
from gangform.model.finding import Severity
from gangform.text.reading import read
from gangform.text.writing import write

_KEY = "components"
_BREAK = re.compile(r"\r\n|\r|\n")
_FLOW_INDICATOR = re.compile(r"[\[\]{},]")


class _Insertion(NamedTuple):
    """A piece of text and the offset where it goes, in characters."""

    offset: int
    text: str


def enlist(text: str, entry: str) -> str:
    """Return the text of a kustomization with an entry added at the end of its ``components:``.

    Args:
        text: of kustomization.yaml, with or without a byte order mark.
        entry: a path relative to the file's folder, such as ``gang``.

    Returns:
        The text itself when the entry is there already, in whatever spelling (``./gang``, ``gang/``).

    Raises:
        InputError: the text cannot be read, or its shape leaves no safe place for the entry.
    """
    body = text.removeprefix("\ufeff")
    data = _read_kustomization(body)
    entries = data.get(_KEY)
    if entries is not None and not (isinstance(entries, list) and all(isinstance(item, str) for item in entries)):
        raise InputError(f"{_KEY} in kustomization.yaml is no list of paths",
                         f"write it as a list of folders, or add the line yourself: - {entry}")
    if any(posixpath.normpath(item) == posixpath.normpath(entry) for item in entries or ()):
        return text
    spot = _find_spot(body, entry)
    result = body[:spot.offset] + spot.text + body[spot.offset:]
    reading = read("kustomization.yaml", result, flatten=False)
    if [document.data for document in reading.documents] != [{**data, _KEY: [*(entries or ()), entry]}]:
        raise _refuse(entry, "no place was found where a new line leaves everything else as it is")
    return text[:len(text) - len(body)] + result


def _read_kustomization(body: str) -> dict[str, Any]:
    reading = read("kustomization.yaml", body, flatten=False)
    for finding in reading.findings:
        if finding.severity is Severity.ERROR or reading.templated:
            raise InputError(f"kustomization.yaml line {finding.location.line}: {finding.message}", finding.hint)
    if len(reading.documents) != 1:
        raise InputError(f"kustomization.yaml holds {len(reading.documents)} documents instead of one",
                         "a kustomization is one map with resources, patches and the like")
    return reading.documents[0].data


def _find_spot(body: str, entry: str) -> _Insertion:
    root = _compose(body, entry)
    if not isinstance(root, MappingNode) or root.flow_style:
        raise _refuse(entry, "it is written in braces")
    found = _BREAK.search(body)
    end_of_line = found[0] if found else "\n"
    line = write([[entry]]).removesuffix("\n")
    for key, value in root.value:
        if key.value != _KEY:
            continue
        if isinstance(value, SequenceNode) and value.flow_style:
            return _insert_in_brackets(value, entry, line)
        if isinstance(value, SequenceNode):
            last = value.value[-1].end_mark.index
            return _insert_line(body, last, " " * value.start_mark.column + line, end_of_line)
        if isinstance(value, ScalarNode) and not value.value:
            return _insert_line(body, key.end_mark.index, " " * _find_indent(root) + line, end_of_line)
        raise _refuse(entry, f"its {_KEY} are not written out as a list")
    added = f"{_KEY}:{end_of_line}{' ' * _find_indent(root)}{line}"
    return _insert_line(body, max(0, len(body) - 1), added, end_of_line)


def _compose(body: str, entry: str) -> Any:
    yaml = YAML()
    yaml.composer.warn_double_anchors = False
    try:
        return yaml.compose(body)
    except (YAMLError, ValueError) as error:
        problem = getattr(error, "problem", None) or "it is not valid YAML 1.2"
        raise _refuse(entry, str(problem)) from error


def _insert_in_brackets(value: SequenceNode, entry: str, line: str) -> _Insertion:
    shown = line.removeprefix("- ")
    if _FLOW_INDICATOR.search(entry) and not shown.startswith('"'):
        shown = f'"{entry}"'
    if not value.value:
        return _Insertion(value.end_mark.index - 1, shown)
    return _Insertion(value.value[-1].end_mark.index, f", {shown}")


def _insert_line(body: str, offset: int, line: str, end_of_line: str) -> _Insertion:
    """Put a line after the one that holds the offset."""
    found = _BREAK.search(body, offset)
    if found:
        return _Insertion(found.end(), line + end_of_line)
    return _Insertion(len(body), end_of_line + line + end_of_line)


def _find_indent(root: MappingNode) -> int:
    """Return the column at which the file's other lists begin."""
    columns = (value.start_mark.column for _, value in root.value
               if isinstance(value, SequenceNode) and not value.flow_style)
    return next(columns, 0)


def _refuse(entry: str, reason: str) -> InputError:
    return InputError(f"{entry} cannot be added to kustomization.yaml: {reason}",
                      f"add it by hand: list {entry} under {_KEY}:")
