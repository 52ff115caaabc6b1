"""The capacity that calls consume.

Write units are what the emulator answers; it counts them by the size of the items, twice in transactions, and once for
each index. Its read units are wrong (one a call, none for a batch), so these are counted here from items and bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.bench.recorder import Call

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_READ_UNIT_BYTES = 4096
_S3_WRITES = frozenset({"s3.PutObject", "s3.CopyObject"})


@dataclass(frozen=True)
class Capacity:
    """What some calls are billed by; `puts` and `gets` are S3's two classes of requests (its deletes are free)."""

    read_units: float
    write_units: float
    puts: int
    gets: int


def consumed(calls: Sequence[Call], client: DynamoDBClient) -> Capacity:
    """The sum over the calls; what a filter has hidden is read again with the client."""
    return Capacity(
        read_units=sum(_read_units(call, client) for call in calls),
        write_units=sum(_write_units(call) for call in calls),
        puts=sum(call.operation in _S3_WRITES for call in calls),
        gets=sum(call.operation == "s3.GetObject" for call in calls),
    )


def _read_units(call: Call, client: DynamoDBClient) -> float:
    parameters, answer = call.parameters, call.answer
    if call.operation == "dynamodb.GetItem":
        return _rate(parameters) * _units(_item_bytes(answer.get("Item", {})))
    if call.operation == "dynamodb.BatchGetItem":
        return sum(
            _rate(wanted) * _batch_units(len(wanted["Keys"]), answer["Responses"].get(table, []))
            for table, wanted in parameters["RequestItems"].items()
        )
    if call.operation == "dynamodb.Query":
        read = (
            client.query(**_without_filter(parameters))["Items"]
            if "FilterExpression" in parameters
            else answer["Items"]
        )
        return _rate(parameters) * _units(sum(_item_bytes(item) for item in read))
    return 0


def _batch_units(keys: int, found: Sequence[Mapping[str, Any]]) -> int:
    """Each key is billed on its own; one without an item like a small one."""
    return sum(_units(_item_bytes(item)) for item in found) + keys - len(found)


def _without_filter(query: Mapping[str, Any]) -> dict[str, Any]:
    """The same Query, answering all that it reads; it must not name what its condition does not use."""
    condition = query["KeyConditionExpression"]
    placeholders = ("ExpressionAttributeNames", "ExpressionAttributeValues")
    used = {kind: {name: value for name, value in query[kind].items() if name in condition} for kind in placeholders}
    return {name: value for name, value in {**query, **used}.items() if name != "FilterExpression"}


def _write_units(call: Call) -> float:
    if call.operation in ("dynamodb.GetItem", "dynamodb.BatchGetItem", "dynamodb.Query"):
        return 0
    answered = call.answer.get("ConsumedCapacity", [])
    return sum(float(table["CapacityUnits"]) for table in (answered if isinstance(answered, list) else [answered]))


def _rate(parameters: Mapping[str, Any]) -> float:
    return 1 if parameters.get("ConsistentRead") else 0.5


def _units(size: float) -> int:
    return max(1, int(-(-size // _READ_UNIT_BYTES)))


def _item_bytes(item: Mapping[str, Any]) -> int:
    """The size of an item by DynamoDB's rules: names and values, lists and maps with a little more."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    [(kind, content)] = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        return len(content.strip("-0.")) // 2 + 2
    if kind == "M":
        return 3 + len(content) + _item_bytes(content)
    if kind == "L":
        return 3 + len(content) + sum(_value_bytes(element) for element in content)
    return 1
