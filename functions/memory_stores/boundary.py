"""The boundary of every function: whatever happens inside, an answer in the envelope leaves it."""

from collections.abc import Callable, Mapping
from typing import Any

from memory_stores.dialects.claude import errors
from memory_stores.domain import ids
from memory_stores.http.request import Request
from memory_stores.http.response import response
from memory_stores.observability import record


def answer(event: Mapping[str, Any], run: Callable[[Request], dict[str, Any]]) -> dict[str, Any]:
    """The response to an event: 200 with what `run` answers, or the error it raises."""
    request_id = ids.new(ids.REQUEST)
    failure: Exception | None = None
    try:
        answered = response(200, run(Request.from_event(event)), request_id)
    except Exception as error:  # noqa: BLE001 - nothing may pass but an answer
        failure = error
        answered = errors.render(error, request_id)
    record(event, request_id, answered["statusCode"], failure)
    return answered
