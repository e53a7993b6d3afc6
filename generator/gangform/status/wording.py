"""Amounts, pods and numbers as a sentence names them."""

from collections.abc import Iterable, Mapping, Sequence

from gangform.model.quantity import Quantity
from gangform.status.picture import Ending, Member

_NANOS = 10**9
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_LISTED = 3


def amount(name: str, quantity: Quantity) -> str:
    """Name an amount of a resource: ``8 CPU``, ``520Gi memory``, ``16 nvidia.com/gpu``."""
    if name == "cpu":
        return f"{_decimal(quantity.nanos, 3)} CPU"
    if name in ("memory", "ephemeral-storage") or name.startswith("hugepages-"):
        return f"{_bytes(quantity.nanos // _NANOS)} {name}"
    return f"{_decimal(quantity.nanos, 3)} {name}"


def amounts(requests: Mapping[str, Quantity]) -> str:
    """Name several amounts, those of devices first."""
    names = sorted(requests, key=lambda name: ("/" not in name, name))
    return join(amount(name, requests[name]) for name in names)


def _decimal(nanos: int, places: int) -> str:
    step = 10 ** (9 - places)
    value = -(-nanos // step)
    whole, part = divmod(value, 10**places)
    return f"{whole}.{part:0{places}}".rstrip("0").rstrip(".") if part else str(whole)


def _bytes(count: int) -> str:
    steps = 0
    while steps + 1 < len(_BINARY) and count >= 1024 ** (steps + 1):
        steps += 1
    tenths = -(-count * 10 // 1024**steps)
    whole, part = divmod(tenths, 10)
    return f"{whole}.{part}{_BINARY[steps]}" if part else f"{whole}{_BINARY[steps]}"


def join(words: Iterable[str], last: str = "and") -> str:
    """List words: ``a, b and c``."""
    listed = list(words)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} {last} {listed[-1]}" if listed else ""


def some(words: Iterable[str]) -> str:
    """List the first few words, and say how many more there are."""
    listed = list(words)
    more = len(listed) - _LISTED
    return join(listed) if more <= 1 else f"{', '.join(listed[:_LISTED])} and {more} more"


def count(number: int, noun: str) -> str:
    """Count things: ``1 pod``, ``3 pods``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def fault(faults: Sequence[str]) -> str:
    """Say the first of what rules say of a job, each ``rule: message``, and how many more there are."""
    rule, _, message = faults[0].partition(": ")
    more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
    return f"{message or rule} [{rule}]{more}"


def short(pod: Member) -> str:
    """Name a pod within its job: ``worker-3``."""
    return pod.name.removeprefix(f"{pod.key.name}-") or pod.name


def ending(ended: Ending) -> str:
    """Say how a container came to its end: ``OOMKilled, exit code 137``."""
    parts = [ended.reason or "ended", *([f"exit code {ended.code}"] if ended.code is not None else [])]
    return ", ".join(parts)
