"""The way every request takes through a function: identify, authorize, run, answer, log."""

import traceback
from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from memory_stores.dialects.claude import errors, headers
from memory_stores.domain import access, ids
from memory_stores.domain.errors import NotFound
from memory_stores.domain.models import Caller
from memory_stores.http.endpoint import Endpoint
from memory_stores.http.request import Request
from memory_stores.http.response import response
from memory_stores.operations import identity
from memory_stores.operations.context import Context, Deadline, Storage
from memory_stores.routes import ROUTES, Route
from memory_stores.runtime import default_workspace_id, logger, metrics, open_own_storage
from memory_stores.storage.bodies import BodyMissing

Event = Mapping[str, Any]
Handler = Callable[[Event, Any], dict[str, Any]]

_LONGEST_REQUEST = 20.0
_RESERVE = 5.0
"""Seconds kept for the last AWS call and the answer when a function's own time runs out."""

_ID_PREFIXES = {
    "store": ("memory store", ids.STORE),
    "memory": ("memory", ids.MEMORY),
    "version": ("memory version", ids.VERSION),
    "key": ("API key", ids.API_KEY),
}
_METRICS = {409: "Conflicts", 429: "Throttled", 500: "ServerErrors", 503: "Overloaded"}


def serve(function: str, endpoints: Mapping[str, Endpoint]) -> Handler:
    """The handler of one function: its routes, each with the endpoint that is named like the route's operation."""
    storage = open_own_storage()
    table = {route.key: (route, endpoints[route.operation]) for route in ROUTES if route.function == function}

    def handler(event: Event, lambda_context: Any) -> dict[str, Any]:
        def run(request: Request) -> dict[str, Any]:
            route, endpoint = table[request.route_key]
            caller = _identify(storage, request)
            _authorize(caller, route, request)
            seconds = min(_LONGEST_REQUEST, lambda_context.get_remaining_time_in_millis() / 1000 - _RESERVE)
            return endpoint(Context(storage, caller, Deadline(seconds)), request)

        return answer(event, run)

    return handler


def answer(event: Event, run: Callable[[Request], dict[str, Any]]) -> dict[str, Any]:
    """The response to an event, whatever happens; each request leaves one line in the log."""
    request_id = ids.new(ids.REQUEST)
    try:
        answered = response(200, run(Request.from_event(event)), request_id)
        failure = None
    except Exception as error:  # noqa: BLE001 - the boundary: nothing may pass it but an answer
        answered = errors.render(error, request_id)
        failure = error
    _log(event, request_id, answered["statusCode"], failure)
    return answered


def _identify(storage: Storage, request: Request) -> Caller:
    if request.iam_arn:
        caller = identity.resolve_principal(storage, request.iam_arn, default_workspace_id())
    else:
        caller = identity.authenticate_key(storage, headers.secret_of(request))
    headers.check_workspace(request, caller)
    return caller


def _authorize(caller: Caller, route: Route, request: Request) -> None:
    """Everything that can be refused before anything of the workspace is read."""
    access.authorize(caller, route.operation, request.path_parameters.get("store"))
    if "store" in route.path:
        headers.check_betas(request)
    for name, value in request.path_parameters.items():
        what, prefix = _ID_PREFIXES[name]
        if not ids.is_id(prefix, value):
            raise NotFound(what, value)


def _log(event: Event, request_id: str, status: int, failure: Exception | None) -> None:
    """One line a request: what was asked and how it ended, never what was sent, read or used to authenticate."""
    line: dict[str, Any] = {
        "route": event.get("routeKey"),
        "status": status,
        "request_id": request_id,
        "gateway_request_id": event.get("requestContext", {}).get("requestId"),
    }
    if failure is not None:
        line["error"] = type(failure).__name__
    if status in _METRICS:
        _count(_METRICS[status])
    if isinstance(failure, BodyMissing):
        _count("MissingBodies")
    if status < 500 or failure is None:
        logger.info("request", extra=line)
        return
    logger.error("request", extra={**line, **_origin_of(failure)})


def _origin_of(failure: Exception) -> dict[str, Any]:
    """Where an error comes from, without its text, which may quote what was sent."""
    frames = traceback.extract_tb(failure.__traceback__)
    response_of_aws = getattr(failure, "response", None) or {}
    return {
        "aws_code": response_of_aws.get("Error", {}).get("Code"),
        "cause": type(failure.__cause__).__name__ if failure.__cause__ else None,
        "stack": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _count(name: str) -> None:
    metrics.add_metric(name=name, unit=MetricUnit.Count, value=1)
    metrics.flush_metrics()
