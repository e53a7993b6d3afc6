"""The JSON envelope, for programs. Its shape is part of the product and versioned.

    {"version": 1,
     "summary": {"errors", "warnings", "notes": numbers of findings,
                 "files", "jobs", "groups", "builds", "patches", "templated", "charts": what was looked at},
     "findings": [{"rule", "severity": "error" | "warning" | "note", "message", "hint", "path",
                   "line", "column", "endLine", "endColumn": from 1, the end exclusive; or null,
                   "pointer": RFC 6901 text inside the object,
                   "subject": {"apiVersion", "kind", "namespace", "name"} or null,
                   "builds": [names of the builds that show it],
                   "fingerprint": the same as long as rule, file, object and pointer are,
                   "suggestion": the value to put in the place of the span, as YAML; or null}],
     "suppressed": [what does not count: as above, and "suppression": {"origin": "annotation" | "baseline",
                    "reason": text}]}

A command adds its own parts beside these: ``overlays`` (render, check), ``unchecked``,
``schemaChecked`` and ``mend`` (check), ``jobs`` (plan). Members may be added within a version;
none changes its meaning or goes away.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gangform.model.finding import Finding, Severity, Suppressed
from gangform.model.fingerprint import unique_fingerprints
from gangform.model.workload import Ref
from gangform.report.suggestion import suggest

VERSION = 1


def envelope(
    findings: Sequence[Finding], counts: Mapping[str, int], parts: Mapping[str, Any],
    suppressed: Sequence[Suppressed] = (),
) -> str:
    """Write the whole answer of a command as one line-broken JSON text.

    Args:
        findings: in the order in which they are to stand.
        counts: what was looked at, name to number.
        parts: the command's own members.
        suppressed: findings that do not count.
    """
    totals = {f"{severity.word}s": sum(finding.severity == severity for finding in findings)
              for severity in sorted(Severity, reverse=True)}
    whole = {"version": VERSION, "summary": {**totals, **counts},
             "findings": [_describe(*numbered) for numbered in unique_fingerprints(findings)],
             "suppressed": list(_describe_suppressed(suppressed)), **parts}
    return json.dumps(whole, indent=2, allow_nan=False) + "\n"


def identity(ref: Ref) -> dict[str, str]:
    """An object's identity as the envelope writes it; ``namespace`` is empty when none was named."""
    return {"apiVersion": ref.api_version, "kind": ref.kind, "namespace": ref.namespace, "name": ref.name}


def _describe_suppressed(suppressed: Sequence[Suppressed]) -> Iterator[dict[str, Any]]:
    numbered = unique_fingerprints(one.finding for one in suppressed)
    for one, (finding, digest) in zip(suppressed, numbered, strict=True):
        yield {**_describe(finding, digest), "suppression": {"origin": one.origin, "reason": one.reason}}


def _describe(finding: Finding, digest: str) -> dict[str, Any]:
    where = finding.location
    suggestion = suggest(finding) if finding.edit else None
    return {
        "rule": finding.rule, "severity": finding.severity.word,
        "message": finding.message, "hint": finding.hint,
        "path": where.path,
        "line": where.line or None, "column": where.column or None,
        "endLine": where.end_line or None, "endColumn": where.end_column or None,
        "pointer": where.pointer,
        "subject": identity(finding.subject) if finding.subject else None,
        "builds": list(finding.builds),
        "fingerprint": digest,
        "suggestion": suggestion.text if suggestion else None,
    }
