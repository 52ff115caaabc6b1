"""The status and type of each error."""

from typing import Any, NamedTuple

from memory_stores.domain import errors
from memory_stores.http.response import response

RETRY_AFTER_SECONDS = "1"


class Answer(NamedTuple):
    """How an error is told."""

    status: int
    type: str


ANSWERS: dict[type[errors.MemoryStoresError], Answer] = {
    errors.MethodNotAllowed: Answer(405, "invalid_request_error"),
    errors.InvalidRequest: Answer(400, "invalid_request_error"),
    errors.AuthenticationFailed: Answer(401, "authentication_error"),
    errors.PermissionDenied: Answer(403, "permission_error"),
    errors.NotFound: Answer(404, "not_found_error"),
    errors.PathConflict: Answer(409, "memory_path_conflict_error"),
    errors.PreconditionFailed: Answer(409, "memory_precondition_failed_error"),
    errors.RequestTooLarge: Answer(413, "request_too_large"),
    errors.Throttled: Answer(429, "rate_limit_error"),
    errors.Overloaded: Answer(503, "overloaded_error"),
}
UNEXPECTED = Answer(500, "api_error")


def answer_to(error: Exception) -> Answer:
    """The answer to the nearest class of the error's; what is not in the tree is unexpected."""
    return next((ANSWERS[kind] for kind in type(error).__mro__ if kind in ANSWERS), UNEXPECTED)


def render(error: Exception, request_id: str) -> dict[str, Any]:
    """The response to an error; of an unexpected one it says nothing but that it happened."""
    status, type = answer_to(error)
    details: dict[str, Any] = {"type": type, "message": str(error) if status != 500 else "internal server error"}
    headers: dict[str, str] = {}
    if isinstance(error, errors.PathConflict):
        details["conflicting_path"] = error.conflicting_path
        details["conflicting_memory_id"] = error.conflicting_memory_id
    if isinstance(error, errors.MethodNotAllowed):
        headers["allow"] = ", ".join(error.allowed)
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    if status == 409:
        headers["x-should-retry"] = "false"
    if status in (429, 503):
        headers["retry-after"] = RETRY_AFTER_SECONDS
    return response(status, {"type": "error", "error": details, "request_id": request_id}, request_id, **headers)
