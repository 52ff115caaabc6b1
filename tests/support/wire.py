"""The wire between botocore and moto: one call at a time, with DynamoDB's tokens, and a place for faults.

Moto is not safe under threads (it loses updates), so a lock around its stubber makes races honest: they interleave at
the granularity of AWS calls, as in the cloud. Moto also ignores `ClientRequestToken`; here a repeat answers as the
first did.
"""

from __future__ import annotations

import copy
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from moto.core.botocore_stubber import BotocoreStubber, MockRawResponse
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table


@dataclass(frozen=True)
class Call:
    """One AWS call on its way: `operation` is e.g. `dynamodb.TransactWriteItems` or `s3.PutObject`."""

    operation: str
    request: AWSPreparedRequest

    @property
    def json(self) -> Any:
        """The request's parameters (DynamoDB speaks JSON; S3 does not)."""
        body = self.request.body
        assert isinstance(body, str | bytes)
        return json.loads(body)


Proceed = Callable[[], AWSResponse]
Fault = Callable[[Call, Proceed], AWSResponse]


class Wire:
    """Carries calls through the installed faults to moto, and remembers the operations' names in `operations`."""

    def __init__(self) -> None:
        self.operations: list[str] = []
        self._faults: tuple[Fault, ...] = ()
        self._lock = threading.RLock()
        self._answered: dict[str, tuple[Any, bytes]] = {}
        self._touched: list[tuple[DynamoType, DynamoType]] = []

    @contextmanager
    def installed(self) -> Iterator[Wire]:
        """Between every botocore client and moto, as long as the context lasts."""
        stub = BotocoreStubber.__call__

        def carry(stubber: BotocoreStubber, event_name: str, request: AWSPreparedRequest, **more: Any) -> Any:
            if not stubber.enabled:
                return None
            call = Call(event_name.partition(".")[2], request)
            return self._carry(call, lambda: cast(AWSResponse, stub(stubber, event_name, request, **more)))

        BotocoreStubber.__call__ = carry  # type: ignore[method-assign, assignment]
        Table.__deepcopy__ = lambda table, _: self._copy_table(table)  # type: ignore[attr-defined]
        try:
            yield self
        finally:
            BotocoreStubber.__call__ = stub  # type: ignore[method-assign]
            del Table.__deepcopy__  # type: ignore[attr-defined]

    @contextmanager
    def fault(self, fault: Fault) -> Iterator[None]:
        """Every call passes through `fault` as long as the context lasts."""
        self._faults = (*self._faults, fault)
        try:
            yield
        finally:
            self._faults = tuple(other for other in self._faults if other is not fault)

    def _carry(self, call: Call, answer: Proceed) -> AWSResponse:
        self.operations.append(call.operation)

        def through(faults: tuple[Fault, ...]) -> AWSResponse:
            if not faults:
                with self._lock:
                    return self._once(call, answer)
            return faults[0](call, lambda: through(faults[1:]))

        response = through(self._faults)
        time.sleep(0)  # let another thread go first, so that races really interleave
        return response

    def _once(self, call: Call, answer: Proceed) -> AWSResponse:
        if call.operation != "dynamodb.TransactWriteItems":
            return answer()
        token = call.json.get("ClientRequestToken")
        if token in self._answered:
            parameters, body = self._answered[token]
            if parameters != call.json:
                return dynamodb_error(call, "IdempotentParameterMismatchException")
            return AWSResponse(call.request.url, 200, {}, MockRawResponse(body))  # type: ignore[arg-type]
        self._touched = [_key(*item.items()) for item in call.json["TransactItems"]]
        response = answer()
        if response.status_code == 200:
            self._answered[token] = (call.json, response.content)
        return response

    def _copy_table(self, table: Table) -> Table:
        """What a transaction is rolled back to. Moto copies the whole table once for each item of a transaction, which
        takes seconds in a store of hundreds of rows; only what the transaction names can change."""
        twin = copy.copy(table)
        twin.items = copy.copy(table.items)
        for key, sort in self._touched:
            if key in table.items:
                partition = dict(twin.items[key])
                if sort in partition:
                    partition[sort] = copy.deepcopy(partition[sort])
                twin.items[key] = partition
        return twin


def _key(action: tuple[str, dict[str, Any]]) -> tuple[DynamoType, DynamoType]:
    kind, parameters = action
    key = parameters["Item" if kind == "Put" else "Key"]
    return DynamoType(key["pk"]), DynamoType(key["sk"])


def dynamodb_error(call: Call, code: str, status: int = 400, **more: Any) -> AWSResponse:
    """An error as DynamoDB sends it."""
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": f"injected {code}", **more}
    return AWSResponse(call.request.url, status, {}, MockRawResponse(json.dumps(body)))  # type: ignore[arg-type]


def s3_error(call: Call, code: str, status: int) -> AWSResponse:
    """An error as S3 sends it."""
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>injected {code}</Message></Error>"
    return AWSResponse(call.request.url, status, {}, MockRawResponse(body))  # type: ignore[arg-type]


def sts_error(call: Call, code: str, status: int) -> AWSResponse:
    """An error as STS sends it."""
    error = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>injected {code}</Message></Error>"
    body = f"<ErrorResponse xmlns='https://sts.amazonaws.com/doc/2011-06-15/'>{error}</ErrorResponse>"
    return AWSResponse(call.request.url, status, {}, MockRawResponse(body))  # type: ignore[arg-type]
