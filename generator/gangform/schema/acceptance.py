"""Yes or no, quickly: does data fit its schema?"""

from collections.abc import Callable
from functools import cache
from typing import Any

from gangform.schema.store import load


def accepts(data: Any, name: str) -> bool:
    """Say whether data without nulls fits the named schema; a no is not final before it is explained."""
    try:
        return _judge(name)(data)
    except ValueError:
        # The compiled engine gives up on what JSON cannot say (numbers as keys); the other one decides.
        return False


@cache
def _judge(name: str) -> Callable[[Any], bool]:
    try:
        import jsonschema_rs
    except ImportError:
        from gangform.schema.engine import validator

        return validator(name).is_valid
    return jsonschema_rs.Draft7Validator(load(name), validate_formats=False).is_valid
