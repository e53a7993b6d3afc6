"""Pieces of a stream: nothing is lost, whatever the blocks, and no document that matters is overlooked."""

from hypothesis import given
from hypothesis import strategies as st

from gangform.hosts.cutting import cut, spell
from gangform.text.slicing import cut as cut_text

WORDS = spell(["MPIJob", "PodGroup"])
PARTS = st.sampled_from([b"---", b"---\n", b"\n---\n", b"\n", b"\r\n", b"\r", b"...\n", b"MPIJob", b"PodGroup", b"a: b\n", b" ", b"%x\n",
                         b"\xef\xbb\xbf", b"--- # c\n", b"----\n", b"x" * 70, b"M\0P\0I\0J\0o\0b\0", b"\xff"])
STREAMS = st.lists(PARTS, max_size=30).map(b"".join)


@given(STREAMS, st.lists(st.integers(1, 40), max_size=40))
def test_the_size_of_blocks_makes_no_difference(stream: bytes, sizes: list[int]) -> None:
    blocks, rest = [], stream
    for size in sizes:
        blocks.append(rest[:size])
        rest = rest[size:]
    assert list(cut([*blocks, rest], WORDS)) == list(cut([stream], WORDS))


@given(STREAMS)
def test_pieces_follow_each_other_and_know_their_lines_and_words(stream: bytes) -> None:
    end = 0
    for piece in cut([stream[at:at + 7] for at in range(0, len(stream), 7)], WORDS):
        text = stream[piece.start:piece.end]
        before = stream[:piece.start]
        assert (piece.start, piece.end > piece.start) == (end, True)
        assert piece.line == 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
        assert piece.telling == any(word in text for word in (b"MPIJob", b"PodGroup", b"M\0P\0I\0J\0o\0b"))
        end = piece.end
    assert end == len(stream)


@given(st.lists(PARTS.filter(lambda part: b"\xff" not in part and b"\xef" not in part), max_size=30).map(b"".join))
def test_no_document_is_cut_in_two(stream: bytes) -> None:
    text = stream.decode()
    begins = {piece.start for piece in cut([stream], WORDS)}
    for document in cut_text(text):
        inside = {at for at in begins if document.start < at < document.end}
        assert not inside


def test_a_long_document_is_one_piece() -> None:
    blocks = [b"---\n", *[b"x" * 1000] * 1000, b" MPIJ", b"ob\n---\n", b"y\n"]
    assert [(piece.end - piece.start, piece.line, piece.telling) for piece in cut(blocks, WORDS)] == [
        (1_000_012, 1, True), (6, 3, False)]


def test_a_line_end_that_falls_between_two_blocks_is_one() -> None:
    stream = b"x\r\n" * 50 + b"---\r\ny\r\n"
    for size in range(1, 9):
        blocks = [stream[at:at + size] for at in range(0, len(stream), size)]
        assert [piece.line for piece in cut(blocks, WORDS)] == [1, 51]
