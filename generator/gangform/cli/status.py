"""``gangform status``, also ``kubectl gang status``."""

from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from gangform.cli import options
from gangform.cli.output import Screen
from gangform.model.errors import InputError

if TYPE_CHECKING:
    from gangform.edges.kubeconfig import Connection
    from gangform.status.picture import State
    from gangform.workflows.live import Live
    from gangform.workflows.status import Request, Standing

OUTPUTS = ("table", "wide", "json", "yaml", "name")


class _Given(TypedDict):
    namespace: str | None
    all_namespaces: bool
    selector: str
    problems: bool
    state: tuple[str, ...]
    output: str
    no_headers: bool
    watch: bool
    dump: tuple[str, ...]
    context: str | None
    kubeconfig: str | None
    no_color: bool


@click.command(epilog=options.examples(
    "gangform status --from dump.json",
    "gangform status --from dump.json --problems",
    "gangform status --from dump.json -n nlp bert-large",
    "gangform status --from dump.json --state Queued --state Asleep -o wide",
))
@click.argument("name", required=False, metavar="[JOB]")
@click.option("-n", "--namespace", metavar="NAME",
              help="Gangs of this namespace.  [default: the context's; of a dump, all]")
@click.option("-A", "--all-namespaces", is_flag=True, help="Gangs of all namespaces.")
@click.option("-l", "--selector", metavar="LABELS", default="", help="Gangs whose MPIJob has these labels.")
@click.option("--problems", is_flag=True, help="Only gangs about which somebody must do something.")
@click.option("--state", metavar="STATE", multiple=True, help="Only gangs in this state; may be given again.")
@click.option("-o", "--output", type=click.Choice(OUTPUTS), default="table", show_default=True,
              help="How the answer is written.")
@click.option("--no-headers", is_flag=True, help="Rows alone: no headings, and no last line.")
@click.option("-w", "--watch", is_flag=True, help="Go on, and show what changes.")
@click.option("--from", "dump", metavar="FILE", multiple=True,
              help="Read what kubectl get -o json or -o yaml printed, - for stdin, instead of a cluster; may be given "
              "again.")
@click.option("--context", metavar="NAME", help="A context of the kubeconfig.  [default: its current one]")
@click.option("--kubeconfig", metavar="FILE", help="[default: KUBECONFIG, or ~/.kube/config]")
@click.option("--no-color", is_flag=True, help="No colour (NO_COLOR does the same).")
def command(name: str | None, **given: Unpack[_Given]) -> int:
    """Say why gangs do not run, or that they do.

    JOB is the name of an MPIJob, of one of its pods, or of a PodGroup; NAMESPACE/JOB works, too. All that is
    known of it is shown, with the next thing to do. Without JOB, there is a row for each gang, and the last
    line counts them. The exit code is 1 when a gang that is shown needs somebody to do something.

    It reads only. What may not be seen is named on stderr, with what that costs. Against a cluster try
    gangform status -A --problems, and gangform status -w, which goes on and shows what changes.
    """
    from gangform.workflows import status

    request = _request(name, given)
    screen = Screen(no_color=given["no_color"])
    if given["watch"]:
        return _watch(request, screen, given)
    live, request = _load(request, given)
    _tell(live, screen)
    standing = status.look(live, request, status.moment(live))
    _print(live, standing, request, screen, given)
    return int(any(one.alarming for one in standing.shown))


def _request(name: str | None, given: _Given) -> "Request":
    """Read the options.

    Raises:
        InputError: some of them do not go together, or a value is none of those that there are.
    """
    from gangform.status import selectors
    from gangform.workflows import status

    if given["all_namespaces"] and given["namespace"]:
        raise InputError("-n and -A cannot be given together", "-A is all namespaces, -n NAME one of them")
    if given["dump"] and (given["context"] or given["kubeconfig"] or given["watch"]):
        refused = next(word for word in ("context", "kubeconfig", "watch") if given[word])
        raise InputError(f"--{refused} and --from cannot be given together", "a dump is no cluster")
    if given["watch"] and given["output"] == "yaml":
        raise InputError("-o yaml and --watch cannot be given together", "-o json prints a line for each change")
    chosen, namespace = status.split(name or "", given["namespace"])
    try:
        labels = selectors.parse(given["selector"])
    except ValueError as error:
        raise InputError(f"-l: {error}") from None
    return status.Request(namespace or "", chosen, labels, frozenset(map(_state, given["state"])), given["problems"])


def _state(word: str) -> "State":
    from difflib import get_close_matches

    from gangform.status import pages
    from gangform.status.picture import State

    found = pages.find(word)
    if found is None:
        near = get_close_matches(word.lower(), [state.value.lower() for state in State], n=1)
        hint = f"did you mean {pages.find(near[0])}?" if near else f"there are {', '.join(State)}"
        raise InputError(f"--state: there is no state {word!r}", hint)
    return found


def _load(request: "Request", given: _Given) -> tuple["Live", "Request"]:
    from gangform.workflows import live, status

    if given["dump"]:
        return live.from_dumps(map(_read, given["dump"]), status.GRACE_SECONDS), request
    connection, request = _connect(request, given)
    return live.from_cluster(connection, request.namespace, status.GRACE_SECONDS), request


def _read(name: str) -> tuple[str, bytes]:
    from gangform.edges import disk

    return ("<stdin>", disk.read_stdin()) if name == "-" else (disk.show(name), disk.read_bytes(name))


def _connect(request: "Request", given: _Given) -> tuple["Connection", "Request"]:
    """Find the cluster; whoever names no namespace means the context's."""
    from gangform.edges import kubeconfig

    connection = kubeconfig.connect(given["kubeconfig"], given["context"])
    if not request.namespace and not given["all_namespaces"]:
        request = request._replace(namespace=connection.namespace)
    return connection, request


def _watch(request: "Request", screen: Screen, given: _Given) -> int:
    from gangform.cli import redrawing
    from gangform.workflows import following, status

    connection, request = _connect(request, given)
    follower = following.Follower(connection, request.namespace, status.GRACE_SECONDS)
    _tell(follower.live, screen)
    return redrawing.run(follower, request, screen, given["output"])


def _tell(live: "Live", screen: Screen) -> None:
    """Say on stderr what cannot be seen."""
    from gangform.report.terminal import visible
    from gangform.workflows import status

    notes = [*map(str, live.unseen)]
    notes += [f"there are no {place.plural}: the cluster has no CRD {place.name}" for place in live.lacking]
    if live.newest:
        moment = status.spell(status.moment(live))
        notes.append(f"ages are counted to {moment}, a moment after the newest time in the dump")
    style = screen.style(err=True)
    for note in notes:
        screen.say(f"{style('note:', 'note')} {visible(note)}", err=True)


def _print(live: "Live", standing: "Standing", request: "Request", screen: Screen, given: _Given) -> None:
    from gangform.cli import gangs

    output = given["output"]
    if output in {"json", "yaml"}:
        screen.write(gangs.encode(live, standing, output, whole=bool(request.name)))
    elif output == "name":
        screen.write("".join(f"{name}\n" for name in gangs.names(standing)))
    elif request.name and output == "table":
        screen.write("\n".join(gangs.explain(one, standing.sights[one.key], standing.now, screen)
                               for one in standing.shown))
    else:
        screen.write(gangs.write_table(standing, screen, wide=output == "wide", namespaced=bool(request.namespace),
                                       headed=not given["no_headers"]))
        if not given["no_headers"]:
            screen.write(gangs.sweep(standing))
            screen.say(gangs.closing(live, standing, request))
