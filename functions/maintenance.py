"""The function that the schedule runs: it finishes redactions and purges deleted stores."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from memory_stores.observability import logger, origin_of
from memory_stores.operations.context import Deadline
from memory_stores.operations.maintenance import work_queue
from memory_stores.runtime import open_own_storage

_RESERVE = 10.0


class MaintenanceFailed(Exception):
    """Some of the queued work raised an error; the log says where."""


_storage = open_own_storage()


def handler(_: Mapping[str, Any], lambda_context: Any) -> dict[str, Any]:
    """Work the queue until it is empty or the function's time is nearly up."""
    seconds = lambda_context.get_remaining_time_in_millis() / 1000 - _RESERVE
    totals = asdict(work_queue(_storage, Deadline(seconds), _report))
    logger.info("maintenance", extra=totals)
    if totals["failed"]:
        raise MaintenanceFailed(f"{totals['failed']} pieces of work are left for the next run")
    return totals


def _report(error: Exception) -> None:
    logger.error("maintenance", extra=origin_of(error))
