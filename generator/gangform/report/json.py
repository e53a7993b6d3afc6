"""The JSON envelope, for programs. Its shape is part of the product and versioned.

    {"version": 1,
     "summary": {"errors", "warnings", "notes": numbers of findings,
                 "files", "jobs", "groups", "builds", "patches", "templated": what was looked at},
     "findings": [{"rule", "severity": "error" | "warning" | "note", "message", "hint", "path",
                   "line", "column", "endLine", "endColumn": from 1, the end exclusive; or null,
                   "pointer": RFC 6901 text inside the object,
                   "subject": {"apiVersion", "kind", "namespace", "name"} or null,
                   "builds": [names of the builds that show it]}]}

A command adds its own parts beside these: ``overlays`` (render, check), ``unchecked``,
``schemaChecked`` and ``mend`` (check), ``jobs`` (plan). Members may be added within a version;
none changes its meaning or goes away.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gangform.model.finding import Finding, Severity
from gangform.model.workload import Ref

VERSION = 1


def envelope(findings: Sequence[Finding], counts: Mapping[str, int], parts: Mapping[str, Any]) -> str:
    """Write the whole answer of a command as one line-broken JSON text.

    Args:
        findings: in the order in which they are to stand.
        counts: what was looked at, name to number.
        parts: the command's own members.
    """
    totals = {f"{severity.word}s": sum(finding.severity == severity for finding in findings)
              for severity in sorted(Severity, reverse=True)}
    whole = {"version": VERSION, "summary": {**totals, **counts},
             "findings": [_describe(finding) for finding in findings], **parts}
    return json.dumps(whole, indent=2, allow_nan=False) + "\n"


def identity(ref: Ref) -> dict[str, str]:
    """An object's identity as the envelope writes it; ``namespace`` is empty when none was named."""
    return {"apiVersion": ref.api_version, "kind": ref.kind, "namespace": ref.namespace, "name": ref.name}


def _describe(finding: Finding) -> dict[str, Any]:
    where = finding.location
    return {
        "rule": finding.rule, "severity": finding.severity.word,
        "message": finding.message, "hint": finding.hint,
        "path": where.path,
        "line": where.line or None, "column": where.column or None,
        "endLine": where.end_line or None, "endColumn": where.end_column or None,
        "pointer": where.pointer,
        "subject": identity(finding.subject) if finding.subject else None,
        "builds": list(finding.builds),
    }
