"""Streams that are read more than once: kept in memory while small, else in a temporary file without a name."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import IO, NamedTuple

from gangform.edges.disk import quote, show, unusable
from gangform.model.errors import InputError, ProgramError

BLOCK = 2**20
"""Bytes that are read or written at a time."""

_MEMORY = 8 * BLOCK
"""Bytes of a stream that are kept in memory."""


class Spool:
    """Bytes that are appended, and read back from anywhere; gone with the last reference."""

    def __init__(self) -> None:
        import tempfile

        self._file = tempfile.SpooledTemporaryFile(max_size=_MEMORY)  # noqa: SIM115 - lives as long as the spool
        self.size = 0

    def __del__(self) -> None:
        # What a full disk has not taken is lost without harm: nobody can read it any more.
        with suppress(OSError):
            self._file.close()

    def append(self, data: bytes) -> None:
        """Write at the end.

        Raises:
            ProgramError: the system has no room for it.
        """
        try:
            self._file.seek(self.size)
            self._file.write(data)
        except OSError as error:
            raise _unusable(error) from error
        self.size += len(data)

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets.

        Raises:
            ProgramError: the system has no room for what was appended, or cannot read it.
        """
        try:
            # What was appended may be written only now.
            self._file.seek(start)
            return self._file.read(end - start)
        except OSError as error:
            raise _unusable(error) from error

    def blocks(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes between two offsets in blocks."""
        while start < end:
            block = self.read(start, min(end, start + BLOCK))
            yield block
            start += len(block)

    def copy(self, other: "Spool", start: int, end: int) -> None:
        """Append a stretch of another spool."""
        for block in other.blocks(start, end):
            self.append(block)


def _unusable(error: OSError) -> ProgramError:
    return ProgramError(f"cannot keep a stream in a temporary file: {error.strerror}", "set TMPDIR")


class Result(NamedTuple):
    """The output: a spool, and what takes the place of some stretches of it (start to end and new bytes)."""

    spool: Spool
    revised: Mapping[int, tuple[int, bytes]] = {}

    def blocks(self) -> Iterator[bytes]:
        """Yield the output in parts."""
        done = 0
        for start in sorted(self.revised):
            end, new = self.revised[start]
            yield from self.spool.blocks(done, start)
            yield new
            done = end
        yield from self.spool.blocks(done, self.spool.size)


def take(path: str, spool: Spool) -> str:
    """Append a file, or standard input for ``-``; return its name for messages.

    Raises:
        InputError: it cannot be read.
        ProgramError: the system has no room for it.
    """
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed")
        _drain(sys.stdin.buffer, spool, "<stdin>")
        return "<stdin>"
    try:
        with open(path, "rb") as stream:
            _drain(stream, spool, path)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {quote(path)}") from error
    except IsADirectoryError as error:
        raise InputError(f"{quote(path)} is a folder, not a file", "name the files themselves") from error
    except (OSError, ValueError) as error:
        raise unusable("read", path, error) from error
    return show(path)


def _drain(stream: IO[bytes], spool: Spool, name: str) -> None:
    while True:
        try:
            block = stream.read(BLOCK)
        except (OSError, ValueError) as error:
            raise unusable("read", name, error) from error
        if not block:
            return
        spool.append(block)


Opener = Callable[[str, Spool], str]
"""Appends what a path stands for to a spool and returns its name, as ``take`` does."""
