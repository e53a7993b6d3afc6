"""Taking pairs of a map out of a text: with their lines from a block, with their comma from braces."""

import re
from collections.abc import Collection, Iterator, Sequence

from gangform.text.changes import Changes, Obstacle
from gangform.text.locating import Node

REST = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?=\r|\n|\Z)")
"""What may follow a value on its line."""

_COMMENT = re.compile(r"[ \t]*#")
_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)+\Z")


def from_braces(changes: Changes, target: Node, gone: Sequence[Node]) -> None:
    """Take pairs out of a map in braces.

    Raises:
        Obstacle: a comment would be lost.
    """
    for start, end in _runs(target.pairs, gone):
        place = start
        for node in target.pairs:
            if node.key and start <= node.key[0] < end:
                changes.expect_blank(place, node.key[0])
                place = node.end
        changes.expect_blank(place, end)
        changes.replace(start, end, "")


def _runs(pairs: Sequence[Node], gone: Sequence[Node]) -> Iterator[tuple[int, int]]:
    """Yield what is to be cut: up to the next key that stays, or from the end of the last pair that does."""
    kept_end: int | None = None
    start: int | None = None
    for node in pairs:
        if node.key is None:
            continue
        if node not in gone:
            if start is not None:
                yield start, node.key[0]
            kept_end, start = node.end, None
        elif start is None:
            start = node.key[0]
    if start is not None:
        yield (start if kept_end is None else kept_end), pairs[-1].end


def from_block(changes: Changes, target: Node, gone: Sequence[Node], moved: Collection[Node]) -> None:
    """Take pairs out of a block with their lines.

    Args:
        changes: of the text.
        target: the map.
        gone: values of the pairs.
        moved: those of them that stand elsewhere now, with the comments inside.

    Raises:
        Obstacle: a pair shares its lines with something else.
    """
    for node in gone:
        key = node.key or (node.start, node.start)
        start = changes.line_start(key[0])
        before = changes.text[start:key[0]]
        if not before.strip(" "):
            _cut_lines(changes, start, node, moved=node in moved)
        elif _DASHES.match(before) and node is target.pairs[0] and len(target.pairs) > 1:
            following = target.pairs[1]
            if following in gone or following.key is None:
                raise Obstacle(key[0], "the first two keys of a list's item cannot be taken out together")
            changes.expect_blank(node.end, following.key[0])
            changes.replace(key[0], following.key[0], "")
        else:
            raise Obstacle(key[0], "the key stands on the line of another value")


def _cut_lines(changes: Changes, start: int, node: Node, *, moved: bool) -> None:
    text = changes.text
    if not REST.match(text, node.end):
        raise Obstacle(node.end, "something follows the value on its line")
    end = changes.line_end(node.end)[1]
    cuts = list(_join(changes, start, end, () if moved else tuple(_comments(changes, start, end, node))))
    if end == len(text) and text[end - 1:] not in {"\r", "\n"}:
        # The last line has no end: the one above it loses its own, as it was before the line was added.
        first, last = cuts[-1]
        cuts[-1] = (first - (2 if text[:first].endswith("\r\n") else bool(first)), last)
    for one, other in cuts:
        changes.replace(one, other, "")


def _comments(changes: Changes, start: int, end: int, node: Node) -> Iterator[int]:
    """Yield where the lines begin that hold nothing but a comment."""
    scalars = list(_scalars(node))
    while start < end:
        if _COMMENT.match(changes.text, start) and not any(one < start < other for one, other in scalars):
            yield start
        start = changes.line_end(start)[1]


def _join(changes: Changes, start: int, end: int, kept: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield what is left of a span without some of its lines."""
    for line in kept:
        if start < line:
            yield start, line
        start = changes.line_end(line)[1]
    if start < end:
        yield start, end


def _scalars(node: Node) -> Iterator[tuple[int, int]]:
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here.items is None:
            yield here.start, here.end
        else:
            waiting.extend((*here.items.values(), *here.merged))
