"""Faults no emulator makes, injected at the level of botocore at a chosen call: none of our own code is mocked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError
from moto.core.botocore_stubber import MockRawResponse

from tests.support.wire import Call, Proceed, Wire, dynamodb_error, s3_error, sts_error

TRANSACT = "dynamodb.TransactWriteItems"
BATCH_GET = "dynamodb.BatchGetItem"
PUT_OBJECT = "s3.PutObject"
FOREVER = 1_000_000

T = TypeVar("T")
Reply = Callable[[Call], AWSResponse]


class Killed(BaseException):
    """The function was killed here; no handler of ordinary exceptions sees it."""


class Faults:
    """Each method is a context: within it, the calls number `nth` to `nth + times - 1` of `operation` go wrong; with
    `each_once`, every call does, but not its repetition.

    `operation` is `service.Operation`, or a service, or empty for every call; calls are counted from 1 from the moment
    the context opens.
    """

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    @contextmanager
    def refuse(
        self, operation: str, reply: Reply, *, nth: int = 1, times: int = 1, each_once: bool = False
    ) -> Iterator[None]:
        """AWS answers `reply` and does nothing."""

        def fault(call: Call, proceed: Proceed) -> AWSResponse:
            return reply(call) if due(call) else proceed()

        due = _unseen() if each_once else _counter(operation, nth, times)
        with self.wire.fault(fault):
            yield

    @contextmanager
    def lose_reply(self, operation: str, *, nth: int = 1, times: int = 1, each_once: bool = False) -> Iterator[None]:
        """AWS does the work; the connection breaks before the answer arrives."""

        def fault(call: Call, proceed: Proceed) -> AWSResponse:
            if not due(call):
                return proceed()
            proceed()
            raise ConnectionClosedError(endpoint_url=call.request.url)

        due = _unseen() if each_once else _counter(operation, nth, times)
        with self.wire.fault(fault):
            yield

    @contextmanager
    def kill(self, operation: str, *, nth: int = 1, after: bool = False) -> Iterator[None]:
        """The function dies before the call, or after it; nothing it still tries goes through."""
        dead = threading.Event()

        def fault(call: Call, proceed: Proceed) -> AWSResponse:
            if dead.is_set():
                raise Killed
            if not due(call):
                return proceed()
            if after:
                proceed()
            dead.set()
            raise Killed

        due = _counter(operation, nth, 1)
        with self.wire.fault(fault):
            yield

    @contextmanager
    def meanwhile(self, operation: str, act: Callable[[], Any], *, nth: int = 1, times: int = 1) -> Iterator[list[Any]]:
        """Just before the call, `act` runs to its end: one chosen interleaving of a race. Yields what it answered.

        Calls that `act` itself makes are not counted.
        """
        acting = threading.local()
        answers: list[Any] = []

        def fault(call: Call, proceed: Proceed) -> AWSResponse:
            if not getattr(acting, "now", False) and due(call):
                acting.now = True
                try:
                    answers.append(act())
                finally:
                    acting.now = False
            return proceed()

        due = _counter(operation, nth, times)
        with self.wire.fault(fault):
            yield answers

    @contextmanager
    def held(self, operation: str, request: Callable[[], T]) -> Iterator[Callable[[], T]]:
        """`request` runs up to its first call of `operation` and waits there; what is yielded lets it finish.

        It has a thread of its own, and answers at once where it never makes such a call.
        """
        waiting, let_go = threading.Event(), threading.Event()
        threads: list[threading.Thread] = []

        def fault(call: Call, proceed: Proceed) -> AWSResponse:
            if threading.current_thread() in threads and call.operation == operation:
                waiting.set()
                assert let_go.wait(timeout=60), "nobody let the request go on"
            return proceed()

        def run() -> T:
            threads.append(threading.current_thread())
            try:
                return request()
            finally:
                waiting.set()

        def finish() -> T:
            let_go.set()
            return outcome.result(timeout=60)

        with self.wire.fault(fault), ThreadPoolExecutor(1) as executor:
            outcome = executor.submit(run)
            assert waiting.wait(timeout=60), "the request neither came to the call nor to its end"
            try:
                yield finish
            finally:
                let_go.set()

    @contextmanager
    def torn(self, act: Callable[[], Any], late: Callable[[Any], bool], *, nth: int = 1) -> Iterator[None]:
        """A batch read is no snapshot: `act` runs amid the items of one, and those that are `late` are read after it.

        `late` is asked of each item, as it is on the wire.
        """
        acting = threading.local()

        def fault(call: Call, proceed: Proceed) -> AWSResponse:
            if getattr(acting, "now", False) or not due(call):
                return proceed()
            early = json.loads(proceed().content)
            acting.now = True
            try:
                act()
            finally:
                acting.now = False
            answer = json.loads(proceed().content)
            for table, items in answer["Responses"].items():
                first = [item for item in early["Responses"].get(table, []) if not late(item)]
                answer["Responses"][table] = first + [item for item in items if late(item)]
            return AWSResponse(call.request.url, 200, {}, MockRawResponse(json.dumps(answer)))  # type: ignore[arg-type]

        due = _counter(BATCH_GET, nth, 1)
        with self.wire.fault(fault):
            yield


def dynamodb(code: str, status: int = 400) -> Reply:
    """DynamoDB refuses the call with this code, e.g. `ThrottlingException`."""
    return lambda call: dynamodb_error(call, code, status)


def s3(code: str, status: int) -> Reply:
    """S3 refuses the call, e.g. `SlowDown` with 503."""
    return lambda call: s3_error(call, code, status)


def throttled(call: Call) -> AWSResponse:
    """Refused as the called service throttles."""
    if call.operation.startswith("s3."):
        return s3_error(call, "SlowDown", 503)
    if call.operation.startswith("sts."):
        return sts_error(call, "Throttling", 400)
    return dynamodb_error(call, "ThrottlingException")


def cancelled(code: str, position: int) -> Reply:
    """A transaction is cancelled for `code` at `position` (0-based; negative counts from the end)."""

    def reply(call: Call) -> AWSResponse:
        reasons: list[dict[str, Any]] = [{"Code": "None"} for _ in call.json["TransactItems"]]
        if -len(reasons) <= position < len(reasons):
            reasons[position] = {"Code": code, "Message": f"injected {code}"}
        codes = ", ".join(reason["Code"] for reason in reasons)
        message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
        return dynamodb_error(call, "TransactionCanceledException", CancellationReasons=reasons, Message=message)

    return reply


def transaction_size(call: Call) -> int:
    """How many items a transaction has."""
    return len(call.json["TransactItems"])


def _unseen() -> Callable[[Call], bool]:
    """Says of each call whether none like it came before."""
    seen: set[object] = set()

    def due(call: Call) -> bool:
        body = call.json if call.operation.startswith("dynamodb.") else None
        likeness = call.operation, call.request.url, repr(body)
        with lock:
            is_new = likeness not in seen
            seen.add(likeness)
        return is_new

    lock = threading.Lock()
    return due


def _counter(operation: str, nth: int, times: int) -> Callable[[Call], bool]:
    """Says of each call whether it is among those a fault is for."""
    lock = threading.Lock()
    seen = 0

    def due(call: Call) -> bool:
        nonlocal seen
        if not (not operation or call.operation == operation or call.operation.startswith(operation + ".")):
            return False
        with lock:
            seen += 1
            return nth <= seen < nth + times

    return due
