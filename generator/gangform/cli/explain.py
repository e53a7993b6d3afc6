"""``gangform explain``, also ``gangform rules``."""

import click

from gangform.cli import options
from gangform.cli.output import Screen, table
from gangform.model.errors import InputError


@click.command(epilog=options.examples(
    "gangform explain",
    "gangform explain min-member-exceeds-pods",
    "gangform explain asleep",
    "gangform explain exit-3",
))
@click.argument("name", required=False, metavar="[ID]")
def command(name: str | None) -> int:
    """Explain an id of a finding, a state of a gang, or an exit code (alias: rules).

    ID is what stands in brackets behind a finding, a state such as NeverFits or never-fits, the name of an
    event or an alert such as GangNeverFits, or an exit code such as exit-3. Without ID, the ids of findings are
    listed; with states, the states.
    """
    from gangform.workflows import explain

    if name is None:
        Screen().write(table(("id", "severity", "about"), explain.listing()))
        return 0
    if name == "states":
        Screen().write(table(("state", "", "about"), explain.states_listing()))
        return 0
    page = explain.explain(name)
    if page is None:
        near = " or ".join(explain.suggest(name))
        raise InputError(f"there is nothing called {name!r} to explain",
                         f"did you mean {near}?" if near else "gangform explain lists what there is")
    Screen().write(page.rstrip("\n") + "\n")
    return 0
