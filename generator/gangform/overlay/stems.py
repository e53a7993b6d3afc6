"""File names for objects: readable, unique on every file system, never outside their folder.

A stem is a file name without its last parts. Names come from manifests, so they are data: whatever is
not a plain character becomes ``-``, and a name that would meet another one gets longer.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from gangform.model.workload import Ref

LONGEST = 180
"""Characters of a stem; file systems take 255 bytes for a whole name."""

DEVICES = frozenset({"aux", "con", "nul", "prn",
                     *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))})
"""Windows opens a device instead of a file whose name begins with one of these and a dot."""


def for_jobs(refs: Iterable[Ref]) -> dict[Ref, tuple[str, ...]]:
    """Say how each job's files may be called, best first."""
    return {ref: _candidates(ref, ref.name) for ref in refs}


def for_others(refs: Iterable[Ref]) -> dict[Ref, tuple[str, ...]]:
    """Say how the file of each object that is no job may be called, best first."""
    return {ref: _candidates(ref, f"{ref.kind}.{ref.name}") for ref in refs}


def choose(candidates: Mapping[Ref, Sequence[str]], taken: Collection[str] = ()) -> dict[Ref, str]:
    """Give every object a stem of its own; equal whatever the order of the objects.

    Objects that meet all move on to their next candidate, so that no name depends on who came first.
    """
    level = dict.fromkeys(candidates, 0)
    while True:
        chosen = {ref: candidates[ref][level[ref]] for ref in candidates}
        uses = Counter(chosen.values())
        moving = [ref for ref, stem in chosen.items() if level[ref] + 1 < len(candidates[ref])
                  and (uses[stem] > 1 or stem in taken or not _fits(stem))]
        if not moving:
            return chosen
        for ref in moving:
            level[ref] += 1


def _candidates(ref: Ref, short: str) -> tuple[str, ...]:
    # The last one is told apart by the whole identity, and so does not depend on the other objects.
    from hashlib import sha256

    digest = sha256("\n".join(ref).encode(errors="surrogatepass")).hexdigest()[:10]
    long = f"{ref.namespace}.{short}" if ref.namespace else short
    plain = _clean(short).replace(".", "-")[:LONGEST]
    return _clean(short), _clean(long), f"{plain}-{digest}".lstrip("-")


def _clean(name: str) -> str:
    # Lower case, because two names that differ in case alone are one file on macOS and Windows.
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).lstrip(".-")


def _fits(stem: str) -> bool:
    return 0 < len(stem) <= LONGEST and stem.partition(".")[0] not in DEVICES
