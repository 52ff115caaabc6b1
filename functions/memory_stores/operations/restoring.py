"""Restoring: the text of an old version becomes the current one, by a new version; history is never rewound."""

from contextlib import ExitStack
from functools import cache

from memory_stores.domain import ids
from memory_stores.domain.errors import InvalidRequest
from memory_stores.domain.models import Memory, Operation, Tombstone, Version
from memory_stores.operations.admission import read_admission
from memory_stores.operations.authorization import read_authorized
from memory_stores.operations.context import Context
from memory_stores.operations.history import Change, Draft, commit
from memory_stores.operations.reading import BodyReader
from memory_stores.operations.tree import Site
from memory_stores.operations.versions import require_version
from memory_stores.storage import items
from memory_stores.storage.expressions import Attr, Key, Write, check


def restore_version(context: Context, store_id: str, version_id: str) -> Memory:
    """Give a living memory the text of the version, or bring a deleted one back with it at its last path.

    A memory that has this text already is answered unchanged.
    Raises NotFound, StoreArchived, InvalidRequest (redacted, or records a deletion), LimitReached, PathConflict.
    """
    contents = context.contents(store_id)
    source_key = Key(contents, version_id)
    _, [item] = read_authorized(context, store_id, source_key)
    memory_key = Key(contents, require_version(item, version_id).memory_id)
    draft = Draft(context, store_id, memory_key.sk)
    reader = BodyReader(context)

    with ExitStack() as sites:
        site_at = cache(lambda path: sites.enter_context(Site(context, store_id, path)))

        def attempt() -> Memory:
            fence, room = read_admission(context, store_id)
            _, [source_item, memory_item] = read_authorized(context, store_id, source_key, memory_key)
            source = _restorable(require_version(source_item, version_id))
            before: Memory | Tombstone
            if items.is_living(memory_item):
                before = items.parse_memory(memory_item)
                if before.content_sha256 == source.content_sha256:
                    return before
                operation, path = Operation.MODIFIED, before.path
            else:
                before = items.parse_tombstone(memory_item or {})
                operation, path = Operation.CREATED, before.path or source.path or ""
            version_id_after = draft.version_id(before.version_id, source.content_sha256 or "")
            after = _restored(before, source, path, version_id_after)
            placement: list[Write] = []
            if operation is Operation.CREATED:
                site = site_at(path)
                placement = site.claim(context.table.get_all(site.keys), after)
                room.check()
            with reader.starting_over(source.id):
                draft.copy(after.version_id, source)
            commit(context, fence, Change(before, after, operation), placement, [_still_readable(source_key)])
            return after

        return context.until_settled(attempt)


def _restorable(version: Version) -> Version:
    if version.redacted_at is not None:
        raise InvalidRequest(f"{version.id} is redacted and cannot be restored")
    if version.operation is Operation.DELETED:
        raise InvalidRequest(f"{version.id} records a deletion and holds no content to restore")
    return version


def _restored(before: Memory | Tombstone, source: Version, path: str, version_id: str) -> Memory:
    return Memory(
        id=before.id,
        store_id=before.store_id,
        version_id=version_id,
        path=path,
        content_sha256=source.content_sha256 or "",
        content_size_bytes=source.content_size_bytes or 0,
        metadata=before.metadata,
        revision=before.revision + 1,
        created_at=before.created_at,
        updated_at=ids.time_of(version_id),
    )


def _still_readable(source_key: Key) -> Write:
    """A redaction that comes first wins: erased text is never brought back."""
    return check(source_key, Attr("redacted_at").not_exists())
