"""The file of known findings, so that a repository can be strict about new ones from the first day.

    {"version": 1,
     "command": the command line that writes it anew, without --write-baseline,
     "findings": [{"fingerprint", "rule", "path", "subject": "Kind namespace/name" or "", "pointer",
                   "times": how many equal ones}]}

Sorted, with paths relative to the file's own folder. A fingerprint is made of rule, path, object and pointer:
shifted lines, other numbers and reworded messages leave a finding known.
"""

import posixpath
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gangform.model.errors import InputError
from gangform.model.finding import Finding
from gangform.model.fingerprint import fingerprint

VERSION = 1


class Entry(NamedTuple):
    """A known finding; the parts beside the fingerprint are for people.

    Attributes:
        times: how many findings with this fingerprint are known.
    """

    fingerprint: str
    rule: str
    path: str
    subject: str
    pointer: str
    times: int = 1


class Baseline(NamedTuple):
    """The known findings.

    Attributes:
        command: the command line that wrote them.
    """

    command: str = ""
    entries: tuple[Entry, ...] = ()


class Comparison(NamedTuple):
    """Findings against a baseline: new ones, known ones, and entries that no finding matches."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    gone: tuple[Entry, ...]


def collect(findings: Iterable[Finding], command: str, folder: str) -> Baseline:
    """Make a baseline of findings.

    Args:
        findings: with paths relative to the working folder.
        command: the command line that found them.
        folder: of the baseline's file, relative to the working folder.
    """
    entries: dict[str, Entry] = {}
    for finding in (_relocate(finding, folder) for finding in findings):
        digest = fingerprint(finding)
        seen = entries.get(digest)
        entries[digest] = seen._replace(times=seen.times + 1) if seen else Entry(
            digest, finding.rule, finding.location.file, _spell_subject(finding), finding.location.pointer)
    return Baseline(command, tuple(sorted(entries.values(), key=lambda entry: (entry.path, entry[1:], entry[0]))))


def compare(findings: Sequence[Finding], baseline: Baseline, folder: str) -> Comparison:
    """Tell new findings from known ones; of more equal ones than are known the last are new.

    Args:
        findings: with paths relative to the working folder.
        baseline: what is known.
        folder: of the baseline's file, relative to the working folder.
    """
    left = {entry.fingerprint: entry.times for entry in baseline.entries}
    new: list[Finding] = []
    known: list[Finding] = []
    for finding in findings:
        digest = fingerprint(_relocate(finding, folder))
        if left.get(digest, 0):
            left[digest] -= 1
            known.append(finding)
        else:
            new.append(finding)
    gone = tuple(entry for entry in baseline.entries if left[entry.fingerprint] == entry.times)
    return Comparison(tuple(new), tuple(known), gone)


def write(baseline: Baseline) -> str:
    """Spell a baseline as the text of its file."""
    import json

    entries = [entry._asdict() for entry in baseline.entries]
    whole = {"version": VERSION, "command": baseline.command, "findings": entries}
    return json.dumps(whole, indent=2, ensure_ascii=True) + "\n"


def read(path: str, text: str) -> Baseline:
    """Read the text of a baseline's file.

    Raises:
        InputError: it is none; the message names the path.
    """
    import json

    mend = "write it anew with --write-baseline"
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}", mend) from None
    version = whole.get("version") if isinstance(whole, dict) else None
    if version != VERSION:
        raise InputError(f"{path} is no baseline of version {VERSION}: its version is {json.dumps(version)}", mend)
    findings = whole.get("findings")
    entries = [_read_entry(item) for item in findings] if isinstance(findings, list) else [None]
    command = whole.get("command")
    if None in entries or not isinstance(command, str):
        raise InputError(f"{path} is no baseline: command or findings are not what --write-baseline writes", mend)
    return Baseline(command, tuple(entry for entry in entries if entry is not None))


def _read_entry(item: Any) -> Entry | None:
    if not isinstance(item, dict):
        return None
    texts = [item.get(name) for name in Entry._fields[:-1]]
    times = item.get("times")
    if not all(isinstance(text, str) for text in texts) or type(times) is not int or times < 1:
        return None
    return Entry._make((*texts, times))


def _relocate(finding: Finding, folder: str) -> Finding:
    where = finding.location
    if folder == "." or where.path.startswith("<"):
        return finding
    return finding._replace(location=where._replace(path=posixpath.relpath(where.path, folder)))


def _spell_subject(finding: Finding) -> str:
    if finding.subject is None:
        return ""
    name = "/".join(part for part in (finding.subject.namespace, finding.subject.name) if part)
    return f"{finding.subject.kind} {name}".strip()
