"""The DynamoDB table: reads that are always strongly consistent, and writes that always say why they failed."""

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import ConditionExpressionBuilder
from botocore.exceptions import ClientError

from memory_stores.domain.errors import LimitReached, MemoryStoresError, Throttled
from memory_stores.storage.backoff import pauses
from memory_stores.storage.errors import (
    Busy,
    ConditionFailed,
    OutcomeUnknown,
    Stale,
    code_of,
    is_throttling,
    translated,
)
from memory_stores.storage.expressions import ConditionBase, Item, Key, Wire, Write, from_wire, to_wire

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BATCH_WRITE_ITEMS = 25
_BATCH_READ_ITEMS = 100
_REPEATS = 10


class _Held(Exception):
    """A transaction holds the item just now."""


@dataclass(frozen=True, slots=True)
class Page:
    """What one Query read; `last_key` is where the range goes on behind, None where it ended."""

    items: list[Item]
    last_key: Item | None


class Table:
    """One table. Every method may raise Throttled and OutcomeUnknown."""

    def __init__(self, client: "DynamoDBClient", name: str, executor: Executor) -> None:
        self._client = client
        self._name = name
        self._executor = executor

    def get(self, key: Key) -> Item | None:
        """One item, or None."""
        with translated():
            answer = self._client.get_item(TableName=self._name, Key=key.wire, ConsistentRead=True)
        return from_wire(answer["Item"]) if "Item" in answer else None

    def get_all(self, keys: Sequence[Key]) -> list[Item | None]:
        """The items of the keys in their order, None where there is none; 100 keys are one call."""
        distinct = list(dict.fromkeys(keys))
        found: dict[Key, Item] = {}
        for index in range(0, len(distinct), _BATCH_READ_ITEMS):
            found |= self._get_batch(distinct[index : index + _BATCH_READ_ITEMS])
        return [found.get(key) for key in keys]

    def _get_batch(self, keys: Sequence[Key]) -> dict[Key, Item]:
        found: dict[Key, Item] = {}
        pending: Any = {self._name: {"Keys": [key.wire for key in keys], "ConsistentRead": True}}
        while pending:
            with translated():
                answer = self._client.batch_get_item(RequestItems=pending)
            items = [from_wire(wire) for wire in answer["Responses"].get(self._name, [])]
            found.update({Key(item["pk"], item["sk"]): item for item in items})
            unprocessed = answer.get("UnprocessedKeys")
            if unprocessed and not items:
                raise Throttled
            pending = unprocessed
        return found

    def query(
        self,
        condition: ConditionBase,
        *,
        index: str | None = None,
        where: ConditionBase | None = None,
        descending: bool = False,
        start: Item | None = None,
        limit: int | None = None,
    ) -> Page:
        """One Query: at most 1 MB or `limit` items are read, and of those the ones answered that match `where`."""
        builder = ConditionExpressionBuilder()
        built = builder.build_expression(condition, is_key_condition=True)
        names, values = dict(built.attribute_name_placeholders), dict(built.attribute_value_placeholders)
        request: Wire = {"TableName": self._name, "KeyConditionExpression": built.condition_expression}
        if where is not None:
            built = builder.build_expression(where)
            request["FilterExpression"] = built.condition_expression
            names |= built.attribute_name_placeholders
            values |= built.attribute_value_placeholders
        request |= {"ExpressionAttributeNames": names, "ExpressionAttributeValues": to_wire(values)}
        request |= {"ScanIndexForward": not descending, "ConsistentRead": True}
        if index:
            request["IndexName"] = index
        if start:
            request["ExclusiveStartKey"] = to_wire(start)
        if limit:
            request["Limit"] = limit
        with translated():
            answer = self._client.query(**request)
        last = answer.get("LastEvaluatedKey")
        return Page([from_wire(wire) for wire in answer["Items"]], from_wire(last) if last else None)

    def write(self, write: Write) -> Item:
        """Do one write on its own and answer the item after an update; a failed condition raises what it means.

        While a transaction holds the item, the same call is repeated; raises Busy where that takes too long.
        """
        for pause in islice(pauses(), _REPEATS):
            with suppress(_Held):
                return self._write(write)
            time.sleep(pause)
        raise Busy

    def _write(self, write: Write) -> Item:
        methods: dict[str, Callable[..., Any]] = {
            "Put": self._client.put_item,
            "Update": partial(self._client.update_item, ReturnValues="ALL_NEW"),
            "Delete": self._client.delete_item,
        }
        try:
            with translated():
                return from_wire(methods[write.action](TableName=self._name, **write.request).get("Attributes", {}))
        except ClientError as error:
            if code_of(error) == "ConditionalCheckFailedException":
                there: Any = error.response.get("Item")
                raise write.refused(from_wire(there) if there else None) from error
            if code_of(error) == "TransactionConflictException":
                raise _Held from error
            if full := _full(code_of(error)):
                raise full from error
            raise

    def write_each(self, writes: Sequence[Write]) -> None:
        """Do independent writes side by side; raises the first error once all have ended."""
        outcomes = [self._executor.submit(self.write, write) for write in writes]
        wait(outcomes)
        for outcome in outcomes:
            outcome.result()

    def transact(self, writes: Sequence[Write], witness: Key) -> None:
        """Do all the writes or none.

        `witness` is an item that only this very transaction creates: where an earlier reply was lost, its presence
        says that the transaction was applied. Raises what the failed conditions mean, Stale before all others, and
        LimitReached where DynamoDB's own limit of a store's rows is.
        """
        request = [{write.action: {"TableName": self._name, **write.request}} for write in writes]
        token = secrets.token_hex(16)
        try:
            self._transact(request, token, writes)
        except OutcomeUnknown:
            self._settle(request, token, writes, witness)

    def _settle(self, request: list[Wire], token: str, writes: Sequence[Write], witness: Key) -> None:
        """Repeat the unchanged transaction with its token: it is applied once, whatever became of the first try.

        Nothing may start over from here: the first try may still land, and would then be judged as another's.
        """
        try:
            self._transact(request, token, writes)
        except (Stale, Throttled):
            if not self._is_there(witness):
                raise OutcomeUnknown from None
        except (MemoryStoresError, ConditionFailed):
            if not self._is_there(witness):
                raise

    def _is_there(self, key: Key) -> bool:
        try:
            return self.get(key) is not None
        except Throttled:
            raise OutcomeUnknown from None

    def _transact(self, request: Any, token: str, writes: Sequence[Write]) -> None:
        try:
            with translated():
                self._client.transact_write_items(TransactItems=request, ClientRequestToken=token)
        except ClientError as error:
            if code_of(error) == "TransactionInProgressException":
                raise OutcomeUnknown from error
            if code_of(error) != "TransactionCanceledException":
                raise
            raise _cancellation(error, writes) from error

    def delete_all(self, keys: Sequence[Key]) -> None:
        """Remove up to 25 items, whatever they are; raises Throttled where some are left after repeats."""
        requests = [{"DeleteRequest": {"Key": key.wire}} for key in keys]
        pending: Any = {self._name: requests}
        for pause in islice(pauses(), _REPEATS):
            with translated():
                pending = self._client.batch_write_item(RequestItems=pending).get("UnprocessedItems")
            if not pending:
                return
            time.sleep(pause)
        raise Throttled


def _full(code: str) -> LimitReached | None:
    """What DynamoDB says when the rows below one partition key with local indexes have reached 10 GB."""
    if code.removesuffix("Exception") == "ItemCollectionSizeLimitExceeded":
        return LimitReached("the memory store with its history, or the workspace, has reached the 10 GB it can hold")
    return None


def _cancellation(error: ClientError, writes: Sequence[Write]) -> Exception:
    """The one error that a cancelled transaction's reasons add up to.

    Contention and throttling come first: then nothing that was read can be trusted, and no condition is final.
    """
    response: Any = error.response
    reasons = response.get("CancellationReasons", [])
    codes = [reason.get("Code", "None") for reason in reasons]
    if any(is_throttling(code) for code in codes):
        return Throttled()
    if "TransactionConflict" in codes:
        return Stale()
    if full := next(filter(None, map(_full, codes)), None):
        return full
    failed = [
        write.refused(from_wire(reason["Item"]) if reason.get("Item") else None)
        for write, reason in zip(writes, reasons, strict=True)
        if reason.get("Code") == "ConditionalCheckFailed"
    ]
    if not failed:
        return error
    return next((outcome for outcome in failed if isinstance(outcome, Stale)), failed[0])
