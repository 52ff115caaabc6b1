"""Which stores are attached to sessions now: their own, and those of their deployments and bots."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from memory_stores.domain import mounts
from memory_stores.domain.models import Holder, Resource, Session, Store
from memory_stores.operations.context import Context
from memory_stores.storage import items, session_items


def with_resources(context: Context, sessions: Sequence[Session]) -> list[Session]:
    """The sessions with all stores that are attached to them now; those deleted since are left out."""
    attached = AttachedStores(context)
    resources = [attached.of(session) for session in sessions]
    existing = read_stores(context, {resource.store_id for each in resources for resource in each})
    return [
        replace(session, resources=tuple(resource for resource in each if resource.store_id in existing))
        for session, each in zip(sessions, resources, strict=True)
    ]


def read_stores(context: Context, store_ids: Collection[str]) -> dict[str, Store]:
    """Those of the stores that exist, by their ids."""
    found = context.table.get_all([items.store_key(context.workspace_id, store_id) for store_id in store_ids])
    return {item["sk"]: items.parse_store(item) for item in found if item and "deleted_at" not in item}


class AttachedStores:
    """The attachments of sessions; each deployment and bot is read once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._live: dict[Holder, list[Resource]] = {}

    def of(self, session: Session) -> list[Resource]:
        """The session's own stores, then those of its deployment or bot; what is its own stays as it is."""
        resources = list(session.resources)
        own = {resource.store_id for resource in resources}
        for resource in self._live_of(session.holder) if session.holder else []:
            is_allowed = session.store_ids is None or resource.store_id in session.store_ids
            if is_allowed and resource.store_id not in own:
                taken = {other.mount_path for other in resources}
                resources.append(replace(resource, mount_path=mounts.free_path(resource.mount_path, taken)))
        return resources

    def _live_of(self, holder: Holder) -> list[Resource]:
        if holder not in self._live:
            key = session_items.holder_key(self._context.workspace_id, holder.kind, holder.id)
            item = self._context.table.get(key)
            record = session_items.parse_holder_record(item) if item else None
            self._live[holder] = record.resources if record and record.holder == holder else []
        return self._live[holder]
