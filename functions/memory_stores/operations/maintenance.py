"""Finishing what a crash or a deletion left: unfinished redactions, and the contents of deleted stores."""

from collections.abc import Iterator
from dataclasses import dataclass

from boto3.dynamodb.conditions import Key as KeyAttr

from memory_stores.domain import clock
from memory_stores.operations.context import Deadline, Storage
from memory_stores.operations.queue import PURGE, REDACTION, Work, parse_work
from memory_stores.operations.redaction import finish_redaction
from memory_stores.storage import items
from memory_stores.storage.expressions import Item, Key, delete
from memory_stores.storage.table import BATCH_WRITE_ITEMS

_REQUEST_LIFETIME = 60_000
_KEEP_FENCES = 3_600_000
"""Milliseconds for which a deleted store keeps its tombstone and fences, so that no late write finds neither."""


@dataclass(slots=True)
class Totals:
    """What one run has done."""

    redactions: int = 0
    bodies: int = 0
    rows: int = 0
    stores: int = 0
    is_complete: bool = False


def work_queue(storage: Storage, deadline: Deadline) -> Totals:
    """Do the queued work, oldest first, until the time is up; the next run goes on where this one stopped."""
    totals = Totals()
    for work in _queued(storage, REDACTION):
        if deadline.passed:
            return totals
        if clock.now() - work.since > _REQUEST_LIFETIME:
            finish_redaction(storage, work)
            totals.redactions += 1
    for work in _queued(storage, PURGE):
        if not _purge(storage, work, deadline, totals):
            return totals
    totals.is_complete = True
    return totals


def _queued(storage: Storage, kind: str) -> Iterator[Work]:
    start = None
    while True:
        page = storage.table.query(KeyAttr("pk").eq(f"work#{kind}"), start=start)
        yield from (parse_work(item) for item in page.items)
        if page.last_key is None:
            return
        start = page.last_key


def _purge(storage: Storage, work: Work, deadline: Deadline, totals: Totals) -> bool:
    """Remove a deleted store's bodies and rows; false when the time ran out. After an hour, the last traces go too."""
    is_final = clock.now() - work.since > _KEEP_FENCES
    for removed in storage.bodies.delete_prefix(items.bodies_prefix(work.workspace_id, work.store_id)):
        totals.bodies += removed
        if deadline.passed:
            return False
    for keys in _rows(storage, work, with_fences=is_final):
        storage.table.delete_all(keys)
        totals.rows += len(keys)
        if deadline.passed:
            return False
    if is_final:
        storage.table.write(delete(items.store_key(work.workspace_id, work.store_id)))
        storage.table.write(delete(work.key))
        totals.stores += 1
    return True


def _rows(storage: Storage, work: Work, *, with_fences: bool) -> Iterator[list[Key]]:
    """The keys of what the store holds, in batches; each Query begins anew, behind what has been removed."""
    condition = KeyAttr("pk").eq(items.contents(work.workspace_id, work.store_id))
    start: Item | None = None
    while True:
        page = storage.table.query(condition, start=start)
        keys = [Key(item["pk"], item["sk"]) for item in page.items]
        doomed = [key for key in keys if with_fences or not key.sk.startswith("fence#")]
        for index in range(0, len(doomed), BATCH_WRITE_ITEMS):
            yield doomed[index : index + BATCH_WRITE_ITEMS]
        if page.last_key is None:
            return
        start = page.last_key
