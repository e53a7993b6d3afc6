"""Data against its schema, in the API server's order."""

from collections.abc import Iterable, Mapping
from typing import Any

from gangform.model.finding import Code, Problem, Severity
from gangform.schema.acceptance import accepts
from gangform.schema.lists import duplicates
from gangform.schema.pruning import holds_null, prune_known
from gangform.schema.store import load

CODES: Mapping[str, Code] = {
    "unknown-field": Code(Severity.ERROR, """\
A field that the API does not know at this place.

The API server refuses it, or drops it silently where validation is not strict: what it was to say never holds.
Correct the spelling, move the field to where it belongs, or remove it."""),
    "wrong-type": Code(Severity.ERROR, """\
A value of another type than the field has.

The API server refuses the object. Numbers where text is asked need quotes, text where a number is asked must
have none, and lists and maps cannot stand for one another."""),
    "missing-field": Code(Severity.ERROR, """\
A field that the API requires is not there.

The API server refuses the object. A field that is null counts as missing. Add it to the map that is shown."""),
    "invalid-value": Code(Severity.ERROR, """\
A value of the right type that the field does not allow.

The API server refuses the object: the value is out of bounds, too long, not one of the words that the field
knows, or not a name."""),
    "invalid-quantity": Code(Severity.ERROR, """\
A text that is no resource quantity.

The API server refuses the object. A quantity is a number and at most one suffix, without a space: n u m k M G T P E
count in thousands, Ki Mi Gi Ti Pi Ei in 1024s, and e3 is an exponent. 500m is half a core, 4Gi is memory."""),
    "quantity-unreadable": Code(Severity.ERROR, """\
A quantity that the API server stores although nobody can read it.

The pattern of the CRDs lets through exponents with a fraction, such as 1e1.5, and sizes that fit no cluster. Where one
object holds such an exponent, the programs that watch its kind read no change of any object of that kind any more,
in any namespace, until it is gone: mpi-operator starts no new job, coscheduling no new gang (seen with 0.8.0 and
0.34.7). Write a number and at most one suffix, such as 500m or 64Gi."""),
    "quantity-needs-quotes": Code(Severity.ERROR, """\
A quantity with a fraction that is not in quotes.

In a custom resource a quantity is a whole number or text; the API server refuses 0.5 although it takes it in a
Pod. Write "0.5" or 500m. Whole numbers need no quotes."""),
    "duplicate-list-item": Code(Severity.ERROR, """\
Two items of a list have the same key.

Lists such as containers, env, ports and volumeMounts are maps to the API server: it refuses a second item with
the same key. What is not written counts as its default, such as protocol TCP. Remove or rename one."""),
    "null-list-item": Code(Severity.ERROR, """\
An item of a list is empty.

The API server drops fields that are null, but it refuses a null item. Remove the dash, or give the item a value."""),
    "templated": Code(Severity.NOTE, """\
The object is a template: a value is filled in later.

A placeholder such as $WORKERS, ${WORKERS} or {{ .Values.workers }} stands where the schema asks for something else,
so the object as written says nothing about the one that will be applied. The same holds for an object whose values
SOPS has encrypted. Check what the template becomes, or the object before it is encrypted."""),
}


def check(
    data: Any, name: str, moves: Mapping[str, str] = {}, homes: Mapping[str, str] = {}
) -> tuple[Problem, ...]:
    """Return why data does not fit the named schema, sorted by pointer; nothing when it fits.

    Unknown fields count first, also when they are null; other null members are then dropped, and what is
    left is validated, lists that are maps to the API server included. When a value that does not fit is
    templated text, the only answer is one problem ``templated``.

    Args:
        data: an object as it was read, nulls included; never changed.
        name: of a schema below ``schemas/``, without ``.json``.
        moves: as in contracts.Kind.MOVES, for fields that are unknown where they stand.
        homes: as in contracts.Kind.HOMES.

    Raises:
        InputError: there is no schema of that name.
    """
    schema = load(name)
    pruned = prune_known(data, schema) if holds_null(data) else data
    repeated = tuple(duplicates(pruned, schema))
    if not repeated and accepts(pruned, name):
        return ()
    if is_encrypted(data):
        return (Problem(("sops",), "the object is encrypted by SOPS, and was left alone",
                        "check it before it is encrypted", on="key", code="templated"),)
    from gangform.schema.explanation import explain
    from gangform.schema.hints import View

    return _settle((*explain(pruned, name, View(data, schema, moves, homes)), *repeated))


def is_encrypted(data: Any) -> bool:
    """Tell whether SOPS has encrypted values of an object
    (sops, stores/stores.go, Metadata, 3.9).
    """
    metadata = data.get("sops") if isinstance(data, dict) else None
    return isinstance(metadata, dict) and "mac" in metadata


def _settle(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Sort, keep one of each, and let a template stand for all of its problems.

    A value of the wrong type cannot be out of bounds as well.
    """
    unique = dict.fromkeys(problems)
    untyped = {problem.pointer for problem in unique if problem.code == "wrong-type"}
    ordered = sorted((p for p in unique if p.code != "invalid-value" or p.pointer not in untyped), key=_order)
    template = next((problem for problem in ordered if problem.code == "templated"), None)
    return tuple(ordered) if template is None else (template,)


def _order(problem: Problem) -> tuple[Any, ...]:
    steps = tuple((0, token, "") if isinstance(token, int) else (1, 0, str(token)) for token in problem.pointer)
    return steps, problem.code, problem.message
