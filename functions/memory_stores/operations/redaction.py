"""Redaction: the text of one version is removed for good, its row stays for audit."""

from dataclasses import replace

from boto3.dynamodb.conditions import Attr

from memory_stores.domain import clock
from memory_stores.domain.errors import HeadRedaction
from memory_stores.domain.models import Operation, Version
from memory_stores.operations.context import Context, Storage
from memory_stores.operations.queue import Work, queued
from memory_stores.operations.stores import find_store
from memory_stores.operations.versions import find_version
from memory_stores.storage import items
from memory_stores.storage.expressions import PRESENT, Key, Write, check, delete, update


def redact_version(context: Context, store_id: str, version_id: str) -> Version:
    """Erase a version's text, path, size and digest; when this returns, the object in S3 is gone.

    Repeating it answers the same. Works in archived stores. Raises NotFound, HeadRedaction.
    """
    keys = [items.store_key(context.workspace_id, store_id), Key(context.contents(store_id), version_id)]

    def attempt() -> Version:
        store_item, item = context.table.get_all(keys)
        find_store(store_item, store_id)
        version = find_version(item, version_id)
        return version if version.redacted_at is not None else _hide(context, version)

    redacted = context.until_settled(attempt)
    finish_redaction(context.storage, _work(context, redacted))
    return redacted


def finish_redaction(storage: Storage, work: Work) -> None:
    """Remove the body of a version whose row is redacted already, and take the work off the queue."""
    storage.bodies.delete(items.body_key(work.workspace_id, work.store_id, work.memory_id or "", work.version_id or ""))
    storage.table.write(delete(work.key))


def _hide(context: Context, version: Version) -> Version:
    """Null the row and queue the removal of the body, in one transaction."""
    redacted = replace(
        version,
        redacted_at=clock.now(),
        redacted_by=context.caller.actor,
        path=None,
        content_sha256=None,
        content_size_bytes=None,
    )
    work = _work(context, redacted)
    hidden = update(
        Key(context.contents(version.store_id), version.id),
        {"redacted_at": redacted.redacted_at, "redacted_by": items.actor_text(redacted.redacted_by)},
        remove=("path", "content_sha256", "content_size_bytes"),
        condition=PRESENT & Attr("redacted_at").not_exists(),
    )
    context.table.transact([hidden, _memory_write(context, version), queued(work)], witness=work.key)
    return redacted


def _memory_write(context: Context, version: Version) -> Write:
    """The memory must not live on this version; a tombstone that stands on it loses its path as well."""
    key = Key(context.contents(version.store_id), version.memory_id)
    stands_elsewhere = Attr("head").ne(version.id)
    if version.operation is not Operation.DELETED:
        condition = stands_elsewhere | Attr("deleted_at").exists()
        return check(key, condition, lambda _: HeadRedaction(version.id))
    memory = context.table.get(key) or {}
    if memory.get("head") == version.id:
        return update(key, remove=("path",), condition=Attr("head").eq(version.id))
    return check(key, stands_elsewhere)


def _work(context: Context, version: Version) -> Work:
    return Work.redaction(
        context.workspace_id, version.store_id, version.memory_id, version.id, version.redacted_at or 0
    )
