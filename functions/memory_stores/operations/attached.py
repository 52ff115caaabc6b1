"""Which stores are attached to sessions now: their own, and those of their deployments and bots."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from memory_stores.domain import mounts
from memory_stores.domain.holders import HolderRecord
from memory_stores.domain.models import Access, Holder, Resource, Session, Store
from memory_stores.operations.context import Context
from memory_stores.storage import items, session_items


def with_resources(context: Context, sessions: Sequence[Session], attached: "AttachedStores") -> list[Session]:
    """The sessions with all stores that are attached to them now, as `usable` tells them."""
    resources = attached.of(sessions)
    stores = read_stores(context, {resource.store_id for each in resources for resource in each})
    return [
        replace(session, resources=tuple(usable(each, stores)))
        for session, each in zip(sessions, resources, strict=True)
    ]


def usable(resources: Sequence[Resource], stores: Mapping[str, Store]) -> list[Resource]:
    """The attachments with the access there is now: an archived store can only be read, a deleted one is left out."""
    existing = [resource for resource in resources if resource.store_id in stores]
    return [
        resource if stores[resource.store_id].archived_at is None else replace(resource, access=Access.READ_ONLY)
        for resource in existing
    ]


def read_stores(context: Context, store_ids: Collection[str]) -> dict[str, Store]:
    """Those of the stores that exist, by their ids."""
    found = context.table.get_all([items.store_key(context.workspace_id, store_id) for store_id in store_ids])
    return {item["sk"]: items.parse_store(item) for item in found if items.is_living(item)}


class AttachedStores:
    """The attachments of sessions; each deployment and bot is read once, those of a page at once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._records: dict[Holder, HolderRecord | None] = {}

    def of(self, sessions: Sequence[Session]) -> list[list[Resource]]:
        """Of each session, its own stores, then those of its deployment or bot."""
        self._read({session.holder for session in sessions if session.holder} - self._records.keys())
        return [[*session.resources, *self._live(session)] for session in sessions]

    def _live(self, session: Session) -> list[Resource]:
        record = self._records[session.holder] if session.holder else None
        if record is None:
            return []
        own = {resource.store_id for resource in session.resources}
        own_paths = {resource.mount_path for resource in session.resources}
        seen = record.seen_beside(own, session.store_ids, self._context.limits.max_attached_stores)
        return [replace(each, mount_path=mounts.path_beside(each.mount_path, own_paths)) for each in seen]

    def _read(self, holders: Collection[Holder]) -> None:
        keys = [session_items.holder_key(self._context.workspace_id, holder.kind, holder.id) for holder in holders]
        for holder, item in zip(holders, self._context.table.get_all(keys), strict=True):
            record = session_items.parse_holder_record(item)
            self._records[holder] = record if record and record.holder == holder else None
