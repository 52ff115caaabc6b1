"""Records the AWS calls of the handlers, by botocore's own events."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3

_CALL = "tests.bench"


@dataclass
class Call:
    """One AWS call: `operation` is e.g. `dynamodb.GetItem`; the times are seconds of the performance counter."""

    operation: str
    parameters: dict[str, Any]
    started: float
    ended: float = 0.0
    answer: dict[str, Any] = field(default_factory=dict)


class Recorder:
    """The calls of all clients that are made from a session after `attach`, in the order of their start.

    With `hold`, an answer is kept back until no call has started for that many seconds. Then every call that does not
    depend on the answer has started, so the calls that overlap are those that run side by side, on any machine.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.hold = 0.0
        self._last_start = 0.0
        self._lock = threading.Lock()

    def attach(self, session: boto3.Session) -> None:
        """Listen to the session's events."""
        session.events.register("provide-client-params", self._begin)
        session.events.register("after-call", self._end)
        session.events.register("after-call-error", self._fail)

    @contextmanager
    def holding(self, seconds: float) -> Iterator[None]:
        """Keep answers back for as long as the context lasts."""
        self.hold = seconds
        try:
            yield
        finally:
            self.hold = 0.0

    def _begin(self, params: dict[str, Any], model: Any, context: dict[str, Any], **_: Any) -> None:
        service = model.service_model.service_name
        if service == "dynamodb":
            params["ReturnConsumedCapacity"] = "TOTAL"
        with self._lock:
            self._last_start = time.perf_counter()
            context[_CALL] = Call(f"{service}.{model.name}", params, self._last_start)
            self.calls.append(context[_CALL])

    def _end(self, parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        call: Call = context[_CALL]
        call.answer = parsed
        self._finish(call)

    def _fail(self, context: dict[str, Any], **_: Any) -> None:
        self._finish(context[_CALL])

    def _finish(self, call: Call) -> None:
        while (rest := self._last_start + self.hold - time.perf_counter()) > 0:
            time.sleep(rest)
        call.ended = time.perf_counter()


def hops(calls: Sequence[Call]) -> int:
    """The longest chain of calls of which each began after the one before had ended."""
    count, free_from = 0, 0.0
    for call in sorted(calls, key=lambda call: call.ended):
        if call.started >= free_from:
            count, free_from = count + 1, call.ended
    return count


def seconds_inside(calls: Sequence[Call]) -> float:
    """How long at least one of the calls was under way."""
    total, covered_until = 0.0, 0.0
    for call in sorted(calls, key=lambda call: call.started):
        total += max(0.0, call.ended - max(call.started, covered_until))
        covered_until = max(covered_until, call.ended)
    return total
