"""``gangform controller``."""

import os

import click

from gangform.cli import options
from gangform.model.errors import ProgramError

INSTALL = 'pip install "gangform[controller]"'


class _Address(click.ParamType[tuple[str, int]]):
    name = "address"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        host, colon, port = value.rpartition(":")
        if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
            self.fail(f"{value!r} is no address such as 0.0.0.0:8080", param, ctx)
        return host.strip("[]") or "0.0.0.0", int(port)  # noqa: S104


@click.command(epilog=options.examples(
    "gangform controller --no-leader-election --context test",
    "gangform controller -n nlp -n vision --no-events --listen 127.0.0.1:8080",
))
@click.option("namespaces", "-n", "--namespace", multiple=True, metavar="NAMESPACE",
              help="Watch this namespace only; may be given several times.  [default: all]")
@click.option("--context", metavar="NAME", help="Context of the kubeconfig.")
@click.option("--kubeconfig", metavar="FILE", help="Kubeconfig; else KUBECONFIG, ~/.kube/config, or the pod's account.")
@click.option("--listen", type=_Address(), default="0.0.0.0:8080", show_default=True, metavar="HOST:PORT",
              help="Where /healthz, /readyz and /metrics are served.")
@click.option("--condition/--no-condition", default=True, show_default=True,
              help="Write the condition GangScheduled to the status of MPIJobs.")
@click.option("--events/--no-events", default=True, show_default=True, help="Write events on MPIJobs.")
@click.option("--wake-gangs", is_flag=True,
              help="Touch the PodGroup of a gang that sleeps beside free capacity: one annotation.")
@click.option("--grace", type=click.IntRange(1), default=30, show_default=True, metavar="SECONDS",
              help="How long a normal start may take.")
@click.option("--leader-election/--no-leader-election", default=True, show_default=True,
              help="Write only while holding the lease gangform-controller.")
@click.option("--lease-namespace", metavar="NAMESPACE",
              help="Where the lease is; else POD_NAMESPACE, or where the credentials work.")
@click.option("-v", "--verbose", is_flag=True, help="Log each request that fails, too.")
def command(  # noqa: PLR0913
    namespaces: tuple[str, ...], context: str | None, kubeconfig: str | None, listen: tuple[str, int], *,
    condition: bool, events: bool, wake_gangs: bool, grace: int, leader_election: bool, lease_namespace: str | None,
    verbose: bool,
) -> int:
    """Watch a cluster and say why gangs wait.

    Writes a condition and events on MPIJobs and serves metrics; never creates, changes or deletes a
    workload. Runs until it is stopped. docs/controller.md says what it watches and which rights
    it needs.
    """
    try:
        import kopf  # noqa: F401

        from gangform.controller.keeper import Wants
        from gangform.controller.running import Options, run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("gangform"):
            raise
        raise ProgramError(f"the controller's packages are not installed: there is no {error.name}", INSTALL) from error
    from gangform.edges.kubeconfig import connect

    connection = connect(kubeconfig, context)
    _log(verbose=verbose)
    lease = lease_namespace or os.environ.get("POD_NAMESPACE") or connection.namespace
    run(connection, Options(
        namespaces=namespaces, host=listen[0], port=listen[1], grace=grace,
        wants=Wants(condition=condition, events=events, wake=wake_gangs),
        lease_namespace=lease if leader_election else "",
    ))
    return 0


def _log(*, verbose: bool) -> None:
    import logging

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for name in ("kopf", "asyncio", "aiohttp", "urllib3"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("gangform").setLevel(logging.DEBUG if verbose else logging.INFO)
