"""The errors that end a run. Everything a user can mend in a manifest is a Finding instead."""


class GangformError(Exception):
    """The run cannot be finished; caught once, in the command line.

    Attributes:
        message: what is wrong and where, one sentence without a full stop.
        hint: how to mend it, or an empty string.
        exit_code: the process exit code (70: a defect in gangform itself).
    """

    exit_code = 70

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(GangformError):
    """Wrong usage, settings or input that cannot be read or written (exit code 2)."""

    exit_code = 2


class ProgramError(GangformError):
    """A needed program or cluster is missing, failed or timed out (exit code 3)."""

    exit_code = 3
