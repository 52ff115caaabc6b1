"""The way every request takes through a function: identify, authorize, run."""

from collections.abc import Callable, Mapping
from typing import Any

from memory_stores.boundary import answer
from memory_stores.dialects.claude import headers
from memory_stores.domain import access, ids
from memory_stores.domain.errors import NotFound
from memory_stores.domain.models import Caller, HolderKind
from memory_stores.http.endpoint import Endpoint
from memory_stores.http.request import Request
from memory_stores.operations import identity
from memory_stores.operations.context import Context, Deadline, Storage
from memory_stores.routes import ROUTES, Route
from memory_stores.runtime import open_own_storage

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
    "session": ("session", ids.SESSION),
}
_CHOSEN_IDS = frozenset(HolderKind)
_ANSWERING_SECRETS = frozenset({"create_api_key", "create_credentials"})


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
            return endpoint(Context(storage, caller, route.operation, Deadline(seconds)), request)

        return answer(event, run)

    return handler


def _identify(storage: Storage, request: Request) -> Caller:
    if request.iam_arn:
        caller = identity.identify_signer(storage, request.iam_arn, request.iam_access_key_id)
    else:
        caller = identity.authenticate(storage, headers.secret_of(request))
    headers.check_workspace(request, caller)
    return caller


def _authorize(caller: Caller, route: Route, request: Request) -> None:
    """Everything that can be refused before anything of the workspace is read."""
    named = request.path_parameters
    access.authorize(caller, route.operation, store_id=named.get("store"), session_id=named.get("session"))
    if route.is_about_stores:
        headers.check_betas(request)
    if route.operation in _ANSWERING_SECRETS:
        headers.refuse_idempotency_key(request)
    for name, value in named.items():
        if name in _ID_PREFIXES:
            what, prefix = _ID_PREFIXES[name]
            if not ids.is_id(prefix, value):
                raise NotFound(what, value)
        elif name in _CHOSEN_IDS:
            ids.check_holder_id(value, name)
