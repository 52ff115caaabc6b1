"""The one step in which what a call may do is decided by what holds now; every operation on a store takes it.

The rows that decide (store, session, its creator, its deployment or bot) ride in the same read as whatever else the
operation needs. A write has read its fence before, so that none of them can change unnoticed before it commits.
"""

from collections.abc import Sequence

from memory_stores.domain import access
from memory_stores.domain.errors import AuthenticationFailed, MemoryStoresError, NotFound, PermissionDenied
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
    if not items.is_living(item):
        raise NotFound("memory store", store_id)
    return items.parse_store(item)


def reachable_stores(context: Context, grant: Grant) -> set[str]:
    """The ids of the stores that the session may read now. Raises what `read_authorized` raises for an ended one."""
    found = context.table.get_all(_keys(context, grant, None))
    _check_alive(context, grant, found)
    return {*grant.fixed, *_live(context, grant, found)}


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
    return grant.fixed[store_id] if store_id in grant.fixed else _live(context, grant, found).get(store_id)


def _check_alive(context: Context, grant: Grant, found: Sequence[Item | None]) -> None:
    """The session's credentials must not have been revoked, nor the key or role that created it."""
    good, creator = found[:2]
    is_good = good is not None and int(good["epoch"]) == grant.epoch
    if not is_good or not may_still_create(context.storage, context.workspace_id, grant.created_by, creator):
        raise _refusal(grant)


def _refusal(grant: Grant) -> MemoryStoresError:
    """A credential that opens nothing any more: no key on one door, a known caller without rights on the other."""
    message = "this session's credentials have been revoked or have ended"
    return PermissionDenied(message) if grant.is_signing else AuthenticationFailed(message)


def _live(context: Context, grant: Grant, found: Sequence[Item | None]) -> dict[str, Access]:
    """What the session's deployment or bot lets it do now; one made again under the same id is another's."""
    record = session_items.parse_holder_record(found[2]) if len(found) > 2 else None
    if record is None or record.holder != grant.holder:
        return {}
    seen = record.seen_beside(grant.fixed, context.caller.store_ids, context.limits.max_attached_stores)
    return {resource.store_id: resource.access for resource in seen}
