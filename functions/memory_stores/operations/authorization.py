"""The one step in which what a call may do is decided by what holds now; every operation on a store takes it.

The rows that decide (store, session, its creator, its deployment or bot) ride in the same read as whatever else the
operation needs. A write has read its fence before, so that none of them can change unnoticed before it commits.
"""

from collections.abc import Sequence

from memory_stores.domain import access
from memory_stores.domain.errors import AuthenticationFailed, MemoryStoresError, NotFound, PermissionDenied
from memory_stores.domain.holders import HolderRecord
from memory_stores.domain.models import Access, Grant, Store
from memory_stores.operations.context import Context
from memory_stores.operations.creators import creator_key, may_still_create
from memory_stores.storage import items, session_items
from memory_stores.storage.expressions import Item, Key


def read_authorized(context: Context, store_id: str, *keys: Key) -> tuple[Store, list[Item | None]]:
    """The store and the items of the keys, read at once, where the caller may run the operation on it.

    Raises PermissionDenied, AuthenticationFailed (a session that has ended), NotFound, StoreArchived.
    """
    grant = context.caller.grant
    rules = _keys(context, grant, store_id) if grant else []
    store_item, *found = context.table.get_all([items.store_key(context.workspace_id, store_id), *rules, *keys])
    if grant:
        granted = _access(context, grant, store_id, found[: len(rules)])
        access.authorize_session(granted, context.operation)
    store = require_store(store_item, store_id)
    access.authorize_in(store, context.operation)
    return store, found[len(rules) :]


def require_store(item: Item | None, store_id: str) -> Store:
    """The store of an item that was read; raises NotFound where there is none or it is deleted."""
    if item is None or "deleted_at" in item:
        raise NotFound("memory store", store_id)
    return items.parse_store(item)


def reachable_stores(context: Context, grant: Grant) -> set[str]:
    """The ids of the stores that the session may read now. Raises what `read_authorized` raises for an ended one."""
    found = context.table.get_all(_keys(context, grant, None))
    _check_alive(context, grant, found)
    record = _record(grant, found)
    live = [resource.store_id for resource in record.resources] if record else []
    return {store_id for store_id in (*grant.fixed, *live) if context.caller.may_reach(store_id)}


def check_own_session(context: Context) -> None:
    """Where the caller is a session: it must be alive. Raises PermissionDenied, AuthenticationFailed."""
    if grant := context.caller.grant:
        _check_alive(context, grant, context.table.get_all(_keys(context, grant, None)))


def _keys(context: Context, grant: Grant, store_id: str | None) -> list[Key]:
    keys = [
        session_items.session_credentials_key(context.workspace_id, grant.session_id),
        creator_key(context.workspace_id, grant.created_by),
    ]
    if grant.holder and store_id not in grant.fixed:
        keys.append(session_items.holder_key(context.workspace_id, grant.holder.kind, grant.holder.id))
    return keys


def _access(context: Context, grant: Grant, store_id: str, found: Sequence[Item | None]) -> Access | None:
    _check_alive(context, grant, found)
    if store_id in grant.fixed:
        return grant.fixed[store_id]
    record = _record(grant, found)
    return record.access_to(store_id) if record else None


def _check_alive(context: Context, grant: Grant, found: Sequence[Item | None]) -> None:
    """The session's credentials must not have been revoked, nor the key or role that created it."""
    good, creator = found[:2]
    is_good = good is not None and int(good["epoch"]) == grant.epoch
    if not is_good or not may_still_create(context.storage, context.workspace_id, grant.created_by, creator):
        raise refusal(grant)


def refusal(grant: Grant) -> MemoryStoresError:
    """A credential that opens nothing any more: no key on one door, a known caller without rights on the other."""
    message = "this session's credentials have been revoked or have ended"
    return PermissionDenied(message) if grant.is_signing else AuthenticationFailed(message)


def _record(grant: Grant, found: Sequence[Item | None]) -> HolderRecord | None:
    """The session's deployment or bot, unless it has been deleted; a later one of the same id is another's."""
    item = found[2] if len(found) > 2 else None
    record = session_items.parse_holder_record(item) if item else None
    return record if record and record.holder == grant.holder else None
