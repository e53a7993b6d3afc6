"""What schedulers say of pods and groups, in plain words, and which of many messages tells the reason.

Of a stuck gang's pods one carries the reason; the others carry what was true before all pods were there, or that
another pod was refused.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gangform.model.quantity import Quantity
from gangform.sizing import Requests

TEXT_LIMIT = 200


class Said(NamedTuple):
    """One message.

    Attributes:
        rank: less tells more.
        reason: for machines.
        text: a part of a sentence.
        lacking: names of the resources that are short.
        short: how much of each, where the message says it.
        lasting: whether it stands though there is room on nodes: a full queue, a volume elsewhere.
    """

    rank: int
    reason: str
    text: str
    lacking: tuple[str, ...] = ()
    short: Requests = {}
    lasting: bool = False


STALE = 50
"""From this rank on a message says only that the gang waits."""

# fmt.Errorf("resource gap: %v", ...) of a map of resource.Quantity: pkg/coscheduling/core/core.go, v0.34.7.
_GAP = re.compile(r"resource gap: map\[(?P<parts>.*?\})\]")
_PART = re.compile(
    r"(?P<name>[^\s:\[]+):\{\{(?P<value>-?\d+) (?P<scale>-?\d+)\} \{\S+\} ?\S* ?"
    r"(?:DecimalSI|BinarySI|DecimalExponent)\}")
_NODES = re.compile(r"(?:\d+/\d+|all) nodes are (?:un)?available: (?P<why>.+)", re.DOTALL)
_INSUFFICIENT = re.compile(r"[Ii]nsufficient (?P<name>[A-Za-z0-9][-A-Za-z0-9_./]*[A-Za-z0-9])")
_COUNTED = re.compile(r"^\d+ (?=\S)")
_PREEMPTION = re.compile(r"\.?\s*(?:no new claims to deallocate,\s*)?preemption: .*", re.DOTALL)
_REJECTED = re.compile(r"PodGroup \S+ gets rejected due to Pod \S+ is unschedulable even after PostFilter")
_WAITS = (
    ("cannot find enough sibling pods", 80, "its scheduler counts fewer pods than must start together"),
    ("rejected due to timeout", 70, "its pods waited for each other in vain"),
    ("ptimistic rejection", 72, "another pod of the gang found no place"),
    ("ejection in Unreserve", 72, "another pod of the gang found no place"),
    ("gets rejected due to Pod", 72, "another pod of the gang found no place"),
    ("PodGroup not found", 75, "its scheduler does not know the PodGroup"),
    ("can not find pod group", 75, "its scheduler does not know the PodGroup"),
    ("failed recently", 60, "its scheduler lets it wait after a failed try"),
    ("once minAvailable is satisfied", 74, "another pod of the gang found no place"),
    ("Undetermined", 76, "another pod of the gang found no place"),
    ("pod group is not ready", 73, "the gang is not complete"),
)
_QUEUE = re.compile(
    r"queue resource quota insufficient(?:: (?P<why>[^;]+))?|resource in cluster is overused|"
    r"(?P<overused>queue \S+ is overused)|exceeds the .*?quota", re.IGNORECASE)


def decode(message: str) -> Said:
    """Put a scheduler's message into plain words."""
    return _gap(message) or _queue(message) or _nodes(message) or _gated(message) or _waits(message) or Said(
        40, "Unschedulable", _clip(message), lasting=True)


def best(messages: Iterable[str]) -> Said | None:
    """Return what tells the reason among several messages; of equals the first."""
    return min((decode(message) for message in messages if message), key=lambda said: said.rank, default=None)


def _gap(message: str) -> Said | None:
    found = _GAP.search(message)
    if found is None:
        return None
    short = dict(sorted(_parts(found["parts"])))
    return Said(0, "InsufficientResources", "", tuple(short), short)


def _parts(text: str) -> Iterator[tuple[str, Quantity]]:
    for part in _PART.finditer(text):
        scale = int(part["scale"]) + 9
        value = int(part["value"])
        if -40 < scale < 40:
            yield part["name"], Quantity(value * 10**scale if scale >= 0 else -(-value // 10**-scale))


def _queue(message: str) -> Said | None:
    found = _QUEUE.search(message)
    if found is None:
        return None
    names = tuple(dict.fromkeys(one["name"] for one in _INSUFFICIENT.finditer(message)))
    if "cluster is overused" in message:
        return Said(12, "CapacityPromised", "the cluster is promised to other gangs", names, lasting=True)
    return Said(11, "QueueFull", "its queue is full", names, lasting=True)


def _nodes(message: str) -> Said | None:
    found = _NODES.search(message)
    if found is None:
        names = tuple(dict.fromkeys(one["name"] for one in _INSUFFICIENT.finditer(message)))
        return Said(15, "InsufficientResources", "", names) if names else None
    why = _REJECTED.sub("", _PREEMPTION.sub("", found["why"])).strip(" .,\n")
    if any(words in why for words, _, _ in _WAITS):
        return None
    names = tuple(dict.fromkeys(one["name"] for one in _INSUFFICIENT.finditer(why)))
    others = [_COUNTED.sub("", part.strip()) for part in re.split(r",\s+(?=\d+ )", why)]
    rest = [part for part in others if part and not _INSUFFICIENT.search(part) and not part.startswith("Preemption")]
    if names:
        return Said(10, "InsufficientResources", "; ".join(_clip(part) for part in rest), names)
    return Said(20, "Unschedulable", _clip("; ".join(rest) or why), lasting=True)


def _gated(message: str) -> Said | None:
    if "cannot proceed due to gated pods" not in message:
        return None
    return Said(30, "Unschedulable", "pods of the gang have scheduling gates")


def _waits(message: str) -> Said | None:
    return next((Said(rank, "NotLookedAt", text) for words, rank, text in _WAITS if words in message), None)


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TEXT_LIMIT else f"{line[:TEXT_LIMIT - 3]}..."


# --- refusals of pods ---------------------------------------------------------------------------------


class Quota(NamedTuple):
    """A ResourceQuota that refused a pod: resource to amount as the API server spells it."""

    name: str
    requested: dict[str, str]
    used: dict[str, str]
    limited: dict[str, str]


# kubernetes plugin/pkg/admission/resourcequota/controller.go, checkRequest (v1.34).
_QUOTA = re.compile(
    r"exceeded quota: (?P<name>[^,\s]+), requested: (?P<requested>\S+), used: (?P<used>\S+), limited: (?P<limited>\S+)")


def quota(message: str) -> Quota | None:
    """Read the refusal of a pod by a quota; None for any other message."""
    found = _QUOTA.search(message)
    if found is None:
        return None
    return Quota(found["name"], *(_pairs(found[part]) for part in ("requested", "used", "limited")))


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split(",") if "=" in pair)


_REFUSALS = ("is forbidden", "denied the request", "is invalid", "admission webhook", "failed quota",
             "failed calling webhook")


def refusal(message: str) -> str:
    """Return why a pod could not be made, in the API server's words; empty for a message of anything else."""
    if not any(words in message for words in _REFUSALS):
        return ""
    return _clip(re.sub(r"^(?:worker|launcher) pod created failed: |^Error creating: ", "", message))
