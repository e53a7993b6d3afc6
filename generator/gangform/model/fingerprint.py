"""What makes a finding the same finding tomorrow: its rule, file, object and pointer, never its line."""

from collections.abc import Iterable, Iterator

from gangform.model.finding import Finding


def fingerprint(finding: Finding) -> str:
    """Return 32 hexadecimal digits that survive shifted lines, reworded messages and other numbers.

    Two findings of one rule at one pointer of one object have the same fingerprint.
    """
    from hashlib import sha256

    subject = finding.subject
    named = (subject.kind, subject.namespace, subject.name) if subject else ("", "", "")
    parts = (finding.rule, finding.location.file, *named, finding.location.pointer)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def unique_fingerprints(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Yield each finding with its fingerprint, the second of equal ones with ``:2`` and so on."""
    seen: dict[str, int] = {}
    for finding in findings:
        digest = fingerprint(finding)
        seen[digest] = seen.get(digest, 0) + 1
        yield finding, digest if seen[digest] == 1 else f"{digest}:{seen[digest]}"
