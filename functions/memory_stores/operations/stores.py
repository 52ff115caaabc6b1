"""Stores: create, list, retrieve, update, archive, delete."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from operator import itemgetter

from memory_stores.domain import attributes, clock, ids
from memory_stores.domain.clock import Period
from memory_stores.domain.errors import LimitReached, NotFound
from memory_stores.domain.models import Store
from memory_stores.operations.authorization import reachable_stores, read_authorized, require_store
from memory_stores.operations.context import Context
from memory_stores.operations.paging import Listing, Page, newest_first
from memory_stores.operations.queue import Work, queued
from memory_stores.storage import fences, items
from memory_stores.storage.errors import ConditionFailed
from memory_stores.storage.expressions import MISSING, PRESENT, Attr, Item, Key, put, update

_LIVING = PRESENT & Attr("deleted_at").not_exists()


def create_store(
    context: Context, *, name: str, description: str = "", metadata: Mapping[str, str] | None = None
) -> Store:
    """A new, empty store. Raises LimitReached where the workspace is full."""
    now = clock.now()
    store = Store(
        id=ids.new(ids.STORE),
        name=attributes.check_name(name),
        description=attributes.check_description(description),
        metadata=attributes.merge_metadata({}, attributes.check_metadata(metadata or {})),
        created_at=now,
        updated_at=now,
        archived_at=None,
        revision=1,
    )
    key = items.store_key(context.workspace_id, store.id)
    limit = context.limits.max_stores_per_workspace
    has_room = Attr("stores").not_exists() | Attr("stores").lt(limit)
    writes = [
        put(key, items.store_attributes(store), MISSING),
        update(
            items.workspace_key(context.workspace_id),
            add={"stores": 1},
            condition=has_room,
            refused=lambda _: LimitReached(f"the workspace already holds {limit} memory stores"),
        ),
    ]
    context.until_settled(lambda: context.table.transact(writes, witness=key))
    return store


def get_store(context: Context, store_id: str) -> Store:
    """A store, archived or not. Raises NotFound."""
    store, _ = read_authorized(context, store_id)
    return store


def list_stores(
    context: Context, *, created: Period, include_archived: bool, limit: int, page: str | None
) -> Page[Store]:
    """The caller's stores, newest first."""
    filters = {"created": [created.first, created.last], "include_archived": include_archived}
    listing = Listing(context, "stores", None, filters)
    position = listing.position(page)
    grant = context.caller.grant
    scope = reachable_stores(context, grant) if grant else context.caller.store_ids

    def keep(found: list[Item]) -> list[Item]:
        return [item for item in found if include_archived or "archived_at" not in item]

    if scope is None:
        found, last = newest_first(context, context.workspace_id, ids.STORE, created, position, limit, keep)
    else:
        found, last = _newest_of(context, scope, created, position, limit, keep)
    return listing.page(
        [items.parse_store(item) for item in found],
        last,
        lambda store: items.by_created(store.id, store.created_at),
    )


def _newest_of(
    context: Context,
    store_ids: Collection[str],
    created: Period,
    position: str | None,
    limit: int,
    keep: Callable[[list[Item]], list[Item]],
) -> tuple[list[Item], str | None]:
    """What `newest_first` answers, of a few stores known by their ids."""
    keys = [items.store_key(context.workspace_id, store_id) for store_id in store_ids]
    living = [item for item in context.table.get_all(keys) if items.is_living(item)]
    wanted = [item for item in keep(living) if created.first <= item["created_at"] <= created.last]
    behind = [item for item in wanted if position is None or item[items.BY_CREATED] < position]
    found = sorted(behind, key=itemgetter(items.BY_CREATED), reverse=True)
    return found[:limit], found[limit - 1][items.BY_CREATED] if len(found) > limit else None


def update_store(
    context: Context,
    store_id: str,
    *,
    name: str | None = None,
    description: str | None = None,
    metadata: Mapping[str, str | None] | None = None,
) -> Store:
    """Change what is given; metadata is a merge patch. Raises NotFound, StoreArchived."""
    key = items.store_key(context.workspace_id, store_id)
    if name is not None:
        attributes.check_name(name)
    if description is not None:
        attributes.check_description(description)
    patch = attributes.check_metadata(metadata or {})

    def attempt() -> Store:
        current, _ = read_authorized(context, store_id)
        changed = replace(
            current,
            name=current.name if name is None else name,
            description=current.description if description is None else description,
            metadata=attributes.merge_metadata(current.metadata, patch),
        )
        if changed == current:
            return current
        changed = replace(changed, updated_at=max(clock.now(), current.updated_at), revision=current.revision + 1)
        unchanged = _LIVING & Attr("archived_at").not_exists() & Attr("revision").eq(current.revision)
        context.table.write(update(key, items.store_attributes(changed), condition=unchanged))
        return changed

    return context.until_settled(attempt)


def archive_store(context: Context, store_id: str) -> Store:
    """Close a store for changes, for good; repeating it answers the same. Raises NotFound.

    When this returns, no write that was under way can still land.
    """
    key = items.store_key(context.workspace_id, store_id)
    now = clock.now()
    archive = update(
        key,
        {"archived_at": now, "updated_at": now},
        add={"revision": 1},
        condition=_LIVING & Attr("archived_at").not_exists(),
        refused=ConditionFailed,
    )
    try:
        item = context.insist(lambda: context.table.write(archive))
    except ConditionFailed as refusal:
        store = require_store(refusal.item, store_id)
        if refusal.item and refusal.item.get("archive_settled"):
            return store
    else:
        store = items.parse_store(item)
    _finish(context, key, "archive_settled")
    return store


def delete_store(context: Context, store_id: str) -> None:
    """Make a store and all it holds unreachable at once; rows and bodies are purged in the background.

    Raises NotFound, also for a store whose deletion has been answered before.
    """
    key = items.store_key(context.workspace_id, store_id)
    now = clock.now()
    work = Work.purge(context.workspace_id, store_id, now)
    writes = [
        update(key, {"deleted_at": now}, remove=(items.BY_CREATED,), condition=_LIVING, refused=ConditionFailed),
        update(items.workspace_key(context.workspace_id), add={"stores": -1}),
        queued(work),
    ]
    try:
        context.insist(lambda: context.table.transact(writes, witness=work.key))
    except ConditionFailed as refusal:
        is_unfinished = refusal.item and "deleted_at" in refusal.item and "deletion_settled" not in refusal.item
        if not is_unfinished:
            raise NotFound("memory store", store_id) from refusal
    _finish(context, key, "deletion_settled")


def _finish(context: Context, key: Key, mark: str) -> None:
    """Bump the fences of a store whose state has changed; the mark tells a repeat that this is done."""
    context.insist(lambda: fences.bump(context.table, context.contents(key.sk)))
    marked = update(key, {mark: True}, condition=PRESENT, refused=lambda _: NotFound("memory store", key.sk))
    context.insist(lambda: context.table.write(marked))
