"""Who may do what: the one table that every call passes, by operation, principal and state of the store."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from memory_stores.domain.errors import PermissionDenied, StoreArchived
from memory_stores.domain.models import Access, Caller, Store


class Principal(StrEnum):
    """The kinds of caller: the roles, and a session by its access to the store that a call names."""

    ADMIN = "admin"
    READ_WRITE = "read_write"
    READ_ONLY = "read_only"
    SESSION = "session"
    """Where the call names no store."""
    SESSION_UNATTACHED = "session_unattached"
    SESSION_READ_WRITE = "session_read_write"
    SESSION_READ_ONLY = "session_read_only"


class StoreState(StrEnum):
    """The states of a store that exists."""

    ACTIVE = "active"
    ARCHIVED = "archived"


class Rule(NamedTuple):
    """Who may run an operation, and on stores in which states."""

    principals: frozenset[Principal]
    states: frozenset[StoreState] = frozenset(StoreState)


_P = Principal
_ADMINS = frozenset({_P.ADMIN})
_ADMINS_AND_SESSIONS = frozenset({_P.ADMIN, _P.SESSION})
_LISTERS = frozenset({_P.ADMIN, _P.READ_WRITE, _P.READ_ONLY, _P.SESSION})
_READERS = frozenset({_P.ADMIN, _P.READ_WRITE, _P.READ_ONLY, _P.SESSION_READ_WRITE, _P.SESSION_READ_ONLY})
_WRITERS = frozenset({_P.ADMIN, _P.READ_WRITE, _P.SESSION_READ_WRITE})
_ACTIVE = frozenset({StoreState.ACTIVE})

ALLOWED: Mapping[str, Rule] = {
    "list_stores": Rule(_LISTERS),
    "get_store": Rule(_READERS),
    "create_store": Rule(_ADMINS),
    "update_store": Rule(_ADMINS, _ACTIVE),
    "archive_store": Rule(_ADMINS),
    "delete_store": Rule(_ADMINS),
    "list_memories": Rule(_READERS),
    "get_memory": Rule(_READERS),
    "create_memory": Rule(_WRITERS, _ACTIVE),
    "update_memory": Rule(_WRITERS, _ACTIVE),
    "delete_memory": Rule(_WRITERS, _ACTIVE),
    "list_versions": Rule(_READERS),
    "get_version": Rule(_READERS),
    "restore_version": Rule(_WRITERS, _ACTIVE),
    "redact_version": Rule(_ADMINS),
    "create_api_key": Rule(_ADMINS),
    "list_api_keys": Rule(_ADMINS),
    "delete_api_key": Rule(_ADMINS),
    "create_session": Rule(_ADMINS, _ACTIVE),
    "list_sessions": Rule(_ADMINS),
    "get_session": Rule(_ADMINS_AND_SESSIONS),
    "archive_session": Rule(_ADMINS),
    "delete_session": Rule(_ADMINS),
    "list_session_resources": Rule(_ADMINS_AND_SESSIONS),
    "add_session_resource": Rule(_ADMINS),
    "update_session_resource": Rule(_ADMINS),
    "delete_session_resource": Rule(_ADMINS),
    "get_memory_prompt": Rule(_ADMINS_AND_SESSIONS),
    "create_credentials": Rule(_ADMINS),
    "revoke_credentials": Rule(_ADMINS),
    "list_deployment_stores": Rule(_ADMINS),
    "get_deployment_store": Rule(_ADMINS),
    "attach_deployment_store": Rule(_ADMINS, _ACTIVE),
    "detach_deployment_store": Rule(_ADMINS),
    "delete_deployment": Rule(_ADMINS),
    "list_bot_stores": Rule(_ADMINS),
    "get_bot_store": Rule(_ADMINS),
    "attach_bot_store": Rule(_ADMINS, _ACTIVE),
    "detach_bot_store": Rule(_ADMINS),
    "delete_bot": Rule(_ADMINS),
}

_BY_ACCESS = {
    None: _P.SESSION_UNATTACHED,
    Access.READ_WRITE: _P.SESSION_READ_WRITE,
    Access.READ_ONLY: _P.SESSION_READ_ONLY,
}


def authorize(caller: Caller, operation: str, *, store_id: str | None, session_id: str | None) -> None:
    """Refuse what the credential alone does not allow. Raises PermissionDenied.

    `store_id` and `session_id` are those that the request names, if any. A caller limited to some stores would leave
    its scope by making a new one.
    """
    possible = _possible(caller, store_id)
    if not possible & ALLOWED[operation].principals:
        raise _refusal(next(iter(possible)), operation)
    if caller.grant and session_id not in (None, caller.grant.session_id):
        raise PermissionDenied("a session may read no other session")
    if caller.store_ids is not None and operation == "create_store":
        raise PermissionDenied("a credential that is limited to some memory stores cannot create another")
    if store_id is not None and not caller.may_reach(store_id):
        raise PermissionDenied("this credential is limited to other memory stores")


def authorize_in(store: Store, operation: str) -> None:
    """Refuse what the state of the store does not allow. Raises StoreArchived."""
    state = StoreState.ACTIVE if store.archived_at is None else StoreState.ARCHIVED
    if state not in ALLOWED[operation].states:
        raise StoreArchived(store.id)


def authorize_session(access: Access | None, operation: str) -> None:
    """Refuse what a session's access to the store, None where it has none, does not allow. Raises PermissionDenied."""
    principal = _BY_ACCESS[access]
    if principal not in ALLOWED[operation].principals:
        raise _refusal(principal, operation)


def _possible(caller: Caller, store_id: str | None) -> frozenset[Principal]:
    """What the caller can be: a session's access to a store of its deployment or bot is not known yet."""
    grant = caller.grant
    if grant is None:
        return frozenset({Principal(str(caller.role))})
    if store_id is None:
        return frozenset({_P.SESSION})
    if store_id in grant.fixed or grant.holder is None:
        return frozenset({_BY_ACCESS[grant.fixed.get(store_id)]})
    return frozenset({_P.SESSION_READ_WRITE, _P.SESSION_READ_ONLY})


def _refusal(principal: Principal, operation: str) -> PermissionDenied:
    if principal in (_P.ADMIN, _P.READ_WRITE, _P.READ_ONLY):
        return PermissionDenied(f"the role {principal} may not do this")
    if _P.SESSION_READ_WRITE not in ALLOWED[operation].principals:
        return PermissionDenied("a session may not do this")
    if principal is _P.SESSION_UNATTACHED:
        return PermissionDenied("this memory store is not attached to the session")
    return PermissionDenied("this memory store is attached read_only to the session")
