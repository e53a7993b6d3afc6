"""An outcome in the format that a person or a program asks for."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gangform import __version__, sizing
from gangform.edges import checkout
from gangform.model.finding import Severity, Suppressed
from gangform.report.places import rebase, rebase_path
from gangform.workflows.outcome import Outcome

if TYPE_CHECKING:
    from gangform.report.markdown import Row

FORMATS = ("json", "sarif", "junit", "github", "gitlab", "markdown")
"""Those besides text; their paths are relative to the top of the repository."""


def write(name: str, outcome: Outcome, limit: Severity, parts: Mapping[str, Any]) -> str:
    """Write an outcome in one of ``FORMATS``.

    Args:
        name: of the format.
        outcome: with paths relative to the working folder.
        limit: findings at or above it fail the run.
        parts: the command's own members of the JSON envelope.
    """
    found, counts = _seen_from_root(outcome), outcome.counts._asdict()
    if name == "json":
        from gangform.report import json

        return json.envelope(found.findings, counts, parts, found.suppressed)
    if name == "sarif":
        from gangform.report import sarif
        from gangform.workflows import explain

        return sarif.write(found.findings, found.suppressed, explain.pages(), __version__)
    if name == "junit":
        from gangform.report import junit

        return junit.write(found.findings, [(one.path, one.ref) for one in found.objects], limit)
    if name == "github":
        from gangform.report import github

        return github.write(found.findings, counts)
    if name == "gitlab":
        from gangform.report import gitlab

        return gitlab.write(found.findings)
    from gangform.report import markdown

    return markdown.write(found.findings, tuple(_rows(found)), counts)


def seen_from_root(path: str) -> str:
    """Return a path of the working folder as the formats for programs have it."""
    return rebase_path(path, checkout.below_root())


def _seen_from_root(outcome: Outcome) -> Outcome:
    prefix = checkout.below_root()
    return outcome._replace(
        findings=tuple(rebase(finding, prefix) for finding in outcome.findings),
        suppressed=tuple(Suppressed(rebase(one.finding, prefix), one.origin, one.reason) for one in outcome.suppressed),
        objects=tuple(one._replace(path=rebase_path(one.path, prefix)) for one in outcome.objects))


def _rows(outcome: Outcome) -> Iterator["Row"]:
    from gangform.report.markdown import Row

    for one in outcome.objects:
        workload = one.workload
        if workload is not None:
            name = "/".join(part for part in (one.ref.namespace, one.ref.name) if part)
            pods = " + ".join(f"{role.replicas} {role.name}" for role in workload.roles)
            yield Row(one.path, name, pods, sizing.min_member(workload).value,
                      sizing.spell(sizing.gang_requests(workload)))
