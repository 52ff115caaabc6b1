"""What each role may do: the one table that every call passes."""

from collections.abc import Mapping

from memory_stores.domain.errors import PermissionDenied
from memory_stores.domain.models import Caller, Role

_EVERYONE = frozenset(Role)
_WRITERS = frozenset({Role.ADMIN, Role.READ_WRITE})
_ADMINS = frozenset({Role.ADMIN})

ALLOWED: Mapping[str, frozenset[Role]] = {
    "list_stores": _EVERYONE,
    "get_store": _EVERYONE,
    "create_store": _ADMINS,
    "update_store": _ADMINS,
    "archive_store": _ADMINS,
    "delete_store": _ADMINS,
    "list_memories": _EVERYONE,
    "get_memory": _EVERYONE,
    "create_memory": _WRITERS,
    "update_memory": _WRITERS,
    "delete_memory": _WRITERS,
    "list_versions": _EVERYONE,
    "get_version": _EVERYONE,
    "restore_version": _WRITERS,
    "redact_version": _ADMINS,
    "create_api_key": _ADMINS,
    "list_api_keys": _ADMINS,
    "delete_api_key": _ADMINS,
}


def authorize(caller: Caller, operation: str, store_id: str | None) -> None:
    """Let the call pass, or raise PermissionDenied. `store_id` is the store that the request names, if any.

    A caller limited to some stores would leave its scope by making a new one.
    """
    if caller.role not in ALLOWED[operation]:
        raise PermissionDenied(f"the role {caller.role} may not do this")
    if caller.store_ids is None:
        return
    if operation == "create_store":
        raise PermissionDenied("a credential that is limited to some memory stores cannot create another")
    if store_id is not None and store_id not in caller.store_ids:
        raise PermissionDenied("this credential is limited to other memory stores")
