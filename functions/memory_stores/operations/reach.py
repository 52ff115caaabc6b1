"""What a session, or all sessions of a key or role, can reach: whose fences are bumped when that ends."""

from collections.abc import Iterable

from memory_stores.domain.models import Actor, HolderKind, Session
from memory_stores.operations.context import Storage
from memory_stores.storage import fences, items, session_items
from memory_stores.storage.expressions import Item, KeyAttr, put


def note_reach(storage: Storage, workspace_id: str, session: Session) -> None:
    """Note, before the session exists, what its creator's sessions can reach; a note too much does no harm."""
    noted = [session_items.store_reach(session.created_by, workspace_id, each.store_id) for each in session.resources]
    if session.holder:
        noted.append(session_items.holder_reach(session.created_by, workspace_id, session.holder))
    storage.table.write_each([put(key, attributes) for key, attributes in noted])


def bump_session(storage: Storage, workspace_id: str, session: Session) -> None:
    """Let no write of the session land that began before this; raises what storage raises, and may be repeated."""
    fixed = [resource.store_id for resource in session.resources]
    held = _held_by(storage, workspace_id, session.holder.kind, session.holder.id) if session.holder else []
    bump_stores(storage, workspace_id, [*fixed, *held])


def bump_creator(storage: Storage, creator: Actor) -> None:
    """The same for all sessions of a key or role."""
    start = None
    while True:
        condition = KeyAttr("pk").eq(session_items.reach_partition(creator))
        page = storage.table.query(condition, start=start)
        for workspace_id in {item["workspace_id"] for item in page.items}:
            reached = [item for item in page.items if item["workspace_id"] == workspace_id]
            bump_stores(storage, workspace_id, _stores_of(storage, workspace_id, reached))
        if page.last_key is None:
            return
        start = page.last_key


def bump_stores(storage: Storage, workspace_id: str, store_ids: Iterable[str]) -> None:
    """Bump the fences of those of the stores that are not purged, where a bump would leave fences behind for ever."""
    keys = [items.store_key(workspace_id, store_id) for store_id in store_ids]
    there = [item for item in storage.table.get_all(keys) if item]
    fences.bump(storage.table, *(items.contents(workspace_id, item["sk"]) for item in there))


def _stores_of(storage: Storage, workspace_id: str, reached: list[Item]) -> set[str]:
    store_ids = {item["store_id"] for item in reached if "store_id" in item}
    for item in reached:
        if "kind" in item:
            store_ids.update(_held_by(storage, workspace_id, HolderKind(item["kind"]), item["id"]))
    return store_ids


def _held_by(storage: Storage, workspace_id: str, kind: HolderKind, id: str) -> list[str]:
    """All stores of a deployment or bot, also those that are just being attached or detached."""
    item = storage.table.get(session_items.holder_key(workspace_id, kind, id))
    return list(session_items.parse_holder_record(item).attachments) if item else []
