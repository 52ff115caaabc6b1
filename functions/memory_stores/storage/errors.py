"""How AWS says no, in the few kinds the core tells apart."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError, HTTPClientError, IncompleteReadError
from botocore.exceptions import ConnectionError as NotConnected

from memory_stores.domain.errors import Overloaded, Throttled

_THROTTLING = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "SlowDown",
        "ThrottlingException",
        "Throttling",
        "TooManyRequestsException",
        "ProvisionedThroughputExceeded",
        "ThrottlingError",
    }
)
_UNAVAILABLE = frozenset({"InternalServerError", "InternalError", "ServiceUnavailable", "RequestTimeout"})


class Stale(Overloaded):
    """What was read is no longer so: everything has to be read again and decided anew."""


class Busy(Overloaded):
    """Another request held an item for longer than the call could be repeated."""


class ConditionFailed(Exception):
    """A condition did not hold; `item` is what is there instead, or None."""

    def __init__(self, item: dict[str, Any] | None) -> None:
        super().__init__("a condition did not hold")
        self.item = item


class OutcomeUnknown(Overloaded):
    """AWS did not answer; a write may or may not have been applied."""


def code_of(error: ClientError) -> str:
    """The error code AWS answered with."""
    return error.response.get("Error", {}).get("Code", "")


def is_throttling(code: str) -> bool:
    """Whether an error code, or the code of a cancellation reason, asks to slow down."""
    return code in _THROTTLING


@contextmanager
def translated() -> Iterator[None]:
    """Raise Throttled or OutcomeUnknown for what AWS says when it is busy or out of reach; let the rest pass."""
    try:
        yield
    except (NotConnected, HTTPClientError, IncompleteReadError) as error:
        raise OutcomeUnknown from error
    except ClientError as error:
        code = code_of(error)
        if is_throttling(code):
            raise Throttled from error
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code in _UNAVAILABLE or status >= 500:
            raise OutcomeUnknown from error
        raise
