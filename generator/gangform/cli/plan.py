"""``gangform plan``."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import click

from gangform.cli import answer, options
from gangform.report.terminal import visible

if TYPE_CHECKING:
    from gangform.workflows.outcome import GangPlan


class _Given(options.Choice, options.Reporting):
    pass


@click.command(epilog=options.examples(
    "gangform plan base --backend coscheduling",
    "gangform plan base/pi.yaml --backend volcano --option queue=research",
    "gangform plan - --backend volcano < base/pi.yaml",
))
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.choice
@options.reporting
def command(paths: tuple[str, ...], **given: Unpack[_Given]) -> int:
    """Show what each MPIJob asks for as one gang.

    Roles, the number of pods that start together and why, what they ask in all, the largest pod,
    the queue, and the files that render would change. PATH is as for validate. Nothing is written.
    """
    from gangform.cli import choosing
    from gangform.cli.progress import progress
    from gangform.edges.disk import read_stdin
    from gangform.workflows import configuration, plan

    settings = configuration.load(given["config"])
    cluster = choosing.one_cluster(settings, given)
    targets = configuration.targets(settings, cluster.name) if cluster.name else ()
    with progress(quiet=given["quiet"]) as tell:
        planned = plan.plan(
            paths or (".",), settings, cluster, targets, read_stdin=read_stdin, progress=tell)
    if given["format"] == "json":
        answer.print_json(planned.outcome, {"jobs": [_describe(job) for job in planned.jobs]}, given)
    else:
        answer.print_findings(planned.outcome, given)
        answer.screen(given).write("\n".join(map(_write, planned.jobs)))
        if planned.outcome.findings or not planned.jobs:
            answer.print_summary(planned.outcome, given)
    return int(answer.failed(planned.outcome, given))


def _write(job: "GangPlan") -> str:
    from gangform.report.text import count

    workload = job.workload
    about = [workload.ref.kind, job.backend, *([f"queue {job.queue}"] if job.queue else []),
             *([f"priority class {job.priority_class}"] if job.priority_class else []),
             *(["suspended"] if workload.suspended else [])]
    role, requests = job.largest
    pods = " + ".join(f"{part.replicas} {part.name}" for part in workload.gang)
    lines = [
        f"{_named(job)}  ({', '.join(about)})  {job.source}",
        f"  exist together   {count(workload.pods_together, 'pod')}: {pods}",
        *(f"  comes later      {part.replicas} {part.name}"
          for part in workload.roles if part not in workload.gang),
        f"  start together   minMember {job.min_member}: {job.reason}",
        f"  the gang asks    {_amounts(job.asks)}",
        f"  largest pod      {role}: {_amounts(requests)}",
        *(f"  {word:<15}  {path}" for path, word in job.files),
        *(f"  note             {notice}" for notice in job.notices),
    ]
    return "".join(visible(line) + "\n" for line in lines)


def _named(job: "GangPlan") -> str:
    ref = job.workload.ref
    return f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name


def _amounts(amounts: Mapping[str, str]) -> str:
    return ", ".join(f"{amount} {name}" for name, amount in amounts.items()) or "nothing"


def _describe(job: "GangPlan") -> dict[str, Any]:
    from gangform.report.json import identity
    from gangform.workflows.reporting import seen_from_root

    role, requests = job.largest
    return {
        **identity(job.workload.ref), "source": seen_from_root(job.source), "backend": job.backend,
        "roles": [{"name": part.name, "replicas": part.replicas, "together": part in job.workload.gang}
                  for part in job.workload.roles],
        "suspended": job.workload.suspended, "minMember": job.min_member, "reason": job.reason,
        "asks": dict(job.asks), "largest": {"role": role, "requests": dict(requests)},
        "queue": job.queue, "priorityClass": job.priority_class,
        "files": [{"path": seen_from_root(path), "change": word} for path, word in job.files],
        "notices": list(job.notices),
    }
