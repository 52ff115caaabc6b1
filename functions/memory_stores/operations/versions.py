"""Versions: list and retrieve."""

from dataclasses import dataclass

from memory_stores.domain import ids
from memory_stores.domain.clock import Period
from memory_stores.domain.errors import NotFound
from memory_stores.domain.models import Actor, Operation, Version
from memory_stores.operations.authorization import read_authorized
from memory_stores.operations.context import Context
from memory_stores.operations.paging import Listing, Page, gather
from memory_stores.operations.reading import MAX_FULL, BodyReader
from memory_stores.storage import items, table
from memory_stores.storage.expressions import Attr, ConditionBase, Item, Key, KeyAttr


@dataclass(frozen=True, slots=True)
class VersionFilter:
    """Which versions a list wants; all the filters hold together."""

    created: Period
    memory_id: str | None = None
    operation: Operation | None = None
    authors: tuple[Actor, ...] = ()

    @property
    def is_unfulfillable(self) -> bool:
        """Whether no version can match: an empty period, or two authors of one change."""
        return self.created.is_empty or len(self.authors) > 1

    @property
    def condition(self) -> ConditionBase | None:
        """The part that is not in a key."""
        parts: list[ConditionBase] = []
        if self.operation:
            parts.append(Attr("operation").eq(str(self.operation)))
        parts += [Attr("created_by").eq(items.actor_text(author)) for author in self.authors]
        return None if not parts else parts[0] if len(parts) == 1 else parts[0] & parts[1]


def list_versions(
    context: Context, store_id: str, wanted: VersionFilter, *, full: bool, limit: int, page: str | None
) -> Page[Version]:
    """The history of a store or of one memory, newest first; of deleted memories too. Raises NotFound."""
    filters = {
        "created": [wanted.created.first, wanted.created.last],
        "memory_id": wanted.memory_id,
        "operation": wanted.operation,
        "authors": [items.actor_text(author) for author in wanted.authors],
    }
    listing = Listing(context, "versions", store_id, filters)
    start = listing.position(page)
    reader = BodyReader(context)

    def attempt() -> Page[Version]:
        read_authorized(context, store_id)
        if wanted.is_unfulfillable:
            return Page([], None)
        found, last = _search(context, store_id, wanted, start, min(limit, MAX_FULL) if full else limit)
        versions = [items.parse_version(item) for item in found]
        filled = reader.fill_all(versions) if full else versions
        return listing.page(filled, last, lambda version: version.id)

    return context.until_settled(attempt)


def _search(
    context: Context, store_id: str, wanted: VersionFilter, position: str | None, limit: int
) -> tuple[list[Item], str | None]:
    """The rows of up to `limit` matching versions, and the version id to go on behind."""
    contents = context.contents(store_id)
    memory_id = wanted.memory_id
    sort_key, before = (items.BY_MEMORY, f"{memory_id}#") if memory_id else ("sk", "")
    first = before + ids.lowest(ids.VERSION, wanted.created.first)
    behind = before + ids.lowest(ids.VERSION, wanted.created.last + 1)
    condition = KeyAttr("pk").eq(contents) & KeyAttr(sort_key).between(first, behind)

    def query(start: Item | None, size: int) -> table.Page:
        return context.table.query(
            condition,
            index=items.BY_MEMORY if memory_id else None,
            where=wanted.condition,
            descending=True,
            start=start,
            limit=size,
        )

    start: Item | None = None
    if position is not None:
        start = {"pk": contents, "sk": position}
        start |= {items.BY_MEMORY: items.by_memory(memory_id, position)} if memory_id else {}
    found, last = gather(query, start=start, limit=limit)
    return found, last["sk"] if last else None


def require_version(item: Item | None, version_id: str) -> Version:
    """The version of an item; raises NotFound."""
    if item is None:
        raise NotFound("memory version", version_id)
    return items.parse_version(item)


def get_version(context: Context, store_id: str, version_id: str, *, full: bool) -> Version:
    """A version, with its text where `full` and it has one. Raises NotFound."""
    reader = BodyReader(context)
    version_key = Key(context.contents(store_id), version_id)

    def attempt() -> Version:
        _, [item] = read_authorized(context, store_id, version_key)
        version = require_version(item, version_id)
        return reader.fill(version) if full else version

    return context.until_settled(attempt)
