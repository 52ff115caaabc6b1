"""Which operations a caller of the signed door reaches, and which the gateway refuses before a function is asked."""

from __future__ import annotations

from memory_stores.routes import ROUTES, Route

from tests.support.ministack_backend import HttpDoor

READ = {"list_stores", "get_store", "list_memories", "get_memory", "list_versions", "get_version"}
WRITE = {"create_memory", "update_memory", "delete_memory", "restore_version"}
ALL = {route.operation for route in ROUTES}

# Nothing has these ids, so that no call changes anything.
NOTHING = {
    "store": "memstore_" + "0" * 32,
    "memory": "mem_" + "0" * 32,
    "version": "memver_" + "0" * 32,
    "key": "apikey_" + "0" * 32,
    "session": "sesn_" + "0" * 32,
    "resource": "memstore_" + "0" * 32,
    "deployment": "nothing",
    "bot": "nothing",
}

Answered = tuple[int, dict[str, str], bytes]


def reached(door: HttpDoor, **ids: str) -> set[str]:
    """The operations on these things, else on nothing, for which a function answers."""
    return {route.operation for route in ROUTES if reaches(door, route.method, filled(route, **ids))}


def filled(route: Route, **ids: str) -> str:
    """The path of a route with ids in it."""
    return route.path.format(**(NOTHING | ids))


def reaches(door: HttpDoor, method: str, path: str) -> bool:
    """Whether the function is asked, be it with an empty body or for what is not there.

    If not, the gateway has to say 403; if so, the function must find nothing wrong with the caller.
    """
    body = b"{}" if method in ("POST", "PUT") else None
    answered = door(method, path, {"content-type": "application/json"}, body)
    if is_refused_by_gateway(answered):
        return False
    assert answered[0] in (200, 400, 404)
    return True


def is_refused_by_gateway(answered: Answered) -> bool:
    """The function, which would sign with its request-id, was not asked."""
    status, headers, _ = answered
    if "request-id" in headers:
        return False
    assert status == 403
    return True
