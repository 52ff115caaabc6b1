"""The log and the metrics. What was sent, read or used to authenticate reaches neither."""

import traceback
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from memory_stores.domain.errors import BodyMissing

logger = Logger()
_metrics = Metrics()

_METRICS = {409: "Conflicts", 429: "Throttled", 500: "ServerErrors", 503: "Overloaded"}


def record(event: Mapping[str, Any], request_id: str, status: int, failure: Exception | None) -> None:
    """One line a request: what was asked and how it ended; at error level only where the server is to blame."""
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
    if failure is None or status < 500:
        logger.info("request", extra=line)
    else:
        logger.error("request", extra={**line, **origin_of(failure)})


def origin_of(failure: Exception) -> dict[str, Any]:
    """Where an error comes from, without its text, which may quote what was sent."""
    response = getattr(failure, "response", None) or {}
    frames = traceback.extract_tb(failure.__traceback__)
    return {
        "error": type(failure).__name__,
        "aws_code": response.get("Error", {}).get("Code"),
        "cause": type(failure.__cause__).__name__ if failure.__cause__ else None,
        "stack": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _count(name: str) -> None:
    _metrics.add_metric(name=name, unit=MetricUnit.Count, value=1)
    _metrics.flush_metrics()
