"""Memories: create, retrieve, update (content, path, metadata), delete."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace

from memory_stores.domain import attributes, ids, paths
from memory_stores.domain.errors import InvalidRequest, NotFound, PreconditionFailed
from memory_stores.domain.models import Memory, Operation, Tombstone
from memory_stores.operations.admission import read_admission
from memory_stores.operations.authorization import read_authorized
from memory_stores.operations.context import Context
from memory_stores.operations.history import Change, Draft, commit
from memory_stores.operations.reading import BodyReader
from memory_stores.operations.tree import Site
from memory_stores.storage import fences, items
from memory_stores.storage.expressions import Item, Key


def create_memory(
    context: Context, store_id: str, *, path: str, content: str, metadata: Mapping[str, str] | None = None
) -> Memory:
    """A new memory at a free path; never overwrites.

    Raises InvalidRequest, NotFound, StoreArchived, LimitReached, PathConflict.
    """
    paths.check(path)
    body = attributes.check_content(content, context.limits.max_memory_bytes)
    pairs = attributes.merge_metadata({}, attributes.check_metadata(metadata or {}))
    sha256 = attributes.sha256_of(body)
    memory_id = ids.new(ids.MEMORY)
    draft = Draft(context, store_id, memory_id)
    site = Site(context, store_id, path)

    def attempt() -> Memory:
        fence, room = read_admission(context, store_id)
        _, nodes = read_authorized(context, store_id, *site.keys)
        version_id = draft.version_id(None, sha256)
        created_at = ids.time_of(version_id)
        memory = Memory(
            id=memory_id,
            store_id=store_id,
            version_id=version_id,
            path=path,
            content_sha256=sha256,
            content_size_bytes=len(body),
            metadata=pairs,
            revision=1,
            created_at=created_at,
            updated_at=created_at,
            content=content,
        )
        placement = site.claim(nodes, memory)
        room.check()
        draft.upload(version_id, sha256, body)
        commit(context, fence, Change(None, memory, Operation.CREATED), placement)
        return memory

    with site:
        return context.until_settled(attempt)


def require_memory(item: Item | None, memory_id: str) -> Memory:
    """The living memory of an id's item; raises NotFound."""
    if not items.is_living(item):
        raise NotFound("memory", memory_id)
    return items.parse_memory(item)


def get_memory(context: Context, store_id: str, memory_id: str, *, full: bool) -> Memory:
    """A living memory, with its content where `full`. Raises NotFound."""
    reader = BodyReader(context)
    memory_key = Key(context.contents(store_id), memory_id)

    def attempt() -> Memory:
        _, [item] = read_authorized(context, store_id, memory_key)
        memory = require_memory(item, memory_id)
        return reader.fill(memory) if full else memory

    return context.until_settled(attempt)


def update_memory(
    context: Context,
    store_id: str,
    memory_id: str,
    *,
    content: str | None = None,
    path: str | None = None,
    metadata: Mapping[str, str | None] | None = None,
    expected_sha256: str | None = None,
) -> Memory:
    """One atomic change of what is given, and one version; a change of nothing makes none.

    `expected_sha256` is what the current content must hash to; a request that is already fulfilled is answered all
    the same, so that a retry is safe. The answer carries the content only where the request did.
    Raises InvalidRequest, NotFound, StoreArchived, PathConflict, PreconditionFailed.
    """
    if content is None and path is None and metadata is None:
        raise InvalidRequest("at least one of content, path and metadata must be given")
    body = None if content is None else attributes.check_content(content, context.limits.max_memory_bytes)
    site = Site(context, store_id, paths.check(path)) if path is not None else None
    patch = attributes.check_metadata(metadata or {})
    draft = Draft(context, store_id, memory_id)
    reader = BodyReader(context)
    memory_key = Key(context.contents(store_id), memory_id)

    def attempt() -> Memory:
        fence = fences.read(context.table, context.contents(store_id))
        _, [item, *nodes] = read_authorized(context, store_id, memory_key, *(site.keys if site else ()))
        current = require_memory(item, memory_id)
        changed = _apply(current, body, path, patch)
        if changed == current:
            return current.with_content(content)
        _check_precondition(current, expected_sha256)
        version_id = draft.version_id(current.version_id, changed.content_sha256)
        changed = replace(
            changed, version_id=version_id, revision=current.revision + 1, updated_at=ids.time_of(version_id)
        )
        placement = site.claim(nodes, changed) if site and changed.path != current.path else []
        if body is None:
            with reader.starting_over(current.version_id):
                draft.copy(version_id, current)
        else:
            draft.upload(version_id, changed.content_sha256, body)
        commit(context, fence, Change(current, changed, Operation.MODIFIED), placement)
        return changed.with_content(content)

    with site or nullcontext():
        return context.until_settled(attempt)


def delete_memory(context: Context, store_id: str, memory_id: str, *, expected_sha256: str | None = None) -> None:
    """Remove a memory from its path; its history stays. Raises NotFound, StoreArchived, PreconditionFailed."""
    memory_key = Key(context.contents(store_id), memory_id)

    def attempt() -> None:
        fence = fences.read(context.table, context.contents(store_id))
        _, [item] = read_authorized(context, store_id, memory_key)
        current = require_memory(item, memory_id)
        _check_precondition(current, expected_sha256)
        tombstone = Tombstone(
            id=memory_id,
            store_id=store_id,
            version_id=ids.new_after(ids.VERSION, current.version_id),
            path=current.path,
            metadata=current.metadata,
            revision=current.revision + 1,
            created_at=current.created_at,
        )
        commit(context, fence, Change(current, tombstone, Operation.DELETED))

    context.until_settled(attempt)


def _apply(current: Memory, body: bytes | None, path: str | None, patch: Mapping[str, str | None]) -> Memory:
    return replace(
        current,
        path=current.path if path is None else path,
        content_sha256=current.content_sha256 if body is None else attributes.sha256_of(body),
        content_size_bytes=current.content_size_bytes if body is None else len(body),
        metadata=attributes.merge_metadata(current.metadata, patch),
    )


def _check_precondition(current: Memory, expected_sha256: str | None) -> None:
    if expected_sha256 is not None and expected_sha256 != current.content_sha256:
        raise PreconditionFailed(current.id)
