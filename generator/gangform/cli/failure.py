"""How a run ends that could not do its work: one message, one exit code, and for a defect a report."""

from collections.abc import Sequence

import click

from gangform.cli.output import ReaderGoneError, Screen, refused, write
from gangform.model.errors import GangformError
from gangform.report.github import disarm
from gangform.report.terminal import visible

INTERRUPTED = 130
READER_GONE = 141
"""What shells report for a program that SIGPIPE ended."""


def report(error: BaseException, arguments: Sequence[str]) -> int:
    """Say on standard error what went wrong and return the exit code; when that fails too, say nothing."""
    if isinstance(error, OSError) and error.filename is None:
        # click prints help and version by itself; whatever else fails in the system has a name.
        error = refused(error)
    if isinstance(error, ReaderGoneError):
        return READER_GONE
    if isinstance(error, click.Abort | KeyboardInterrupt):
        text, code = "interrupted\n", INTERRUPTED
    elif isinstance(error, GangformError):
        text, code = _say(error.message, error.hint, arguments), error.exit_code
    elif isinstance(error, click.ClickException):
        text, code = _say(_reword(error), _usage_hint(error, arguments), arguments), 2
    else:
        text, code = _bug(error, arguments), GangformError.exit_code
    try:
        write(text, err=True, colour=True)
    except (ReaderGoneError, GangformError):
        return code
    return code


def _say(message: str, hint: str, arguments: Sequence[str]) -> str:
    style = Screen(no_color="--no-color" in arguments).style(err=True)
    # Names come from whoever wrote the files, and may hold line ends.
    lines = [f"{style('error:', 'error')} {disarm(visible(message, keep=chr(10)))}"]
    if hint:
        lines.append(f"{style('hint:', 'faint')} {disarm(visible(hint, keep=chr(10)))}")
    return "\n".join(lines) + "\n"


def _reword(error: click.ClickException) -> str:
    """The sentence of click in the form of our own: it begins small and has no full stop."""
    message = " ".join(error.format_message().split()).removesuffix(".")
    return message[:1].lower() + message[1:]


def _usage_hint(error: click.ClickException, arguments: Sequence[str]) -> str:
    context = getattr(error, "ctx", None)
    if context is not None:
        return f"see {context.command_path} --help"
    # Where click forgets the context, the first word is the command: an unknown one ends the run earlier.
    return f"see {' '.join(['gangform', *arguments[:1]])} --help"


def _bug(error: BaseException, arguments: Sequence[str]) -> str:
    import platform
    import shlex
    import traceback

    from gangform import __version__

    trace = "".join(traceback.format_exception(error))
    details = visible(
        f"gangform {__version__}\n"
        f"{platform.python_implementation()} {platform.python_version()}\n"
        f"{platform.platform()}\n"
        f"{shlex.join(['gangform', *arguments])}\n\n{trace}", keep="\n\t")
    fence = "```"
    while fence in details:
        fence += "`"
    return (f"error: a defect in gangform: {visible(f'{type(error).__name__}: {error}')}\n"
            "hint: please report it with all that stands between the fences\n"
            f"{fence}text\n{details}{fence}\n")
