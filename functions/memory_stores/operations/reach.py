"""What a session, or all sessions of a key or role, can reach: whose fences are bumped when that ends."""

from collections.abc import Iterable, Sequence

from memory_stores.domain.errors import Overloaded
from memory_stores.domain.models import Actor, HolderKind, Session
from memory_stores.operations.context import Context
from memory_stores.storage import fences, items, session_items
from memory_stores.storage.expressions import Item, Key, KeyAttr, delete, put

_NOTES_AT_ONCE = 10


def note_reach(context: Context, session: Session) -> None:
    """Note, before the session exists, what its creator's sessions can reach; a note too much does no harm."""
    creator, workspace_id = session.created_by, context.workspace_id
    notes = [session_items.store_reach(creator, workspace_id, each.store_id) for each in session.resources]
    if session.holder:
        notes.append(session_items.holder_reach(creator, workspace_id, session.holder))
    context.insist(lambda: context.table.write_each([put(key, attributes) for key, attributes in notes]))


def end_session(context: Context, session: Session) -> None:
    """Let no write of the session land that began before this."""
    stores = [resource.store_id for resource in session.resources]
    if session.holder:
        key = session_items.holder_key(context.workspace_id, session.holder.kind, session.holder.id)
        record = session_items.parse_holder_record(context.table.get(key))
        stores += record.attachments if record else []
    bump_stores(context, stores)


def end_creator(context: Context, creator: Actor, *, is_final: bool) -> None:
    """Let no write land that sessions of the key or role began before this.

    Where that is final, what is done is forgotten, so that a repeat goes on where the time was up. Raises Overloaded.
    """
    condition = KeyAttr("pk").eq(session_items.reach_partition(creator))
    start = None
    while True:
        page = context.table.query(condition, start=start, limit=_NOTES_AT_ONCE)
        _bump(context, _noted_stores(context, page.items))
        if is_final:
            context.table.write_each([delete(Key(note["pk"], note["sk"])) for note in page.items])
        if page.last_key is None:
            return
        if context.deadline.passed:
            raise Overloaded
        start = page.last_key


def bump_stores(context: Context, store_ids: Iterable[str]) -> None:
    """Let no write to these stores land that began before this."""
    _bump(context, [items.store_key(context.workspace_id, store_id) for store_id in store_ids])


def _bump(context: Context, stores: Sequence[Key]) -> None:
    """Bump the fences of those of the stores that are not purged, where a bump would leave fences behind for ever."""
    there = [key for key, item in zip(stores, context.table.get_all(stores), strict=True) if item]
    contents = [items.contents(key.pk, key.sk) for key in there]
    context.insist(lambda: fences.bump(context.table, *contents))


def _noted_stores(context: Context, notes: Sequence[Item]) -> list[Key]:
    """The stores of the notes, and all those of noted deployments and bots, also where one is just changing."""
    stores = {items.store_key(note["workspace_id"], note["store_id"]) for note in notes if "store_id" in note}
    holders = [note for note in notes if "kind" in note]
    keys = [session_items.holder_key(note["workspace_id"], HolderKind(note["kind"]), note["id"]) for note in holders]
    for note, item in zip(holders, context.table.get_all(keys), strict=True):
        record = session_items.parse_holder_record(item)
        stores.update(items.store_key(note["workspace_id"], id) for id in (record.attachments if record else ()))
    return list(stores)
