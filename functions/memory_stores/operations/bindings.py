"""The stores attached to deployments and bots: attach, change, detach; sessions see them as they are on each call."""

import secrets
from contextlib import suppress
from dataclasses import replace

from memory_stores.domain import clock, mounts
from memory_stores.domain.errors import LimitReached, NotFound, PermissionDenied
from memory_stores.domain.holders import Attachment, HolderRecord
from memory_stores.domain.models import Access, Caller, Holder, HolderKind, Resource, Store
from memory_stores.operations import reach
from memory_stores.operations.attached import read_stores, usable
from memory_stores.operations.authorization import read_authorized
from memory_stores.operations.context import Context
from memory_stores.storage import session_items
from memory_stores.storage.errors import ConditionFailed, Stale
from memory_stores.storage.expressions import MISSING, Attr, ConditionBase, Key, delete, put


def attach_store(context: Context, kind: HolderKind, id: str, store_id: str, access: Access) -> Resource:
    """Attach a store, or change the access of one that is attached; who attaches the first owns the deployment or bot.

    When this returns, the new access is what every call sees, and no write that it forbids can still land.
    Raises PermissionDenied for another than the owner, NotFound, StoreArchived, LimitReached.
    """
    change = secrets.token_hex(8)

    def attempt() -> HolderRecord:
        store, [item] = read_authorized(context, store_id, _key(context, kind, id))
        record = session_items.parse_holder_record(item)
        if record and record.is_closing:
            _finish_closing(context, record)
            raise Stale
        if record and record.owner != context.caller.actor:
            raise PermissionDenied(f"only its owner may attach memory stores to this {kind}")
        current = record or _new_record(context, kind, id)
        attachment = current.attachments.get(store_id)
        if attachment is None:
            current = _with_room(context, current)
            attachment = _attachment(store, current)
        return _begin(context, record, current.begun(store_id, attachment, access, change))

    begun = context.until_settled(attempt)
    _settle(context, begun, store_id)
    attached = begun.attachments[store_id]
    return Resource(store_id, access, attached.name, attached.description, attached.mount_path)


def detach_store(context: Context, kind: HolderKind, id: str, store_id: str) -> None:
    """Take a store away: when this returns, every call is refused, and no write that was under way can still land.

    Raises NotFound.
    """
    change = secrets.token_hex(8)

    def attempt() -> HolderRecord:
        record = require_record(context, kind, id)
        if store_id not in record.attachments:
            raise NotFound(f"attachment to {kind} {id} of memory store", store_id)
        return _begin(context, record, record.begun(store_id, record.attachments[store_id], None, change))

    _settle(context, context.until_settled(attempt), store_id)


def list_stores(context: Context, kind: HolderKind, id: str) -> list[Resource]:
    """The stores attached now, as `attached.usable` tells them, in the order they were attached. Raises NotFound."""
    resources = require_record(context, kind, id).resources
    allowed = [resource for resource in resources if context.caller.may_reach(resource.store_id)]
    return usable(allowed, read_stores(context, {resource.store_id for resource in allowed}))


def get_store(context: Context, kind: HolderKind, id: str, store_id: str) -> Resource:
    """One store as it is attached now. Raises NotFound."""
    for resource in list_stores(context, kind, id):
        if resource.store_id == store_id:
            return resource
    raise NotFound(f"attachment to {kind} {id} of memory store", store_id)


def delete_holder(context: Context, kind: HolderKind, id: str) -> None:
    """Remove a deployment or bot with its attachments; the stores stay, and its sessions keep only their own.

    Raises NotFound, PermissionDenied where it has stores that the caller is not allowed.
    """

    def attempt() -> HolderRecord:
        record = _read_record(context, kind, id)
        if record is None:
            raise NotFound(str(kind), id)
        check_within_scope(context.caller, record)
        if not record.is_closing:
            _write(context, record.closing(), record)
        return record

    _finish_closing(context, context.until_settled(attempt))


def require_record(context: Context, kind: HolderKind, id: str) -> HolderRecord:
    """A deployment or bot; raises NotFound where there is none, or it is being deleted."""
    record = _read_record(context, kind, id)
    if record is None or record.is_closing:
        raise NotFound(str(kind), id)
    return record


def _read_record(context: Context, kind: HolderKind, id: str) -> HolderRecord | None:
    return session_items.parse_holder_record(context.table.get(_key(context, kind, id)))


def check_within_scope(caller: Caller, record: HolderRecord) -> None:
    """Raises PermissionDenied where a store is attached that the caller is not allowed."""
    if not caller.covers(record.attachments):
        raise PermissionDenied(f"this {record.holder.kind} has memory stores that this credential is not allowed")


def _with_room(context: Context, record: HolderRecord) -> HolderRecord:
    """The record with room for one more store, if need be without those that are deleted. Raises LimitReached."""
    limit = context.limits.max_attached_stores
    if len(record.attachments) < limit:
        return record
    existing = read_stores(context, record.attachments)
    attached = {store_id: held for store_id, held in record.attachments.items() if store_id in existing}
    if len(attached) >= limit:
        raise LimitReached(f"{record.holder.kind} {record.holder.id} already has {limit} memory stores")
    return replace(record, attachments=attached)


def _attachment(store: Store, record: HolderRecord) -> Attachment:
    taken = {other.mount_path for other in record.attachments.values()}
    return Attachment(store.name, store.description, mounts.mount_path(store.name, store.id, taken))


def _begin(context: Context, record: HolderRecord | None, begun: HolderRecord) -> HolderRecord:
    """Write down a change that is not under way, or done, already."""
    if begun != record:
        _write(context, begun, record)
    return begun


def _settle(context: Context, begun: HolderRecord, store_id: str) -> None:
    """Bump the store's fences, then let the begun change take effect, unless another has taken its place."""
    change = begun.attachments[store_id].change
    if change is None:
        return

    def finish(record: HolderRecord | None) -> None:
        settled = record.settled(store_id, change) if record else None
        if record and settled:
            _write(context, settled, record)

    reach.bump_stores(context, [store_id])
    try:
        finish(begun)
    except Stale:
        context.until_settled(lambda: finish(_read_record(context, begun.holder.kind, begun.holder.id)))


def _finish_closing(context: Context, record: HolderRecord) -> None:
    reach.bump_stores(context, record.attachments)
    same = Attr("incarnation").eq(record.holder.incarnation)
    key = _key(context, record.holder.kind, record.holder.id)
    with suppress(ConditionFailed):  # a repeat of the deletion has come first
        context.insist(lambda: context.table.write(delete(key, same, ConditionFailed)))


def _new_record(context: Context, kind: HolderKind, id: str) -> HolderRecord:
    holder = Holder(kind, id, secrets.token_hex(8))
    return HolderRecord(holder, context.caller.actor, clock.now(), revision=0, attachments={})


def _write(context: Context, following: HolderRecord, current: HolderRecord | None) -> None:
    """Replace the record that was read, if it is still the same. Raises Stale."""
    unchanged: ConditionBase = MISSING
    if current:
        unchanged = Attr("revision").eq(current.revision) & Attr("incarnation").eq(current.holder.incarnation)
    key = _key(context, following.holder.kind, following.holder.id)
    context.table.write(put(key, session_items.holder_attributes(following), unchanged))


def _key(context: Context, kind: HolderKind, id: str) -> Key:
    return session_items.holder_key(context.workspace_id, kind, id)
