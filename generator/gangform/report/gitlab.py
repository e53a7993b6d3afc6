"""Findings as GitLab's Code Quality report: the part of the Code Climate format that GitLab reads."""

import json
from collections.abc import Sequence

from gangform.model.finding import Finding, Severity
from gangform.model.fingerprint import unique_fingerprints
from gangform.report.places import file_of
from gangform.report.terminal import visible

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def write(findings: Sequence[Finding]) -> str:
    """Write one entry per finding.

    GitLab shows only the first entry of a fingerprint, and takes one that changed for a new fault: each is
    unique in the report and does not depend on lines.
    """
    entries = [{
        "description": visible(f"{finding.message} ({finding.hint})" if finding.hint else finding.message, keep="\n"),
        "check_name": finding.rule,
        "fingerprint": digest,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": file_of(finding), "lines": {"begin": max(finding.location.line, 1)}},
    } for finding, digest in unique_fingerprints(findings)]
    return json.dumps(entries, indent=2) + "\n"
