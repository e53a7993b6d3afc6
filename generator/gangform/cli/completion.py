"""``gangform completion``."""

import click

from gangform.cli import options
from gangform.cli.output import Screen


@click.command(epilog=options.examples(
    "gangform completion bash > gangform.bash",
    "gangform completion zsh > _gangform",
    "gangform completion fish > gangform.fish",
))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> int:
    """Print the completion script for a shell.

    bash: source it. zsh: put it into a folder of $fpath. fish: put it into
    ~/.config/fish/completions.
    """
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"this version of click cannot complete in {shell}")
    completer = kind(context.find_root().command, {}, "gangform", "_GANGFORM_COMPLETE")
    # Bash's own method asks the bash at hand for its version and complains on stderr; the script is the same.
    Screen().write(ShellComplete.source(completer) + "\n")
    return 0
