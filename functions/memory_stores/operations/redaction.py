"""Redaction: the text of one version is removed for good, its row stays for audit."""

from dataclasses import replace

from memory_stores.domain import clock
from memory_stores.domain.errors import HeadRedaction
from memory_stores.domain.models import Operation, Version
from memory_stores.operations.authorization import read_authorized
from memory_stores.operations.context import Context
from memory_stores.operations.queue import Work, queued
from memory_stores.operations.versions import require_version
from memory_stores.storage import items
from memory_stores.storage.expressions import PRESENT, Attr, Key, Write, check, update


def redact_version(context: Context, store_id: str, version_id: str) -> Version:
    """Erase a version's text, path, size and digest; when this returns, the object in S3 is gone.

    Repeating it answers the same. Works in archived stores. Raises NotFound, HeadRedaction.
    """
    version_key = Key(context.contents(store_id), version_id)

    def attempt() -> Version:
        _, [item] = read_authorized(context, store_id, version_key)
        version = require_version(item, version_id)
        return version if version.redacted_at is not None else _hide(context, version)

    redacted = context.until_settled(attempt)
    context.bodies.delete(context.body_key(store_id, redacted.memory_id, version_id))
    return redacted


def _hide(context: Context, version: Version) -> Version:
    """Null the row and queue the removal of the body, in one transaction.

    The work stays queued when the body is gone: a rename or restore that loses against the redaction may have copied
    the text just before, and only when no such request can be under way any more is it sure that nothing is left.
    """
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
