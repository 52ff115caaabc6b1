"""Strict JSON: what two parsers could read differently is refused."""

import json
import math
from typing import Any

from memory_stores.domain.errors import InvalidRequest

_MAX_NUMBER_LENGTH = 32

UNUSABLE = object()
"""What stands in a parsed body where JSON has no value, or none that fits."""


def parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body.

    NaN, Infinity and numbers out of range become `UNUSABLE`, which no field takes, so that the field gets named.
    Raises InvalidRequest for anything but one object in UTF-8: duplicate keys, nesting without measure, text behind it.
    """
    try:
        value = json.loads(
            body.decode(),
            object_pairs_hook=_object,
            parse_constant=lambda _: UNUSABLE,
            parse_int=_integer,
            parse_float=_float,
        )
    except UnicodeDecodeError:
        raise InvalidRequest("the body is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise InvalidRequest(f"the body is not valid JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise InvalidRequest("the body is nested too deeply") from None
    if not isinstance(value, dict):
        raise InvalidRequest("the body must be a JSON object")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, member in pairs:
        if name in value:
            raise InvalidRequest("is given twice", ascii(name)[1:-1])
        value[name] = member
    return value


def _integer(digits: str) -> object:
    return int(digits) if len(digits) <= _MAX_NUMBER_LENGTH else UNUSABLE


def _float(digits: str) -> object:
    number = float(digits)
    return number if math.isfinite(number) else UNUSABLE
