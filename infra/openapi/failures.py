"""The error answers: which can happen to an operation, and what each looks like."""

from collections.abc import Mapping, Sequence

from memory_stores.dialects.claude.errors import ANSWERS, UNEXPECTED, Answer
from memory_stores.dialects.claude.parameters import PATH_SCHEMA
from memory_stores.domain import errors, ids
from memory_stores.http.endpoint import Endpoint
from memory_stores.routes import Route

from infra.openapi import examples
from infra.openapi.answers import Schema, described, one_of, record, reference, type_of

Kind = type[Exception]

_ANSWERS: Mapping[Kind, Answer] = dict([*ANSWERS.items(), (Exception, UNEXPECTED)])

_ALWAYS: tuple[Kind, ...] = (
    errors.AuthenticationFailed,
    errors.PermissionDenied,
    errors.Throttled,
    errors.Overloaded,
    Exception,
)
_SOMETIMES: Mapping[str, tuple[Kind, ...]] = {
    "create_memory": (errors.PathConflict,),
    "update_memory": (errors.PathConflict, errors.PreconditionFailed),
    "delete_memory": (errors.PreconditionFailed,),
    "restore_version": (errors.PathConflict,),
    "create_api_key": (errors.NotFound,),
    "create_session": (errors.NotFound,),
}
_CHECKED_IN_PATHS = ("{store}", "{deployment}", "{bot}")
_UNROUTED: tuple[Kind, ...] = (errors.NotFound, errors.MethodNotAllowed, Exception)

_REQUEST_ID = {"type": "string", "pattern": "^req_[0-9a-f]{32}$"}
_CONFLICT = {
    "conflicting_path": described(PATH_SCHEMA, "Where the memory in the way is, or the directory in the way."),
    "conflicting_memory_id": {
        "type": "string",
        "pattern": f"^({ids.MEMORY}_[0-9a-f]{{32}})?$",
        "description": "The memory in the way; empty where it is a directory.",
    },
}

HEADERS: Mapping[str, Schema] = {
    "request-id": described({"schema": _REQUEST_ID}, "Names this request in the log; errors repeat it."),
    "www-authenticate": described({"schema": {"type": "string"}}, "How to authenticate."),
    "allow": described({"schema": {"type": "string"}}, "The methods that the path has."),
    "x-should-retry": described(
        {"schema": {"type": "string", "enum": ["false"]}}, "Sending the same request again would change nothing."
    ),
    "retry-after": described({"schema": {"type": "integer", "minimum": 0}}, "Seconds to wait before the next try."),
}
_HEADER_OF = {401: "www-authenticate", 405: "allow", 409: "x-should-retry", 429: "retry-after", 503: "retry-after"}


def possible(route: Route, endpoint: Endpoint) -> list[list[Kind]]:
    """The kinds of errors that can happen to an operation, those with one status together, in the order of these."""
    kinds = [*_ALWAYS, *_SOMETIMES.get(route.operation, ())]
    if route.method != "GET" or endpoint.query or any(name in route.path for name in _CHECKED_IN_PATHS):
        kinds.append(errors.InvalidRequest)
    if route.method != "GET":
        kinds.append(errors.RequestTooLarge)
    if "{" in route.path:
        kinds.append(errors.NotFound)
    return _by_status(kinds)


def unrouted() -> list[list[Kind]]:
    """The kinds of errors that answer a request which no operation takes."""
    return _by_status(_UNROUTED)


def status_of(kinds: Sequence[Kind]) -> str:
    """The status that the kinds share."""
    return str(_ANSWERS[kinds[0]].status)


def name_of(kinds: Sequence[Kind]) -> str:
    """What their response is called among the components."""
    return "Or".join("Unexpected" if kind is Exception else kind.__name__ for kind in kinds)


def response_to(kinds: Sequence[Kind]) -> Schema:
    """The response to errors of one status."""
    types = sorted({_ANSWERS[kind].type for kind in kinds})
    names = {type: _schema_name(type) for type in types}
    error = one_of("type", **names) if len(names) > 1 else reference("schemas", names[types[0]])
    envelope = {"type": type_of("error"), "error": error, "request_id": _REQUEST_ID}
    status = _ANSWERS[kinds[0]].status
    headers = ["request-id", *([_HEADER_OF[status]] if status in _HEADER_OF else [])]
    told = [examples.error(kind) for kind in kinds]
    return {
        "description": " ".join(_meaning(kind) for kind in kinds),
        "headers": {name: reference("headers", name) for name in headers},
        "content": {
            "application/json": {
                "schema": record("An error.", envelope),
                "examples": {body["error"]["type"]: {"value": body} for body in told},
            }
        },
    }


def schemas() -> dict[str, Schema]:
    """What is said about an error, by its type."""
    found: dict[str, Schema] = {}
    for kind in _ANSWERS:
        type = _ANSWERS[kind].type
        details = {"type": type_of(type), "message": {"type": "string", "minLength": 1}}
        if kind is errors.PathConflict:
            details |= _CONFLICT
        found.setdefault(_schema_name(type), record("What is wrong.", details))
    return found


def _by_status(kinds: Sequence[Kind]) -> list[list[Kind]]:
    statuses = sorted({_ANSWERS[kind].status for kind in kinds})
    return [[kind for kind in kinds if _ANSWERS[kind].status == status] for status in statuses]


def _meaning(kind: Kind) -> str:
    if kind is Exception:
        return "Something unexpected happened; it is in the log under the request's id."
    return (kind.__doc__ or "").partition("\n")[0]


def _schema_name(type: str) -> str:
    return "".join(word.title() for word in type.split("_"))
