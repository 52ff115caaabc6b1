"""Requests for the parts of a DynamoDB transaction, built from conditions and plain values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from boto3.dynamodb import conditions
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from memory_stores.storage.errors import Stale

Item = dict[str, Any]
Wire = dict[str, Any]

_serialize = TypeSerializer().serialize
_deserialize = TypeDeserializer().deserialize

Attr = conditions.Attr
KeyAttr = conditions.Key
ConditionBase = conditions.ConditionBase

MISSING = Attr("pk").not_exists()
PRESENT = Attr("pk").exists()


def to_wire(item: Mapping[str, Any]) -> Wire:
    """An item in DynamoDB's typed form; attributes that are None are left out."""
    return {name: _serialize(value) for name, value in item.items() if value is not None}


def from_wire(wire: Mapping[str, Any]) -> Item:
    """A plain item from DynamoDB's typed form."""
    return {name: _deserialize(value) for name, value in wire.items()}


@dataclass(frozen=True, slots=True)
class Key:
    """The primary key of an item."""

    pk: str
    sk: str

    @property
    def wire(self) -> Wire:
        """The key in DynamoDB's typed form."""
        return {"pk": {"S": self.pk}, "sk": {"S": self.sk}}


def start_over(_: Item | None) -> Exception:
    """The usual answer to a failed condition: read everything again and decide anew."""
    return Stale()


@dataclass(frozen=True, slots=True)
class Write:
    """One action of a transaction, and the error that its failed condition means.

    `refused` gets the item that is there instead, or None where there is none.
    """

    action: str
    request: Wire
    refused: Callable[[Item | None], Exception] = field(default=start_over)


def put(
    key: Key,
    attributes: Mapping[str, Any],
    condition: ConditionBase | None = None,
    refused: Callable[[Item | None], Exception] = start_over,
) -> Write:
    """Write a whole item."""
    return Write("Put", {"Item": {**key.wire, **to_wire(attributes)}, **_conditional(condition)}, refused)


def delete(
    key: Key,
    condition: ConditionBase | None = None,
    refused: Callable[[Item | None], Exception] = start_over,
) -> Write:
    """Remove an item."""
    return Write("Delete", {"Key": key.wire, **_conditional(condition)}, refused)


def check(key: Key, condition: ConditionBase, refused: Callable[[Item | None], Exception] = start_over) -> Write:
    """Only look: the transaction stands or falls with the condition."""
    return Write("ConditionCheck", {"Key": key.wire, **_conditional(condition)}, refused)


def update(
    key: Key,
    set: Mapping[str, Any] | None = None,
    *,
    add: Mapping[str, int] | None = None,
    remove: tuple[str, ...] = (),
    condition: ConditionBase | None = None,
    refused: Callable[[Item | None], Exception] = start_over,
) -> Write:
    """Change attributes: `set` replaces (None removes), `add` counts, `remove` takes away."""
    assigned = {name: value for name, value in (set or {}).items() if value is not None}
    removed = [*remove, *(name for name, value in (set or {}).items() if value is None)]
    clauses = {
        "SET": [f"#{name} = :{name}" for name in assigned],
        "ADD": [f"#{name} :{name}" for name in add or {}],
        "REMOVE": [f"#{name}" for name in removed],
    }
    conditional = _conditional(condition)
    names = {f"#{name}": name for name in [*assigned, *(add or {}), *removed]}
    values = {f":{name}": _serialize(value) for name, value in [*assigned.items(), *(add or {}).items()]}
    request = {
        "Key": key.wire,
        "UpdateExpression": " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses.items() if parts),
        **conditional,
        "ExpressionAttributeNames": {**names, **conditional.get("ExpressionAttributeNames", {})},
    }
    if all_values := {**values, **conditional.get("ExpressionAttributeValues", {})}:
        request["ExpressionAttributeValues"] = all_values
    return Write("Update", request, refused)


def render(condition: ConditionBase, parameter: str, *, is_key_condition: bool = False) -> Wire:
    """A condition as the parameters of a request; `parameter` is the name of the expression."""
    built = conditions.ConditionExpressionBuilder().build_expression(condition, is_key_condition)
    rendered: Wire = {
        parameter: built.condition_expression,
        "ExpressionAttributeNames": built.attribute_name_placeholders,
    }
    if built.attribute_value_placeholders:
        rendered["ExpressionAttributeValues"] = to_wire(built.attribute_value_placeholders)
    return rendered


def _conditional(condition: ConditionBase | None) -> Wire:
    if condition is None:
        return {}
    return {**render(condition, "ConditionExpression"), "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
