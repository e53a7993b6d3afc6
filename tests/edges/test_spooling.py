"""Streams that are kept in memory while small, else in a temporary file."""

import errno
import os

import pytest

from gangform.edges.spooling import BLOCK, Spool
from gangform.model.errors import ProgramError


@pytest.mark.parametrize("blocks", [1, 9])
def test_what_was_appended_is_read_back_from_anywhere(blocks: int) -> None:
    spool = Spool()
    data = os.urandom(BLOCK)
    for _ in range(blocks):
        spool.append(data)
    assert spool.size == blocks * BLOCK
    assert b"".join(spool.blocks(1, spool.size)) == (data * blocks)[1:]
    spool.append(b"end")
    assert spool.read(spool.size - 4, spool.size) == data[-1:] + b"end"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
def test_a_disk_that_is_full_is_told_when_the_stream_is_read_and_when_it_grows() -> None:
    spool = Spool()
    spool._file.close()
    spool._file = open("/dev/full", "w+b")  # noqa: SIM115 - lives as long as the spool
    spool.append(b"kept in a buffer")
    for use in (lambda: spool.read(0, 4), lambda: spool.append(b"x" * BLOCK)):
        with pytest.raises(ProgramError, match=os.strerror(errno.ENOSPC)) as caught:
            use()
        assert "TMPDIR" in caught.value.hint
