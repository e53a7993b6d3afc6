"""Which ids count, and how severe they are: the command line, the settings by path, and the catalog's defaults.

Of two that disagree the first in this order decides: ``--ignore``, the settings' entry for the path, ``--select``.
"""

import posixpath
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from gangform.contracts import Catalog
from gangform.model.finding import Finding, Severity
from gangform.model.source import Document
from gangform.settings import Settings
from gangform.settings.patterns import matches

IGNORE = "ignore.gangform.dev/"
"""Begin of an annotation that exempts its object from the id that follows."""

UNREADABLE = frozenset({"yaml-syntax", "yaml-limit", "yaml-encoding", "kustomize-build-failed"})
"""Ids which say that nothing could be checked: ``--select`` of other ids does not hide them."""


class Selection(NamedTuple):
    """What the command line says of ids.

    Attributes:
        select: ids or globs that count alone; everything when empty.
        ignore: ids or globs that do not count.
        preview: whether ids of the catalog's preview count.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    preview: bool = False

    def allows(self, rule: str) -> bool:
        """Whether the command line lets an id count."""
        if _any(self.ignore, rule):
            return False
        return not self.select or rule in UNREADABLE or _any(self.select, rule)


EVERYTHING = Selection()
"""What a command line says that names no ids."""


def bears_ignore(document: Document) -> bool:
    """Whether an object bears an annotation that exempts it from something."""
    return any(key.startswith(IGNORE) for key in annotations_of(document))


def reason_of(document: Document, rule: str) -> str | None:
    """Return the reason with which an object is exempted from an id; None when it is not."""
    annotations = annotations_of(document)
    if IGNORE + rule not in annotations:
        return None
    value = annotations[IGNORE + rule]
    return value.strip() if isinstance(value, str) else ""


def annotations_of(document: Document) -> dict[str, Any]:
    """Return an object's annotations; empty where there are none or they are no map."""
    metadata = document.data.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}


def unknown(patterns: Iterable[str], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each pattern that stands for no id, with the id that was meant or an empty text."""
    from difflib import get_close_matches

    for pattern in patterns:
        if not any(fnmatchcase(rule, pattern) for rule in known):
            near = get_close_matches(pattern.strip("*?"), known, n=1)
            yield pattern, near[0] if near else ""


def named(selection: Selection, settings: Settings) -> frozenset[str]:
    """Return the ids that the user spells out, which switches on what is off by default.

    A glob names nothing: ``--select 'min-*'`` shall not bring in guesses.
    """
    given = {rule for entry in settings.rules for rule in entry.severity}
    return frozenset({*given, *selection.select})


def narrow(catalog: Catalog, selection: Selection, settings: Settings) -> Catalog:
    """Return the catalog with the rules that may count, and those that speak instead of them."""
    spelt = named(selection, settings)
    waiting = frozenset() if selection.preview else catalog.preview
    idle = (catalog.off | waiting) - spelt
    wanted = {rule for rule in catalog.rules if rule not in idle and selection.allows(rule)}
    stronger = {other for rule in wanted for other in catalog.yields.get(rule, ())} - idle
    rules = {rule: module for rule, module in catalog.rules.items() if rule in wanted | stronger}
    return catalog._replace(rules=rules)


def previews(catalog: Catalog, selection: Selection, settings: Settings) -> Catalog:
    """Return the catalog with only the rules whose findings are told as a number and do not count yet."""
    if selection.preview:
        return catalog._replace(rules={})
    waiting = catalog.preview - named(selection, settings) - catalog.off
    rules = {rule: module for rule, module in catalog.rules.items() if rule in waiting and selection.allows(rule)}
    return catalog._replace(rules=rules)


def settle(
    findings: Iterable[Finding], selection: Selection, settings: Settings, catalog: Catalog
) -> Iterator[Finding]:
    """Yield the findings that count, with the severity that holds for their path.

    A path of the settings means the author's file or the folder of the build that shows the finding.
    """
    waiting = frozenset() if selection.preview else catalog.preview
    idle = (catalog.off | waiting) - frozenset(selection.select)
    for finding in findings:
        severity = _severity(finding, settings, idle=finding.rule in idle)
        if severity is not None and selection.allows(finding.rule):
            yield finding._replace(severity=severity)


def _severity(finding: Finding, settings: Settings, *, idle: bool) -> Severity | None:
    """The severity that the last matching entry gives, or None when the finding does not count."""
    severity: Severity | None = None if idle else finding.severity
    places = [_relative(path, settings.folder) for path in (finding.location.file, *finding.builds)]
    for entry in settings.rules:
        if any(matches(pattern, place) for pattern in entry.paths for place in places):
            severity = entry.severity.get(finding.rule, severity)
            if finding.rule in entry.off:
                severity = None
    return severity


def _relative(path: str, folder: str) -> str:
    return path if folder == "." else posixpath.relpath(path, folder)


def _any(patterns: Iterable[str], rule: str) -> bool:
    return any(fnmatchcase(rule, pattern) for pattern in patterns)
