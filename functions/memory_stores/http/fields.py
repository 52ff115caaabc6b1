"""Declared fields of bodies and query strings: parsed by what is declared here, and published by it as well.

A field knows the JSON type of its value and its schema; the rules of the domain (lengths, paths, digests) are checked
by the operations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from memory_stores.domain.attributes import check_encodable
from memory_stores.domain.errors import InvalidRequest
from memory_stores.http.request import Request

Schema = dict[str, Any]
Parser = Callable[[Any, str], Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a JSON object or a parameter of a query string.

    `parse` gets the value and the field's name and answers the value to use, or raises InvalidRequest.
    """

    name: str
    parse: Parser
    schema: Schema
    description: str
    is_required: bool = False

    def required(self) -> Self:
        """The same field where it must be given."""
        return replace(self, is_required=True)


def parse_body(request: Request, fields: Sequence[Field], max_bytes: int) -> dict[str, Any]:
    """The fields that the body gives; null is the same as left out. An endpoint without fields needs no body.

    Raises InvalidRequest naming the field, RequestTooLarge where the body is larger than `max_bytes`.
    """
    return parse_members(request.json_object(max_bytes=max_bytes, may_be_empty=not fields), fields)


def parse_members(members: Mapping[str, Any], fields: Sequence[Field], prefix: str = "") -> dict[str, Any]:
    """The declared members of a JSON object, those that are null left out; an undeclared one is refused."""
    declared = {field.name for field in fields}
    for name in members:
        if name not in declared:
            raise InvalidRequest("is not a field of this request", prefix + ascii(name)[1:-1])
    parsed: dict[str, Any] = {}
    for field in fields:
        value = members.get(field.name)
        if value is not None:
            parsed[field.name] = field.parse(value, prefix + field.name)
        elif field.is_required:
            raise InvalidRequest("is required", prefix + field.name)
    return parsed


def parse_record(value: Any, field: str, fields: Sequence[Field]) -> dict[str, Any]:
    """The declared members of a JSON object that is the value of a field."""
    if not isinstance(value, dict):
        raise InvalidRequest("must be an object", field)
    return parse_members(value, fields, f"{field}.")


def record_schema(fields: Sequence[Field]) -> Schema:
    """The schema of an object with these members and no others."""
    return {
        "type": "object",
        "properties": {field.name: {**field.schema, "description": field.description} for field in fields},
        "required": [field.name for field in fields if field.is_required],
        "additionalProperties": False,
    }


def parse_query(request: Request, fields: Sequence[Field]) -> dict[str, Any]:
    """The declared parameters that the query gives; others are ignored. Raises InvalidRequest naming the parameter."""
    parsed: dict[str, Any] = {}
    for field in fields:
        values = request.query.get(field.name, [])
        if len(values) > 1:
            raise InvalidRequest("is given more than once", field.name)
        if values:
            parsed[field.name] = field.parse(values[0], field.name)
    return parsed


def string(value: Any, field: str) -> str:
    """Any JSON string that is text: it has a UTF-8 form."""
    if not isinstance(value, str):
        raise InvalidRequest("must be a string", field)
    check_encodable(value, field)
    return value


def string_map(value: Any, field: str) -> dict[str, str]:
    """A JSON object whose values are strings."""
    if not isinstance(value, dict):
        raise InvalidRequest("must be an object", field)
    return {string(name, f"{field} key"): string(member, f"{field}.{name}") for name, member in value.items()}


def string_patch(value: Any, field: str) -> dict[str, str | None]:
    """A JSON object whose values are strings, or null to remove."""
    if not isinstance(value, dict):
        raise InvalidRequest("must be an object", field)
    removed = {string(name, f"{field} key"): None for name, member in value.items() if member is None}
    return {**string_map({name: member for name, member in value.items() if member is not None}, field), **removed}


def string_list(value: Any, field: str) -> list[str]:
    """A JSON array of strings."""
    if not isinstance(value, list):
        raise InvalidRequest("must be an array", field)
    return [string(member, f"{field}[{index}]") for index, member in enumerate(value)]


def one_of(*choices: str) -> Parser:
    """One of a few words."""

    def parse(value: Any, field: str) -> str:
        if not isinstance(value, str) or value not in choices:
            raise InvalidRequest(f"must be one of {', '.join(choices)}", field)
        return value

    return parse
